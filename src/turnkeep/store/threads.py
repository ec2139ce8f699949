"""Creates, reads, updates and deletes threads."""

import json
from typing import Literal

from turnkeep import errors
from turnkeep.records import JSON, Pending, Principal, Thread
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, run_id_of
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, message_key, partition
from turnkeep.store.vault import Vault

# A deleted thread's HEAD outlives a stalled writer by 15 minutes; cleanup may come up to an hour before `due`.
TOMBSTONE_MS = (60 + 15) * 60_000


class Threads:
    def __init__(self, heads: Heads, vault: Vault):
        self._heads = heads
        self._vault = vault

    def create(
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
            more["meta"] = self.packed_metadata(partition(principal, thread_id), metadata)
        head, is_new = self._heads.make(principal, thread_id, more)
        if not is_new and if_exists == "raise":
            raise errors.ThreadExists
        return self.view(head)

    def read(self, principal: Principal, thread_id: str) -> Thread:
        """Return a thread. Raises NotFound for an unknown, foreign or expired id."""
        return self.view(self._heads.read(principal, thread_id))

    def update(self, principal: Principal, thread_id: str, metadata: JSON) -> Thread:
        """Merge `metadata` key by key; a null removes a key."""
        head = self._heads.read(principal, thread_id)
        merged = {name: value for name, value in {**self.metadata_of(head), **metadata}.items() if value is not None}
        values: Item = {":meta": self.packed_metadata(head.pk, merged), ":was": head.metadata or b""}
        values |= {":now": self._heads.now(), ":born": head.incarnation}
        same = "expires > :now AND born = :born AND (#meta = :was OR attribute_not_exists(#meta))"
        try:
            item = self._heads.items.update(head.pk, HEAD, "SET #meta = :meta", values, condition=same)
        except Refused as refused:
            raise errors.ThreadBusy(retry_after=1) from refused
        return self.view(self._heads.trusted(item))

    def delete(self, principal: Principal, thread_id: str, *, only: Head | None = None) -> None:
        """Erase the thread and finish an interrupted deletion. A running turn is superseded. Raises NotFound. With
        `only`, raises ThreadMoved if a run began or a step was stored since that HEAD was read. Under a live lease an
        invisible HEAD stays for a while, so cleanup sweeps again after a stalled writer."""
        now = self._heads.now()
        pk = partition(principal, thread_id)
        head = self._heads.items.get(pk, HEAD) or {}
        if "gone" in head and self._heads.eraser.finish(head).items:
            return
        if head.get("expires", 0) <= now:
            raise errors.NotFound
        is_leased = head.get("lease", {}).get("t", 0) > now
        values: Item = {":born": head["born"]} if head.get("born") else {}
        if only:
            values = {":born": only.incarnation, ":seq": only.seq}
        self._erase(pk, values, now + TOMBSTONE_MS if is_leased else None)

    def _erase(self, pk: str, values: Item, due: int | None) -> None:
        """Erase this thread only, not one that has its id by the time the claim arrives."""
        incarnation = values.get(":born", b"")
        tied = "born = :born" if incarnation else "attribute_not_exists(born)"
        tied += " AND seq = :seq" if ":seq" in values else ""
        try:
            self._heads.eraser.erase(pk, condition=f"expires > :now AND {tied}", values=values, due=due)
        except Refused as refused:
            head = refused.item
            if head is None or head.get("born") != incarnation:
                return
            if "gone" not in head:
                has_moved = values.get(":seq", head["seq"]) != head["seq"]
                raise (errors.ThreadMoved if has_moved else errors.NotFound) from refused
            self._heads.eraser.finish(head)

    def view(self, head: Head, *, with_message: bool = True) -> Thread:
        return Thread(
            thread_id=head.thread_id,
            created_at=head.created / 1000,
            updated_at=head.active / 1000,
            expires_at=head.expires / 1000,
            status=head.status(self._heads.now()),
            turn_count=head.n,
            agent=head.agent,
            title=head.title,
            metadata=self.metadata_of(head),
            pending=self._pending(head) if with_message else None,
        )

    def _pending(self, head: Head) -> Pending | None:
        if head.pending is None:
            return None
        stored, place = head.pending.message, (HEAD, "message")
        if stored is None:
            place = (message_key(head.incarnation), head.pending.key.hex())
            aside = self._heads.items.get(head.pk, place[0])
            stored = self._heads.blobs.value(aside) if aside else b""
        try:
            message = self._vault.open(stored, head.pk, *place)
        except errors.StateCorrupt:  # a writer stopped before it was stored, or came late
            return None
        return Pending(message, head.pending.at / 1000, run_id_of(head.pk, head.pending.key))

    def metadata_of(self, head: Head) -> JSON:
        return dict(self._heads.codec.unpack(head.metadata, head.pk, HEAD, "metadata")) if head.metadata else {}

    def packed_metadata(self, pk: str, metadata: JSON) -> bytes:
        if len(json.dumps(metadata, ensure_ascii=False).encode()) > 1024:
            raise errors.InvalidRequest("`metadata` must be at most 1 KB of JSON.")
        return self._heads.codec.pack(metadata, pk, HEAD, "metadata")
