"""Background runs: stored before they are accepted, executed by a worker under their own key, joined and cancelled.
Those of a thread are a queue. The process that ends a run sees in HEAD that others wait, and starts a worker."""

import asyncio
import builtins
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

from turnkeep import errors
from turnkeep.observability import logger, note
from turnkeep.records import Principal, Turn
from turnkeep.store.head import Head, run_digest, run_id_of
from turnkeep.store.runs import Asked, QueuedRun
from turnkeep.store.store import Store
from turnkeep.turns.life import Turns
from turnkeep.turns.request import MERGING, TurnRequest, joined, read, written
from turnkeep.turns.run_lookup import Lookup, RunRecord, RunStatus, of_turn
from turnkeep.turns.stream import RunningTurn
from turnkeep.turns.threads import in_thread, monotonic

__all__ = ["NotDone", "RunRecord", "RunStatus", "Runs"]

Action: TypeAlias = Literal["interrupt", "rollback"]
Launch: TypeAlias = Callable[[str], Awaitable[None]]  # schedules the run of a token

TRIES = 3  # attempts at one run, as in template.yaml
PAUSES_SECONDS = (2.0, 10.0)
LEFT_TO_HOLDER_MS = 150_000  # after Lambda's second attempt, before the third
CANCEL_PAUSES_SECONDS = (0, 0.1, 0.4, 1, 1, 1, 1, 1.5, 0, 0.1, 0.3, 1.0, 2.0)
PATIENCE = 8  # of them, until a run that does not answer loses its lease
NEXT_RUN_SECONDS = 450  # half of a worker's time
_PASSING = (  # a later attempt may succeed
    *(errors.StoreUnavailable, errors.ModelFault, errors.InternalError, errors.TooManyTurns),
    errors.TooManyAtOnce,
    errors.StateCorrupt,  # in a rolling deployment a worker of the other version may read the thread
)
_OTHERS = (errors.ThreadBusy, errors.TurnInProgress, errors.Superseded)


class NotDone(Exception):
    """The caller must retry the work; the log has the cause."""


