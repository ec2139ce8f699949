"""A wire between the store's client and DynamoDB Local on which chosen requests are late, doubled, slow or lost.

What is held or doubled is delivered again on command, however much later, as a network or the client library's own
retries may do it. An answer that is slower than the client's patience is one that never comes: the connection ends,
and the library sends the same request again, without a test having to wait.
"""

import http.client
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import urlsplit

type Fate = Literal["held", "doubled", "slow", "refused", "throttled", "denied", "failed"]
"""Not delivered: held is never answered, refused is answered with 503, throttled and denied with DynamoDB's 400.
Delivered: doubled is answered, slow never, failed is answered with 500. Each may be delivered (again) later."""

type Body = dict[str, Any]

ANY = "any operation"
_DELIVERED = ("doubled", "slow", "failed")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    content: bytes


_ERRORS: dict[str, tuple[int, str]] = {
    "refused": (503, "ServiceUnavailable"),
    "throttled": (400, "ProvisionedThroughputExceededException"),
    "denied": (400, "AccessDeniedException"),
    "failed": (500, "InternalServerError"),
}


def _error(fate: str, packet: "Packet") -> Answer | None:
    """The worst message that a store could send: all of the request."""
    if fate not in _ERRORS:
        return None
    status, code = _ERRORS[fate]
    message = f"injected for {packet.content.decode()} with {packet.headers}"
    return Answer(status, [], json.dumps({"__type": f"com.amazonaws.dynamodb#{code}", "message": message}).encode())


@dataclass(frozen=True)
class Packet:
    """One request as it was sent."""

    url: str
    headers: dict[str, str]
    content: bytes

    @property
    def operation(self) -> str:
        return self.headers.get("X-Amz-Target", "").rpartition(".")[2]

    def deliver(self) -> Answer:
        line = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)
        line.request("POST", "/", self.content, self.headers)
        answer = line.getresponse()
        heard = Answer(answer.status, answer.getheaders(), answer.read())
        line.close()
        return heard


@dataclass
class Trap:
    """What befalls the `times` requests from the `nth` on that it is set for, and what it caught."""

    operation: str
    fate: Fate
    nth: int = 1
    times: int = 1
    where: Callable[[Body], bool] = lambda body: True
    meanwhile: Callable[[], object] = lambda: None
    caught: list[Packet] = field(default_factory=list)
    seen: int = 0

    def takes(self, packet: Packet) -> bool:
        if self.operation not in (ANY, packet.operation) or not self.where(json.loads(packet.content)):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times

    def carry(self, packet: Packet) -> Answer | None:
        """What the sender hears; None where the connection just ends."""
        self.caught.append(packet)
        answer = packet.deliver() if self.fate in _DELIVERED else None
        self.meanwhile()
        return answer if self.fate == "doubled" else _error(self.fate, packet)

    def arrive(self) -> list[int]:
        """Delivers what it caught, now; gives the statuses that nobody waits for any longer."""
        assert self.caught, f"no {self.operation} came by"
        return [packet.deliver().status for packet in self.caught]


class Wire:
    """Listens on a free port; `url` is its own address, `to` that of DynamoDB Local."""

    def __init__(self, to: str):
        self._to = to
        self._traps: list[Trap] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def trap(self, operation: str, fate: Fate, **more: Any) -> Trap:
        """Sets a trap (see `Trap`); of several that fit a request, the oldest takes it."""
        trap = Trap(operation, fate, **more)
        self._traps.append(trap)
        return trap

    def mend(self) -> None:
        self._traps.clear()

    def carry(self, packet: Packet) -> Answer | None:
        with self._lock:
            trap = next((trap for trap in self._traps if trap.takes(packet)), None)
        return trap.carry(packet) if trap else packet.deliver()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                answer = wire.carry(Packet(wire._to, dict(self.headers), content))
                if answer is None:
                    self.close_connection = True
                    return
                self.send_response_only(answer.status)
                for name, value in answer.headers:
                    if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        return Handler
