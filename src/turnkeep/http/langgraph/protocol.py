"""Version 2 of LangGraph's protocol: commands, and one stream of the events of all runs of a thread. The events are
those of the runs' logs (0075), so they have the same ids and numbers on every connection."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import uuid4

from fastapi import Body as FromBody
from fastapi import Request
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, StreamingResponse

from turnkeep.errors import (
    BadRequest,
    InvalidRequest,
    NoInterrupt,
    NotFound,
    RunCancelled,
    TurnInProgress,
    TurnkeepError,
)
from turnkeep.http.auth import Caller
from turnkeep.http.errors import listed_faults
from turnkeep.http.joining import join
from turnkeep.http.langgraph.bodies import RunBody
from turnkeep.http.langgraph.runs import accept, emit_end, turn_request
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import Id, LenientRequest
from turnkeep.http.sse import HEADERS, HEARTBEAT, EventId, compact, numbered
from turnkeep.http.views import fault_of
from turnkeep.observability import note
from turnkeep.records import JSON, Event, Principal, Thread, Turn
from turnkeep.store.head import Head
from turnkeep.turns.following import NextRun
from turnkeep.turns.request import PROTOCOL_MODES

if TYPE_CHECKING:
    from turnkeep.services import Services
    from turnkeep.turns import RunningTurn
    from turnkeep.turns.protocol import ProtocolEvents, Shown
    from turnkeep.turns.run_lookup import RunRecord

CHANNELS = "values|updates|messages|tools|custom|custom:.+|lifecycle|input|tasks|checkpoints"
PAUSE_SECONDS, HEARTBEAT_PAUSES, IDLE_PAUSES = 0.5, 10, 40
LAG_SECONDS = 0.6  # over the pauses of readers of a log
ATTEMPT_BITS = 32  # in the number of an event, below the fencing token of its attempt
Method: TypeAlias = Callable[[Request, Thread | None, JSON], Any]


class Subscription(LenientRequest):
    """The events that a client wants: those of `channels` after the number `since`, of graphs below `namespaces`."""

    channels: Annotated[list[Annotated[str, Field(pattern=f"^({CHANNELS})$", max_length=128)]], Field(min_length=1)]
    namespaces: list[list[str]] | None = None
    depth: int | None = None
    since: int = 0

    @property
    def is_watching(self) -> bool:
        """True if it is about runs only; then its client reads their contents from another stream."""
        return {*self.channels} <= {"lifecycle", "input"}


class ProtocolRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        add("/threads/{thread_id}/commands", self.command, methods=["POST"])
        add("/threads/{thread_id}/stream/events", self.stream, methods=["POST"])

    async def command(self, thread_id: Id, request: Request, body: Annotated[Any, FromBody()]) -> Any:
        """Execute a command. Errors are answers with status 200, as clients expect."""
        match body:
            case {"id": int(number), "method": str(method), **more}:
                params = more.get("params")
            case _:
                return JSONResponse(_refusal(None, InvalidRequest("Send an object with `id` and `method`.")), 400)
        methods: dict[str, Method] = {
            "run.start": self._start,
            "input.respond": self._respond,
            "agent.getTree": self._tree,
        }
        if method not in methods:
            return _refusal(number, InvalidRequest(f"Send one of {', '.join(methods)}."), "unknown_command")
        thread, before = None, 0
        try:
            head = await self._head(request.state.principal, thread_id)
        except NotFound:
            if method != "run.start":
                raise
        else:
            thread = self._store.threads.view(head)
            before = (head.seq + (thread.status != "busy") << ATTEMPT_BITS) - 1
        try:
            result = await methods[method](request, thread, params if isinstance(params, dict) else {})
        except TurnkeepError as error:
            note(error)
            return _refusal(number, error)
        # Clients take questions up to this number for answered ones.
        return {"type": "success", "id": number, "result": result, "meta": {"applied_through_seq": before}}

    async def _head(self, principal: Principal, thread_id: str) -> Head:
        return await run_in_threadpool(self._store.heads.read, principal, thread_id)

    async def _start(self, request: Request, thread: Thread | None, params: JSON) -> JSON:
        """Start a run, or resume the thread's waiting one with the input."""
        given = dict(params)
        if thread and thread.status == "interrupted" and given.get("input") is not None:
            given["command"] = {"resume": given.pop("input")}
        return {"run_id": await self._run(request, given)}

    async def _respond(self, request: Request, thread: Thread | None, params: JSON) -> JSON:
        """Resume the waiting run with the answers to its interrupts, by their ids."""
        match params:
            case {"responses": [{"interrupt_id": str()}, *_] as many}:
                answers = {str(each.get("interrupt_id")): each.get("response") for each in many}
            case {"interrupt_id": str(only)}:
                answers = {only: params.get("response")}
            case _:
                raise InvalidRequest("input.respond: Send `interrupt_id` and `response`, or a list of them.")
        caller, thread_id = request.state.principal, request.path_params["thread_id"]
        asked = (await self._turns.states.read(caller, thread_id)).shown["interrupts"]
        if thread is None or thread.status != "interrupted" or not asked:
            raise NotFound("The thread has no run that waits for an answer.")
        if not answers.keys() <= {each["id"] for each in asked}:
            raise NoInterrupt
        command = {name: params[name] for name in ("update", "goto") if name in params}
        given: JSON = {**params, "assistant_id": thread.agent, "command": {"resume": answers, **command}}
        await self._run(request, given)
        return {}

    async def _run(self, request: Request, given: JSON) -> str:
        strategy = given.get("multitask_strategy") or given.get("multitaskStrategy")
        fields: JSON = {"if_not_exists": "create", "multitask_strategy": strategy, "stream_subgraphs": True}
        try:
            body = RunBody.model_validate({**given, **fields})
        except ValidationError as error:
            [first, *_] = listed_faults(error.errors())
            raise InvalidRequest(f"{first['field']}: {first['advice']}") from error
        wanted = await turn_request(request, body, request.state.principal)
        assert wanted.call  # noqa: S101 - every body makes one
        run = await accept(self._services, replace(wanted, call=replace(wanted.call, modes=PROTOCOL_MODES)))
        return run.run_id

    async def _tree(self, _: Request, thread: Thread | None, __: JSON) -> JSON:
        if thread is None or thread.agent is None:
            raise NotFound("The thread has no run.")
        status = {"busy": "running", "error": "failed", "interrupted": "interrupted"}.get(thread.status, "completed")
        return {"tree": {"namespace": [], "status": status, "graph_name": thread.agent, "children": []}}

    async def stream(self, thread_id: Id, body: Subscription, request: Request, caller: Caller) -> StreamingResponse:
        await self._head(caller, thread_id)  # raises NotFound before the stream starts
        until = getattr(request.state, "deadline", None)
        stream = ThreadStream(self._services, caller, thread_id, body, until)
        return StreamingResponse(stream.frames(), media_type="text/event-stream", headers=HEADERS)


