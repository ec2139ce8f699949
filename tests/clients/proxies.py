"""Proxies that forward requests: one loses some responses, one answers for DynamoDB with errors."""

import http.client
import json
import threading
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Literal, Self
from urllib.parse import urlsplit

type Loss = Literal["503", "cut"]
type Fate = Literal["refused", "throttled", "denied"]

ANY = "any operation"
ERRORS: dict[Fate, tuple[int, str]] = {
    "refused": (503, "ServiceUnavailable"),
    "throttled": (400, "ProvisionedThroughputExceededException"),
    "denied": (400, "AccessDeniedException"),
}
OF_CONNECTION = ("connection", "content-length", "transfer-encoding")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    """Their names are in lower case."""
    content: bytes


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    content: bytes
    is_cut: bool = False


class Proxy:
    """Listens on a free port; `url` is its own address, `to` that of the server behind it."""

    def __init__(self, to: str):
        self._to = urlsplit(to).netloc
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"proxy": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Request) -> Answer:
        line = http.client.HTTPConnection(self._to, timeout=120)
        headers = {name: value for name, value in request.headers.items() if name not in OF_CONNECTION}
        line.request(request.method, request.path, request.content, headers)
        answer = line.getresponse()
        heard = Answer(answer.status, answer.getheaders(), answer.read())
        line.close()
        return heard


class Between(Proxy):
    """`losses` are the faults of the next responses to POSTs; None forwards one unchanged. `passed` are all POSTs."""

    def __init__(self, to: str):
        super().__init__(to)
        self.losses: list[Loss | None] = []
        self.passed: list[Request] = []

    def answer(self, request: Request) -> Answer:
        loss = None
        if request.method == "POST":
            self.passed.append(request)
            loss = self.losses.pop(0) if self.losses else None
        answer = super().answer(request)
        if loss == "503":
            return Answer(503, [("content-type", "text/plain")], b"upstream")
        return replace(answer, is_cut=loss == "cut")


class FailingStore(Proxy):
    """`fates` are the errors by operation, with which requests are refused."""

    def __init__(self, to: str):
        super().__init__(to)
        self.fates: dict[str, Fate] = {}

    def answer(self, request: Request) -> Answer:
        fate = self.fates.get(ANY) or self.fates.get(request.headers["x-amz-target"].rpartition(".")[2])
        if fate is None:
            return super().answer(request)
        status, code = ERRORS[fate]
        # the worst message that a store could send: all of the request
        error = {"message": f"injected for {request.content.decode()} with {request.headers}"}
        return Answer(status, [], json.dumps({"__type": f"com.amazonaws.dynamodb#{code}", **error}).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    proxy: ClassVar[Proxy]

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        content = self.rfile.read(int(headers.get("content-length") or 0))
        answer = self.proxy.answer(Request(self.command, self.path, headers, content))
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() not in OF_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content[: len(answer.content) // 2] if answer.is_cut else answer.content)
        self.close_connection = answer.is_cut

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        pass
