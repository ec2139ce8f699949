"""Background runs: stored before they are accepted, executed by a worker under their own key, joined and cancelled."""

import asyncio
import builtins
import json
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

from turnkeep import errors
from turnkeep.observability import logger
from turnkeep.observability.faults import note
from turnkeep.records import Principal, Turn
from turnkeep.store.runs import QueuedRun
from turnkeep.store.store import Store
from turnkeep.turns.life import Turns
from turnkeep.turns.lookup import Lookup, RunRecord, RunStatus, of_turn
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.threads import in_thread, looks, monotonic

__all__ = ["NotDone", "RunRecord", "RunStatus", "Runs"]

Launch: TypeAlias = Callable[[str], Awaitable[None]]  # schedules the run of a token

TRIES = 3  # attempts at one run, as in template.yaml
PAUSES_SECONDS = (2.0, 10.0)
CANCEL_PAUSES_SECONDS = (0, 0.1, 0.3, 1.0, 2.0)
FIRST_LOOK_SECONDS = 0.1
_PASSING = (  # a later attempt may succeed
    *(errors.StoreUnavailable, errors.ThreadBusy, errors.TurnInProgress, errors.ModelFault, errors.InternalError),
    *(errors.TooManyTurns, errors.TooManyAtOnce),
    errors.StateCorrupt,  # in a rolling deployment a worker of the other version may read the thread
)


class NotDone(Exception):
    """The caller must retry the work; the log has the cause."""


