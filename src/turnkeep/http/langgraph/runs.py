"""Routes of runs, and those of crons, which are refused. On a thread each run makes a turn; without a thread nothing is
stored."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from turnkeep.errors import Conflict, InvalidRequest, NotFound
from turnkeep.http.auth import Caller, name_thread
from turnkeep.http.joining import join
from turnkeep.http.langgraph.assistants import agent_of, created
from turnkeep.http.langgraph.bodies import RunBody, RunId
from turnkeep.http.langgraph.frames import FinalValues, RunFrames, with_interrupts
from turnkeep.http.native.turns import key_of, replay_headers
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import Id, LenientRequest, check_id
from turnkeep.http.sse import EventId, RunStream
from turnkeep.http.views import assistant_id, facts_of
from turnkeep.records import JSON, Event, Principal, Turn, iso
from turnkeep.services import Services
from turnkeep.turns import RunningTurn, TurnRequest
from turnkeep.turns.background import Action
from turnkeep.turns.recording import LONG_RUN_SECONDS
from turnkeep.turns.request import INTERRUPT
from turnkeep.turns.run_lookup import RunRecord

ON_THREAD, ONE = "/threads/{thread_id}/runs", "/threads/{thread_id}/runs/{run_id}"
Some = Annotated[Sequence[str], Query()]
Offset = Annotated[int, Query(ge=0, le=10_000)]
Limit = Annotated[int, Query(ge=1, le=100)]
Status = Literal["pending", "running", "error", "success", "timeout", "interrupted"]
MOST = 100


class Cancellation(LenientRequest):
    """Runs of one thread, by their ids or by a status."""

    thread_id: Id
    run_ids: Annotated[list[RunId], Field(max_length=MOST)] | None = None
    status: Literal["pending", "running", "all"] | None = None


async def turn_request(request: Request, body: RunBody, caller: Caller) -> TurnRequest:
    """Read the request. Without a thread a key or a checkpoint has no effect. Raise NotFound."""
    if agent := agent_of(body.assistant_id):
        assistant = facts_of(agent)
    else:
        stored = await run_in_threadpool(created, request.app.state.stores(caller), body.assistant_id)
        assistant = stored["latest"]
    thread_id = request.path_params.get("thread_id")
    if thread_id:
        name_thread(request, check_id(thread_id))
    key = key_of(request) if thread_id else None
    return TurnRequest(
        principal=caller,
        message=body.message(),
        thread_id=thread_id,
        agent=assistant["graph_id"],
        key=key,
        create=body.if_not_exists == "create",
        deadline=getattr(request.state, "deadline", None),
        call=body.call(assistant),
        base=body.base if thread_id else None,
        repeat=None if key else "exact" if body.identifies_retries() else "first",
        when_busy=body.multitask_strategy or "enqueue" if thread_id else None,
    )


Wanted = Annotated[TurnRequest, Depends(turn_request)]


async def accept(services: Services, wanted: TurnRequest) -> RunRecord:
    """Start a run in the background. Create its thread if the request asks for it."""
    if wanted.create:
        make = partial(services.store.threads.create, if_exists="do_nothing")
        await run_in_threadpool(make, wanted.principal, str(wanted.thread_id))
    return await services.runs.enqueue(wanted)


async def emit_end(services: Services, principal: Principal, running: RunningTurn, turn: Turn, last: str) -> None:
    """Emit the end of a run, unless its log has it: its last message, its interrupts and its values."""
    if last == "end":
        return
    state = await services.turns.states.read(principal, str(turn.thread_id), run=turn.run_id)
    values, interrupts = state.shown["values"], state.shown["interrupts"]
    messages = values.get("messages", []) if isinstance(values, dict) else []
    parts: list[tuple[str, Any]] = [("messages-tuple", [each, {}]) for each in messages[-1:]]
    parts += [("updates", {INTERRUPT: interrupts})] if interrupts else []
    parts += [("values", with_interrupts(state.output, interrupts))]
    for mode, data in parts:
        if data:
            running.emit(Event("part", {"mode": mode, "namespace": [], "data": data}))
    running.emit(Event("end", {"values": state.output, "interrupts": interrupts}))


class RunRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        for path in ("/runs", ON_THREAD):
            add(f"{path}/stream", self.stream, methods=["POST"])
            add(f"{path}/wait", self.wait, methods=["POST"])
            add(path, self.create, methods=["POST"])
        add("/runs/batch", self.create_batch, methods=["POST"])
        add("/runs/cancel", self.cancel_several, methods=["POST"], status_code=204)
        add("/runs/crons", self.refuse_crons, methods=["POST"])
        add(ON_THREAD, self.of_thread, methods=["GET"])
        add(ONE, self.read, methods=["GET"])
        add(f"{ONE}/join", self.join, methods=["GET"])
        add(f"{ONE}/stream", self.rejoin, methods=["GET"])
        add(f"{ONE}/cancel", self.cancel, methods=["POST"])
        add("/threads/{thread_id}/stream", self.join_thread, methods=["GET"])

    async def stream(self, body: RunBody, wanted: Wanted) -> RunStream:
        log_after = 0 if body.stream_resumable else None if body.on_disconnect == "cancel" else LONG_RUN_SECONDS
        running, run_id, continues = await self._start(replace(wanted, log_after=log_after), body)
        frames = RunFrames(run_id, body.stream_mode, resumable=body.stream_resumable)
        return self._answer(running, run_id, frames, continues=continues)

    async def wait(self, body: RunBody, wanted: Wanted) -> RunStream:
        assert wanted.call  # noqa: S101 - every body makes one
        running, run_id, continues = await self._start(replace(wanted, call=replace(wanted.call, modes=())), body)
        return self._answer(running, run_id, FinalValues(), continues=continues)

    async def _start(self, wanted: TurnRequest, body: RunBody) -> tuple[RunningTurn, str, bool]:
        """Start the run, or queue and await it; True if it continues here without its client. Later errors are sent."""
        begun, cancels = await self._services.runs.begin(wanted), body.on_disconnect == "cancel"
        if not (isinstance(begun, RunRecord) or begun.replayed):
            return begun, begun.run_id or self._new_id(), not cancels
        thread_id, run_id = str(begun.thread_id), str(begun.run_id)
        joined = join(
            self._services, wanted.principal, thread_id, run_id, emit_end, until=wanted.deadline, cancels=cancels
        )
        joined.replayed = not isinstance(begun, RunRecord)
        return joined, run_id, False

    def _answer(
        self, running: RunningTurn, run_id: str, frames: RunFrames | FinalValues, *, continues: bool = False
    ) -> RunStream:
        """Answer immediately, with the run's id in the headers. A stored run may outlive its client."""
        headers = _run_headers(running.thread_id, run_id, frames.rejoin_path)
        return RunStream(
            running,
            frames,
            headers={"Content-Type": frames.media_type, **headers, **replay_headers(running)},
            heartbeat_seconds=self._settings.turn.heartbeat_seconds,
            continues=continues and running.thread_id is not None,
            after=frames.after,
            head=frames.head(),
            heartbeat=frames.heartbeat,
        )

    async def create(self, wanted: Wanted, response: Response) -> JSON:
        """Start a run in the background. Without a thread it gets a new one, which stores the result."""
        thread_id = wanted.thread_id or self._new_id()
        run = await accept(
            self._services, replace(wanted, thread_id=thread_id, create=wanted.create or not wanted.thread_id)
        )
        response.headers["Content-Location"] = _run_headers(run.thread_id, run.run_id, "join")["Content-Location"]
        return run_view(run)

    async def create_batch(
        self, caller: Caller, request: Request, body: Annotated[list[RunBody], Field(max_length=MOST)]
    ) -> list[JSON]:
        """Start runs in the background, each on a new thread."""
        wanted = [await turn_request(request, each, caller) for each in body]
        named = [replace(each, thread_id=self._new_id(), create=True) for each in wanted]
        return [run_view(run) for run in await asyncio.gather(*(accept(self._services, each) for each in named))]

    async def of_thread(
        self, thread_id: Id, caller: Caller, limit: Limit = 10, offset: Offset = 0, status: Status | None = None
    ) -> list[JSON]:
        found = await self._services.runs.list(caller, thread_id, limit=limit, offset=offset, status=status)
        return [run_view(run) for run in found]

    async def read(self, thread_id: Id, run_id: RunId, caller: Caller) -> JSON:
        return run_view(await self._services.runs.read(caller, thread_id, run_id))

    async def join(self, thread_id: Id, run_id: RunId, request: Request) -> RunStream:
        return await self._joined(request, thread_id, run_id, FinalValues())

    async def rejoin(
        self, thread_id: Id, run_id: RunId, request: Request, cancel_on_disconnect: bool = False, stream_mode: Some = ()
    ) -> RunStream:
        """Stream the run, after `Last-Event-ID` if that is sent. Clients without a mode send an empty one."""
        after = EventId.read(request.headers.get("Last-Event-ID"))
        modes = [mode for mode in stream_mode if mode] or ["values"]
        frames = RunFrames(run_id, modes, resumable=True, after=after)
        return await self._joined(request, thread_id, run_id, frames, cancels=cancel_on_disconnect)

    async def join_thread(self, thread_id: Id, request: Request, *, stream_mode: Some = ()) -> RunStream:
        """Stream the run that is active on the thread, else the one that waits first, else the newest."""
        run_id = await self._services.runs.current(request.state.principal, thread_id)
        return await self.rejoin(thread_id, run_id, request, stream_mode=stream_mode)

    async def _joined(
        self, request: Request, thread_id: str, run_id: str, frames: RunFrames | FinalValues, *, cancels: bool = False
    ) -> RunStream:
        caller, until = request.state.principal, getattr(request.state, "deadline", None)
        run = await self._services.runs.read(caller, thread_id, run_id)  # raises NotFound before the stream starts
        running = join(self._services, caller, run.thread_id, run_id, emit_end, until=until, cancels=cancels)
        return self._answer(running, run_id, frames)

    async def cancel(
        self, thread_id: Id, run_id: RunId, caller: Caller, response: Response, action: Action = "interrupt"
    ) -> JSON:
        """Cancel the run, and return when nothing of it can be stored any more."""
        response.headers.update(_run_headers(thread_id, run_id, "join"))
        await self._services.runs.cancel(caller, thread_id, run_id, action=action)
        return {}

    async def cancel_several(self, caller: Caller, body: Cancellation, action: Action = "interrupt") -> None:
        """Cancel the runs that are not over, newest first, so that none of them begins meanwhile."""
        runs, wanted = await self._services.runs.list(caller, body.thread_id, limit=MOST), {"pending", "running"}
        wanted = wanted if body.status in (None, "all") else {body.status}
        for run in runs:
            if run.status in wanted and run.run_id in (body.run_ids or [run.run_id]):
                with suppress(Conflict, NotFound):  # it has ended meanwhile
                    await self._services.runs.cancel(caller, body.thread_id, run.run_id, action=action)

    async def refuse_crons(self) -> None:
        raise InvalidRequest("Crons are not supported. Let EventBridge Scheduler send the request to `/runs`.")


def _run_headers(thread_id: str | None, run_id: str, rejoin_path: str) -> dict[str, str]:
    """Return the headers with a run's path, to which clients prepend host and stage."""
    if thread_id is None:
        return {"Content-Location": f"/runs/{run_id}"}
    path = f"/threads/{thread_id}/runs/{run_id}"
    return {"Content-Location": path, "Location": f"{path}/{rejoin_path}"}


def run_view(run: RunRecord) -> JSON:
    facts = {"created_by": "system", "turn_number": run.turn_number, "error_code": run.code}
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "assistant_id": assistant_id(run.agent) if run.agent else None,
        "metadata": {**run.metadata, **facts_of(run.agent), **{name: value for name, value in facts.items() if value}},
        "status": run.status,
        "kwargs": run.kwargs,
        "created_at": iso(run.created_at),
        "updated_at": iso(run.updated_at),
        "multitask_strategy": run.strategy or "enqueue",
    }
