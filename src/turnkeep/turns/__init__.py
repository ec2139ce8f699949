"""Runs turns: BEGIN, LOAD, RUN, COMMIT, REPLY. LangGraph is loaded by starting a turn, not by importing this."""

from turnkeep.turns.life import Turns
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.stream import RunningTurn

__all__ = ["RunningTurn", "TurnRequest", "Turns"]
