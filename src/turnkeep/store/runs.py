"""Runs that wait for a worker: an encrypted item each, which expires with its thread. A finished turn replaces it; a
failed run stores its reason.

    ASIDE#RUN#<run id>#<born>  st status, at, tries, code of the last error, b body digest, data the request, encrypted

The incarnation id separates the runs of a later thread with the same id, whose run ids may be equal."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from turnkeep.errors import IdempotencyKeyReused, ThreadBusy
from turnkeep.store.attributes import Item, Write
from turnkeep.store.head import Head, is_of_life, run_digest
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, LAYOUT, RUNS, new_item, run_key, run_of
from turnkeep.store.plans import body_digest, is_body

QueuedStatus: TypeAlias = Literal["queued", "failed", "cancelled"]
KEPT_SECONDS = 86_400
STALE_MS = 60 * 60_000  # since a run's last sign: all attempts of a worker together take less
_FREE = "born = :born AND expires > :now AND (attribute_not_exists(#lease) OR #lease.#t < :now)"


@dataclass(frozen=True)
class QueuedRun:
    """`at`: accepted, epoch ms. `tries`: failed ones. `born`: incarnation id, None if an older version accepted it."""

    pk: str
    sk: str
    run_id: str
    status: QueuedStatus
    at: int
    tries: int
    code: str | None
    data: bytes | None
    incarnation: bytes | None


class RunQueue:
    def __init__(self, heads: Heads):
        self._heads = heads
        self._items = heads.items
        self._codec = heads.codec

    def accept(self, head: Head, run_id: str, body: bytes, request: str) -> QueuedRun | None:
        """Store the request; None if it is already queued. Raises ThreadBusy, IdempotencyKeyReused."""
        pk, sk, now = head.pk, run_key(run_id, head.incarnation), self._heads.now()
        data = self._codec.encrypt(request, pk, sk)
        item = new_item(pk, sk, now // 1000 + KEPT_SECONDS, born=head.incarnation, st="queued", at=now, tries=0)
        item |= {"data": data, "b": body_digest(self._codec, pk, body)}
        values = {":queued": "queued", ":stale": now - STALE_MS}
        put = Write("Put", item, "attribute_not_exists(PK) OR st <> :queued OR #at < :stale", values)
        try:
            free = Write("ConditionCheck", {"PK": pk, "SK": HEAD}, _FREE, {":now": now, ":born": head.incarnation})
            self._items.transact(free, put)
        except Refused as refused:
            stored = self._items.get(pk, sk)
            if stored is None or stored["st"] != "queued":
                raise ThreadBusy(retry_after=1) from refused
            if not is_body(self._codec, pk, body, stored["b"]):
                raise IdempotencyKeyReused from refused
            return None
        return _read(item)

    def find(self, head: Head, run_id: str) -> QueuedRun | None:
        return next(iter(self.all(head, run_id)), None)

    def all(self, head: Head, run_id: str = "") -> list[QueuedRun]:
        """Return the runs, newest first: all, or those of one id."""
        found = [_read(item) for item in self._items.below(head.pk, run_key(run_id)) if is_of_life(item, head)]
        return sorted(found, key=lambda queued: queued.at, reverse=True)

    def is_stale(self, queued: QueuedRun) -> bool:
        return queued.at + STALE_MS < self._heads.now()

    def request_of(self, queued: QueuedRun) -> str:
        """Return the accepted request. Raises StateCorrupt."""
        return str(self._codec.decrypt(queued.data or b"", queued.pk, queued.sk))

    def fail(self, queued: QueuedRun, code: str, *, is_final: bool) -> None:
        """Record a failed try, unless the run is cancelled or its thread is gone. Raises StoreUnavailable."""
        values = {":st": "failed" if is_final else "queued", ":code": code, ":one": 1, ":queued": "queued"}
        change = "SET st = :st, code = :code, tries = tries + :one"
        with suppress(Refused):
            self._items.update(queued.pk, queued.sk, change, values, condition="st = :queued")

    def cancel(self, head: Head, run_id: str, *, forget: bool) -> bool:
        """Take the lease from the run and stop workers from running it, in one step. Return False if the thread moved
        meanwhile. `forget` removes the request. Raises StoreUnavailable."""
        key, now = {"PK": head.pk, "SK": run_key(run_id, head.incarnation)}, self._heads.now()
        values = {":st": "cancelled", ":now": now, ":v": LAYOUT, ":born": head.incarnation}
        values[":ttl"] = now // 1000 + KEPT_SECONDS
        change = "SET st = :st, #v = :v, #ttl = :ttl, born = :born, #at = if_not_exists(#at, :now)"
        change += " REMOVE #data" * forget
        try:
            self._items.transact(_take_lease(head, run_id, forget=forget), Write("Update", key, None, values, change))
        except Refused:
            return False
        return True

    def token(self, head: Head, run_id: str) -> str:
        sk = run_key(run_id, head.incarnation)
        return self._codec.token({"pk": head.pk, "run": sk.removeprefix(RUNS)}, "run")

    def of_token(self, token: str) -> QueuedRun | None:
        """Return the run of a token, or None if it is gone. Raises StateCorrupt, StoreUnavailable."""
        place = self._codec.read_token(token, "run")
        item = self._items.get(place["pk"], run_key(place["run"]))
        return _read(item) if item else None


def _read(item: Item) -> QueuedRun:
    rest = item.get("tries", 0), item.get("code"), item.get("data"), item.get("born")
    return QueuedRun(item["PK"], item["SK"], run_of(item["SK"]), item["st"], item["at"], *rest)


def _take_lease(head: Head, run_id: str, *, forget: bool) -> Write:
    """Check that the thread is unchanged, and remove the lease if this run has it."""
    key, values = {"PK": head.pk, "SK": HEAD}, {":born": head.incarnation, ":seq": head.seq}
    same = "born = :born AND seq = :seq"
    if not head.pending or head.pending.key != run_digest(run_id):
        return Write("ConditionCheck", key, same, values)
    return Write("Update", key, same, values, "REMOVE #lease, #pend" if forget else "REMOVE #lease")
