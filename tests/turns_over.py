"""Turns of one agent over a store of the test's own, with the clock of the machine."""

import secrets
import time
from typing import Any

from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Turn
from turnkeep.store.blobs import Blobs, Objects
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns import RunningTurn, Turns
from turnkeep.turns.background import Runs
from turnkeep.turns.following import follow


def table_over(items: Items, objects: Objects) -> Store:
    """A table object that remembers nothing, over the items that are there. It packs each two turns."""
    chance: Any = {"clock": time.time, "random_bytes": secrets.token_bytes}
    return Store(items, Blobs(objects), Codec(b"secret"), pack_links=2, **chance)


def turns_over(table: Store, agent: Agent, **more: Any) -> Turns:
    facts = {"tuning": TurnTuning(), "clock": time.time, "names": frozenset({agent.name})} | more
    return Turns(table, lambda _: agent, default_agent=agent.name, **facts)


async def turn_of(runs: Runs, who: Principal, thread_id: str, run_id: str, seconds: float) -> Turn:
    """The turn of a run, awaited as a client does that joins it."""
    turn, _ = await follow(runs, RunningTurn(thread_id=thread_id, run_id=run_id), who, seconds)
    return turn
