"""What a caller asks for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from turnkeep.records import JSON, Principal
from turnkeep.turns.shield import Shield


@dataclass(frozen=True)
class TurnRequest:
    """One message. Without `thread_id` the run is stateless; `create` makes a thread of an id that is not held yet.

    `key` is the idempotency key, minted where it is None. `conversation_window` is in turns. By `deadline`, in
    `time.monotonic()` seconds, the turn has to be stored or given up. `attachments` names documents to wait for,
    `warnings` is what became of the waiting.
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

    def body(self) -> bytes:
        """What makes two requests with one key the same request."""
        named = [list(self.attachments)] if self.attachments else []
        return json.dumps([self.message, self.agent, self.conversation_window, *named]).encode()

    def named(self) -> JSON:
        """What the turn's details say of the documents that the request names."""
        return {"attachments": list(self.attachments)} if self.attachments else {}


@dataclass(frozen=True)
class Asked:
    """A request before its agent is known: its message as it may be stored, and what hid it, None where nothing had
    to."""

    request: TurnRequest
    message: str
    shield: Shield | None

    @property
    def pii(self) -> Mapping[str, str] | None:
        return dict(self.shield.made) if self.shield else None

    def of(self, *, private: bool) -> "tuple[TurnRequest, Shield | None]":
        """What the agent is given, now that it is known."""
        return (replace(self.request, message=self.message), self.shield) if private else (self.request, None)
