"""Routes that run an agent or read its turns: /threads/{id}/turns and /chat."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any
from uuid import NAMESPACE_URL, uuid5

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from turnkeep import errors
from turnkeep.http.auth import Caller, name_thread
from turnkeep.http.joining import join
from turnkeep.http.routes import ALWAYS, BODY, READ, Routes, problems
from turnkeep.http.schemas import ID_PATTERN, MAX_TURN_NUMBER, Chat, Fork, Id, NewTurn, TurnsQuery, check_id
from turnkeep.http.sse import NO_EVENT, EventId, RunStream, compact
from turnkeep.http.views import ChatView, ThreadView, Turns, TurnView
from turnkeep.records import Event, Principal, Turn
from turnkeep.turns import RunningTurn, TurnRequest
from turnkeep.turns.run_lookup import RunRecord

RUN: tuple[type[errors.TurnkeepError], ...] = (
    *(*ALWAYS, *BODY, errors.MessageTooLong, errors.UnknownAgent, errors.AgentMismatch, errors.IdempotencyKeyReused),
    *(errors.NotFound, errors.DocumentNotFound, errors.TurnInProgress, errors.ThreadBusy, errors.Superseded),
    *(*errors.OverLimit.__subclasses__(), *errors.ModelFault.__subclasses__()),
    *(errors.StateCorrupt, errors.AgentFault, errors.AgentUnavailable, errors.PrivacyUnavailable),
)
FORK = (*ALWAYS, *BODY, errors.NotFound, errors.ThreadExists, errors.ThreadBusy, errors.StateCorrupt)
KEY_HEADER = "Idempotency-Key"
_SENT = Header(
    alias=KEY_HEADER,
    description=f"{ID_PATTERN}; generated and returned if absent; ignored with a warning if nothing is stored",
)


async def _key(request: Request, given: Annotated[str | None, _SENT] = None) -> str:
    """Return the key of this request. Every response has it as a header, so that clients can resend it."""
    key: str = request.app.state.new_id() if given is None else check_id(given, where=KEY_HEADER)
    request.state.idempotency_key = key
    return key


Key = Annotated[str, Depends(_key)]


class TurnRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add = partial(router.add_api_route, response_model_exclude_unset=True)
        stream = partial(router.add_api_route, response_class=RunStream, status_code=200)
        read, run = problems(*READ), problems(*RUN)
        add("/threads/{thread_id}/turns", self.history, methods=["GET"], responses=read)
        stream("/threads/{thread_id}/turns/stream", self.stream, methods=["POST"], responses=run)
        stream("/threads/{thread_id}/turns/stream", self.join, methods=["GET"], responses=read)
        add("/threads/{thread_id}/turns/{number}", self.read, methods=["GET"], responses=read)
        add("/threads/{thread_id}/turns", self.take, methods=["POST"], responses=run)
        add("/threads/{thread_id}/fork", self.fork, methods=["POST"], responses=problems(*FORK))
        add("/chat", self.chat, methods=["POST"], responses=run)
        stream("/chat/stream", self.stream_chat, methods=["POST"], responses=run)

    def history(self, thread_id: Id, query: Annotated[TurnsQuery, Query()], caller: Caller) -> Turns:
        """List the newest `limit` turns, oldest first, or as many as fit into 5 MB."""
        found = self._store.turns.newest(caller, thread_id, limit=query.limit, before=query.before)
        return Turns.newest_of([TurnView.of(turn) for turn in found])

    def read(self, thread_id: Id, number: Annotated[int, Path(ge=1, le=MAX_TURN_NUMBER)], caller: Caller) -> TurnView:
        return TurnView.of(self._store.turns.read(caller, thread_id, number)).bounded()

    async def take(
        self, thread_id: Id, body: NewTurn, *, caller: Caller, key: Key, request: Request, response: Response
    ) -> TurnView:
        running = await self._start(_request(request, caller, body, key, thread_id))
        response.headers.update(replay_headers(running))
        return TurnView.of(await running.finish()).bounded()

    async def stream(self, thread_id: Id, body: NewTurn, caller: Caller, key: Key, request: Request) -> RunStream:
        return await self._streamed(_request(request, caller, body, key, thread_id), body, TurnView)

    async def _start(self, wanted: TurnRequest) -> RunningTurn:
        """Start the turn, or queue it and await it."""
        begun = await self._services.runs.begin(wanted)
        if not isinstance(begun, RunRecord):
            return begun
        services, until = self._services, wanted.deadline
        joined = join(services, wanted.principal, begun.thread_id, begun.run_id, _emit_reply, until=until)
        joined.emit(Event("queued", {"run_id": begun.run_id}))
        return joined

    async def join(self, thread_id: Id, caller: Caller, request: Request, run_id: str | None = None) -> RunStream:
        """Stream a run, by default the active or newest one, from its start or after the event `Last-Event-ID`."""
        run_id = run_id or await self._services.runs.current(caller, thread_id)
        after, seconds = EventId.read(request.headers.get("Last-Event-ID")), self._settings.turn.heartbeat_seconds
        until, frame = getattr(request.state, "deadline", None), partial(_frame, TurnView, after)
        running = join(self._services, caller, thread_id, run_id, _emit_reply, until=until)
        return await RunStream(running, frame, headers={}, heartbeat_seconds=seconds, after=after).opened()

    def fork(self, thread_id: Id, caller: Caller, request: Request, body: Fork | None = None) -> ThreadView:
        """Create a thread with a copy of all turns or the first ones. Documents are not copied."""
        wanted = body or Fork()
        to = wanted.thread_id or request.app.state.new_id()
        return ThreadView.of(self._store.fork(caller, thread_id, to, turn=wanted.turn))

    async def chat(self, body: Chat, caller: Caller, key: Key, request: Request, response: Response) -> ChatView:
        running = await self._start(_chat_request(request, caller, body, key))
        response.headers.update(replay_headers(running))
        return ChatView.of(await running.finish()).bounded()

    async def stream_chat(self, body: Chat, caller: Caller, key: Key, request: Request) -> RunStream:
        return await self._streamed(_chat_request(request, caller, body, key), body, ChatView)

    async def _streamed(self, wanted: TurnRequest, body: NewTurn, view: type[TurnView]) -> RunStream:
        running = await self._start(replace(wanted, streamed=True))
        stream = RunStream(
            running,
            partial(_frame, view, NO_EVENT),
            headers=replay_headers(running),
            heartbeat_seconds=self._settings.turn.heartbeat_seconds,
            continues=body.on_disconnect == "continue" and (running.attempt > 0 or not running.run_id),  # else queued
        )
        return await stream.opened()


async def _emit_reply(_: Any, __: Principal, joined: RunningTurn, turn: Turn, last: str) -> None:
    """Emit the reply of a run that was not logged."""
    if not last:
        joined.emit(Event("token", {"content": turn.reply}))


def _frame(view: type[TurnView], after: EventId, at: EventId, name: str, data: Mapping[str, Any]) -> bytes:
    if name in ("part", "end") or not at.follows(after):
        return b""
    fields = view.of(data["turn"]).model_dump(mode="json") if name == "complete" else data
    return f"event: {name}\ndata: {compact({'event': name, **fields})}\nid: {at}\n\n".encode(errors="replace")


def _request(request: Request, caller: Principal, body: NewTurn, key: str, thread_id: str | None) -> TurnRequest:
    return TurnRequest(
        principal=caller,
        message=body.message,
        thread_id=thread_id,
        agent=body.agent,
        key=key,
        conversation_window=body.conversation_window,
        base=body.from_turn,
        deadline=getattr(request.state, "deadline", None),
        attachments=tuple(dict.fromkeys(body.attachments or ())),
        when_busy=None if body.when_busy == "reject" else body.when_busy,
        log_after=0 if body.on_disconnect == "continue" else None,
    )


def _chat_request(request: Request, caller: Principal, body: Chat, key: str) -> TurnRequest:
    """Return the request. The id of a "new" session is derived from the key, so a retry returns the same turn."""
    thread_id = body.session_id
    if thread_id == "new":
        thread_id = str(uuid5(NAMESPACE_URL, f"turnkeep:{caller.tenant}/{caller.user}/{key}"))
    wanted = _request(request, caller, body, key, thread_id)
    if thread_id is None:
        del request.state.idempotency_key  # has no effect, so it is not returned
        return replace(wanted, warnings=("idempotency_key_ignored",) if KEY_HEADER in request.headers else ())
    name_thread(request, thread_id)
    return replace(wanted, create=True)


def key_of(request: Request) -> str | None:
    """Return the key that a client of another protocol may send. An unfilled template sends an empty one."""
    given = request.headers.get(KEY_HEADER)
    if given:
        request.state.idempotency_key = check_id(given, where=KEY_HEADER)
    return given or None


def replay_headers(running: RunningTurn) -> dict[str, str]:
    return {"Idempotency-Replayed": "true"} if running.replayed else {}
