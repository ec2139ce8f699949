"""Routes of runs. On a thread each run makes a turn; without a thread nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Depends, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from turnkeep.http.auth import Caller, name_thread
from turnkeep.http.langgraph.assistants import agent_of
from turnkeep.http.langgraph.bodies import RunBody, RunId
from turnkeep.http.langgraph.frames import FinalValues, RunFrames
from turnkeep.http.langgraph.joining import join, replay
from turnkeep.http.native.turns import key_of, replay_headers
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import Id, check_id
from turnkeep.http.sse import RunStream
from turnkeep.http.views import assistant_id, facts_of
from turnkeep.records import JSON, iso
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn
    from turnkeep.turns.background import RunRecord

ON_THREAD, ONE = "/threads/{thread_id}/runs", "/threads/{thread_id}/runs/{run_id}"
Action = Literal["interrupt", "rollback"]
Some = Annotated[Sequence[str], Query()]
Offset = Annotated[int, Query(ge=0, le=10_000)]
Limit = Annotated[int, Query(ge=1, le=100)]
Status = Literal["pending", "running", "error", "success", "timeout", "interrupted"]


async def _turn_request(request: Request, body: RunBody, caller: Caller) -> TurnRequest:
    """Read the request. Without a thread a key or a checkpoint has no effect."""
    agent, thread_id = agent_of(body.assistant_id), request.path_params.get("thread_id")
    if thread_id:
        name_thread(request, check_id(thread_id))
    key = key_of(request) if thread_id else None
    return TurnRequest(
        principal=caller,
        message=body.message(),
        thread_id=thread_id,
        agent=agent,
        key=key,
        create=body.if_not_exists == "create",
        deadline=getattr(request.state, "deadline", None),
        call=body.call(facts_of(agent)),
        base=body.base if thread_id else None,
        repeat=None if key else "exact" if body.identifies_retries() else "first",
    )


Wanted = Annotated[TurnRequest, Depends(_turn_request)]


class RunRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        for path in ("/runs", ON_THREAD):
            add(f"{path}/stream", self.stream, methods=["POST"])
            add(f"{path}/wait", self.wait, methods=["POST"])
            add(path, self.create, methods=["POST"])
        add(ON_THREAD, self.of_thread, methods=["GET"])
        add(ONE, self.read, methods=["GET"])
        add(f"{ONE}/join", self.join, methods=["GET"])
        add(f"{ONE}/stream", self.rejoin, methods=["GET"])
        add(f"{ONE}/cancel", self.cancel, methods=["POST"])

    async def stream(self, body: RunBody, wanted: Wanted) -> RunStream:
        running, run_id = await self._start(wanted)
        frames = RunFrames(run_id, body.stream_mode, resumable=body.stream_resumable)
        return self._answer(running, run_id, frames, continues=body.on_disconnect != "cancel")

    async def wait(self, body: RunBody, wanted: Wanted) -> RunStream:
        assert wanted.call  # noqa: S101 - every body makes one
        running, run_id = await self._start(replace(wanted, call=replace(wanted.call, modes=())))
        return self._answer(running, run_id, FinalValues(), continues=body.on_disconnect != "cancel")

    async def _start(self, wanted: TurnRequest) -> "tuple[RunningTurn, str]":
        """Start the run. Errors before its start are raised, later ones are sent in the stream."""
        running = await self._turns.start(wanted)
        if running.replayed:
            running = replay(self._services, wanted.principal, running, running.finish)
        return running, running.run_id or self._new_id()

    def _answer(
        self, running: "RunningTurn", run_id: str, frames: RunFrames | FinalValues, *, continues: bool = False
    ) -> RunStream:
        """Answer immediately, with the run's id in the headers. A stored run may outlive its client."""
        headers = _run_headers(running.thread_id, run_id, frames.rejoin_path)
        return RunStream(
            running,
            frames,
            headers={"Content-Type": frames.media_type, **headers, **replay_headers(running)},
            heartbeat_seconds=self._settings.turn.heartbeat_seconds,
            continues=continues and running.thread_id is not None,
            head=frames.head(),
            heartbeat=frames.heartbeat,
        )

    async def create(self, wanted: Wanted, response: Response) -> JSON:
        """Start a run in the background. Without a thread it gets a new one, which stores the result."""
        if wanted.thread_id is None or wanted.create:
            wanted = replace(wanted, thread_id=wanted.thread_id or self._new_id())
            make = partial(self._store.threads.create, if_exists="do_nothing")
            await run_in_threadpool(make, wanted.principal, str(wanted.thread_id))
        run = await self._services.runs.enqueue(wanted)
        response.headers["Content-Location"] = _run_headers(run.thread_id, run.run_id, "join")["Content-Location"]
        return _view(run)

    async def of_thread(
        self, thread_id: Id, caller: Caller, limit: Limit = 10, offset: Offset = 0, status: Status | None = None
    ) -> list[JSON]:
        found = await self._services.runs.list(caller, thread_id, limit=limit, offset=offset, status=status)
        return [_view(run) for run in found]

    async def read(self, thread_id: Id, run_id: RunId, caller: Caller) -> JSON:
        return _view(await self._services.runs.read(caller, thread_id, run_id))

    async def join(self, thread_id: Id, run_id: RunId, request: Request) -> RunStream:
        return await self._joined(request, thread_id, run_id, FinalValues())

    async def rejoin(
        self,
        thread_id: Id,
        run_id: RunId,
        request: Request,
        *,
        cancel_on_disconnect: bool = False,
        stream_mode: Some = (),
    ) -> RunStream:
        """Wait for the end of the run and stream its values. Clients without a mode send an empty one."""
        frames = RunFrames(run_id, [mode for mode in stream_mode if mode] or ["values"], resumable=True)
        return await self._joined(request, thread_id, run_id, frames, cancels=cancel_on_disconnect)

    async def _joined(
        self, request: Request, thread_id: str, run_id: str, frames: RunFrames | FinalValues, *, cancels: bool = False
    ) -> RunStream:
        caller, until = request.state.principal, getattr(request.state, "deadline", None)
        await self._services.runs.read(caller, thread_id, run_id)  # raises NotFound before the stream starts
        running = join(self._services, caller, thread_id, run_id, until=until, cancels=cancels)
        return self._answer(running, run_id, frames)

    async def cancel(
        self, thread_id: Id, run_id: RunId, caller: Caller, response: Response, action: Action = "interrupt"
    ) -> JSON:
        """Cancel the run, and return when nothing of it can be stored any more."""
        response.headers.update(_run_headers(thread_id, run_id, "join"))
        await self._services.runs.cancel(caller, thread_id, run_id, action=action)
        return {}


def _run_headers(thread_id: str | None, run_id: str, rejoin_path: str) -> dict[str, str]:
    """Return the headers with a run's path, to which clients prepend host and stage."""
    if thread_id is None:
        return {"Content-Location": f"/runs/{run_id}"}
    path = f"/threads/{thread_id}/runs/{run_id}"
    return {"Content-Location": path, "Location": f"{path}/{rejoin_path}"}


def _view(run: "RunRecord") -> JSON:
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
        "multitask_strategy": "reject",
    }