class Runs:
    """Background runs. Without `launch_by`, the process that accepts a run executes it."""

    def __init__(self, turns: Turns, store: Store):
        self._turns = turns
        self._store = store
        self._lookup = Lookup(store)
        self._launch: Launch = self._make_here
        self._tasks: set[asyncio.Task[None]] = set()

    def launch_by(self, launch: Launch) -> None:
        self._launch = launch

    async def enqueue(self, request: TurnRequest) -> RunRecord:
        """Return once the run is stored and scheduled; the same request again finds the same run.
        Raise the errors of a turn's start that are known here, and StoreUnavailable."""
        self._turns.check(request)
        principal, thread_id = request.principal, str(request.thread_id)
        key = request.key or uuid.uuid4().hex
        if request.repeat == "exact" and not request.key:
            key = self._store.retries.key_of(principal, thread_id, request.body())
        head = await in_thread(self._store.heads.read, principal, thread_id)
        run_id = self._store.turns.run_id(principal, thread_id, key)
        stored, body = _written(replace(request, key=key)), request.body()
        queued = await in_thread(self._store.queue.accept, head, run_id, body, stored)
        found = self._lookup.waiting(queued) if queued else await self.read(principal, thread_id, run_id)
        if found.status == "pending":
            await self._launch(self._store.queue.token(head, run_id))
        return found

    # a worker

    async def work(self, token: str, deadline: float | None = None) -> None:
        """Attempt a run once; `deadline` is in monotonic seconds. Raise NotDone or StoreUnavailable to be retried."""
        queued = await in_thread(self._store.queue.of_token, token)
        if queued is None or queued.status != "queued":
            return
        try:
            request = _form().validate_python(json.loads(self._store.queue.request_of(queued)))
            await self._make(replace(request, create=False, deadline=deadline, incarnation=queued.incarnation))
        except errors.TurnkeepError as error:
            await self._failed(queued, error)
        except asyncio.CancelledError:
            await in_thread(self._store.queue.fail, queued, errors.ServerStopping.code, is_final=True)
            raise

    async def _make(self, request: TurnRequest) -> None:
        running = await self._turns.start(request)
        try:
            turn = await running.finish()
        finally:
            await running.close()
        if not turn.persisted:
            raise errors.StoreUnavailable

    async def _failed(self, queued: QueuedRun, error: errors.TurnkeepError) -> None:
        """Do not count an attempt that waits for an earlier one, which may be dead."""
        is_final = not isinstance(error, _PASSING)
        if not isinstance(error, errors.TurnInProgress):
            note(error)
            is_final = is_final or queued.tries + 1 >= TRIES
            await in_thread(self._store.queue.fail, queued, error.code, is_final=is_final)
        logger.warning("background run not made", code=error.code, final=is_final)
        if not is_final:
            raise NotDone from error

    async def _make_here(self, token: str) -> None:
        task = asyncio.create_task(self._try_here(token))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try_here(self, token: str) -> None:
        for pause in (*PAUSES_SECONDS, 0):
            try:
                await self.work(token)
            except (NotDone, errors.StoreUnavailable):
                await asyncio.sleep(pause)
            else:
                break

    async def stop(self, seconds: float) -> None:
        """Await the runs of this process and cancel those left, so no thread stays leased to an ended process."""
        if tasks := set(self._tasks):
            _, left = await asyncio.wait(tasks, timeout=seconds)
            for task in left:
                task.cancel()
            await asyncio.wait(tasks)

    # the client

    async def read(self, principal: Principal, thread_id: str, run_id: str) -> RunRecord:
        """Return one run. Raise NotFound."""
        found = await in_thread(self._lookup.find, principal, thread_id, run_id)
        return of_turn(found) if isinstance(found, Turn) else found

    async def list(
        self, principal: Principal, thread_id: str, *, limit: int = 10, offset: int = 0, status: RunStatus | None = None
    ) -> builtins.list[RunRecord]:
        """Return the newest first; with a `status`, those among the newest hundred. Raise NotFound."""
        return await in_thread(self._lookup.list, principal, thread_id, limit, offset, status)

    async def join(self, principal: Principal, thread_id: str, run_id: str, seconds: float) -> Turn:
        """Await the turn. Raise the error of the run, NotFound, and TurnInProgress when time is up."""
        async for _ in looks(FIRST_LOOK_SECONDS, monotonic() + seconds):
            found = await in_thread(self._lookup.find, principal, thread_id, run_id)
            if isinstance(found, Turn):
                return found
            if found.status not in ("pending", "running"):
                raise _end_of(found)
        raise errors.TurnInProgress(retry_after=1)

    async def cancel(
        self,
        principal: Principal,
        thread_id: str,
        run_id: str,
        *,
        action: Literal["interrupt", "rollback"] = "interrupt",
    ) -> RunRecord:
        """Store nothing more of the run, wherever it runs; `rollback` also removes its pending message.
        Raise NotFound, ThreadBusy, StoreUnavailable, and Conflict for a run that is over."""
        is_done = False
        for pause in CANCEL_PAUSES_SECONDS:  # it may have begun meanwhile; then it is cancelled again
            await asyncio.sleep(pause)
            head = await in_thread(self._store.heads.read, principal, thread_id)
            found = await self.read(principal, thread_id, run_id)
            if is_done and found.status == "interrupted":
                return found
            if found.status not in ("pending", "running"):
                raise errors.Conflict(f"The run is over: {found.status}.")
            is_done = await in_thread(self._store.queue.cancel, head, run_id, forget=action == "rollback")
            if is_done and (running := self._turns.running(run_id)):
                await running.close()
        raise errors.ThreadBusy(retry_after=1)


@cache
def _form() -> TypeAdapter[TurnRequest]:
    return TypeAdapter(TurnRequest)


def _written(request: TurnRequest) -> str:
    return json.dumps(_form().dump_python(replace(request, deadline=None, repeat=None)))


def _end_of(run: RunRecord) -> errors.TurnkeepError:
    """Return the error that a run ended with."""
    if run.status == "interrupted":
        return errors.RunCancelled()
    kinds = [errors.TurnkeepError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    ended = next((kind for kind in kinds[1:] if kind.code == run.code), None)
    return ended() if ended else errors.InternalError("The run was given up; send it again.")
