"""Faults at the wire: counts and names the calls of a turn (DynamoDB, S3, models) and breaks chosen ones.

Works on the connections of real clients, of botocore's and of `Direct`, so DynamoDB Local and moto's server answer all
other calls. Each retry of a client counts as a call. Calls to DynamoDB that botocore sends are named `by botocore`.
"""

import io
import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult
from urllib3 import HTTPConnectionPool, HTTPResponse
from urllib3.exceptions import NewConnectionError, ProtocolError

Kind = Literal["throttle", "error_500", "lost", "cut", "kill_before", "kill_after"]
RECOVERABLE: tuple[Kind, ...] = ("throttle", "error_500", "lost", "cut")
MODEL, ACT = "model", "act"
BY_BOTOCORE = " by botocore"

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

    def attach(self, client: Any, direct: Any = None) -> Any:
        """Add these faults to a client, and to what sends requests in its place."""
        for manager in (client._endpoint.http_session._manager, *([direct._pools] if direct else [])):
            kind = manager.pool_classes_by_scheme["http"]
            broken = type("BrokenPool", (kind,), {"urlopen": self._broken(kind.urlopen)})
            manager.pool_classes_by_scheme = {"http": broken}
        if direct:
            direct.close()  # its open pool is of the kind before
        return client

    def attach_to_process(self) -> None:
        HTTPConnectionPool.urlopen = self._broken(HTTPConnectionPool.urlopen)  # type: ignore[method-assign]

    def _broken(self, urlopen: Any) -> Any:
        def sent(pool: Any, method: str, url: str, *given: Any, headers: Any, **named: Any) -> Any:
            target, body = headers.get("X-Amz-Target", b""), named.get("body")
            target = target.decode() if isinstance(target, bytes) else target  # botocore's is bytes
            is_botocores = "amz-sdk-invocation-id" in headers
            name = f"dynamodb.{target.rpartition('.')[2]}{BY_BOTOCORE * is_botocores}" if target else f"s3.{method}"
            kind = self.choose_fault(name, body if isinstance(body, bytes) else b"")
            return self._apply(
                kind, pool, bool(target), lambda: urlopen(pool, method, url, *given, headers=headers, **named)
            )

        return sent

    def _apply(self, kind: Kind | None, pool: Any, is_table: bool, send: Callable[[], Any]) -> Any:
        match kind:
            case "throttle":
                code, status = ("ProvisionedThroughputExceededException", 400) if is_table else ("SlowDown", 503)
                return _answer(status, is_table, code)
            case "error_500":
                return _answer(500, is_table, "InternalServerError")
            case "cut":
                raise NewConnectionError(pool, "injected")
        answer = send()
        if kind == "lost":
            raise ProtocolError("injected")
        self.kill(kind, "after")
        return answer


def _answer(status: int, is_table: bool, code: str) -> HTTPResponse:
    text = f"<Error><Code>{code}</Code><Message>injected</Message></Error>"
    if is_table:
        text = f'{{"__type":"com.amazonaws.dynamodb#{code}","message":"injected"}}'
    return HTTPResponse(io.BytesIO(text.encode()), status=status, preload_content=False)


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
