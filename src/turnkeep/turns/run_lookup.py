"""Finds runs: as a turn, else as the leased thread's pending message, else as a queued item."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from turnkeep import errors
from turnkeep.records import JSON, Pending, Principal, Turn
from turnkeep.store.head import KEPT_KEYS, Head, run_digest, run_id_of
from turnkeep.store.keys import thread_of
from turnkeep.store.runs import QueuedRun, QueuedStatus
from turnkeep.store.store import Store

RunStatus: TypeAlias = Literal["pending", "running", "error", "success", "timeout", "interrupted"]

PAGE = 50
_STATUSES: dict[QueuedStatus, RunStatus] = {"queued": "pending", "failed": "error", "cancelled": "interrupted"}


@dataclass(frozen=True)
class RunRecord:
    """Times are epoch seconds; `code` is that of the last error. If the run made a turn, the turn has the rest. A run
    that `is_due` waits for a thread that is free."""

    run_id: str
    thread_id: str
    agent: str | None
    status: RunStatus
    created_at: float
    updated_at: float
    metadata: JSON = field(default_factory=dict)
    kwargs: JSON = field(default_factory=dict)
    turn_number: int | None = None
    code: str | None = None
    strategy: str | None = None
    is_due: bool = False


class Lookup:
    def __init__(self, store: Store):
        self._store = store

    def find(self, principal: Principal, thread_id: str, run_id: str) -> Turn | RunRecord:
        """Return a run, as a turn if it made one. Raise NotFound."""
        head = self._store.heads.read(principal, thread_id)
        digest = _digest(head.pk, run_id)
        if number := head.turn_of_key(digest):
            return self._store.turns.read(principal, thread_id, number)
        stored = self._store.queue.find(head, run_id)
        if stored and stored[0].run:
            return self.find(principal, thread_id, stored[0].run)
        found = self.of_queued(head, stored[0]) if stored else self._running(head, digest)
        if found is None or found.status == "success":  # it may have made its turn since HEAD was read
            head = self._store.heads.read(principal, thread_id)
            if number := head.turn_of_key(digest):
                return self._store.turns.read(principal, thread_id, number)
        if found and found.status in ("pending", "running", "interrupted"):
            return found
        if last := self._older(principal, head, run_id) or found or held(head, "error", digest):
            return last
        raise errors.NotFound("The thread has no such run.")

    def current(self, principal: Principal, thread_id: str) -> str:
        """Return the id of the run that is active, waits first, failed last, or made the last turn. Raise NotFound."""
        head = self._store.heads.read(principal, thread_id)
        pending = run_id_of(head.pk, head.pending.key) if head.pending else None
        if pending and head.is_leased(self._store.heads.now()):
            return pending
        waiting = self._store.queue.waiting(head) if head.has_queue else []
        if waiting or pending:
            return waiting[0].run_id if waiting else str(pending)
        for turn in self._store.turns.newest(principal, thread_id, limit=1):
            return str(turn.run_id)
        raise errors.NotFound("The thread has no run to join.")

    def waiting(self, head: Head) -> list[Pending]:
        """Return the messages of the queued runs that have not begun, in the order of acceptance."""
        queue, now = self._store.queue, self._store.heads.now()
        active = head.pending.key if head.pending and head.is_leased(now) else b""
        left = [each for each in queue.waiting(head) if run_digest(each.run_id) not in (active, *head.keys)]
        return [Pending(json.loads(queue.request_of(each))["message"], each.at / 1000, each.run_id) for each in left]

    def list(
        self, principal: Principal, thread_id: str, limit: int, offset: int, status: RunStatus | None
    ) -> list[RunRecord]:
        """Return the newest first. Raise NotFound."""
        head = self._store.heads.read(principal, thread_id)
        queued = self._store.queue.all(head)  # before the turns that they become
        queued += self._store.queue.find(head, *(run_id_of(head.pk, key) for key in head.left))
        turns = self._store.turns.newest(principal, thread_id, limit=2 * PAGE if status else limit + offset)
        runs = sorted(self.merged(head, queued, turns).values(), key=lambda run: -run.created_at)
        return [each for each in runs if status in (None, each.status)][offset : offset + limit]

    def merged(self, head: Head, queued: Sequence[QueuedRun], turns: Sequence[Turn]) -> dict[str, RunRecord]:
        """Return the runs by their ids: the active one, queued ones without a turn, and turns from the newest."""
        active = self._running(head)
        runs = {active.run_id: active} if active else {}
        left = [each for each in queued if not head.turn_of_key(run_digest(each.run_id))]
        runs |= {each.run_id: self.of_queued(head, each) for each in left}
        return runs | {run.run_id: run for run in map(of_turn, reversed(turns))}

    def _running(self, head: Head, digest: bytes | None = None) -> RunRecord | None:
        return held(head, "running", digest) if head.is_leased(self._store.heads.now()) else None

    def of_queued(self, head: Head, queued: QueuedRun) -> RunRecord:
        active = self._running(head, run_digest(queued.run_id))
        request = json.loads(self._store.queue.request_of(queued)) if queued.data else {}
        call, at, status = request.get("call") or {}, queued.at / 1000, _STATUSES.get(queued.status, "success")
        is_slow = status == "error" and queued.code == errors.ModelTimeout.code
        if is_slow or (status == "pending" and not self._store.queue.waits(queued)):
            status = "timeout"
        return RunRecord(
            queued.run_id,
            thread_of(queued.pk),
            (active and active.agent) or request.get("agent"),
            "running" if active else status,
            created_at=at,
            updated_at=active.updated_at if active else queued.ended / 1000,
            metadata=call.get("config", {}).get("metadata", {}),
            kwargs={name: value for name, value in call.items() if value},
            code=None if active else queued.code,
            strategy=request.get("when_busy"),
            is_due=status == "pending" and not head.is_leased(self._store.heads.now()),
        )

    def _older(self, principal: Principal, head: Head, run_id: str) -> Turn | None:
        """Search the turns whose keys HEAD no longer has."""
        for before in range(head.n - KEPT_KEYS + 1, 1, -PAGE):
            turns = self._store.turns.newest(principal, head.thread_id, limit=PAGE, before=before)
            if found := next((turn for turn in turns if turn.run_id == run_id), None):
                return self._store.turns.read(principal, head.thread_id, found.number)
        return None


def of_turn(turn: Turn) -> RunRecord:
    run_id, thread_id, ended = str(turn.run_id), str(turn.thread_id), turn.created_at + turn.duration_ms / 1000
    strategy = turn.details.get("multitask_strategy")
    status: RunStatus = "interrupted" if turn.status == "stopped" else "success"
    created, number = turn.created_at, turn.number
    return RunRecord(run_id, thread_id, turn.agent, status, created, ended, turn_number=number, strategy=strategy)


def held(head: Head, status: RunStatus, digest: bytes | None = None) -> RunRecord | None:
    """Return the run of the pending message, if that has this key or any."""
    if head.pending is None or digest not in (None, head.pending.key):
        return None
    at = head.pending.at / 1000
    return RunRecord(run_id_of(head.pk, head.pending.key), head.thread_id, head.agent, status, at, at)


def _digest(pk: str, run_id: str) -> bytes:
    """Return the digest of the run's key; raise NotFound if it is not a run of this thread."""
    try:
        digest = run_digest(run_id)
    except ValueError:
        digest = b""
    if run_id_of(pk, digest) != run_id:
        raise errors.NotFound("The thread has no such run.")
    return digest


def end_of(run: RunRecord) -> errors.TurnkeepError:
    """Return the error that a run ended with."""
    if run.status == "interrupted":
        return errors.RunCancelled()
    ended = next((kind for kind in vars(errors).values() if getattr(kind, "code", "") == run.code), None)
    return ended() if ended else errors.InternalError("The run was given up; send it again.")
