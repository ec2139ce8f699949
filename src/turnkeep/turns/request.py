"""What a caller asks for, and such a request on its way."""

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from turnkeep.agents import Agent
from turnkeep.records import JSON, Principal
from turnkeep.storage.plans import Begun, Loaded
from turnkeep.storage.retries import Repeat
from turnkeep.turns.budget import Spending
from turnkeep.turns.shield import Shield
from turnkeep.turns.tally import Tally

ACTING: ContextVar[Principal | None] = ContextVar("acting", default=None)
"""The principal of the run that this context belongs to."""


@dataclass(frozen=True)
class GraphCall:
    """What a client of LangGraph says beyond a message, in plain JSON. `input` is as the graph takes it; None goes on
    from where the thread stands. `command` has `resume`, `update`, `goto`; `modes` are LangGraph's stream modes, with
    `messages-tuple` for its `messages`; ("*",) interrupts at every node."""

    input: Any = None
    command: JSON | None = None
    config: JSON = field(default_factory=dict)
    context: JSON = field(default_factory=dict)
    modes: tuple[str, ...] = ()
    subgraphs: bool = False
    interrupt_before: tuple[str, ...] = ()
    interrupt_after: tuple[str, ...] = ()

    def said(self) -> list[Any]:
        """What makes two calls the same one; how their streams are shown does not."""
        stops = [list(self.interrupt_before), list(self.interrupt_after)]
        return [self.input, self.command, self.config, self.context, *stops]


@dataclass(frozen=True)
class TurnRequest:
    """One message. Without `thread_id` the run is stateless; `create` makes a thread of an id that is not held yet.

    `key` is the idempotency key, minted where it is None. `conversation_window` is in turns. By `deadline`, in
    `time.monotonic()` seconds, the turn has to be stored or given up. `attachments` names documents to wait for,
    `warnings` is what became of the waiting. From `base`, the id of a checkpoint or the number of a turn, the run goes
    on; from an older one it branches. `after` is the number that the newest turn has to have. `repeat` tells a request
    without a key from its own retry; without it each is a new one. `said` stands for what the client sent beside, such
    as a history, which does not reach the graph but tells two requests apart. `streamed`: the client reads tokens.
    With `incarnation`, only the thread with this incarnation id takes it, and no later one with the same id.
    """

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
    said: str = ""
    incarnation: bytes | None = None
    streamed: bool = False

    def body(self) -> bytes:
        """What makes two requests with one key the same request."""
        named: list[Any] = [list(self.attachments)] if self.attachments else []
        more = [self.base, self.after, self.call and self.call.said()]
        named += more if any(part is not None for part in more) else []
        named += [self.said] if self.said else []
        return json.dumps([self.message, self.agent, self.conversation_window, *named]).encode()

    @property
    def goes_on(self) -> bool:
        """Whether it continues a run that waits: a message answers, a command or nothing goes on, an input does not."""
        return self.call is None or self.call.input is None

    def named(self) -> JSON:
        """What the turn's details say of the documents that the request names."""
        return {"attachments": list(self.attachments)} if self.attachments else {}


@dataclass(frozen=True)
class Hold:
    """Who runs a request, from what, until when. `begun` is None for a stateless run, `shield` for an agent that is not
    private; for one that is, the message of `request` is hidden. `started` is in monotonic seconds, `started_at` in
    epoch seconds."""

    request: TurnRequest
    agent: Agent
    loaded: Loaded
    begun: Begun | None
    tally: Tally
    spending: Spending
    shield: Shield | None
    started: float
    started_at: float
