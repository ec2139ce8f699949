"""Requests of callers, and a request that is being run."""

import json
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import TypeAdapter

from turnkeep.records import JSON, Documents, Principal
from turnkeep.store.leases import Repeat

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from turnkeep.graphs.agent import Agent
    from turnkeep.store.plans import Begun, Loaded
    from turnkeep.turns.redaction import Redactor
    from turnkeep.turns.spending import Spending

WhenBusy: TypeAlias = Literal["reject", "enqueue", "interrupt", "rollback", "merge", "debounce"]
MERGING = ("merge", "debounce")  # messages that wait make one turn
MAX_MESSAGE_BYTES = 64 * 1024
INTERRUPT = "__interrupt__"  # where LangGraph's output has the questions of a run
PROTOCOL_MODES = ("values", "updates", "messages-tuple", "custom", "tools", "tasks", "checkpoints", "lifecycle")
"""Stream modes that a run records for clients of version 2 of LangGraph's protocol. The last one is only ours."""
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
    `warnings` has the result of waiting. The run continues from `base`, a checkpoint id or turn number; an older
    one begins a branch. `after` is the required number of the newest turn. `repeat` distinguishes a request without
    a key from its own retry; without it each is new. `identity` is other content of the client, such as a history:
    the graph does not receive it, but it distinguishes requests. `streamed`: the client reads tokens. `log_after`:
    seconds until its events are logged for clients that join; None: never. With `incarnation`, only the thread with
    this incarnation id accepts it, not a later one with the same id. `when_busy`: the strategy next to other runs;
    without it the run passes queued ones. A queued run begins only if the mark of the queue is still `queue`
    and the fencing token of the thread is still `seq`."""

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
    when_busy: WhenBusy | None = None
    log_after: float | None = None
    queue: int | None = None
    seq: int | None = None

    def joined(self, later: "TurnRequest") -> "TurnRequest | None":
        """Return the request with the messages of both; None if they differ in more than these and their metadata, or
        are too long."""
        one, two = self._messages(), later._messages()
        message = f"{self.message}\n\n{later.message}"
        if one is None or two is None or len(message.encode()) > MAX_MESSAGE_BYTES:
            return None
        if self._settings() != later._settings():
            return None
        call = self.call and replace(self.call, input={**self.call.input, "messages": one + two})
        named = tuple(dict.fromkeys(self.attachments + later.attachments))
        return replace(self, message=message, call=call, attachments=named)

    def _messages(self) -> list[Any] | None:
        """Return the messages for the graph; None if it receives something else."""
        given = self.call.input if self.call else {"messages": []}
        sent = given.get("messages") if isinstance(given, dict) else None
        return sent if isinstance(sent, list) else None

    def _settings(self) -> "TurnRequest":
        call = self.call
        if call:
            config = {name: value for name, value in call.config.items() if name != "metadata"}
            call = replace(call, input={**call.input, "messages": []}, config=config, modes=())
        own: JSON = dict.fromkeys(("key", "deadline", "repeat"))
        return replace(self, message="", attachments=(), call=call, streamed=False, **own)

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
        """Return named documents, and a strategy that is not the default, for the details of the turn."""
        strategy = {"multitask_strategy": self.when_busy} if self.when_busy not in (None, "enqueue") else {}
        return strategy | ({"attachments": list(self.attachments)} if self.attachments else {})


@cache
def _form() -> TypeAdapter[TurnRequest]:
    return TypeAdapter(TurnRequest)


def written(request: TurnRequest) -> str:
    """Return a request as JSON, to be executed later by any process."""
    return json.dumps(_form().dump_python(replace(request, deadline=None, repeat=None)))


def read(data: str) -> TurnRequest:
    return _form().validate_python(json.loads(data))


def joined(later: TurnRequest, data: str) -> str | None:
    """Return the written request with the messages of the later one, None if they do not fit."""
    both = read(data).joined(later)
    return written(both) if both else None


@dataclass(frozen=True)
class TurnContext:
    """A request with all that its run needs. `begun` is None for a stateless run, `redactor` for an agent without PII
    redaction. With a redactor, the message of `request` is redacted. `memory` is the caller's store for graphs.
    `started` is in monotonic seconds, `started_at` in epoch seconds."""

    request: TurnRequest
    agent: "Agent"
    loaded: "Loaded"
    begun: "Begun | None"
    spending: "Spending"
    redactor: "Redactor | None"
    documents: "Documents"
    memory: "BaseStore | None"
    started: float
    started_at: float
