"""/v1/models and /v1/chat/completions: stateless, or a turn of the thread that the request names."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import JSONResponse, Response

from turnkeep.api.auth import Caller, act_for
from turnkeep.api.openai.answers import kept, warned
from turnkeep.api.openai.bodies import ChatCompletion, Said, read_messages
from turnkeep.api.openai.completions import Completion
from turnkeep.api.openai.runs import THREAD_HEADER, Starter, digest, key_of, repeat_of
from turnkeep.api.openai.tasks import CHAT_HEADER, answer_to_task, is_task
from turnkeep.api.schemas import check_id
from turnkeep.api.sse import HEADERS
from turnkeep.entries import entries
from turnkeep.errors import InvalidId, UnknownAgent
from turnkeep.records import JSON, Turn
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.services import Services

USER_HEADER = "X-OpenWebUI-User-Id"
HISTORY_DIFFERS = "history_differs"


class ChatRoutes:
    def __init__(self, services: "Services", starter: Starter, new_id: Callable[[], str]) -> None:
        self._starter = starter
        self._new_id = new_id
        self._now = services.turns.budget.now

    def register(self, add: Callable[..., None]) -> None:
        add("/v1/models", self.models, methods=["GET"])
        add("/v1/models/{model}", self.model, methods=["GET"])
        add("/v1/chat/completions", self.complete, methods=["POST"])

    async def models(self) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [_model(name) for name in entries()]})

    async def model(self, model: str) -> JSONResponse:
        return JSONResponse(_model(model))

    async def complete(self, body: ChatCompletion, request: Request, caller: Caller) -> Response:
        """A turn. Open WebUI's user counts where the caller may act for others."""
        unused = body.check()
        if is_task(request.headers, body):
            return self._task(body)
        said = read_messages(body.messages, "messages")
        history = _History(said, is_sent_whole=CHAT_HEADER in request.headers)
        warnings = tuple(dict.fromkeys((*unused, *said.warnings)))
        wanted = TurnRequest(
            principal=act_for(request, request.headers.get(USER_HEADER), None),
            message=said.message,
            agent=body.model,
            deadline=getattr(request.state, "deadline", None),
            warnings=warnings,
        )
        thread_id = _thread_of(request, body)
        place = history.in_thread(thread_id, request) if thread_id else {"call": said.call}
        running = await self._starter.start(request, wanted, **place)
        answer = self._completion(body, running.run_id, history.compared if thread_id else kept)
        with_usage = bool((body.stream_options or {}).get("include_usage"))
        frames = answer.frames(with_usage=with_usage) if body.stream else None
        return await self._starter.answer(running, whole=answer.whole, frames=frames, warnings=warnings)

    def _completion(self, body: ChatCompletion, run_id: str | None, finish: Callable[[Turn], Turn]) -> Completion:
        id_ = f"chatcmpl-{run_id or self._new_id()}"
        return Completion(id_, self._now() // 1000, body.model, body.metadata, finish)

    def _task(self, body: ChatCompletion) -> Response:
        _model(body.model)
        text, now = answer_to_task(body.messages[-1]), self._now() / 1000
        turn = Turn(None, 0, body.model, "", text, "complete", now, 0, "turnkeep", "rules", persisted=False)
        answer = self._completion(body, None, kept)
        if not body.stream:
            return JSONResponse(answer.whole(turn))
        frames = answer.frames(with_usage=False)(1, "complete", {"turn": turn})
        return Response(frames, media_type="text/event-stream", headers=HEADERS)


class _History:
    """What a client sends of a thread beside the newest message, which alone counts. Where it sends all, the same body
    again is a retry, and "yes" said twice has another history; where it does not, only the client can tell."""

    def __init__(self, said: Said, *, is_sent_whole: bool) -> None:
        self._said = said
        self._is_whole = is_sent_whole or any(each["type"] == "ai" for each in said.messages)

    def in_thread(self, thread_id: str, request: Request) -> JSON:
        place: JSON = {"thread_id": thread_id, "create": True, "key": key_of(request)}
        if self._is_whole:
            return {**place, "repeat": "exact", "said": digest(self._said.messages)}
        return {**place, "repeat": repeat_of(request)}

    def compared(self, turn: Turn) -> Turn:
        """The turn, with a warning where the client counts other turns than the thread has; nothing is merged."""
        asked = sum(each["type"] == "human" for each in self._said.messages)
        return warned(kept(turn), HISTORY_DIFFERS) if self._is_whole and turn.number != asked else kept(turn)


def _thread_of(request: Request, body: ChatCompletion) -> str | None:
    """The thread that is named. A chat that Open WebUI does not keep, as "local:Vq3x", names none."""
    if given := request.headers.get(THREAD_HEADER):
        return check_id(given, where=THREAD_HEADER)
    named = (body.metadata or {}).get("thread_id")
    if named is not None:
        return check_id(str(named), where="metadata.thread_id")
    try:
        return check_id(request.headers.get(CHAT_HEADER, ""))
    except InvalidId:
        return None


def _model(name: str) -> JSON:
    if name not in entries():
        raise UnknownAgent
    about = {"name": name, "description": entries()[name].description}
    return {"id": name, "object": "model", "created": 0, "owned_by": "turnkeep", **about}
