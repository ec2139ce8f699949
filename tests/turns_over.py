"""Turns of one agent over a store of the test's own, with the clock of the machine."""

import secrets
import time
from typing import Any

from turnkeep.agents import Agent
from turnkeep.storage.blobs import Blobs, Objects
from turnkeep.storage.codec import Codec
from turnkeep.storage.items import Items
from turnkeep.storage.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns


def table_over(items: Items, objects: Objects) -> Store:
    """A table object that remembers nothing, over the items that are there."""
    return Store(items, Blobs(objects), Codec(b"secret"), clock=time.time, random_bytes=secrets.token_bytes)


def turns_over(table: Store, agent: Agent, **more: Any) -> Turns:
    facts = {"tuning": TurnTuning(), "clock": time.time, "names": frozenset({agent.name})} | more
    return Turns(table, lambda _: agent, default_agent=agent.name, **facts)
