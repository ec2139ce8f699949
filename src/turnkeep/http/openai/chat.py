"""/v1/models and /v1/chat/completions. A completion is stateless or a turn of the named thread. Open WebUI's side calls
for titles, tags, follow-ups and queries run no agent and are not stored."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from turnkeep.entries import entries
from turnkeep.errors import InvalidId, UnknownAgent
from turnkeep.http.auth import Caller, act_for
from turnkeep.http.openai.bodies import ChatCompletion, read_messages
from turnkeep.http.openai.frames import CompletionFrames
from turnkeep.http.openai.starting import THREAD_HEADER, OpenAIRoutes, digest, repeat_of, turns_before
from turnkeep.http.schemas import check_id
from turnkeep.http.sse import HEADERS, compact
from turnkeep.records import JSON, Turn

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn

USER_HEADER, CHAT_HEADER, TASK_HEADER = "X-OpenWebUI-User-Id", "X-OpenWebUI-Chat-Id", "X-Turnkeep-Task"
HISTORY_DIFFERS = "history_differs"
_TASK_OPENING, _TASK_HISTORY = "### Task:", "<chat_history>"  # in Open WebUI's templates
_NOTHING = compact({"title": "", "tags": [], "follow_ups": [], "queries": [""], "text": ""})
"""The answer to every task, since each reads its own key. Open WebUI then uses the user's words as title and query."""


class ChatRoutes(OpenAIRoutes):
    def register(self, add: Callable[..., None]) -> None:
        add("/v1/models", self.models, methods=["GET"])
        add("/v1/models/{model}", self.model, methods=["GET"])
        add("/v1/chat/completions", self.complete, methods=["POST"])

    async def models(self) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [_model(name) for name in entries()]})

    async def model(self, model: str) -> JSONResponse:
        return JSONResponse(_model(model))

    async def complete(self, body: ChatCompletion, request: Request, caller: Caller) -> Response:
        """Run a turn, for Open WebUI's user if the caller may act for others."""
        unused = body.check()
        if _is_task(request.headers, body):
            return self._task(body)
        messages, left_out = read_messages(body.messages, "messages")
        acting, history = act_for(request, request.headers.get(USER_HEADER), None), _History(messages, request)
        wanted = self._wanted(request, acting, body, messages, [*unused, *left_out])
        thread_id = _thread_of(request, body)
        running = await self._start(request, wanted, **(history.in_thread(thread_id) if thread_id else {}))
        frames = self._frames(body, running.run_id)
        return await self._answer(running, frames, wanted, amend=history.compared_with(running))

    def _frames(self, body: ChatCompletion, run_id: str | None) -> CompletionFrames:
        id_, with_usage = f"chatcmpl-{run_id or self._new_id()}", bool((body.stream_options or {}).get("include_usage"))
        return CompletionFrames(id_, self._now() // 1000, body.model, body.metadata, with_usage=with_usage)

    def _task(self, body: ChatCompletion) -> Response:
        _model(body.model)
        now = self._now() / 1000
        turn = Turn(None, 0, body.model, "", _NOTHING, "complete", now, 0, "turnkeep", "rules", persisted=False)
        frames = self._frames(body, None)
        if not body.stream:
            return JSONResponse(frames.whole(turn))
        return Response(frames(1, "complete", {"turn": turn}), media_type="text/event-stream", headers=HEADERS)


class _History:
    """The messages that a client sent. If they are the whole history, the same body again is a retry. Other clients
    count their retries."""

    def __init__(self, messages: list[JSON], request: Request) -> None:
        self._messages = messages
        self._repeat = repeat_of(request)
        self._is_whole = CHAT_HEADER in request.headers or any(each["type"] == "ai" for each in messages)

    def in_thread(self, thread_id: str) -> JSON:
        place: JSON = {"thread_id": thread_id, "create": True, "call": None, "repeat": self._repeat}
        return {**place, "repeat": "exact", "identity": digest(self._messages)} if self._is_whole else place

    def compared_with(self, running: "RunningTurn") -> Callable[[Turn], Turn]:
        """Return a function that adds a warning if the thread has another history than the client."""
        turns = turns_before(running)
        ours = [text.strip() for turn in turns for text in (turn.message, turn.reply)]
        theirs = [each["content"].strip() for each in self._messages[:-1]]
        is_redacted = any(turn.private for turn in turns)
        is_other = bool(ours) and not is_redacted and theirs[-len(ours) :] != ours
        asked = sum(each["type"] == "human" for each in self._messages)

        def warned(turn: Turn) -> Turn:
            differs = self._is_whole and turn.thread_id and (is_other or turn.number != asked)
            return replace(turn, warnings=(*turn.warnings, HISTORY_DIFFERS)) if differs else turn

        return warned


def _thread_of(request: Request, body: ChatCompletion) -> str | None:
    """Return the thread of the request. A chat that Open WebUI does not store, such as "local:Vq3x", has none."""
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


def _is_task(headers: Headers, body: ChatCompletion) -> bool:
    """Return whether this is a side call, by its header or by Open WebUI's templates."""
    task = headers.get(TASK_HEADER, (body.metadata or {}).get("task"))
    if task is not None:
        return bool(str(task).strip())
    text = str(body.messages[0].get("content"))
    is_alone = len(body.messages) == 1 and not body.stream and CHAT_HEADER in headers
    return is_alone and text.startswith(_TASK_OPENING) and _TASK_HISTORY in text
