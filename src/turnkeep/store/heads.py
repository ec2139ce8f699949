"""Reads, checks, creates and replaces HEADs. All parts of a `Store` share one `Heads`, and with it the table's items,
large values and keys."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import Any

from turnkeep import errors
from turnkeep.records import Principal
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.erasure import Eraser
from turnkeep.store.head import INCARNATION_BYTES, Head, is_erased, read_head, signed_parts
from turnkeep.store.items import Items, Refused
from turnkeep.store.keys import HEAD, LAYOUT, expiry, expiry_bucket, item_ttl, partition, user_key

OTHER_KEY = "It was signed with a key that this process does not have. Configure the signing key of its writer."


@dataclass(eq=False)
class Heads:
    """Access to HEADs. `clock` returns epoch seconds, `random_bytes` n random bytes."""

    items: Items
    blobs: Blobs
    codec: Codec
    _: KW_ONLY
    clock: Callable[[], float]
    random_bytes: Callable[[int], bytes]
    thread_hours: float = 24

    def __post_init__(self) -> None:
        self.eraser = Eraser(self.items, self.blobs, clock=self.clock)
        self.now = self.eraser.now
        self.awaited: set[str] = set()  # threads that this process has freed while runs wait for them

    def freed(self, item: Item) -> None:
        """Record that a thread is free, if runs wait for it."""
        if item.get("q", 0) > 0 and "lease" not in item:
            self.awaited.add(item["PK"])

    def packed(self, value: Any, pk: str, sk: str, *context: str, inline_bytes: int | None = None) -> Item:
        """Return a signed value as attributes of its item; writes an object first if it is too large."""
        return self.blobs.attributes(pk, sk, self.codec.pack(value, pk, sk, *context), inline_bytes=inline_bytes)

    def unpacked(self, item: Item, *context: str) -> Any:
        """Return the value of an item that `packed` made. Raises StateCorrupt."""
        return self.codec.unpack(self.blobs.value(item), item["PK"], item["SK"], *context)

    def read(self, principal: Principal, thread_id: str) -> Head:
        """Return HEAD of a living thread; raise NotFound."""
        head = self.find(principal, thread_id)
        if head is None:
            raise errors.NotFound
        return head

    def find(self, principal: Principal, thread_id: str) -> Head | None:
        return self.living(self.items.get(partition(principal, thread_id), HEAD))

    def living(self, item: Item | None) -> Head | None:
        head = self.trusted(item) if item else None
        return head if head and head.is_alive(self.now()) else None

    def trusted(self, item: Item) -> Head:
        """Read HEAD. Raise StateCorrupt for a living one that was not signed with one of our keys."""
        head = read_head(item)
        is_signed = self.codec.is_signed(item.get("sig", b""), *signed_parts(head.pk, item))
        if head.is_alive(self.now()) and not is_signed:
            raise errors.StateCorrupt(None if self.codec.knows(item.get("sig", b"")) else OTHER_KEY)
        return head

    @contextmanager
    def reading(self, head: Head, gone: type[errors.TurnkeepError] = errors.NotFound) -> Iterator[None]:
        """Raise `gone` if data of `head` is missing after a deletion, Superseded if the thread has changed since."""
        try:
            yield
        except errors.StateCorrupt as error:
            item = self.items.get(head.pk, HEAD)
            if is_erased(item, head.incarnation):
                raise gone from error
            if item and item.get("last") != head.last:
                raise errors.Superseded from error
            raise

    def make(self, principal: Principal, thread_id: str, more: Item) -> tuple[Head, bool]:
        """Return HEAD, created with `more` if there is none, and whether it was created. Raise ThreadBusy."""
        item = self.new_head(partition(principal, thread_id), user_key(principal), more)
        try:
            self.items.put(item, condition="attribute_not_exists(PK)")
        except Refused as refused:
            if refused.item is None:
                raise errors.ThreadBusy(retry_after=1) from refused
            if refused.item.get("born") != item["born"]:  # else it is ours: only the acknowledgement was lost
                old = self.trusted(refused.item)
                if old.is_alive(self.now()):
                    return old, False
                return self.replace_dead(old, user_key(principal), more), True
        return read_head(item), True

    def replace_dead(self, old: Head, user: str, more: Item) -> Head:
        """Replace an expired thread; its generation hides the old items. Items of a deleted one are removed first.
        Raises ThreadBusy while a turn from before the expiry runs: it will revive the thread."""
        if old.is_leased(self.now()):
            raise errors.ThreadBusy(retry_after=1)
        if old.gone is not None:
            self.eraser.finish({"PK": old.pk, "seq": old.seq, "born": old.incarnation, "due": True})
        item = self.new_head(old.pk, user, more, seq=old.seq + 1, gen=old.seq + 1)
        same = {":seq": old.seq, ":born": old.incarnation, ":expires": old.expires}
        try:
            self.items.put(item, condition="seq = :seq AND born = :born AND expires = :expires", values=same)
        except Refused as refused:
            if refused.item is None or refused.item.get("born") != item["born"]:
                raise errors.ThreadBusy(retry_after=1) from refused
        return read_head(item)

    def new_head(self, pk: str, user: str, more: Item, *, seq: int = 0, gen: int = 0) -> Item:
        """Return the item of a thread without turns, signed. `seq` and `gen` continue those of an expired thread."""
        incarnation = self.random_bytes(INCARNATION_BYTES)
        now = self.now()
        expires = expiry(now, now, self.thread_hours, more.get("life"))
        item: Item = {
            "v": LAYOUT,
            "born": incarnation,
            "n": 0,
            "gen": gen,
            "seq": seq,
            "created": now,
            "la": now,
            "expires": expires,
            "u": user,
            "xh": expiry_bucket(expires, pk),
            "ttl": item_ttl(now),
            **more,
        }
        return {"PK": pk, "SK": HEAD, **item, "sig": self.codec.sign(*signed_parts(pk, item))}
