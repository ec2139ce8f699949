"""/v1/models and /v1/chat/completions: stateless, or a turn of the thread that the request names."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import JSONResponse, Response

from turnkeep.api.auth import Caller, act_for
from turnkeep.api.openai.bodies import ChatCompletion, call_of, read_messages
from turnkeep.api.openai.runs import THREAD_HEADER, Starter, digest, key_of, repeat_of
from turnkeep.api.openai.tasks import CHAT_HEADER, answer_to_task, is_task
from turnkeep.api.openai.words import Completion
from turnkeep.api.schemas import check_id
from turnkeep.api.sse import HEADERS
from turnkeep.entries import entries
from turnkeep.errors import InvalidId, UnknownAgent
from turnkeep.records import JSON, Turn
from turnkeep.storage.links import turn_of
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.services import Services
    from turnkeep.turns import RunningTurn

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
        messages, left_out = read_messages(body.messages, "messages")
        history = _History(messages, is_sent_whole=CHAT_HEADER in request.headers)
        warnings = list(dict.fromkeys([*unused, *left_out]))
        wanted = TurnRequest(
            principal=act_for(request, request.headers.get(USER_HEADER), None),
            message=messages[-1]["content"],
            agent=body.model,
            deadline=getattr(request.state, "deadline", None),
            warnings=tuple(warnings),
        )
        thread_id = _thread_of(request, body)
        place = history.in_thread(thread_id, request) if thread_id else {"call": call_of(messages)}
        running = await self._starter.start(request, wanted, **place)
        words, seen = self._words(body, running.run_id), history.compared_with(running)
        return await self._starter.answer(running, words, stream=body.stream, warnings=warnings, seen=seen)

    def _words(self, body: ChatCompletion, run_id: str | None) -> Completion:
        id_, with_usage = f"chatcmpl-{run_id or self._new_id()}", bool((body.stream_options or {}).get("include_usage"))
        return Completion(id_, self._now() // 1000, body.model, body.metadata, with_usage=with_usage)

    def _task(self, body: ChatCompletion) -> Response:
        _model(body.model)
        text, now = answer_to_task(body.messages[-1]), self._now() / 1000
        turn = Turn(None, 0, body.model, "", text, "complete", now, 0, "turnkeep", "rules", persisted=False)
        words = self._words(body, None)
        if not body.stream:
            return JSONResponse(words.whole(turn))
        return Response(words(1, "complete", {"turn": turn}), media_type="text/event-stream", headers=HEADERS)


class _History:
    """What a client sends of a thread beside the newest message, which alone counts. Where it sends all, the same body
    again is a retry, and "yes" said twice has another history; where it does not, only the client can tell."""

    def __init__(self, messages: list[JSON], *, is_sent_whole: bool) -> None:
        self._messages = messages
        self._is_whole = is_sent_whole or any(each["type"] == "ai" for each in messages)

    def in_thread(self, thread_id: str, request: Request) -> JSON:
        place: JSON = {"thread_id": thread_id, "create": True, "key": key_of(request)}
        if self._is_whole:
            return {**place, "repeat": "exact", "said": digest(self._messages)}
        return {**place, "repeat": repeat_of(request)}

    def compared_with(self, running: "RunningTurn") -> Callable[[Turn], Turn]:
        """Adds a warning to the turn where the thread holds another history than the client's: nothing is merged."""
        links = running.loaded.links if running.loaded else ()
        turns = [turn_of(link, {}) for link in links if "turn" in link.payload]
        ours = (
            []
            if any(turn.private for turn in turns)
            else [text for turn in turns for text in (turn.message, turn.reply)]
        )
        theirs = [each["content"].strip() for each in self._messages[:-1]]
        is_other = bool(ours) and theirs[-len(ours) :] != [text.strip() for text in ours]
        asked = sum(each["type"] == "human" for each in self._messages)

        def seen(turn: Turn) -> Turn:
            is_told = self._is_whole and turn.thread_id and (is_other or turn.number != asked)
            return replace(turn, warnings=(*turn.warnings, HISTORY_DIFFERS)) if is_told else turn

        return seen


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