@dataclass(eq=False)
class ThreadStream:
    """The events of a thread's runs, one run after the other, until `until` (monotonic seconds), or until nothing has
    run for a while."""

    services: "Services"
    principal: Principal
    thread_id: str
    wanted: Subscription
    until: float | None

    def __post_init__(self) -> None:
        from langgraph_sdk.stream.subscription import matches_subscription  # noqa: PLC0415 - loads httpx

        definition: Any = self.wanted.model_dump(exclude_none=True)
        self._last, self._is_wanted = self.wanted.since, partial(matches_subscription, definition=definition)

    async def frames(self) -> AsyncGenerator[bytes]:
        """Raise TurnInProgress when time is up, since clients take a clean end for the end of the run. The last event
        is of no run: JavaScript clients give up after five streams without an event."""
        next_run, pauses = NextRun(self.services.runs, self.principal, self.thread_id, is_new=not self.wanted.since), 0
        while pauses < IDLE_PAUSES:
            if pauses % HEARTBEAT_PAUSES == 0:
                yield HEARTBEAT
            if run := await next_run.find():
                async for frame in self._of_run(run):
                    yield frame
                pauses = 0
            else:
                pauses += 1
                await asyncio.sleep(PAUSE_SECONDS)
        yield self._frame(uuid4().hex, EventId(0, 0), "lifecycle", ["idle"], {"event": "completed"})

    async def _of_run(self, run: "RunRecord") -> AsyncGenerator[bytes]:
        from turnkeep.turns.protocol import ProtocolEvents  # noqa: PLC0415 - loads LangChain

        named = (self.principal, run.thread_id, run.run_id)
        running, shown = join(self.services, *named, _emit_rest, until=self.until), ProtocolEvents(run.agent or "")
        try:
            async for at, event in numbered(running, self.services.settings.turn.heartbeat_seconds):
                if event is None:
                    yield HEARTBEAT
                    continue
                if event.name == "error" and event.data["code"] == TurnInProgress.code:
                    raise TurnInProgress
                for number, each in enumerate(_shown(shown, event)):
                    frame = self._frame(run.run_id, at._replace(frame=number), *each)
                    if frame and self.wanted.is_watching and _is_end(*each):
                        await asyncio.sleep(LAG_SECONDS)
                    yield frame
        finally:
            shown.close()
            await running.close()

    def _frame(self, run_id: str, at: EventId, method: str, namespace: list[str], data: Any) -> bytes:
        number = at.attempt << ATTEMPT_BITS | at.event << 12 | at.frame  # rises with each run of the thread
        number = self._last = number if at.attempt else self._last + 1  # of a run that never began
        params = {"namespace": namespace, "timestamp": int(time.time() * 1000), "data": data}
        event_id = f"{'synth:' if method == 'lifecycle' else ''}{run_id}:{at}"  # where clients read the run's id
        event: Any = {"type": "event", "event_id": event_id, "seq": number, "method": method, "params": params}
        if number <= self.wanted.since or not self._is_wanted(event):
            return b""
        return f"event: {method}\ndata: {compact(event)}\nid: {number}\n\n".encode(errors="replace")