class Runs:
    """Background runs. Without `launch_by`, the process that accepts a run executes it."""

    def __init__(self, turns: Turns, store: Store, debounce_seconds: float = 1.5):
        self._turns = turns
        self._quiet_ms = int(debounce_seconds * 1000)
        self.store = store
        self.lookup = Lookup(store)
        self._launch: Launch = self._make_here
        self._tasks: set[asyncio.Task[None]] = set()
        self._working: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        store.queue.launch = self.launch_next

    def launch_by(self, launch: Launch) -> None:
        self._launch = launch

    async def begin(self, request: TurnRequest) -> RunningTurn | RunRecord:
        """Start the run, or queue it by its strategy. Raise the errors of `Turns.start` and `enqueue`."""
        if request.when_busy in MERGING:  # only the queue knows the keys of messages that joined others
            return await self.enqueue(request)
        try:
            return await self._turns.start(request)
        except errors.ThreadBusy:
            if request.when_busy is None:
                raise
        if await self._cancel_others(request):
            with suppress(errors.ThreadBusy):
                return await self._turns.start(request)
        return await self.enqueue(request)

    def _key(self, request: TurnRequest) -> str:
        if request.repeat == "exact" and not request.key:
            return self.store.leases.key_of(request.principal, str(request.thread_id), request.body())
        return request.key or uuid.uuid4().hex

    async def enqueue(self, request: TurnRequest) -> RunRecord:
        """Return once the run is stored and scheduled; the same request again finds the same run.
        Raise the errors of a turn's start that are known here, OverLimit and StoreUnavailable."""
        self._turns.check(request)
        await self._cancel_others(request)
        principal, thread_id, key = request.principal, str(request.thread_id), self._key(request)
        head = await in_thread(self.store.heads.read, principal, thread_id)
        run_id = self.store.turns.run_id(principal, thread_id, key)
        wanted = replace(request, key=key, log_after=0, create=False)
        asked = Asked(
            run_id,
            request.body(),
            written(wanted),
            is_alone=request.when_busy in (None, "reject"),
            is_new=not request.key and request.repeat != "exact",
            joined=partial(joined, wanted) if request.when_busy in MERGING else None,
            quiet_ms=self._quiet_ms if request.when_busy == "debounce" else 0,
        )
        try:
            queued = await in_thread(self.store.queue.accept, head, asked)
        except errors.ThreadBusy:
            if head.has_queue and not head.is_leased(self.store.heads.now()):
                await self.launch_next(head)
            raise
        found = self.lookup.of_queued(head, queued) if queued else await self.read(principal, thread_id, run_id)
        if queued or found.status == "pending":
            await self._launch(self.store.queue.token(head, run_id))
        return found

    async def _cancel_others(self, request: TurnRequest) -> bool:
        """Cancel the queued runs, then the active one, if that is the strategy. Return False if a run may be left, or
        if the request is repeated."""
        principal, thread_id, action = request.principal, str(request.thread_id), request.when_busy
        if action not in ("interrupt", "rollback"):
            return False
        head = await in_thread(self.store.heads.read, principal, thread_id)
        own = self.store.turns.run_id(principal, thread_id, self._key(request))
        waiting = await in_thread(self.store.queue.waiting, head)
        others = [each.run_id for each in reversed(waiting)]  # else the end of one would start the next
        active = head.pending if head.is_leased(self.store.heads.now()) else None
        others += [run_id_of(head.pk, active.key)] if active else []
        if own in others or head.turn_of_key(run_digest(own)):
            return False
        for run_id in dict.fromkeys(others):
            try:
                await self.cancel(principal, thread_id, run_id, action=action)
            except errors.ThreadBusy:
                return False  # the new run waits for it
            except errors.Conflict:
                continue  # it has ended meanwhile
        if head.has_queue:
            await in_thread(self.store.queue.unmark, head)  # or a worker has, or another run was accepted
        return True

    # a worker

    async def work(self, token: str, deadline: float | None = None) -> None:
        """Execute the queued runs of a thread, oldest first; `deadline` is in monotonic seconds. Raise NotDone or
        StoreUnavailable to be retried. In the end a busy thread is left to its holder, which sees the mark."""
        place, queue = self.store.queue.read_token(token), self.store.queue
        async with self._working.setdefault(place["pk"], asyncio.Lock()):
            try:
                while head := await in_thread(queue.head, place):
                    is_done = await self._work_off(head, deadline)
                    if is_done and (not head.has_queue or await in_thread(queue.unmark, head)):
                        break
            except errors.ThreadBusy as error:
                if self.store.heads.now() - place.get("at", 0) < LEFT_TO_HOLDER_MS:
                    raise NotDone from error

    async def _work_off(self, head: Head, deadline: float | None) -> bool:
        """Execute the runs that wait. Return False if the queue must be read again before the next one begins."""
        if head.is_leased(now := self.store.heads.now()):
            raise errors.ThreadBusy
        waiting, held, is_whole = await in_thread(self.store.queue.waiting, head), None, True
        seq: int | None = head.seq
        for number, queued in enumerate(waiting):
            if number and deadline and deadline - monotonic() < NEXT_RUN_SECONDS:
                await self._launch(self.store.queue.token(head))
                raise errors.ThreadBusy
            takes_messages = queued.due is not None
            if (takes_messages and number) or seq is None:
                is_whole = False
                break
            if queued is waiting[-1] and queued.due and queued.due > now:
                await asyncio.sleep((queued.due - now) / 1000)
                return False
            if not number or await in_thread(self.store.queue.still_waits, queued):
                try:
                    seq = await self._attempt(queued, deadline, head.queue if takes_messages else None, seq)
                except errors.ThreadBusy as error:
                    found = await in_thread(self.store.queue.head, {"pk": queued.pk, "run": queued.sk})
                    if not found or found.status(self.store.heads.now()) != "interrupted":
                        raise
                    held = error  # until the thread's question is answered, which a later run may do
        if held:
            raise held
        return is_whole

    async def _attempt(self, queued: QueuedRun, deadline: float | None, mark: int | None, seq: int) -> int | None:
        """Return the fencing token after it, None if it is not known. Raise ThreadBusy if another run is active or the
        queue has changed, and NotDone after a failure that may pass."""
        try:
            request = read(self.store.queue.request_of(queued))
            wanted = replace(request, deadline=deadline, incarnation=queued.incarnation, queue=mark, seq=seq)
            made = await self._make(wanted)
        except errors.TurnkeepError as error:
            await self._failed(queued, error)
            return None
        except asyncio.CancelledError:
            await in_thread(self.store.queue.fail, queued, errors.ServerStopping.code, is_final=True)
            raise
        await in_thread(self.store.queue.done, queued)
        return made

    async def _make(self, request: TurnRequest) -> int | None:
        running = await self._turns.start(request)
        try:
            turn = await running.finish()
        finally:
            await running.close()
        if not turn.persisted:
            raise errors.StoreUnavailable
        return None if running.replayed else running.attempt

    async def _failed(self, queued: QueuedRun, error: errors.TurnkeepError) -> None:
        """Do not count an attempt that met another one of this or another run."""
        if isinstance(error, _OTHERS):
            if await in_thread(self.store.queue.still_waits, queued):
                raise errors.ThreadBusy from error
            return
        note(error)
        is_final = not isinstance(error, _PASSING) or queued.tries + 1 >= TRIES
        await in_thread(self.store.queue.fail, queued, error.code, is_final=is_final)
        logger.warning("background run not made", code=error.code, final=is_final)
        if not is_final:
            await asyncio.sleep(PAUSES_SECONDS[0])  # or other workers of this process would try immediately
            raise NotDone from error

    async def launch_next(self, head: Head) -> None:
        """Start a worker for a freed thread, unless one of this process is at work there."""
        if (working := self._working.get(head.pk)) and working.locked():
            return
        try:
            await self._launch(self.store.queue.token(head))
        except errors.StoreUnavailable:
            logger.warning("queued runs left to their readers")

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
        found = await self.find(principal, thread_id, run_id)
        return of_turn(found) if isinstance(found, Turn) else found

    async def find(self, principal: Principal, thread_id: str, run_id: str) -> Turn | RunRecord:
        """Return a run, as its turn if it made one. Raise NotFound."""
        return await in_thread(self.lookup.find, principal, thread_id, run_id)

    async def current(self, principal: Principal, thread_id: str) -> str:
        return await in_thread(self.lookup.current, principal, thread_id)

    async def list(
        self, principal: Principal, thread_id: str, *, limit: int = 10, offset: int = 0, status: RunStatus | None = None
    ) -> builtins.list[RunRecord]:
        """Return the newest first; with a `status`, those among the newest hundred. Raise NotFound."""
        return await in_thread(self.lookup.list, principal, thread_id, limit, offset, status)

    async def cancel(
        self, principal: Principal, thread_id: str, run_id: str, *, action: Action = "interrupt"
    ) -> RunRecord:
        """End the run, wherever it executes. `interrupt` lets it store what it has done as its turn, if it answers in
        time; `rollback` stores nothing, and removes its message. Raise NotFound, ThreadBusy, StoreUnavailable, and
        Conflict for a run that is over."""
        is_asked = False
        for number, pause in enumerate(CANCEL_PAUSES_SECONDS):  # it may begin meanwhile; then it is cancelled again
            await asyncio.sleep(pause)
            head = await in_thread(self.store.heads.read, principal, thread_id)
            found, running = await self.read(principal, thread_id, run_id), self._turns.running(run_id)
            if is_asked and found.status == "interrupted":
                if head.has_queue:
                    await self.launch_next(head)
                return found
            if found.status not in ("pending", "running") and not (is_asked and found.status == "error"):
                raise errors.Conflict(f"The run is over: {found.status}.")
            if action == "interrupt" and found.status == "running" and number < PATIENCE:
                if not is_asked:
                    await in_thread(self.store.leases.ask_to_stop, head)
                if running:
                    await running.stop()
            elif await in_thread(self.store.queue.cancel, head, run_id, forget=action == "rollback") and running:
                await running.close()
            is_asked = True
        raise errors.ThreadBusy(retry_after=1)
