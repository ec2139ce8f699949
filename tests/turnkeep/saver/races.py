"""Two sides on one thread in memory: one is held before or after one of its requests, and there the other runs whole;
or a request is sent twice, the second time after the other side. Each side has a saver of its own."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from threading import RLock
from typing import Any, Literal

from desk import plain_turn
from langchain_core.messages import AIMessage, HumanMessage
from memory_items import MemoryItems
from saver_graphs import KEY, LOCAL, asking, echo, on, saying

from turnkeep import DynamoDBSaver
from turnkeep.errors import Conflict, NotFound
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.checkpoints import RunCheckpointer
from turnkeep.storage.codec import Codec
from turnkeep.storage.elements import next_version
from turnkeep.storage.items import Items
from turnkeep.storage.plans import Begun
from turnkeep.storage.steps import Steps
from turnkeep.storage.store import Store

Side = Literal["before", "after", "twice"]
_TABLE = RLock()
REQUESTS = ("get", "put", "update", "delete", "between", "backward", "below", "write_many")


class HeldItems(MemoryItems):
    """Counts its requests; at request number `at` the other side runs. `calls` are the requests, to be sent again."""

    def __init__(self, table: Any = None, at: int = 0, side: Side = "before", other: Any = None):
        super().__init__(table)
        self.count, self.at, self.side, self.other = 0, at, side, other
        self.calls: list[Callable[[], Any]] = []

    def sent(self, request: Callable[[], Any]) -> Any:
        def call() -> Any:
            with _TABLE:  # LangGraph's pool threads write at once
                return request()

        self.count += 1
        self.calls.append(call)
        if self.count != self.at:
            return call()
        if self.side == "before":
            self.other()
            return call()
        try:
            given = call()
        finally:
            self.other()
        return call() if self.side == "twice" else given

    def pages_of(self, pk: str, *attributes: str) -> Iterator[list[Item]]:
        pages = MemoryItems.pages_of(self, pk, *attributes)
        while page := self.sent(lambda: next(pages, None)):
            yield page


def _held(name: str) -> Any:
    real = getattr(MemoryItems, name)

    def request(self: HeldItems, *args: Any, **kwargs: Any) -> Any:
        if name == "write_many":
            kwargs = {each: list(kwargs.get(each, ())) for each in ("puts", "deletes")}
        return self.sent(lambda: real(self, *args, **kwargs))

    return request


for _name in REQUESTS:
    setattr(HeldItems, _name, _held(_name))


def store_over(items: Items) -> Store:
    return Store(items, Blobs(None, items), Codec(KEY.encode()), clock=time.time, random_bytes=secrets.token_bytes)


@dataclass
class Actor:
    """One side: what it does by name, and what came of it. `text` is what it last said, and `answer` the state that it
    was answered with."""

    items: Items
    build: Any = echo
    name: str = "run"
    text: str = ""
    answer: list[str] | None = None
    error: Exception | None = None

    def __post_init__(self) -> None:
        self.saver = DynamoDBSaver(client=object(), seal_key=KEY)  # type: ignore[arg-type]
        self.store = self.saver._store = store_over(self.items)
        self.saver._steps = Steps(self.store)

    def does(self, name: str) -> None:
        with suppress(NotFound):
            try:
                getattr(self, name)()
            except Conflict as error:
                self.error = error

    def run(self, text: str, **options: Any) -> None:
        self.text = text
        config = {**on("t"), "metadata": {"run_id": text}}
        given = self.build(self.saver).invoke(saying(text), config, **options)
        self.answer = [message.text for message in given["messages"]]

    def exit(self) -> None:
        self.run(f"{self.name}'s run", durability="exit")

    def sync(self) -> None:
        self.run(f"{self.name}'s run", durability="sync")

    def asks(self) -> None:
        """A run that ends with a question: its turn stands on the checkpoint of its last step."""
        asking(self.saver).invoke(saying("ask me"), on("t"), durability="sync")

    def turn(self) -> None:
        """A turn as the API takes it."""
        self.commit(f"{self.name}'s turn", edits=False)

    def edit(self) -> None:
        self.commit(f"{self.name}'s edit", edits=True)

    def commit(self, text: str, *, edits: bool, is_older: bool = False) -> None:
        """`is_older`: as a version stored it that named a checkpoint by its id alone."""
        self.text, message = text, None if edits else text
        begun = self.store.leases.begin(LOCAL, "t", key=secrets.token_hex(8), body=b"", message=message, create=True)
        assert isinstance(begun, Begun)
        try:
            loaded = self.store.turns.load(begun.head, None)
            run = RunCheckpointer(loaded, whole=True)
            found = run.get_tuple(on("t"))
            old: Any = found.checkpoint if found else {"channel_values": {}, "channel_versions": {}}
            new = (
                [AIMessage(text, id=text)] if edits else [HumanMessage(text, id=f"h{text}"), AIMessage("said", id=text)]
            )
            messages = [*old["channel_values"].get("messages", []), *new]
            versions = {"messages": next_version(old["channel_versions"].get("messages"))}
            made: Any = {"v": 4, "id": f"{time.time_ns():020x}", "ts": "", "channel_values": {"messages": messages}}
            made |= {"channel_versions": old["channel_versions"] | versions, "versions_seen": {}}
            config, metadata = found.config if found else on("t", checkpoint_ns=""), {"source": "loop", "step": 1}
            run.put(config, made, {**metadata, "parents": {}}, versions)  # type: ignore[typeddict-item]
            saved = run.saved(frozenset(), interrupted=False)
            assert saved
            saved = replace(saved, name=saved.checkpoint_id if is_older else None)
            plan, _ = self.store.turns.prepare(
                begun, loaded, saved, None if edits else plain_turn(text, "said", time.time())
            )
            self.store.turns.commit(plan)
        except Conflict:
            self.store.leases.release(begun)
            raise
        self.answer = [message.text for message in messages]

    def prune(self) -> None:
        self.saver.prune(["t"])

    def drop(self) -> None:
        self.saver.delete_for_runs(["two"])

    def delete(self) -> None:
        self.saver.delete_thread("t")

    def state(self) -> None:
        self.answer = self.texts()

    def history(self) -> None:
        list(self.build(self.saver).get_state_history(on("t")))

    def turns(self) -> None:
        self.store.turns.newest(LOCAL, "t", limit=9)

    def one_turn(self) -> None:
        self.store.turns.read(LOCAL, "t", 1)

    def left(self) -> None:
        self.store.turns.abandoned(LOCAL, "t")

    def fork(self) -> None:
        self.saver.copy_thread("t", "u")

    def texts(self) -> list[str]:
        return [message.text for message in self.build(self.saver).get_state(on("t")).values.get("messages", [])]


@dataclass
class Race:
    """What both sides left, where one was held at its request number `at`."""

    at: int
    held: Actor
    other: Actor
    texts: list[str]


class Killed(BaseException):
    """A process that dies at a request."""


def _dies() -> None:
    raise Killed


def started(start: str) -> Any:
    """A table in which nothing is, or a thread: with two runs, without a step, one whose deletion was cut off after its
    claim, or one that was deleted under a lease."""
    items = HeldItems(None, 0, "before", _dies)
    actor = Actor(items)
    if start == "empty":
        actor.store.threads.create(LOCAL, "t")
    for text in ("one", "two") if start in ("old", "claimed") else ():
        actor.run(text)
    if start == "claimed":
        items.at = items.count + 3
        with suppress(Killed):
            actor.delete()
    if start == "tombstone":
        actor.store.leases.begin(LOCAL, "t", key="key", body=b"", message="never answered", create=True)
        actor.delete()
    return items.table


def races(start: str, held: str, other: str, side: Side, build: Any = echo) -> Iterator[Race]:
    """One race for each request of the side that is held."""
    for at in count(1):
        table = started(start)
        theirs = Actor(HeldItems(table), build, "other")
        items = HeldItems(table, at, side, lambda theirs=theirs: theirs.does(other))
        mine = Actor(items, build, "held")
        mine.does(held)
        if items.count < at:
            return
        after = Actor(HeldItems(table), build)
        found = Race(at, mine, theirs, after.texts())
        with suppress(NotFound):
            after.store.turns.newest(LOCAL, "t", limit=50)
        assert len(list(after.build(after.saver).get_state_history(on("t")))) >= bool(found.texts)
        after.run("at the end")
        yield found
