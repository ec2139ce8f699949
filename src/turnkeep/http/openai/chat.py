"""/v1/models and /v1/chat/completions. A completion is stateless or a turn of the named thread. Open WebUI's side calls
for titles, tags, follow-ups and queries run no agent and are not stored."""

from collections.abc import Callable
from dataclasses import replace

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from turnkeep.entries import entries
from turnkeep.errors import UnknownAgent
from turnkeep.http.auth import Caller, act_for
from turnkeep.http.openai.bodies import ChatCompletion, read_messages
from turnkeep.http.openai.frames import CompletionFrames
from turnkeep.http.openai.starting import THREAD_HEADER, OpenAIRoutes, repeat_of, turns_before
from turnkeep.http.schemas import check_id
from turnkeep.http.sse import HEADERS, NO_EVENT, compact
from turnkeep.records import JSON, Turn
from turnkeep.store.keys import is_well_formed
from turnkeep.turns import RunningTurn

USER_HEADER, CHAT_HEADER, TASK_HEADER = "X-OpenWebUI-User-Id", "X-OpenWebUI-Chat-Id", "X-Turnkeep-Task"
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
        acting = act_for(request, request.headers.get(USER_HEADER), None)
        wanted = self._wanted(request, acting, body, messages, [*unused, *left_out])
        is_whole = CHAT_HEADER in request.headers or any(each["type"] == "ai" for each in messages)
        if thread_id := _thread_of(request, body):  # a whole history sent again is a retry; else clients count them
            wanted = replace(wanted, thread_id=thread_id, create=True, call=None, repeat=repeat_of(request))
            wanted = replace(wanted, repeat="exact", identity=compact(messages)) if is_whole else wanted
        running = await self._start(request, wanted)
        frames = self._frames(body, running.run_id)
        if thread_id and is_whole and _differs(messages, running):
            frames.warnings = ("history_differs",)
        return await self._answer(running, frames, wanted)

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
        return Response(frames(NO_EVENT, "complete", {"turn": turn}), media_type="text/event-stream", headers=HEADERS)


def _differs(messages: list[JSON], running: RunningTurn) -> bool:
    """Return whether the thread has another history than the client, which is unknown for redacted turns."""
    turns = turns_before(running)
    ours = [text.strip() for turn in turns for text in (turn.message, turn.reply)]
    theirs = [each["content"].strip() for each in messages[:-1]]
    is_other = bool(ours) and not any(turn.private for turn in turns) and theirs[-len(ours) :] != ours
    return is_other or running.turn_number != sum(each["type"] == "human" for each in messages)


def _thread_of(request: Request, body: ChatCompletion) -> str | None:
    """Return the thread of the request. A chat that Open WebUI does not store, such as "local:Vq3x", has none."""
    if given := request.headers.get(THREAD_HEADER):
        return check_id(given, where=THREAD_HEADER)
    named = (body.metadata or {}).get("thread_id")
    if named is not None:
        return check_id(str(named), where="metadata.thread_id")
    chat = request.headers.get(CHAT_HEADER, "")
    return chat if is_well_formed(chat) else None


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
    return is_alone and text.startswith("### Task:") and "<chat_history>" in text
