"""The position of a saver on one thread, so that only the changes of the next checkpoint are stored. It is a cache:
each read compares it with HEAD, and a step is stored only if HEAD still matches it."""

import copy
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from threading import Lock, RLock
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import Checkpoint

from turnkeep.saver.turns import messages_of
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.head import Head
from turnkeep.store.plans import Loaded

NO_THREAD = "", b""
# The thread that this context read last and found without a checkpoint, with its incarnation id if it existed.
FOUND_NOTHING: ContextVar[tuple[str, bytes]] = ContextVar("turnkeep_found_nothing", default=NO_THREAD)


@dataclass
class Cursor:
    """`addressed`: older checkpoints that were read by id; a step after one is a branch. `found_nothing`: FOUND_NOTHING
    of any context. `places`: keys of checkpoints by namespace and id. `spaces`: newest checkpoints of lasting
    sub-graphs. `inner`: names of all sub-graphs that were put."""

    head: Head | None = None
    is_known: bool = False
    run: RunCheckpointer = field(default_factory=lambda: RunCheckpointer(Loaded(), whole=True))
    addressed: set[str] = field(default_factory=set)
    found_nothing: bool = False
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    spaces: dict[str, str] = field(default_factory=dict)
    questions: dict[str, Any] = field(default_factory=dict)
    subgraphs: set[str] = field(default_factory=set)
    owner: bytes = b""
    message: str | None = None
    known: int = 0
    began: float = 0
    lock: Any = field(default_factory=RLock)

    def move_to(self, head: Head | None, loaded: Loaded) -> None:
        """Move to the loaded checkpoint. Writes and sub-graphs are stored separately and read on demand."""
        self.head, self.is_known = head, True
        self.run = RunCheckpointer(replace(loaded, writes=(), spaces=()), whole=True)
        asking = {each.namespace: each.checkpoint_id for each in loaded.spaces if ":" not in each.namespace}
        self.spaces = (loaded.checkpoint or {}).get("spaces", {}) | asking
        self.known = len(self._messages())
        self.questions.clear()
        self.places.clear()

    def reset(self) -> None:
        """Forget what was put but not stored. Keep the lock: other runs may wait for it."""
        kept = {name: getattr(self, name) for name in ("lock", "owner", "found_nothing")}
        vars(self).update(vars(Cursor()) | kept)

    def end_turn(self) -> None:
        self.message, self.began, self.known = None, 0, len(self._messages())
        self.places.clear()

    def new_messages(self) -> list[BaseMessage]:
        return self._messages()[self.known :]

    def _messages(self) -> list[BaseMessage]:
        newest = self.run.newest()
        return messages_of(newest["channel_values"]) if newest else []

    def copied(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return the checkpoint with copies of changed values: nodes change theirs in place. `run` has the others."""
        newest, now = self.run.newest(), checkpoint["channel_versions"]
        old, before = (newest["channel_values"], newest["channel_versions"]) if newest else ({}, {})
        values = {
            name: _copied(value, old.get(name))
            for name, value in checkpoint["channel_values"].items()
            if name not in old or before.get(name) != now.get(name)
        }
        bare: Checkpoint = {**checkpoint, "channel_values": {}}
        return {**copy.deepcopy(bare), "channel_values": values}


def _copied(value: Any, old: Any) -> Any:
    if type(value) is list and type(old) is list:
        kept = [before if before == each else copy.deepcopy(each) for before, each in zip(old, value, strict=False)]
        return kept + copy.deepcopy(value[len(old) :])
    return copy.deepcopy(value)


class Cursors:
    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, Cursor] = OrderedDict()

    def of(self, thread_id: str) -> Cursor:
        with self._lock:
            cursor = self._kept.setdefault(thread_id, Cursor())
            self._kept.move_to_end(thread_id)
            if len(self._kept) > 100:  # cursors of threads
                self._kept.popitem(last=False)
            return cursor

    def forget(self, thread_id: str) -> None:
        with self._lock:
            self._kept.pop(thread_id, None)
