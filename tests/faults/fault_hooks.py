"""Faults at the wire: counts and names the calls of a turn (DynamoDB, S3, models) and breaks chosen ones.

Works on real clients through botocore's `before-send`, so DynamoDB Local and moto's server answer all other calls. That
hook sees every attempt: each retry of the client counts as a call.
"""

import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

import httpx
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from botocore.httpsession import URLLib3Session
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult

Kind = Literal["throttle", "error_500", "lost", "cut", "kill_before", "kill_after"]
RECOVERABLE: tuple[Kind, ...] = ("throttle", "error_500", "lost", "cut")
MODEL, ACT = "model", "act"

type Choose = Callable[[int, str], Kind | None]
"""From the number of a call, counted from 1, and its name to its fault."""


def none(number: int, name: str) -> Kind | None:
    return None


def at_call(at: int, kind: Kind, times: int = 1) -> Choose:
    """Hits so many calls from the one numbered `at`."""
    return lambda number, name: kind if at <= number < at + times else None


def by_chance(share: float, chance: random.Random) -> Choose:
    """Hits this share of all calls to the stores."""

    def choose(number: int, name: str) -> Kind | None:
        return chance.choice(RECOVERABLE) if name != MODEL and chance.random() < share else None

    return choose


@dataclass
class Faults:
    """The faults of one process or one test; `on_call` gets the name of each call before it is made."""

    choose: Choose = none
    on_call: Callable[[str], object] = lambda name: None
    calls: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    hits: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def choose_fault(self, name: str, body: bytes = b"") -> Kind | None:
        """Count a call and return its fault. A fault that kills before the call does not return."""
        with self._lock:
            self.calls.append(name)
            self.bodies.append(body)
            kind = self.choose(len(self.calls), name)
            self.hits += kind is not None
        self.on_call(name)
        self.kill(kind, "before")
        return kind

    def kill(self, kind: Kind | None, side: Literal["before", "after"]) -> None:
        if kind == f"kill_{side}":
            os.kill(os.getpid(), signal.SIGKILL)

    def attach(self, client: Any) -> Any:
        """Add these faults to a client."""
        self.listen(client.meta.events, client.meta.service_model.service_name)
        return client

    def listen(self, events: Any, service: str) -> None:
        """Add them to all clients of a service that a botocore session makes from now on."""
        session = URLLib3Session(timeout=(1, 10))

        def before_send(request: Any, event_name: str, **_: Any) -> AWSResponse | None:
            name = f"{service}.{event_name.rpartition('.')[2]}"
            kind = self.choose_fault(name, request.body if isinstance(request.body, bytes) else b"")
            return self._apply(kind, service, request, session.send)

        events.register(f"before-send.{service}", before_send)

    def _apply(self, kind: Kind | None, service: str, request: Any, send: Callable[[Any], Any]) -> AWSResponse | None:
        match kind:
            case "throttle":
                return _throttled(service, request.url)
            case "error_500":
                return _answer(request.url, 500, *_body(service, "InternalServerError"))
            case "cut":
                raise EndpointConnectionError(endpoint_url=request.url)
            case "lost":
                send(request)
                raise ConnectionClosedError(endpoint_url=request.url)
            case "kill_after":
                answer: AWSResponse = send(request)
                self.kill(kind, "after")
                return answer
        return None


def _throttled(service: str, url: str) -> AWSResponse:
    code = "SlowDown" if service == "s3" else "ProvisionedThroughputExceededException"
    return _answer(url, 503 if service == "s3" else 400, *_body(service, code))


def _body(service: str, code: str) -> tuple[str, bytes]:
    if service == "s3":
        return "application/xml", f"<Error><Code>{code}</Code><Message>injected</Message></Error>".encode()
    return "application/x-amz-json-1.0", f'{{"__type":"com.amazonaws.dynamodb#{code}","message":"injected"}}'.encode()


def _answer(url: str, status: int, content_type: str, body: bytes) -> AWSResponse:
    raw = httpx.Response(status, content=body)
    headers = {"content-type": content_type, "content-length": str(len(body))}
    response = AWSResponse(url, status, headers, raw)
    response._content = body
    return response


class ModelCalls(BaseCallbackHandler):
    """Kills at the calls of any chat model too."""

    run_inline = True

    def __init__(self, faults: Faults):
        self.faults = faults
        self._kinds: dict[UUID, Kind | None] = {}

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **_: Any) -> None:
        self._kinds[run_id] = self.faults.choose_fault(MODEL)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        self.faults.kill(self._kinds.pop(run_id), "after")
