"""A proxy that forwards requests and loses some responses."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

import httpx

type Loss = Literal["503", "cut"]
HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "host", "accept-encoding"}


@dataclass
class Between:
    """`losses` are the faults of the next responses to POSTs; None forwards one unchanged."""

    target: str
    losses: list[Loss | None] = field(default_factory=list)
    passed: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and headers of each POST."""
    url: str = ""


@contextmanager
def between(target: str) -> Iterator[Between]:
    way = Between(target)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(way)) as server:
        way.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield way
        server.shutdown()


def _handler(way: Between) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            way.passed.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            self._pass_on(way.losses.pop(0) if way.losses else None)

        def _pass_on(self, loss: Loss | None = None) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            answer = httpx.request(self.command, way.target + self.path, content=body, headers=headers, timeout=60)
            if loss == "503":
                return self._send(503, {"content-type": "text/plain"}, b"upstream")
            kept = {name: value for name, value in answer.headers.items() if name not in HOP_BY_HOP}
            return self._send(answer.status_code, kept, answer.content, cut=loss == "cut")

        def _send(self, status: int, headers: dict[str, str], content: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if cut else content)
            if cut:
                self.close_connection = True
                self.connection.close()

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
