"""An emulated deployment: a gateway that routes as the template does, the functions `api`, `stream` and `worker` as
Lambda runs them, and Lambda's call that starts a background run."""

import json
import re
import select
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from exchanges import ONE_EACH
from front import Authorize, Front
from lambdas import FUNCTIONS, ROOT, STREAMING, running_function
from site_of_clients import environ

PATH = re.compile(r'^ {10}"?(/[^":]*)"?:$')
METHOD = re.compile(r"^ {12}(get|post|put|patch|delete|head|options): .*\$\{(Api|Stream)Function")
WHOLE = (sys.executable, "-m", "awslambdaric", "app.handler")
HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "host", "accept-encoding"}
INVOKE = re.compile(r"^/2015-03-31/functions/[^/]+/invocations$")
STAGE = "/v1"
"""The stage that the gateway removes from paths. Responses must not contain it, because clients prepend it."""
KEY, OTHER_KEY = "a-key-of-the-test", "a-key-of-somebody-else"
USERS = {KEY: "ann", OTHER_KEY: "bob"}

type Routes = list[tuple[str, re.Pattern[str], str]]


def routes() -> Routes:
    """Return method, path and function of each route, those without parameters first."""
    found, path = [], ""
    for line in (ROOT / "template.yaml").read_text().splitlines():
        if match := PATH.match(line):
            path = match[1]
        elif match := METHOD.match(line):
            pattern = re.sub(r"\{\w+\}", "[^/]+", re.sub(r"\{\w+\+\}", ".+", path))
            found.append((match[1].upper(), re.compile(f"^{pattern}$"), match[2].lower(), path.count("{")))
    return [(method, pattern, function) for method, pattern, function, _ in sorted(found, key=lambda row: row[3])]


def known_by_key(headers: dict[str, str]) -> dict[str, str] | None:
    """Return the context of a key, sent in either header."""
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    user = USERS.get(given)
    return {"tenant": "t", "user": user, "acts_for": "false", "credential": user} if user else None


@contextmanager
def deployed(folder: Path, facts: Mapping[str, str], streams: int = 1) -> Iterator[str]:
    """Yield the URL. At most `streams` responses are streamed at a time."""
    with deployment(folder, facts, known_by_key, Gateway, streams) as (url, _):
        yield url


@contextmanager
def deployment(
    folder: Path, facts: Mapping[str, str], authorize: Authorize, gateway_class: "type[Gateway]", streams: int = 1
) -> Iterator[tuple[str, dict[str, Front]]]:
    """Serve the functions `api`, `stream` and `worker`; yield the URL and their fronts."""
    with ExitStack() as stack, ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as gateway:
        url = f"http://127.0.0.1:{gateway.server_address[1]}"
        aws = {"AWS_ENDPOINT_URL_LAMBDA": url, "WORKER": "worker", "AWS_REGION": "eu-west-1", "AUTH": "keys"}
        aws |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "eu-west-1"}
        own = environ(folder / "installed", {**aws, "AWS_EC2_METADATA_DISABLED": "true", **facts})
        fronts: dict[str, Front] = {}
        for name, command, instances in (("api", WHOLE, 1), ("stream", STREAMING, streams), ("worker", WHOLE, 1)):
            fronts[name] = Front(authorize=authorize)
            here = {"LAMBDA_TASK_ROOT": str(FUNCTIONS / name), "PYTHONPATH": f"{FUNCTIONS / name}:{own['PYTHONPATH']}"}
            stack.enter_context(running_function(command, own | here, fronts[name], folder / f"{name}.log", instances))
        workers = stack.enter_context(ThreadPoolExecutor(2))
        client = stack.enter_context(httpx.Client(timeout=60, limits=ONE_EACH))
        bound = {"fronts": fronts, "workers": workers, "known": routes(), "client": client}
        gateway.RequestHandlerClass = type("Bound", (gateway_class,), bound)
        threading.Thread(target=gateway.serve_forever, daemon=True).start()
        yield url + STAGE, fronts
        gateway.shutdown()


class Gateway(BaseHTTPRequestHandler):
    """Forwards a request to its function, and streams the response."""

    fronts: Mapping[str, Front]
    workers: ThreadPoolExecutor
    known: Routes
    client: httpx.Client

    def __getattr__(self, name: str) -> Any:
        """Handle every method alike."""
        if name.startswith("do_"):
            return self.any
        raise AttributeError(name)

    def any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.path = self.path.removeprefix(STAGE)
        path = self.path.partition("?")[0]
        if INVOKE.match(path):
            self.start_background_run(body)
        elif front := self.front_of(path):
            self.pass_on(front.url, body)
        else:
            self.send(403, {}, [b'{"message":"Missing Authentication Token"}'])

    def start_background_run(self, body: bytes) -> None:
        self.workers.submit(self.fronts["worker"].invoke, json.loads(body))
        self.send(202, {}, [])

    def front_of(self, path: str) -> Front | None:
        matching = (name for method, pattern, name in self.known if method == self.command and pattern.match(path))
        return next((self.fronts[name] for name in matching), None)

    def pass_on(self, url: str, body: bytes) -> None:
        headers = self.end_to_end_headers()
        with (
            suppress(OSError, httpx.TransportError),
            self.client.stream(self.command, url + self.path, content=body, headers=headers) as answer,
        ):
            upstream = answer.extensions["network_stream"].get_extra_info("socket")
            threading.Thread(target=self.hang_up_with_client, args=(upstream,), daemon=True).start()
            kept = {name: value for name, value in answer.headers.items() if name not in HOP_BY_HOP}
            self.send(answer.status_code, kept, answer.iter_raw())

    def hang_up_with_client(self, upstream: socket.socket) -> None:
        with suppress(OSError, ValueError):  # the response has ended
            select.select([self.connection], [], [])
            upstream.shutdown(socket.SHUT_RDWR)

    def end_to_end_headers(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}

    def send(self, status: int, headers: Mapping[str, str], pieces: Iterable[bytes]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)

    def log_message(self, format: str, *args: object) -> None:
        pass
