"""Threads as such: make, read, change and delete them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Literal

from turnkeep import errors
from turnkeep.records import JSON, Pending, Principal, Thread
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.head import BORN_BYTES, HOUR_MS, Head, is_erased, newborn, read_head, signed_parts
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import HEAD, message_key, partition, user_key
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.vault import Vault

METADATA_BYTES = 1024
OTHER_KEY = "It was signed under a key that is not held here: name the seal key of whoever wrote it."
# A deleted thread's HEAD outlives a stalled writer by 15 minutes; cleanup may come up to an hour before `due`.
TOMBSTONE_MS = (60 + 15) * 60_000


class Threads:
    """The threads of a table. `clock` gives epoch seconds, `mint` n random bytes."""

    def __init__(
        self,
        items: Items,
        blobs: Blobs,
        sealer: Sealer,
        *,
        clock: Callable[[], float],
        mint: Callable[[int], bytes],
        thread_hours: float = 24,
    ):
        self._items = items
        self._blobs = blobs
        self._clock = clock
        self._mint = mint
        self._eraser = Eraser(items, blobs, clock=clock)
        self._sealer = sealer
        self.vault = Vault(items, sealer)
        self._thread_hours = thread_hours

    def create_thread(
        self,
        principal: Principal,
        thread_id: str,
        *,
        agent: str | None = None,
        metadata: JSON | None = None,
        if_exists: Literal["raise", "do_nothing"] = "raise",
        minutes: float | None = None,
    ) -> Thread:
        """Create a thread, or replace an expired one; its life is `minutes` if shorter. Raises ThreadExists."""
        more: Item = {"agent": agent} if agent else {}
        if minutes is not None:
            more["life"] = max(1, int(minutes * 60_000))
        if metadata:
            more["meta"] = self._sealed_metadata(partition(principal, thread_id), metadata)
        head, is_new = self.make_head(principal, thread_id, more)
        if not is_new and if_exists == "raise":
            raise errors.ThreadExists
        return self._thread(head)

    def make_head(self, principal: Principal, thread_id: str, more: Item) -> tuple[Head, bool]:
        """Return HEAD, made with `more` if there is none, and whether it was made. Raises ThreadBusy."""
        item = self._newborn(partition(principal, thread_id), user_key(principal), more)
        try:
            self._items.put(item, condition="attribute_not_exists(PK)")
        except Refused as refused:
            if refused.item is None:
                raise errors.ThreadBusy(retry_after=1) from refused
            if not _is_born_as(item, refused.item):  # else it is ours: only the acknowledgement was lost
                stands = self._trusted(refused.item)
                if stands.is_alive(self._now()):
                    return stands, False
                return self._replace_dead(stands, user_key(principal), more), True
        return read_head(item), True

    def _replace_dead(self, old: Head, user: str, more: Item) -> Head:
        """Replace an expired thread; its generation hides the old items. Items of a deleted one are removed first.
        Raises ThreadBusy while a turn from before the expiry runs: it will revive the thread."""
        if old.is_leased(self._now()):
            raise errors.ThreadBusy(retry_after=1)
        if old.gone is not None:
            self._eraser.finish({"PK": old.pk, "seq": old.seq, "born": old.born, "due": True})
        item = self._newborn(old.pk, user, more, seq=old.seq + 1, gen=old.seq + 1)
        stands = {":seq": old.seq, ":born": old.born, ":expires": old.expires}
        try:
            self._items.put(item, condition="seq = :seq AND born = :born AND expires = :expires", values=stands)
        except Refused as refused:
            if not _is_born_as(item, refused.item):
                raise errors.ThreadBusy(retry_after=1) from refused
        return read_head(item)

    def _newborn(self, pk: str, user: str, more: Item, *, seq: int = 0, gen: int = 0) -> Item:
        born = self._mint(BORN_BYTES)
        hours = min(self._thread_hours, more.get("life", inf) / HOUR_MS)
        item = newborn(pk, user, self._now(), hours, born=born, seq=seq, gen=gen) | more
        return {"PK": pk, "SK": HEAD, **item, "sig": self._sealer.sign(*signed_parts(pk, item))}

    def read_thread(self, principal: Principal, thread_id: str) -> Thread:
        """Raises NotFound for an unknown, foreign or expired id."""
        return self._thread(self.head(principal, thread_id))

    def update_thread(self, principal: Principal, thread_id: str, metadata: JSON) -> Thread:
        """Merges `metadata` key by key; a null takes a key away."""
        head = self.head(principal, thread_id)
        merged = {name: value for name, value in {**self._metadata(head), **metadata}.items() if value is not None}
        values: Item = {":meta": self._sealed_metadata(head.pk, merged), ":was": head.metadata or b""}
        values |= {":now": self._now(), ":born": head.born}
        same = "expires > :now AND born = :born AND (#meta = :was OR attribute_not_exists(#meta))"
        try:
            item = self._items.update(head.pk, HEAD, "SET #meta = :meta", values, condition=same)
        except Refused as refused:
            raise errors.ThreadBusy(retry_after=1) from refused
        return self._thread(self._trusted(item))

    def delete_thread(self, principal: Principal, thread_id: str, *, only: Head | None = None) -> None:
        """Erase the thread and finish an interrupted deletion. A running turn is superseded. Raises NotFound. With
        `only`, raises ThreadMoved if a run began or a step was stored since that HEAD was read. Under a live lease an
        invisible HEAD stays for a while, so cleanup sweeps again after a stalled writer."""
        now = self._now()
        pk = partition(principal, thread_id)
        head = self._items.get(pk, HEAD) or {}
        if "gone" in head and self._eraser.finish(head).items:
            return
        if head.get("expires", 0) <= now:
            raise errors.NotFound
        is_leased = head.get("lease", {}).get("t", 0) > now
        values: Item = {":born": head["born"]} if head.get("born") else {}
        if only:
            values = {":born": only.born, ":seq": only.seq}
        self._erase(pk, values, now + TOMBSTONE_MS if is_leased else None)

    def _erase(self, pk: str, values: Item, due: int | None) -> None:
        """Only this thread, not one that has its id by the time the claim arrives."""
        born = values.get(":born", b"")
        tied = "born = :born" if born else "attribute_not_exists(born)"
        tied += " AND seq = :seq" if ":seq" in values else ""
        try:
            self._eraser.erase(pk, condition=f"expires > :now AND {tied}", values=values, due=due)
        except Refused as refused:
            stands = refused.item
            if stands is None or stands.get("born") != born:
                return
            if "gone" not in stands:
                has_moved = values.get(":seq", stands["seq"]) != stands["seq"]
                raise (errors.ThreadMoved if has_moved else errors.NotFound) from refused
            self._eraser.finish(stands)

    def head(self, principal: Principal, thread_id: str) -> Head:
        """HEAD of a living thread; raises NotFound."""
        item = self._items.get(partition(principal, thread_id), HEAD)
        head = self._trusted(item) if item else None
        if head is None or not head.is_alive(self._now()):
            raise errors.NotFound
        return head

    @contextmanager
    def _reading(self, head: Head, gone: type[errors.TurnkeepError] = errors.NotFound) -> Iterator[None]:
        """Raise `gone` if data of `head` is missing after a deletion, Superseded if the thread moved since."""
        try:
            yield
        except errors.StateCorrupt as error:
            item = self._items.get(head.pk, HEAD)
            if is_erased(item, head.born):
                raise gone from error
            if item and item.get("last") != head.last:
                raise errors.Superseded from error
            raise

    def _trusted(self, item: Item) -> Head:
        """Raises StateCorrupt for a living HEAD that was not written under our secret."""
        head = read_head(item)
        is_signed = self._sealer.is_signed(item.get("sig", b""), *signed_parts(head.pk, item))
        if head.is_alive(self._now()) and not is_signed:
            raise errors.StateCorrupt(None if self._sealer.knows(item.get("sig", b"")) else OTHER_KEY)
        return head

    def _thread(self, head: Head, *, with_message: bool = True) -> Thread:
        return Thread(
            thread_id=head.thread_id,
            created_at=head.created / 1000,
            updated_at=head.active / 1000,
            expires_at=head.expires / 1000,
            status=head.status(self._now()),
            turn_count=head.n,
            agent=head.agent,
            title=head.title,
            metadata=self._metadata(head),
            pending=self._pending(head) if with_message else None,
        )

    def _pending(self, head: Head) -> Pending | None:
        if head.pending is None:
            return None
        sealed, place = head.pending.message, (HEAD, "message")
        if sealed is None:
            place = (message_key(head.born), head.pending.key.hex())
            aside = self._items.get(head.pk, place[0])
            sealed = self._blobs.value(aside) if aside else b""
        try:
            message = self.vault.opened(sealed, head.pk, *place)
        except errors.StateCorrupt:  # a writer that stopped before it was put aside, or that came late
            return None
        return Pending(message, head.pending.at / 1000)

    def _metadata(self, head: Head) -> JSON:
        return dict(self._sealer.open(head.metadata, head.pk, HEAD, "metadata")) if head.metadata else {}

    def _sealed_metadata(self, pk: str, metadata: JSON) -> bytes:
        if len(json.dumps(metadata, ensure_ascii=False).encode()) > METADATA_BYTES:
            raise errors.InvalidRequest("The metadata is too large: at most 1 KB of JSON in all.")
        return self._sealer.seal(metadata, pk, HEAD, "metadata")

    def _now(self) -> int:
        return int(self._clock() * 1000)


def _is_born_as(item: Item, stands: Item | None) -> bool:
    return stands is not None and stands.get("born") == item["born"]
