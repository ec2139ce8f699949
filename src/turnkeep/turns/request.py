"""Requests of callers, and a request that is being run."""

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from turnkeep.records import JSON, Principal
from turnkeep.store.retries import Repeat

ACTING: ContextVar[Principal | None] = ContextVar("acting", default=None)
"""The principal of the run that this context belongs to."""


@dataclass(frozen=True)
class GraphCall:
    """Fields that a LangGraph client sends in addition to a message, in plain JSON. `input` is passed to the graph;
    None continues from the thread's state. `command` has `resume`, `update`, `goto`. `modes` are LangGraph's stream
    modes, with `messages-tuple` for its `messages`; ("*",) interrupts at every node."""

    input: Any = None
    command: JSON | None = None
    config: JSON = field(default_factory=dict)
    context: JSON = field(default_factory=dict)
    modes: tuple[str, ...] = ()
    subgraphs: bool = False
    interrupt_before: tuple[str, ...] = ()
    interrupt_after: tuple[str, ...] = ()

    def identity(self) -> list[Any]:
        """Return what identifies a call. The form of its stream is not part of it."""
        stops = [list(self.interrupt_before), list(self.interrupt_after)]
        return [self.input, self.command, self.config, self.context, *stops]


@dataclass(frozen=True)
class TurnRequest:
    """One message. Without `thread_id` the run is stateless; `create` creates the thread if it does not exist.

    `key` is the idempotency key, generated if it is None. `conversation_window` is in turns. By `deadline`, in
    `time.monotonic()` seconds, the turn must be stored or given up. `attachments` names documents to wait for;
    `warnings` has the result of waiting. The run continues from `base`, a checkpoint id or turn number; an older one
    begins a branch. `after` is the required number of the newest turn. `repeat` distinguishes a request without a key
    from its own retry; without it each is new. `identity` is other content of the client, such as a history: the
    graph does not receive it, but it distinguishes requests. `streamed`: the client reads tokens. With `incarnation`,
    only the thread with this incarnation id accepts it, not a later one with the same id."""

    principal: Principal
    message: str
    thread_id: str | None = None
    agent: str | None = None
    key: str | None = None
    conversation_window: int | None = None
    create: bool = False
    deadline: float | None = None
    attachments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    call: GraphCall | None = None
    base: str | int | None = None
    after: int | None = None
    repeat: Repeat | None = None
    identity: str = ""
    incarnation: bytes | None = None
    streamed: bool = False

    def body(self) -> bytes:
        """Return the bytes that identify a request: with one key and equal bytes, two requests are the same."""
        named: list[Any] = [list(self.attachments)] if self.attachments else []
        more = [self.base, self.after, self.call and self.call.identity()]
        named += more if any(part is not None for part in more) else []
        named += [self.identity] if self.identity else []
        return json.dumps([self.message, self.agent, self.conversation_window, *named]).encode()

    @property
    def goes_on(self) -> bool:
        """Return whether it continues a waiting run: a message, a command or nothing does, an input does not."""
        return self.call is None or self.call.input is None

    def named(self) -> JSON:
        """Return the documents that the request names, for the details of the turn."""
        return {"attachments": list(self.attachments)} if self.attachments else {}
