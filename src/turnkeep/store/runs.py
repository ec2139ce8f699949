"""Runs that wait for a worker: an encrypted item each, which expires with its thread. A failed run stores its reason.
After its turn a small item stays for a day, to recognise retries. Its key is another, so readers of the queue skip it.

    ASIDE#RUN#<run id>#<born>   st status, at, up its end, tries, code of its last error, b body digest, data encrypted,
                                due when it may begin, if later messages may join it; then `up` changes with each
    ASIDE#DONE#<run id>#<born>  st, at, b, run that its message joined

The incarnation id separates the runs of a later thread with the same id, whose run ids may be equal.
Accepting a run marks HEAD: `q` is the `at` of the newest queued run. It rises with each, so `at` is the order of
acceptance whatever clocks show. It is negated once none waits, unless another run was accepted meanwhile."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from turnkeep.errors import IdempotencyKeyReused, NotFound, OverLimit, ThreadBusy
from turnkeep.records import JSON
from turnkeep.store.attributes import Item, Write
from turnkeep.store.head import Head, is_of_life, run_digest
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, LAYOUT, RUNS, done_key, new_item, run_key, run_of
from turnkeep.store.plans import body_digest, is_body

QueuedStatus: TypeAlias = Literal["queued", "failed", "cancelled", "done"]
KEPT_SECONDS = 86_400
STALE_MS = 60 * 60_000  # since a run's last sign: all attempts of a worker together take less
MAX_WAITING = 100
LONGEST_WAIT = 4  # times the quiet time, for a run that later messages join
_NEXT = "born = :born AND expires > :now AND (attribute_not_exists(q) OR q BETWEEN :low AND :high)"
_FREE = " AND (attribute_not_exists(#lease) OR #lease.#t < :now)"


@dataclass(frozen=True)
class Asked:
    """A run to accept. `body` distinguishes requests, `data` is stored. It `is_new` if it has no retries, and accepted
    only if it `is_alone`. `joined`, if set, returns the data of a waiting run with this one's messages, None if they do
    not fit; it waits for later ones until it is `quiet_ms` old, and four times that at most."""

    run_id: str
    body: bytes
    data: str
    is_alone: bool = False
    is_new: bool = False
    joined: Callable[[str], str | None] | None = None
    quiet_ms: int = 0


@dataclass(frozen=True)
class QueuedRun:
    """`at`: accepted, `ended`: failed or cancelled, else `at`, in epoch ms. `body`: digest. `tries`: failed ones.
    `due`: when it may begin, if later messages may join it. `run`: the one that its message joined."""

    pk: str
    sk: str
    run_id: str
    incarnation: bytes
    status: QueuedStatus
    at: int
    ended: int
    body: bytes
    tries: int
    code: str | None
    data: bytes | None
    due: int | None
    run: str | None


class RunQueue:
    """The queued runs of threads. `launch`, if set, starts a worker for a thread."""

    def __init__(self, heads: Heads):
        self.launch: Callable[[Head], Awaitable[None]] | None = None
        self._heads = heads
        self._items = heads.items
        self._codec = heads.codec

    def accept(self, head: Head, asked: Asked) -> QueuedRun | None:
        """Store the request as the newest of its thread, or in the newest; None if it is stored already, unless it
        `is_new`. Raises NotFound, OverLimit, IdempotencyKeyReused, and ThreadBusy: too many writers, or not alone."""
        pk, sk, ttl = head.pk, run_key(asked.run_id, head.incarnation), self._heads.now() // 1000 + KEPT_SECONDS
        item = new_item(pk, sk, ttl, born=head.incarnation, st="queued", tries=0)
        item |= {"data": self._codec.encrypt(asked.data, pk, sk), "b": body_digest(self._codec, pk, asked.body)}
        made = Write("ConditionCheck", {"PK": pk, "SK": done_key(sk)}, "attribute_not_exists(PK)")
        for _ in range(1 if asked.is_alone else 8):  # tries
            waiting = self.waiting(head) if head.has_queue else []
            is_known = asked.run_id in {each.run_id for each in waiting}
            try:
                if waiting and not is_known and (joined := self._join(head, waiting[-1], item, asked)):
                    return joined
                if len(waiting) >= MAX_WAITING and not is_known:
                    raise OverLimit(f"{MAX_WAITING} runs wait for this thread. Retry later.", retry_after=5)
                return self._put(head, item, *(() if asked.is_new else (made,)), asked=asked)
            except Refused as refused:
                if not asked.is_new and self._is_stored(head, asked.run_id, asked.body):
                    return None
                if not (newer := self.head({"pk": pk, "run": sk.removeprefix(RUNS)})):
                    raise NotFound from refused
                head = newer
        raise ThreadBusy(retry_after=1)

    def _put(self, head: Head, item: Item, *checks: Write, asked: Asked) -> QueuedRun:
        now, at = self._heads.now(), self._next(head)
        item |= {"at": at} | ({"due": at + asked.quiet_ms} if asked.joined else {})
        marked = {":at": at, ":born": head.incarnation, ":now": now, ":low": 1 - at}
        marked[":high"] = 0 if asked.is_alone else at - 1
        mark = Write("Update", {"PK": head.pk, "SK": HEAD}, _NEXT + _FREE * asked.is_alone, marked, "SET q = :at")
        values = {":queued": "queued", ":stale": now - STALE_MS}
        is_over = "attribute_not_exists(PK) OR st <> :queued OR #at < :stale"
        self._items.transact(mark, Write("Put", item, is_over, values), *checks)
        return _read(item)

    def _join(self, head: Head, newest: QueuedRun, item: Item, asked: Asked) -> QueuedRun | None:
        """Add the messages to the newest run if no attempt at it has begun: HEAD must be unchanged. A worker that has
        read the run before finds another `q` when it begins. Return None if they do not fit. Raises Refused."""
        digest, pk, sk = run_digest(newest.run_id), newest.pk, newest.sk
        has_begun = head.turn_of_key(digest) or digest in head.left or (head.pending and head.pending.key == digest)
        if asked.joined is None or newest.due is None or newest.tries or has_begun:
            return None
        if (data := asked.joined(self.request_of(newest))) is None:
            return None
        now, at = self._heads.now(), self._next(head)
        due = min(at + asked.quiet_ms, newest.at + LONGEST_WAIT * asked.quiet_ms)
        same = "born = :born AND expires > :now AND seq = :seq AND q = :was"
        marked = {":at": at, ":born": head.incarnation, ":now": now, ":seq": head.seq, ":was": head.queue}
        more: Item = {":data": self._codec.encrypt(data, pk, sk), ":at": at, ":due": due}
        more |= {":queued": "queued", ":zero": 0}
        change, waits = "SET #data = :data, up = :at, due = :due", "st = :queued AND tries = :zero"
        kept = {name: item[name] for name in ("born", "b")} | {"st": "done", "at": at, "run": newest.run_id}
        self._items.transact(
            Write("Update", {"PK": pk, "SK": HEAD}, same, marked, "SET q = :at"),
            Write("Update", {"PK": pk, "SK": sk}, waits, more, change),
            Write("Put", new_item(pk, done_key(item["SK"]), item["ttl"], **kept), "attribute_not_exists(PK)"),
        )
        return replace(newest, data=more[":data"], ended=at, due=due)

    def _next(self, head: Head) -> int:
        """Return the place of a run that is accepted now."""
        return max(self._heads.now(), abs(head.queue or 0) + 1)

    def _is_stored(self, head: Head, run_id: str, body: bytes) -> bool:
        found = [each for each in self.find(head, run_id) if each.status == "done" or self.waits(each)]
        if found and not is_body(self._codec, head.pk, body, found[0].body):
            raise IdempotencyKeyReused
        return bool(found)

    def waiting(self, head: Head) -> list[QueuedRun]:
        """Return the runs to execute, in the order of their acceptance."""
        queued = [each for each in self.all(head) if self.waits(each)]
        return sorted(queued, key=lambda each: (each.at, each.run_id))

    def waits(self, queued: QueuedRun) -> bool:
        return queued.status == "queued" and queued.at + STALE_MS >= self._heads.now()

    def still_waits(self, queued: QueuedRun) -> bool:
        item = self._items.get(queued.pk, queued.sk)
        return item is not None and item["st"] == "queued"

    def unmark(self, head: Head) -> bool:
        """Record that no run waits. Return False if one was accepted since `head` was read."""
        values = {":no": -(head.queue or 0), ":was": head.queue, ":born": head.incarnation}
        try:
            self._items.update(head.pk, HEAD, "SET q = :no", values, condition="q = :was AND born = :born")
        except Refused:
            return False
        return True

    def find(self, head: Head, *run_ids: str) -> list[QueuedRun]:
        """Return those of these runs that were queued, also if they have made their turns."""
        sks = [run_key(run_id, head.incarnation) for run_id in run_ids]
        return [_read(item) for item in self._items.get_many((head.pk, at) for sk in sks for at in (sk, done_key(sk)))]

    def all(self, head: Head) -> list[QueuedRun]:
        """Return the runs without a turn, newest first."""
        found = [_read(item) for item in self._items.below(head.pk, RUNS) if is_of_life(item, head)]
        return sorted(found, key=lambda queued: queued.at, reverse=True)

    def request_of(self, queued: QueuedRun) -> str:
        """Return the accepted request. Raises StateCorrupt."""
        return str(self._codec.decrypt(queued.data or b"", queued.pk, queued.sk))

    def done(self, queued: QueuedRun) -> None:
        """Record that the run made its turn, which replaces the request. Raises StoreUnavailable."""
        pk, ttl = queued.pk, self._heads.now() // 1000 + KEPT_SECONDS
        more = {"born": queued.incarnation, "st": "done", "at": queued.at, "b": queued.body}
        self._items.put(new_item(pk, done_key(queued.sk), ttl, **more))
        self._items.write_many(deletes=[(pk, queued.sk)])

    def fail(self, queued: QueuedRun, code: str, *, is_final: bool) -> None:
        """Record a failed try, unless the run is cancelled or its thread is gone. Raises StoreUnavailable."""
        values = {":st": "failed" if is_final else "queued", ":code": code, ":one": 1, ":queued": "queued"}
        values[":end"] = self._heads.now() if is_final else queued.at
        change = "SET st = :st, code = :code, tries = tries + :one, up = :end"
        with suppress(Refused):
            self._items.update(queued.pk, queued.sk, change, values, condition="st = :queued")

    def cancel(self, head: Head, run_id: str, *, forget: bool) -> bool:
        """Take the lease from the run and stop workers from running it, in one step. Return False if the thread moved
        meanwhile. `forget` removes the request. Raises StoreUnavailable."""
        key, now = {"PK": head.pk, "SK": run_key(run_id, head.incarnation)}, self._heads.now()
        values = {":st": "cancelled", ":now": now, ":v": LAYOUT, ":born": head.incarnation}
        values[":ttl"] = now // 1000 + KEPT_SECONDS
        change = "SET st = :st, up = :now, #v = :v, #ttl = :ttl, born = :born, #at = if_not_exists(#at, :now)"
        change += " REMOVE #data" * forget
        try:
            fence = _fence(head, run_id, now, forget=forget)
            self._items.transact(fence, Write("Update", key, None, values, change))
        except Refused:
            return False
        return True

    def token(self, head: Head, run_id: str = "") -> str:
        """Return the name of a thread, and of the run that asks for a worker, if any."""
        place = {"pk": head.pk, "run": run_key(run_id, head.incarnation).removeprefix(RUNS), "at": self._heads.now()}
        return self._codec.token(place, "run")

    def read_token(self, token: str) -> JSON:
        """Return what a token names: `pk`, `run`, and since this version when, `at`. Raises StateCorrupt."""
        return dict(self._codec.read_token(token, "run"))

    def head(self, place: JSON) -> Head | None:
        """Return HEAD of the named thread, or None if it is gone. Raises StateCorrupt, StoreUnavailable."""
        head = self._heads.living(self._items.get(place["pk"], HEAD))
        return head if head and place["run"].endswith(f"#{head.incarnation.hex()}") else None


def _read(item: Item) -> QueuedRun:
    at, rest = item["at"], (item.get("tries", 0), *(item.get(name) for name in ("code", "data", "due", "run")))
    place = item["PK"], item["SK"], *run_of(item["SK"])
    return QueuedRun(*place, item["st"], at, item.get("up") or at, item.get("b") or b"", *rest)


def _fence(head: Head, run_id: str, now: int, *, forget: bool) -> Write:
    """Check that the thread is unchanged, and remove the lease if this run has it. Raise the fencing token, so that no
    worker that read the queue before begins the run. If another run has the lease, it has raised the token already."""
    key, values = {"PK": head.pk, "SK": HEAD}, {":born": head.incarnation, ":seq": head.seq}
    same, change = "born = :born AND seq = :seq", "SET seq = seq + :one"
    if head.pending and head.pending.key == run_digest(run_id):
        change += " REMOVE #lease, #pend" if forget else " REMOVE #lease"
    elif head.is_leased(now):
        return Write("ConditionCheck", key, same, values)
    return Write("Update", key, same, values | {":one": 1}, change)
