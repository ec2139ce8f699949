"""A request on its way."""

from dataclasses import dataclass

from turnkeep.agents import Agent
from turnkeep.storage.plans import Begun, Loaded
from turnkeep.turns.budget import Spending
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.shield import Shield
from turnkeep.turns.tally import Tally


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
