"""What a caller asks for."""

import json
from dataclasses import dataclass

from turnkeep.records import Principal


@dataclass(frozen=True)
class TurnRequest:
    """One message. Without `thread_id` the run is stateless; `create` makes a thread of an id that is not held yet.

    `key` is the idempotency key, minted where it is None. `conversation_window` is in turns. By `deadline`, in
    `time.monotonic()` seconds, the turn has to be stored or given up.
    """

    principal: Principal
    message: str
    thread_id: str | None = None
    agent: str | None = None
    key: str | None = None
    conversation_window: int | None = None
    create: bool = False
    deadline: float | None = None

    def body(self) -> bytes:
        """What makes two requests with one key the same request."""
        return json.dumps([self.message, self.agent, self.conversation_window]).encode()
