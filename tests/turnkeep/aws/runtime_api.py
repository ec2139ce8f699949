"""Lambda's Runtime API on a raw socket, as far as answers are posted to it: it accepts them, or does what a test plays
instead. And what an invocation needs: a proxy event and a context."""

import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import h11

from deployed_function import gateway_event

type Play = Callable[["Post"], None]
type Output = Callable[[], list[dict[str, Any]]]
"""The fixture `output`."""


def context(seconds: float = 30) -> Any:
    """As Lambda gives it, with this many seconds left."""
    until = time.monotonic() + seconds
    left = lambda: max(0, int((until - time.monotonic()) * 1000))  # noqa: E731
    return SimpleNamespace(aws_request_id="r-1", get_remaining_time_in_millis=left)


def event(path: str = "/x", body: str | None = None, **more: Any) -> dict[str, Any]:
    made = gateway_event("POST", path, headers=[("Host", "api.test")])
    made["requestContext"]["requestId"] = "g-1"
    return {**made, "body": body, **more}


class Post:
    """One request to the Runtime API, as far as it has come."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.body, self.is_whole = connection, b"", False
        self.is_cut = threading.Event()
        """Set when the function has hung up before its answer was whole."""
        self._wire = h11.Connection(h11.SERVER)

    def read(self) -> bool:
        """Takes the next bytes; False where there are none."""
        try:
            data = self.connection.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_cut.set()
            return False
        self._wire.receive_data(data)
        while (event := self._wire.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            self.body += event.data if isinstance(event, h11.Data) else b""
            self.is_whole = isinstance(event, h11.EndOfMessage)
        return True

    def read_all(self) -> None:
        while not self.is_whole and self.read():
            pass

    def say(self, status: int) -> None:
        self.connection.sendall(f"HTTP/1.1 {status} Said\r\nContent-Length: 0\r\n\r\n".encode())


def takes(post: Post) -> None:
    post.read_all()
    if post.is_whole:
        post.say(202)


class RuntimeApi:
    """Plays `play` with every post; `posts` are those that came."""

    def __init__(self, play: Play = takes) -> None:
        self._play = play
        self.posts: list[Post] = []

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.posts.append(Post(connection))
            self._play(self.posts[-1])
            connection.close()
