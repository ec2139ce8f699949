"""Finds runs: as a turn, else as the leased thread's pending message, else as a queued item."""

import json
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from turnkeep import errors
from turnkeep.records import JSON, Principal, Turn
from turnkeep.store.head import KEPT_KEYS, Head, run_digest, run_id_of
from turnkeep.store.keys import thread_of
from turnkeep.store.runs import QueuedRun, QueuedStatus
from turnkeep.store.store import Store

RunStatus: TypeAlias = Literal["pending", "running", "error", "success", "timeout", "interrupted"]

PAGE = 50
_STATUSES: dict[QueuedStatus, RunStatus] = {"queued": "pending", "failed": "error", "cancelled": "interrupted"}


@dataclass(frozen=True)
class RunRecord:
    """Times are epoch seconds; `code` is that of the last error. If the run made a turn, the turn has the rest."""

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


class Lookup:
    def __init__(self, store: Store):
        self._store = store

    def find(self, principal: Principal, thread_id: str, run_id: str) -> Turn | RunRecord:
        """Return a run, as a turn if it made one. Raise NotFound."""
        head = self._store.heads.read(principal, thread_id)
        digest = _digest(head.pk, run_id)
        if number := head.turn_of_key(digest):
            return self._store.turns.read(principal, thread_id, number)
        queued = self._store.queue.find(head, run_id)
        if running := self._running(head, queued, digest):
            return running
        older = None if queued and not self._is_given_up(queued) else self._older(principal, head, run_id)
        if found := older or (queued and self.waiting(queued)):
            return found
        if held := _held(head, "error", digest):
            return held
        raise errors.NotFound("The thread has no such run.")

    def list(
        self, principal: Principal, thread_id: str, limit: int, offset: int, status: RunStatus | None
    ) -> list[RunRecord]:
        """Return the newest first. Raise NotFound."""
        head = self._store.heads.read(principal, thread_id)
        turns = self._store.turns.newest(principal, thread_id, limit=2 * PAGE if status else limit + offset)
        made = {turn.run_id for turn in turns} | {run_id_of(head.pk, key) for key in head.keys}
        waiting = [each for each in self._store.queue.all(head) if each.run_id not in made]
        held = head.pending and self._running(head, None, head.pending.key)
        runs = [held] if held else []
        runs += [self.waiting(each) for each in waiting if not held or each.run_id != held.run_id]
        runs += [of_turn(turn) for turn in reversed(turns)]
        return [each for each in runs if status in (None, each.status)][offset : offset + limit]

    def _running(self, head: Head, queued: QueuedRun | None, digest: bytes) -> RunRecord | None:
        held = _held(head, "running", digest) if head.is_leased(self._store.heads.now()) else None
        if held is None or queued is None or not queued.data:
            return held
        waiting = self.waiting(queued)
        return replace(
            held,
            agent=held.agent or waiting.agent,
            created_at=waiting.created_at,
            metadata=waiting.metadata,
            kwargs=waiting.kwargs,
        )

    def waiting(self, queued: QueuedRun) -> RunRecord:
        request = json.loads(self._store.queue.request_of(queued)) if queued.data else {}
        call, at = request.get("call") or {}, queued.at / 1000
        status = _STATUSES[queued.status]
        if self._is_given_up(queued) and (status == "pending" or queued.code == errors.ModelTimeout.code):
            status = "timeout"
        thread_id, agent, metadata = (
            thread_of(queued.pk),
            request.get("agent"),
            call.get("config", {}).get("metadata", {}),
        )
        kwargs = {name: value for name, value in call.items() if value}
        return RunRecord(queued.run_id, thread_id, agent, status, at, at, metadata, kwargs, code=queued.code)

    def _is_given_up(self, queued: QueuedRun) -> bool:
        return queued.status == "failed" or self._store.queue.is_stale(queued)

    def _older(self, principal: Principal, head: Head, run_id: str) -> Turn | None:
        """Search the turns whose keys HEAD no longer has."""
        for before in range(head.n - KEPT_KEYS + 1, 1, -PAGE):
            turns = self._store.turns.newest(principal, head.thread_id, limit=PAGE, before=before)
            if found := next((turn for turn in turns if turn.run_id == run_id), None):
                return self._store.turns.read(principal, head.thread_id, found.number)
        return None


def of_turn(turn: Turn) -> RunRecord:
    run_id, thread_id, ended = str(turn.run_id), str(turn.thread_id), turn.created_at + turn.duration_ms / 1000
    return RunRecord(run_id, thread_id, turn.agent, "success", turn.created_at, ended, turn_number=turn.number)


def _held(head: Head, status: RunStatus, digest: bytes) -> RunRecord | None:
    """Return the run of this key if its message is the pending one."""
    if head.pending is None or head.pending.key != digest:
        return None
    at = head.pending.at / 1000
    return RunRecord(run_id_of(head.pk, digest), head.thread_id, head.agent, status, at, at)


def _digest(pk: str, run_id: str) -> bytes:
    """Return the digest of the run's key; raise NotFound if it is not a run of this thread."""
    try:
        digest = run_digest(run_id)
    except ValueError:
        digest = b""
    if run_id_of(pk, digest) != run_id:
        raise errors.NotFound("The thread has no such run.")
    return digest
