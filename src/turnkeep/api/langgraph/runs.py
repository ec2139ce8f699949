"""Runs: on a thread each makes a turn of it, as POST /threads/{thread_id}/turns does; without one nothing is kept."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Depends, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from turnkeep.api.auth import Caller, name_thread
from turnkeep.api.langgraph.assistants import agent_of, check_uuid
from turnkeep.api.langgraph.bodies import MODES, Cancel, RunBody
from turnkeep.api.langgraph.joining import joined, retold
from turnkeep.api.langgraph.shown import shown_message, tells_itself
from turnkeep.api.langgraph.streams import run_stream, run_wait
from turnkeep.api.langgraph.views import run_view
from turnkeep.api.schemas import Id, check_id
from turnkeep.api.sse import RunStreamResponse
from turnkeep.api.turns import KEY_HEADER
from turnkeep.api.views import facts_of
from turnkeep.errors import InvalidRequest, NotFound
from turnkeep.records import JSON, Principal
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.services import Services
    from turnkeep.turns import RunningTurn

ON_THREAD, ONE = "/threads/{thread_id}/runs", "/threads/{thread_id}/runs/{run_id}"


async def _sent_key(request: Request, given: Annotated[str | None, Header(alias=KEY_HEADER)] = None) -> str | None:
    """The key of a client that sends one; the answer carries it."""
    if given is not None:
        request.state.idempotency_key = check_id(given, where=KEY_HEADER)
    return given


async def _run_id(run_id: str) -> str:
    return check_uuid(run_id, "run_id")


SentKey = Annotated[str | None, Depends(_sent_key)]
RunId = Annotated[str, Depends(_run_id)]
Statuses = Literal["pending", "running", "error", "success", "timeout", "interrupted"]


class RunRoutes:
    def __init__(self, services: "Services", new_id: Callable[[], str]) -> None:
        self._services = services
        self._new_id = new_id
        self._heartbeat_seconds = services.settings.turn.heartbeat_seconds

    def register(self, add: Callable[..., None]) -> None:
        add(f"{ON_THREAD}/stream", self.stream, methods=["POST"])
        add(f"{ON_THREAD}/wait", self.wait, methods=["POST"])
        add(ON_THREAD, self.create, methods=["POST"])
        add(ON_THREAD, self.of_thread, methods=["GET"])
        add(ONE, self.read, methods=["GET"])
        add(f"{ONE}/join", self.join, methods=["GET"])
        add(f"{ONE}/stream", self.rejoin, methods=["GET"])
        add(f"{ONE}/cancel", self.cancel, methods=["POST"])
        add("/runs/stream", self.stream_alone, methods=["POST"])
        add("/runs/wait", self.wait_alone, methods=["POST"])
        add("/runs", self.create_alone, methods=["POST"])
        add("/runs/batch", self.create_many, methods=["POST"])
        add("/runs/cancel", self.cancel_many, methods=["POST"])

    async def stream(
        self, thread_id: Id, body: RunBody, caller: Caller, key: SentKey, request: Request
    ) -> RunStreamResponse:
        running = await self._start(_asked(request, caller, body, thread_id, key), body)
        return self._streamed(running, body)

    async def wait(
        self, thread_id: Id, body: RunBody, caller: Caller, key: SentKey, request: Request
    ) -> RunStreamResponse:
        body.stream_mode = ["values"]
        running = await self._start(_asked(request, caller, body, thread_id, key), body)
        return self._waited(running, body)

    async def stream_alone(self, body: RunBody, caller: Caller, request: Request) -> RunStreamResponse:
        return self._streamed(await self._start(_asked(request, caller, body), body), body)

    async def wait_alone(self, body: RunBody, caller: Caller, request: Request) -> RunStreamResponse:
        body.stream_mode = ["values"]
        return self._waited(await self._start(_asked(request, caller, body), body), body)

    async def _start(self, asked: TurnRequest, body: RunBody) -> "RunningTurn":
        """Raises what keeps the run from beginning; what ends it later is told on its stream."""
        running = await self._services.turns.start(asked)
        return retold(self._services.turns, asked.principal, running) if running.replayed else running

    def _streamed(self, running: "RunningTurn", body: RunBody) -> RunStreamResponse:
        return run_stream(
            running,
            run_id=running.run_id or self._new_id(),
            modes=frozenset(body.stream_mode),
            resumable=bool(body.stream_resumable),
            heartbeat_seconds=self._heartbeat_seconds,
            goes_on=_goes_on(running, body),
        )

    def _waited(self, running: "RunningTurn", body: RunBody) -> RunStreamResponse:
        return run_wait(
            running,
            run_id=running.run_id or self._new_id(),
            heartbeat_seconds=self._heartbeat_seconds,
            goes_on=_goes_on(running, body),
        )

    async def create(  # noqa: PLR0917
        self, thread_id: Id, body: RunBody, caller: Caller, key: SentKey, request: Request, response: Response
    ) -> JSON:
        """A run in the background."""
        asked = _asked(request, caller, body, thread_id, key)
        if asked.create:
            table = self._services.table
            await run_in_threadpool(table.create_thread, caller, thread_id, if_exists="do_nothing")
        run = await self._services.runs.enqueue(asked)
        response.headers["Content-Location"] = f"/threads/{run.thread_id}/runs/{run.run_id}"
        return run_view(run)

    async def create_alone(self, body: RunBody, caller: Caller, request: Request, response: Response) -> JSON:
        """On a thread of its own: what nobody waits for has to lie somewhere. It expires like any other."""
        body.if_not_exists = "create"
        return await self.create(self._new_id(), body, caller, None, request, response)

    async def create_many(
        self, body: list[RunBody], caller: Caller, request: Request, response: Response
    ) -> list[JSON]:
        if len(body) > 25:
            raise InvalidRequest("Send at most 25 runs.")
        return [await self.create_alone(each, caller, request, response) for each in body]

    async def of_thread(
        self,
        thread_id: Id,
        caller: Caller,
        *,
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
        status: Statuses | None = None,
        select: Annotated[list[str] | None, Query()] = None,
    ) -> list[JSON]:
        found = await self._services.runs.list(caller, thread_id, limit=limit, offset=offset, status=status)
        return [run_view(run, select) for run in found]

    async def read(self, thread_id: Id, run_id: RunId, caller: Caller) -> JSON:
        return run_view(await self._services.runs.read(caller, thread_id, run_id))

    async def join(self, thread_id: Id, run_id: RunId, caller: Caller, request: Request) -> RunStreamResponse:
        running = await self._joined(caller, thread_id, run_id, request, cancels=False)
        return run_wait(running, run_id=run_id, heartbeat_seconds=self._heartbeat_seconds, goes_on=False)

    async def rejoin(  # noqa: PLR0917
        self,
        thread_id: Id,
        run_id: RunId,
        caller: Caller,
        request: Request,
        cancel_on_disconnect: bool = False,
        stream_mode: Annotated[list[str] | None, Query()] = None,
    ) -> RunStreamResponse:
        """Waits for the end of the run, wherever it runs, and tells it."""
        running = await self._joined(caller, thread_id, run_id, request, cancels=cancel_on_disconnect)
        return run_stream(
            running,
            run_id=run_id,
            modes=frozenset(stream_mode or MODES) - {"messages", "messages-tuple"} | {"values"},
            resumable=True,
            heartbeat_seconds=self._heartbeat_seconds,
            goes_on=False,
        )

    async def _joined(
        self, caller: Principal, thread_id: str, run_id: str, request: Request, *, cancels: bool
    ) -> "RunningTurn":
        await self._services.runs.read(caller, thread_id, run_id)  # an unknown run is a status, not an event
        until = getattr(request.state, "deadline", None)
        return joined(self._services, caller, thread_id, run_id, until=until, cancels=cancels)

    async def cancel(
        self,
        thread_id: Id,
        run_id: RunId,
        caller: Caller,
        wait: bool = False,
        action: Literal["interrupt", "rollback"] = "interrupt",
    ) -> JSON:
        """Returns when nothing of the run can be kept any more, whether one waits or not."""
        await self._services.runs.cancel(caller, thread_id, run_id, action=action)
        return {}

    async def cancel_many(
        self, body: Cancel, caller: Caller, action: Literal["interrupt", "rollback"] = "interrupt"
    ) -> JSON:
        thread_id, runs = check_id(body.thread_id, where="thread_id"), self._services.runs
        run_ids = [check_uuid(run_id, "run_ids") for run_id in body.run_ids or ()]
        if not run_ids:
            found = await runs.list(caller, thread_id, limit=100)
            wanted = ("pending", "running") if body.status in (None, "all") else (body.status,)
            run_ids = [run.run_id for run in found if run.status in wanted]
        if not run_ids:
            raise NotFound("The thread has no such run that could be cancelled.")
        for run_id in run_ids:
            await runs.cancel(caller, thread_id, run_id, action=action)
        return {}


def _asked(
    request: Request, caller: Principal, body: RunBody, thread_id: str | None = None, key: str | None = None
) -> TurnRequest:
    agent = agent_of(body.assistant_id)
    if thread_id:
        name_thread(request, thread_id)
    return TurnRequest(
        principal=caller,
        message=shown_message(body),
        thread_id=thread_id,
        agent=agent,
        key=key,
        create=body.if_not_exists == "create",
        deadline=getattr(request.state, "deadline", None),
        call=body.call(facts_of(agent)),
        base=body.base if thread_id else None,
        repeat=None if key else "exact" if tells_itself(body) else "first",
    )


def _goes_on(running: "RunningTurn", body: RunBody) -> bool:
    """As on LangGraph's server a run outlives its client unless told otherwise; one that is not kept never does."""
    return running.thread_id is not None and body.on_disconnect != "cancel"
