"""A store on a controllable clock, and the shortest ways to take turns in it."""

import itertools
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

from hand_clock import HandClock
from turnkeep.records import JSON, Principal, Turn, Usage
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs, Objects
from turnkeep.store.cleanup import Cleanup
from turnkeep.store.codec import Codec
from turnkeep.store.erasure import Eraser
from turnkeep.store.items import Items
from turnkeep.store.keys import HEAD, partition
from turnkeep.store.leases import BeginRequest
from turnkeep.store.links import Segment
from turnkeep.store.memories import Memories
from turnkeep.store.plans import Begun, Plan, Saved
from turnkeep.store.store import Store

ANN = Principal("acme", "ann")
NOON = 1_800_000_000.0
HOURS = 3600.0


def noise(size: int) -> str:
    """Return text of this size that hardly compresses."""
    blocks = (sha256(str(n).encode()).hexdigest() for n in itertools.count())
    text = ""
    while len(text) < size:
        text += next(blocks)
    return text[:size]


@dataclass
class Harness:
    """A store with a clock that tests set."""

    items: Items
    objects: Objects
    who: Principal = ANN
    clock: HandClock = field(default_factory=HandClock)
    count: Any = field(default_factory=itertools.count)
    pack_links: int = 32

    def __post_init__(self) -> None:
        self.blobs = Blobs(self.objects)
        self.codec = Codec(b"secret")
        more: Any = {"clock": self.clock, "random_bytes": secrets.token_bytes, "pack_links": self.pack_links}
        self.store = Store(self.items, self.blobs, self.codec, **more)
        self.memories = partial(Memories, self.items, self.codec, clock=self.clock)
        self.cleanup = Cleanup(Eraser(self.items, self.blobs, clock=self.clock))

    def begin(self, thread: str, message: str = "hello", *, key: str | None = None, **more: Any) -> Begun:
        begun = self.store.leases.begin(
            self.who,
            thread,
            BeginRequest(
                key=key or uuid.uuid4().hex, body=message.encode(), message=message, **{"create": True, **more}
            ),
        )
        assert isinstance(begun, Begun)
        return begun

    def prepare(
        self,
        begun: Begun,
        reply: str = "a reply",
        *,
        details: JSON | None = None,
        checkpoint: JSON | None = None,
        older: str | None = None,
        edits: bool = False,
        agent: str = "papers",
        pii: Mapping[str, str] | None = None,
        window: int | None = None,
    ) -> tuple[Plan, Turn | None]:
        """Prepare a turn that appends two messages."""
        loaded = self.store.turns.load(begun.head, window, older)
        keep = loaded.checkpoint["lengths"][0][2] if loaded.checkpoint else 0
        texts = [("ai", reply)] if edits else [("human", begun.message), ("ai", reply)]
        elements = [{"type": kind, "data": {"content": text}} for kind, text in texts]
        saved = Saved(
            f"{next(self.count):08d}",
            {"lengths": [["", "messages", keep + len(elements)]], **(checkpoint or {})},
            (Segment("", "messages", keep, elements),),
            pii or {},
        )
        turn = replace(
            plain_turn(begun.message, reply, self.clock.now),
            details=details or {},
            agent=agent,
            private=pii is not None,
        )
        return self.store.turns.planner.plan(begun, loaded, saved, None if edits else turn)

    def take_turn(self, thread: str, message: str = "hello", reply: str = "a reply", **more: Any) -> Turn:
        """Begin, prepare and commit one turn."""
        begun = self.begin(thread, message, key=more.pop("key", None))
        plan, turn = self.prepare(begun, reply, **more)
        assert self.store.turns.commit(plan) is None
        return turn  # type: ignore[return-value]

    def edit(self, thread: str, text: str = "by hand") -> None:
        self.take_turn(thread, "an edit", text, edits=True)

    def texts(self, thread: str) -> list[str]:
        return [turn.reply for turn in self.store.turns.newest(self.who, thread, limit=100)]

    def all_of(self, thread: str) -> dict[str, Item]:
        """Return all items of the thread's partition by sort key."""
        found = self.items.between(partition(self.who, thread), " ", "~")
        return {item["SK"]: item for item in found}

    def head(self, thread: str) -> Item:
        return self.all_of(thread)[HEAD]


def plain_turn(message: str, reply: str, at: float = NOON, details: JSON | None = None) -> Turn:
    return Turn(
        thread_id=None,
        number=0,
        agent="papers",
        message=message,
        reply=reply,
        status="complete",
        created_at=at,
        duration_ms=5,
        provider="demo",
        model="demo",
        usage=Usage(1, 2),
        details=details or {},
    )


def flipped(raw: bytes, at: int = -1) -> bytes:
    """Return the bytes with one bit flipped."""
    changed = bytearray(raw)
    changed[at] ^= 1
    return bytes(changed)
