"""Where threads move to: a table, and graphs of the same shape that go on with them through Turns."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import messages_from_dict
from old_site import builder, counter

from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Reply, Turn
from turnkeep.store.blobs import Blobs, Objects
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns import TurnRequest, Turns
from turnkeep_local.moving.moves import Moves, Tally
from turnkeep_local.moving.savers import OldTable

ANN = Principal("acme", "ann")


def agent(name: str) -> Agent:
    """ "nested" and "flat" go on with threads of the two packages, "counter" with those without messages."""
    if name == "counter":
        return Agent(name, counter().compile(), lambda values: Reply(str(values["total"])), window=None)
    graph = builder(nested=name == "nested").compile()
    return Agent(name, graph, lambda values: Reply(values["messages"][-1].text), window=10)


@dataclass
class NewSite:
    items: Items
    objects: Objects
    secret: bytes = b"secret"
    reported: list[str] = field(default_factory=list)
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        codec, blobs = Codec(self.secret), Blobs(self.objects)
        self.store = Store(self.items, blobs, codec, clock=self.clock, random_bytes=secrets.token_bytes)
        self.turns = Turns(
            self.store,
            agent,
            tuning=TurnTuning(),
            default_agent="nested",
            clock=self.clock,
            names=frozenset({"nested", "flat", "counter"}),
        )

    def take(self, package: str, old: OldTable, *, owners: Mapping[str, Principal] | None = None, **more: Any) -> Tally:
        """One run of the import; what it reports of single threads is in `reported`."""
        name = more.pop("agent", agent_of(package))
        moves = Moves(old, self.store, owners or {}, more.pop("rest", ANN), name, report=self.reported.append, **more)
        return moves.run(lambda _: None)

    async def say(self, thread_id: str, message: str) -> Turn:
        running = await self.turns.start(TurnRequest(ANN, message, thread_id, create=True))
        events = [event async for event in running.events()]
        turn: Turn = events[-1].data["turn"]
        return turn

    def messages(self, thread_id: str) -> list[Any]:
        """All that the thread holds, as its links have it."""
        head = self.store.heads.read(ANN, thread_id)
        parts = [each for link in self.store.turns.load(head, None).links for each in link.segments]
        return [
            message
            for part in parts
            if (part.namespace, part.channel) == ("", "messages")
            for message in messages_from_dict(part.elements)
        ]  # type: ignore[arg-type]


def agent_of(package: str) -> str:
    return "nested" if package == "langgraph-checkpoint-aws" else "flat"


def plain(messages: list[Any]) -> list[Any]:
    return [message.model_dump() for message in messages]
