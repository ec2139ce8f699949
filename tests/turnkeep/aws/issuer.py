"""An issuer of tokens on this machine: real keys, and a server that publishes their public halves and keeps what it was
asked for."""

import json
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

ISSUER, AUDIENCE = "https://issuer.example", "turnkeep"


KINDS = {
    "rsa": lambda name: rsa.generate_private_key(65537, 1024 if name == "rsa-short" else 2048),
    "p256": lambda _: ec.generate_private_key(ec.SECP256R1()),
    "p384": lambda _: ec.generate_private_key(ec.SECP384R1()),
    "ed": lambda _: ed25519.Ed25519PrivateKey.generate(),
}
ALGORITHM = {"rsa": "RS256", "p256": "ES256", "p384": "ES384", "ed": "EdDSA"}


@cache
def private_key(name: str) -> Any:
    """The same key for the same name, which begins with its kind."""
    return KINDS[name.partition("-")[0]](name)


def public_jwk(name: str, **changes: Any) -> dict[str, Any]:
    algorithm: Any = get_default_algorithms()[ALGORITHM[name.partition("-")[0]]]
    return {**algorithm.to_jwk(private_key(name).public_key(), as_dict=True), "kid": name, "use": "sig", **changes}


def claims(**changes: Any) -> dict[str, Any]:
    """Those of a good token; None takes one away."""
    now = int(time.time())
    facts = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "tenant": "acme", "exp": now + 300, "iat": now}
    return {name: value for name, value in (facts | changes).items() if value is not None}


def token(key: str = "rsa", *, algorithm: str | None = None, head: dict[str, Any] | None = None, **changes: Any) -> str:
    algorithm = algorithm or ALGORITHM[key.partition("-")[0]]
    return jwt.encode(claims(**changes), private_key(key), algorithm, headers={"kid": key, **(head or {})})


class Issuer(ThreadingHTTPServer):
    """Answers every path with its set, or with `answer` as (status, headers, body)."""

    daemon_threads = True

    def __init__(self, *keys: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.keys = list(keys)
        self.asked: list[str] = []
        self.headers: Mapping[str, str] = {}
        self.answer: tuple[int, dict[str, str], bytes] | None = None
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/.well-known/jwks.json"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust the server hangs up, which is no news."""


class _Answering(BaseHTTPRequestHandler):
    server: Issuer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.headers = dict(self.headers)
        status, headers, body = self.server.answer or (200, {}, json.dumps({"keys": self.server.keys}).encode())
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal of the tests."""


@contextmanager
def published(*keys: dict[str, Any], tls: ssl.SSLContext | None = None) -> Iterator[Issuer]:
    server = Issuer(*keys)
    if tls:
        server.scheme = "https"
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
