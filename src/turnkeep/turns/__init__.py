"""The life of a turn: BEGIN, LOAD, RUN, COMMIT, REPLY. The one place that runs a graph.

Importing this loads no LangGraph; starting a turn does.
"""

from turnkeep.turns.life import Turns
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.running import RunningTurn

__all__ = ["RunningTurn", "TurnRequest", "Turns"]
