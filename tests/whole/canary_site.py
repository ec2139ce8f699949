"""A whole deployment in processes of its own, everything that it writes or says by the place where it ends, and a
search that knows a text again in other clothes."""

import base64
import http.client
import json
import re
import secrets
import signal
import socket
import sys
import threading
import time
import uuid
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import md5, sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from canary_child import PORT
from front import Front, Invocation
from lambdas import FUNCTIONS, ROOT, STREAMING, Function, running_function

from dev_server import dev_server
from turnkeep_local.processes import free_port

ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc/v1/{method}{path}"
END_OF_PRELUDE = bytes(8)
TESTS = Path(__file__).parents[1]
SITECUSTOMIZE = "import canary_child\ncanary_child.prepare()\n"
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
BEGINNING = 8
"""By so many characters all planted words of a run begin alike."""
AROUND = 90
"""So many characters around what is found are shown."""

# A text in other clothes


def in_base64(raw: bytes) -> Iterator[bytes]:
    """As it appears inside of something longer, which begins no, one or two bytes earlier in a group of three."""
    for before in range(3):
        whole, bits = base64.b64encode(bytes(before) + raw), 8 * (before + len(raw))
        yield whole[-(-8 * before // 6) : bits // 6]


def clothes(word: str) -> Iterator[bytes]:
    """Everything by which `word`, which is of letters and digits, is known again; case does not matter."""
    for raw in (word.encode(), word.encode("utf-16-le")):
        yield raw
        yield raw.hex().encode()
        yield from in_base64(raw)
    yield base64.b32encode(word.encode()).rstrip(b"=")[:-1]
    yield "".join(f"%{byte:02x}" for byte in word.encode()).encode()
    yield "".join(f"\\u{byte:04x}" for byte in word.encode()).encode()


def digests(text: str) -> Iterator[bytes]:
    """Of a whole text, without a salt: anybody may try a name out."""
    for kind in (md5, sha1, sha256):
        raw = kind(text.encode()).digest()
        yield raw
        yield raw.hex()[:12].encode()
        yield base64.b64encode(raw)[:16]


def layers(blob: bytes, depth: int = 2) -> Iterator[bytes]:
    """The blob, and what was compressed or written as base64 or hex in it."""
    yield blob
    if not depth:
        return
    for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", blob):
        yield from layers(_inflated(blob[found.start() :]), depth - 1)
    for text in re.findall(rb"[A-Za-z0-9+/_-]{24,}", blob):
        for kind in (_from_base64, _from_hex):
            inner = kind(text)
            if re.search(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", inner):
                yield from layers(inner, depth - 1)


def _inflated(blob: bytes) -> bytes:
    try:
        return zlib.decompressobj(47).decompress(blob, 1 << 22)
    except zlib.error:
        return b""


def _from_base64(text: bytes) -> bytes:
    text = text.translate(bytes.maketrans(b"-_", b"+/"))
    return base64.b64decode(text[: len(text) // 4 * 4])


def _from_hex(text: bytes) -> bytes:
    try:
        return bytes.fromhex(text.decode())
    except ValueError:
        return b""


class Search:
    """Knows `words`, by name, and the whole texts of `named` by their plain digests."""

    def __init__(self, words: Mapping[str, str], named: Mapping[str, str] = {}) -> None:
        known = [(form, name) for name, word in words.items() for form in clothes(word)]
        known += [(form, f"digest of {name}") for name, text in named.items() for form in digests(text)]
        # By their beginnings, which planted words have in common; the longest first, as it may begin with another.
        self._known: dict[bytes, dict[bytes, str]] = defaultdict(dict)
        for form, name in sorted(known, key=lambda one: -len(one[0])):
            self._known[form[:BEGINNING].lower()][form.lower()] = name

    def __call__(self, blob: bytes) -> Iterator[tuple[str, str]]:
        """Name and surroundings of everything that is found."""
        for layer in layers(blob):
            small = layer.lower()
            for beginning, forms in self._known.items():
                start = small.find(beginning)
                while start >= 0:
                    name = next((name for form, name in forms.items() if small.startswith(form, start)), None)
                    if name:
                        yield name, repr(layer[max(0, start - AROUND) : start + AROUND])
                    start = small.find(beginning, start + 1)


class Sinks:
    """What was written or said, by the place where it ended."""

    def __init__(self) -> None:
        self.held: dict[str, list[bytes]] = defaultdict(list)

    def put(self, sink: str, *blobs: Any) -> None:
        self.held[sink] += [blob if isinstance(blob, bytes) else str(blob).encode("utf-8", "replace") for blob in blobs]

    def found(self, search: Search) -> dict[tuple[str, str], str]:
        """An example of each name in each sink."""
        return {(name, sink): text for sink in self.held for name, text in search(b"\n".join(self.held[sink]))}


# The store, which can be made to fail


class StoreProxy(ThreadingHTTPServer):
    """In front of DynamoDB. `fault` gives an operation's fault: down, throttled, refused, or None."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.target = urlsplit(url).netloc
        self.fault: Callable[[str], str | None] = lambda operation: None
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed hangs up, which is no news."""

    @contextmanager
    def failing(self, kind: str, *operations: str) -> Iterator[None]:
        """In this block the operations, or all, fail in this way."""
        self.fault = lambda operation: kind if not operations or operation in operations else None
        try:
            yield
        finally:
            self.fault = lambda operation: None

    @contextmanager
    def watched(self, look: Callable[[], None]) -> Iterator[None]:
        """In this block `look` is called before anything is passed on."""
        self.fault = lambda operation: look()
        try:
            yield
        finally:
            self.fault = lambda operation: None


class _Passing(BaseHTTPRequestHandler):
    server: StoreProxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.server.fault(self.headers["X-Amz-Target"].partition(".")[2])
        if fault == "down":
            self.close_connection = True
            return
        status, answer = self._failed(fault, body) if fault else self._passed_on(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.wfile.flush()

    def _passed_on(self, body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.server.target)
        connection.request("POST", "/", body, dict(self.headers))
        answer = connection.getresponse()
        status, content = answer.status, answer.read()
        connection.close()
        return status, content

    def _failed(self, fault: str, body: bytes) -> tuple[int, bytes]:
        """The worst that a store could say: all that it was asked."""
        kind = "ProvisionedThroughputExceededException" if fault == "throttled" else "AccessDeniedException"
        told = f"{body.decode()} asked by {dict(self.headers)}"
        return 400, json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": told}).encode()

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal of the tests."""


@contextmanager
def store_proxy(url: str) -> Iterator[StoreProxy]:
    proxy = StoreProxy(url)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()


# The deployment


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def events(self) -> list[Any]:
        told = [line[6:] for line in self.body.decode().split("\n") if line.startswith("data: ")]
        return [json.loads(line) for line in told if line != "[DONE]"]

    @property
    def told(self) -> Any:
        """The body, of a stream its last event."""
        if self.body.startswith((b"event: ", b": ")) and self.events:
            return self.events[-1]
        return json.loads(self.body) if self.body[:1] in (b"{", b"[") else None

    @property
    def code(self) -> str:
        """Of a problem."""
        return str(self.told.get("code", "")) if isinstance(self.told, dict) else ""


@dataclass
class Deployment:
    """Functions behind a gateway that asks the authorizer, and what all of them write and say."""

    store: StoreProxy
    folder: Path
    planted: dict[str, str] = field(default_factory=dict)
    """Headers that go with every request."""
    told: dict[str, str] = field(default_factory=dict)
    """What Lambda tells with every invocation."""

    sinks: Sinks = field(default_factory=Sinks)
    functions: dict[str, Function] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)
    running: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.running.close()

    def call(self, name: str, event: Any) -> tuple[bytes, Invocation]:
        """An event past the gateway, as somebody could send it who may invoke the function."""
        front = self.functions[name].front
        answer = front.invoke(event)
        invocation = front.invocations.pop()
        self.keep_beside(invocation)
        return answer, invocation

    def keep_beside(self, invocation: Invocation) -> None:
        """What a function posts beside its answer."""
        self.sinks.put("runtime", invocation.headers, invocation.trailers, json.dumps(invocation.error))

    def authorized(self, headers: Mapping[str, str], method: str = "GET", path: str = "/info") -> dict[str, Any] | None:
        """What the authorizer tells of the caller, None where it lets nobody in."""
        event = {
            "type": "REQUEST",
            "methodArn": ARN.format(method=method, path=path),
            **event_of(method, path, headers),
        }
        answer, invocation = self.call("authorizer", event)
        if invocation.error is not None:
            return None
        policy = json.loads(answer)
        self.sinks.put("policy", policy["policyDocument"], policy["principalId"])
        self.sinks.put("context", policy["context"])
        return {**policy["context"], "principalId": policy["principalId"], "integrationLatency": 1}

    def send(  # noqa: PLR0917
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] = {},
        function: str | None = None,
        expect: int | str | None = None,
    ) -> Answer:
        """A request with all that is planted; a header is left out by an empty value. `expect` is a status or the code
        of a problem."""
        headers = {"Content-Type": "application/json", **self.planted, **headers}
        headers = {name: value for name, value in headers.items() if value}
        text = body if isinstance(body, str | None) else json.dumps(body)
        answer = self.keep(self.answer(method, path, text, headers, function or function_of(path)))
        assert expect in (None, answer.status, answer.code), (method, path, expect, answer)
        return answer

    def answer(self, method: str, path: str, body: str | None, headers: Mapping[str, str], function: str) -> Answer:
        event = event_of(method, path, headers) | {"body": body}
        event["requestContext"]["authorizer"] = self.authorized(headers, method, path)
        return answer_in(self.call(function, event)[0])

    @contextmanager
    def streaming(self, path: str, body: Any, headers: Mapping[str, str]) -> Iterator[Iterator[str]]:
        """The lines of a stream, which may be left."""
        headers, front = {**self.planted, **headers}, self.functions["stream"].front
        front.authorize = lambda told: self.authorized(headers, "POST", path)
        with httpx.stream("POST", front.url + path, json=body, headers=headers, timeout=120) as answer:
            yield answer.iter_lines()
        invocation = front.invocations.pop()
        assert invocation.ended.wait(120)
        self.keep_beside(invocation)

    def keep(self, answer: Answer) -> Answer:
        self.sinks.put("header", json.dumps(answer.headers))
        self.sinks.put("problem" if answer.status >= 400 else "answer", answer.body)
        errors = [each for each in answer.events if isinstance(each, dict) and each.get("event") == "error"]
        self.sinks.put("problem", *map(json.dumps, errors))
        self.codes.add(answer.code)
        return answer

    def holders(self, name: str, words: list[str]) -> list[tuple[str, str]]:
        """Where in the memory of a function one of the words lies, and who holds it."""
        with socket.create_connection(("127.0.0.1", self.ports[name])) as connection, connection.makefile("rw") as file:
            file.write(json.dumps([word[::-1] for word in words]) + "\n")
            file.flush()
            return [(text, holder) for text, holder in json.loads(file.readline())]

    def left_in_folders(self) -> list[str]:
        return [str(file) for file in self.folder.glob("*/tmp/**/*")]

    def start(self, name: str, environ: Mapping[str, str]) -> None:
        """One function, exactly as Lambda starts it but for the sitecustomize.py."""
        place, port, code = self.folder / name, free_port(), FUNCTIONS / name
        (place / "tmp").mkdir(parents=True)
        (place / "sitecustomize.py").write_text(SITECUSTOMIZE)
        facts = {
            **environ,
            "LAMBDA_TASK_ROOT": str(code),
            "PYTHONPATH": ":".join(map(str, (place, code, TESTS / "whole", ROOT / "src"))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(place / "tmp"),
            PORT: str(port),
        }
        plain = (sys.executable, "-m", "awslambdaric", "app.handler")
        command = STREAMING if name == "stream" else plain
        front = Front()
        front.told = {**self.told, "Lambda-Runtime-Trace-Id": TRACE}
        function = running_function(command, facts, front, self.folder / f"{name}.log")
        self.functions[name], self.ports[name] = self.running.enter_context(function), port


STREAMED = re.compile(r"(/stream|/wait|/join|/completions|/responses)$")


def function_of(path: str) -> str:
    """As the gateway routes it."""
    return "stream" if STREAMED.search(path.partition("?")[0]) else "api"


def event_of(method: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """A request as a REST API passes it on."""
    place, _, query = path.partition("?")
    values = {name: [value] for name, _, value in (pair.partition("=") for pair in query.split("&")) if name}
    return {
        "resource": "/{proxy+}",
        "path": place,
        "httpMethod": method,
        "headers": dict(headers),
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: value[0] for name, value in values.items()} or None,
        "multiValueQueryStringParameters": values or None,
        "pathParameters": {"proxy": place[1:]},
        "stageVariables": None,
        "requestContext": {"requestId": str(uuid.uuid4()), "identity": {"sourceIp": "192.0.2.1"}, "stage": "v1"},
        "body": None,
        "isBase64Encoded": False,
    }


def answer_in(raw: bytes) -> Answer:
    """An answer as a client gets it; a function that gave none is a gateway that failed."""
    prelude, is_streamed, body = raw.partition(END_OF_PRELUDE)
    if not prelude or prelude == b"null":
        return Answer(502, {}, b'{"message": "Internal server error"}')
    head = json.loads(prelude)
    if is_streamed:
        return Answer(head["statusCode"], head["headers"], body)
    text = head["body"]
    whole = base64.b64decode(text) if head["isBase64Encoded"] else text.encode()
    return Answer(head["statusCode"], head["headers"], whole)


class Laptop(Deployment):
    """`turnkeep dev` in the place of the functions."""

    url = ""

    @cached_property
    def client(self) -> httpx.Client:
        return self.running.enter_context(httpx.Client(timeout=120, headers={"Connection": "close"}))

    def answer(self, method: str, path: str, body: str | None, headers: Mapping[str, str], function: str) -> Answer:
        content = body.encode("utf-8", "replace") if body else b""
        answer = self.client.request(method, self.url + path, content=content, headers=headers)
        return Answer(answer.status_code, dict(answer.headers), answer.content)

    @contextmanager
    def streaming(self, path: str, body: Any, headers: Mapping[str, str]) -> Iterator[Iterator[str]]:
        headers = {name: value for name, value in {**self.planted, **headers}.items() if value}
        with self.client.stream("POST", self.url + path, json=body, headers=headers) as answer:
            yield answer.iter_lines()

    def send_raw(self, request: str) -> None:
        with socket.create_connection(("127.0.0.1", urlsplit(self.url).port or 0), timeout=120) as connection:
            connection.sendall(request.encode())
            self.sinks.put("problem", connection.recv(65536))

    def serve(self, environ: Mapping[str, str]) -> None:
        """Starts it, with its folder in ours."""
        place = self.folder / "laptop"
        place.mkdir()
        (place / "sitecustomize.py").write_text(SITECUSTOMIZE)
        facts = {
            **environ,
            "PYTHONPATH": ":".join(map(str, (place, TESTS / "whole", ROOT / "src"))),
        }
        server = dev_server(self.folder, facts, ended_by=signal.SIGTERM)
        self.url = str(self.running.enter_context(server).base_url).rstrip("/")


def wait_for(is_so: Callable[[], Any], seconds: float = 120) -> Any:
    """What `is_so` gives as soon as it gives something."""
    deadline = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < deadline, is_so
        time.sleep(0.02)
    return found


def mark() -> str:
    """BEGINNING letters and digits that stand nowhere else; they begin every planted word of one run."""
    return f"zq{secrets.token_hex(3)}"
