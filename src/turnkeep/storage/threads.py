"""Threads as such: make, read, change, list and delete them."""

import json
from collections.abc import Callable, Iterator
from itertools import batched
from typing import Literal

from turnkeep.errors import InvalidRequest, NotFound, ThreadBusy, ThreadExists
from turnkeep.records import JSON, Pending, Principal, Status, Thread
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.head import FIRST_SEQ, Head, newborn, read_head
from turnkeep.storage.items import Item, Items, Refused
from turnkeep.storage.keys import (
    BY_USER,
    HEAD,
    LAYOUT,
    item_ttl,
    message_key,
    partition,
    user_key,
)
from turnkeep.storage.sealing import Sealer

METADATA_BYTES = 1024
PENDING_INLINE_BYTES = 1024
LIST_PAGE = 50
# A deleted thread's HEAD outlives a stalled writer by 15 minutes; cleanup may come up to an hour before `due`.
TOMBSTONE_MS = (60 + 15) * 60_000


class Threads:
    """The threads of a table. `clock` gives epoch seconds."""

    def __init__(
        self, items: Items, blobs: Blobs, sealer: Sealer, *, clock: Callable[[], float], thread_hours: float = 24
    ):
        self._items = items
        self._blobs = blobs
        self._clock = clock
        self._eraser = Eraser(items, blobs, clock=clock)
        self._sealer = sealer
        self._thread_hours = thread_hours

    def create_thread(
        self,
        principal: Principal,
        thread_id: str,
        *,
        agent: str | None = None,
        metadata: JSON | None = None,
        if_exists: Literal["raise", "do_nothing"] = "raise",
    ) -> Thread:
        """Raises ThreadExists unless told to do nothing; an expired thread of this id makes room."""
        pk = partition(principal, thread_id)
        more: Item = {"agent": agent} if agent else {}
        if metadata:
            more["meta"] = self._sealed_metadata(pk, metadata)
        born = newborn(pk, user_key(principal), self._now(), self._thread_hours, seq=FIRST_SEQ)
        item = {"PK": pk, "SK": HEAD, **born, **more}
        try:
            self._items.put(item, condition="attribute_not_exists(PK)")
        except Refused as refused:
            if refused.item != item:  # else it is ours: only the acknowledgement was lost
                return self._create_over(self._head_in(refused.item), principal, more, if_exists)
        return self._thread(read_head(item))

    def _create_over(self, old: Head, principal: Principal, more: Item, if_exists: str) -> Thread:
        if not old.is_alive(self._now()):
            return self._thread(self._replace_dead(old, user_key(principal), more))
        if if_exists == "raise":
            raise ThreadExists
        return self._thread(old)

    def _replace_dead(self, old: Head, user: str, more: Item) -> Head:
        """A new thread where an expired one stands; the old items are out of its reach by their generation.

        Raises ThreadBusy while a turn that began before the expiry still runs: it will bring the thread back.
        """
        if old.is_leased(self._now()):
            raise ThreadBusy(retry_after=1)
        born = newborn(old.pk, user, self._now(), self._thread_hours, seq=old.seq + 1, gen=old.seq + 1)
        item = {"PK": old.pk, "SK": HEAD, **born, **more}
        try:
            self._items.put(item, condition="seq = :seq", values={":seq": old.seq})
        except Refused as refused:
            if refused.item != item:
                raise ThreadBusy(retry_after=1) from refused
        return read_head(item)

    def read_thread(self, principal: Principal, thread_id: str) -> Thread:
        """Raises NotFound for an unknown, foreign or expired id."""
        return self._thread(self.head(principal, thread_id))

    def update_thread(self, principal: Principal, thread_id: str, metadata: JSON) -> Thread:
        """Merges `metadata` key by key; a null takes a key away."""
        head = self.head(principal, thread_id)
        merged = {name: value for name, value in {**self._metadata(head), **metadata}.items() if value is not None}
        try:
            item = self._items.update(
                head.pk,
                HEAD,
                "SET #meta = :meta",
                {":meta": self._sealed_metadata(head.pk, merged), ":now": self._now(), ":was": head.metadata or b""},
                condition="expires > :now AND (#meta = :was OR attribute_not_exists(#meta))",
            )
        except Refused as refused:
            raise ThreadBusy(retry_after=1) from refused
        return self._thread(read_head(item))

    def search_threads(
        self,
        principal: Principal,
        *,
        metadata: JSON | None = None,
        status: Status | None = None,
        agent: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Thread]:
        """The user's threads that match, newest activity first; a turn of this moment may be a moment late."""
        found: list[Thread] = []
        for thread in self._threads_of(principal, page=min(LIST_PAGE, offset + limit)):
            fits = status in (None, thread.status) and agent in (None, thread.agent)
            if fits and (metadata or {}).items() <= thread.metadata.items():
                found.append(thread)
            if len(found) == offset + limit:
                break
        return found[offset:]

    def _threads_of(self, principal: Principal, page: int) -> Iterator[Thread]:
        """Reads `page` threads at a time, as they are asked for."""
        entries = self._items.index(BY_USER, "u", user_key(principal), newest_first=True)
        for batch in batched((entry["PK"] for entry in entries), page, strict=False):
            heads = {item["PK"]: read_head(item) for item in self._items.get_many((pk, HEAD) for pk in batch)}
            for pk in batch:
                if pk in heads and heads[pk].is_alive(self._now()):
                    yield self._thread(heads[pk], with_message=False)

    def delete_thread(self, principal: Principal, thread_id: str) -> None:
        """Erases the thread, whatever runs on it: a running turn finds itself superseded. Raises NotFound.

        Under a live lease an invisible HEAD stays behind for a while, so that cleanup sweeps once more after a writer
        that stalled.
        """
        now = self._now()
        head = self.head(principal, thread_id)
        due = now + TOMBSTONE_MS if head.is_leased(now) else None
        try:
            self._eraser.erase(head.pk, condition="expires > :now", due=due)
        except Refused as refused:
            raise NotFound from refused

    def head(self, principal: Principal, thread_id: str) -> Head:
        """HEAD of a living thread; raises NotFound."""
        return self._alive(self._items.get(partition(principal, thread_id), HEAD))

    def _alive(self, item: Item | None) -> Head:
        head = read_head(item) if item else None
        if head is None or not head.is_alive(self._now()):
            raise NotFound
        return head

    def _head_in(self, item: Item | None) -> Head:
        if item is None:
            raise ThreadBusy(retry_after=1)
        return read_head(item)

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

    def _pending_item(self, pk: str, key: bytes, body: bytes, message: str, *, must_exist: bool) -> Item:
        """The pending message as HEAD keeps it; a long one is put aside first, so that HEAD stays small."""
        now = self._now()
        pending: Item = {"k": key, "b": body, "at": now}
        sealed = self._sealer.seal(message, pk, HEAD, "message")
        if len(sealed) <= PENDING_INLINE_BYTES:
            return {**pending, "m": sealed}
        if must_exist:
            self._alive(self._items.get(pk, HEAD))
        sk = message_key(key)
        value = self._blobs.attributes(pk, sk, self._sealer.seal(message, pk, sk, "message"))
        self._items.write_many(puts=[{"PK": pk, "SK": sk, "v": LAYOUT, "ttl": item_ttl(now), **value}])
        return pending

    def _pending(self, head: Head) -> Pending | None:
        if head.pending is None:
            return None
        sealed, place = head.pending.message, HEAD
        if sealed is None:
            place = message_key(head.pending.key)
            aside = self._items.get(head.pk, place)
            sealed = self._blobs.value(aside) if aside else None
        if sealed is None:
            return None
        return Pending(self._sealer.open(sealed, head.pk, place, "message"), head.pending.at / 1000)

    def _metadata(self, head: Head) -> JSON:
        return dict(self._sealer.open(head.metadata, head.pk, HEAD, "metadata")) if head.metadata else {}

    def _sealed_metadata(self, pk: str, metadata: JSON) -> bytes:
        if len(json.dumps(metadata, ensure_ascii=False).encode()) > METADATA_BYTES:
            raise InvalidRequest("The metadata is too large: at most 1 KB of JSON in all.")
        return self._sealer.seal(metadata, pk, HEAD, "metadata")

    def _now(self) -> int:
        return int(self._clock() * 1000)