async def _emit_rest(services: "Services", principal: Principal, running: "RunningTurn", turn: Turn, last: str) -> None:
    if not last:
        running.emit(Event("restart", {"attempt": turn.attempt}))
    await emit_end(services, principal, running, turn, last)


def _shown(events: "ProtocolEvents", event: Event) -> "Iterator[Shown]":
    data = event.data
    match event.name:
        case "restart":
            return events.begin()
        case "part":
            return events.part(data["mode"], data["namespace"], data["data"])
        case "complete":
            turn: Turn = data["turn"]
            if error := fault_of(turn):
                return events.fail("interrupted" if turn.status == "stopped" else "failed", error.detail)
            return events.end("interrupted" if turn.status == "interrupted" else "completed")
        case "error":
            return events.fail("interrupted" if data["code"] == RunCancelled.code else "failed", data["detail"])
    return iter(())


def _is_end(method: str, namespace: list[str], data: Any) -> bool:
    """Return whether clients that receive this stop reading their other streams."""
    return method == "input.requested" or (method == "lifecycle" and not namespace and data["event"] != "running")


def _refusal(number: int | None, error: TurnkeepError, code: str = "") -> JSON:
    codes = {NoInterrupt: "no_such_interrupt", NotFound: "no_such_run", BadRequest: "invalid_argument"}
    code = code or next((name for kind, name in codes.items() if isinstance(error, kind)), "unknown_error")
    return {"type": "error", "id": number, "error": code, "message": error.detail, "code": error.code}
