"""Routes that run an agent or read its turns: /threads/{id}/turns and /chat."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from uuid import NAMESPACE_URL, uuid5

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from turnkeep import errors
from turnkeep.http.auth import Caller, name_thread
from turnkeep.http.errors import problems
from turnkeep.http.routes import ALWAYS, BODY, READ, Routes
from turnkeep.http.schemas import ID_PATTERN, MAX_TURN_NUMBER, Chat, Fork, Id, NewTurn, TurnsQuery, check_id
from turnkeep.http.sse import RunStream, compact, open_stream
from turnkeep.http.views import ChatView, ThreadView, Turns, TurnView
from turnkeep.records import Principal, Turn
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

RUN: tuple[type[errors.TurnkeepError], ...] = (
    *(*ALWAYS, *BODY, errors.MessageTooLong, errors.UnknownAgent, errors.AgentMismatch, errors.IdempotencyKeyReused),
    *(errors.NotFound, errors.DocumentNotFound, errors.TurnInProgress, errors.ThreadBusy, errors.Superseded),
    *(*errors.OverLimit.__subclasses__(), *errors.ModelFault.__subclasses__()),
    *(errors.StateCorrupt, errors.AgentFault, errors.AgentUnavailable, errors.PrivacyUnavailable),
)
FORK = (*ALWAYS, *BODY, errors.NotFound, errors.ThreadExists, errors.ThreadBusy, errors.StateCorrupt)
KEY_HEADER = "Idempotency-Key"


async def _key(
    request: Request,
    given: Annotated[
        str | None,
        Header(
            alias=KEY_HEADER,
            description=f"{ID_PATTERN}; generated and returned if absent; ignored with a warning if nothing is stored",
        ),
    ] = None,
) -> str:
    """Return the key of this request. Every response has it as a header, so that clients can resend it."""
    key: str = request.app.state.new_id() if given is None else check_id(given, where=KEY_HEADER)
    request.state.idempotency_key = key
    return key


Key = Annotated[str, Depends(_key)]
TurnNumber = Annotated[int, Path(ge=1, le=MAX_TURN_NUMBER)]


class TurnRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add = partial(router.add_api_route, response_model_exclude_unset=True)
        stream = partial(router.add_api_route, methods=["POST"], response_class=RunStream, status_code=200)
        read, run = problems(*READ), problems(*RUN)
        add("/threads/{thread_id}/turns", self.history, methods=["GET"], responses=read)
        add("/threads/{thread_id}/turns/{number}", self.read, methods=["GET"], responses=read)
        add("/threads/{thread_id}/turns", self.take, methods=["POST"], responses=run)
        stream("/threads/{thread_id}/turns/stream", self.stream, responses=run)
        add("/threads/{thread_id}/fork", self.fork, methods=["POST"], responses=problems(*FORK))
        add("/chat", self.chat, methods=["POST"], responses=run)
        stream("/chat/stream", self.stream_chat, responses=run)

    def history(self, thread_id: Id, query: Annotated[TurnsQuery, Query()], caller: Caller) -> Turns:
        """List the newest `limit` turns, oldest first, or as many as fit into 5 MB."""
        found = self._store.turns.newest(caller, thread_id, limit=query.limit, before=query.before)
        return Turns.newest_of([TurnView.of(turn) for turn in found])

    def read(self, thread_id: Id, number: TurnNumber, caller: Caller) -> TurnView:
        return TurnView.of(self._store.turns.read(caller, thread_id, number)).bounded()

    async def take(
        self, thread_id: Id, body: NewTurn, *, caller: Caller, key: Key, request: Request, response: Response
    ) -> TurnView:
        running = await self._turns.start(_request(request, caller, body, key, thread_id))
        response.headers.update(replay_headers(running))
        return TurnView.of(await running.finish()).bounded()

    async def stream(self, thread_id: Id, body: NewTurn, caller: Caller, key: Key, request: Request) -> RunStream:
        wanted = _request(request, caller, body, key, thread_id)
        return await self._streamed(await self._turns.start(replace(wanted, streamed=True)), body, TurnView.of)

    def fork(self, thread_id: Id, caller: Caller, request: Request, body: Fork | None = None) -> ThreadView:
        """Create a thread with a copy of all turns or the first ones. Documents are not copied."""
        wanted = body or Fork()
        to = wanted.thread_id or request.app.state.new_id()
        return ThreadView.of(self._store.fork(caller, thread_id, to, turn=wanted.turn))

    async def chat(self, body: Chat, caller: Caller, key: Key, request: Request, response: Response) -> ChatView:
        running = await self._turns.start(_chat_request(request, caller, body, key))
        response.headers.update(replay_headers(running))
        return ChatView.of(_warned(request, body, await running.finish())).bounded()

    async def stream_chat(self, body: Chat, caller: Caller, key: Key, request: Request) -> RunStream:
        running = await self._turns.start(replace(_chat_request(request, caller, body, key), streamed=True))
        return await self._streamed(running, body, lambda turn: ChatView.of(_warned(request, body, turn)))

    async def _streamed(self, running: "RunningTurn", body: NewTurn, view: Callable[[Turn], TurnView]) -> RunStream:
        return await open_stream(
            running,
            partial(_frame, view),
            headers=replay_headers(running),
            heartbeat_seconds=self._settings.turn.heartbeat_seconds,
            continues=body.on_disconnect == "continue",
        )


def _frame(view: Callable[[Turn], TurnView], number: int, name: str, data: Mapping[str, Any]) -> bytes:
    fields = view(data["turn"]).model_dump(mode="json") if name == "complete" else data
    return f"event: {name}\ndata: {compact({'event': name, **fields})}\nid: {number}\n\n".encode(errors="replace")


def _request(
    request: Request, caller: Principal, body: NewTurn, key: str, thread_id: str | None, *, create: bool = False
) -> TurnRequest:
    return TurnRequest(
        principal=caller,
        message=body.message,
        thread_id=thread_id,
        agent=body.agent,
        key=key,
        conversation_window=body.conversation_window,
        base=body.from_turn,
        create=create,
        deadline=getattr(request.state, "deadline", None),
        attachments=tuple(dict.fromkeys(body.attachments or ())),
    )


def _chat_request(request: Request, caller: Principal, body: Chat, key: str) -> TurnRequest:
    """Return the request. The id of a "new" session is derived from the key, so a retry returns the same turn."""
    thread_id = body.session_id
    if thread_id == "new":
        thread_id = str(uuid5(NAMESPACE_URL, f"turnkeep:{caller.tenant}/{caller.user}/{key}"))
    if thread_id is None:
        del request.state.idempotency_key  # has no effect, so it is not returned
    else:
        name_thread(request, thread_id)
    return _request(request, caller, body, key, thread_id, create=thread_id is not None)


def _warned(request: Request, body: Chat, turn: Turn) -> Turn:
    """Add a warning if a key was sent and nothing is stored."""
    if body.session_id is None and KEY_HEADER in request.headers:
        return replace(turn, warnings=(*turn.warnings, "idempotency_key_ignored"))
    return turn


def key_of(request: Request) -> str | None:
    """Return the key that a client of another protocol may send. An unfilled template sends an empty one."""
    given = request.headers.get(KEY_HEADER)
    if given:
        request.state.idempotency_key = check_id(given, where=KEY_HEADER)
    return given or None


def replay_headers(running: "RunningTurn") -> dict[str, str]:
    return {"Idempotency-Replayed": "true"} if running.replayed else {}
