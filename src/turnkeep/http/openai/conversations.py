"""/v1/responses and /v1/conversations. A response is a turn, a conversation is a thread, an item a message or reply."""

import re
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import JSONResponse, Response

from turnkeep.entries import default_agent
from turnkeep.errors import NotFound
from turnkeep.http.auth import Caller, name_thread
from turnkeep.http.bodies import fitting
from turnkeep.http.openai.bodies import NewConversation, NewResponse, read_messages
from turnkeep.http.openai.error_format import UnsupportedParameter
from turnkeep.http.openai.frames import ResponseFrames, items_of
from turnkeep.http.openai.starting import OpenAIRoutes, ResponseId, read_response_id, repeat_of
from turnkeep.http.schemas import MAX_TURN_NUMBER, Id
from turnkeep.records import JSON, Principal, Thread, Turn
from turnkeep.store.head import run_digest
from turnkeep.turns import RunningTurn, TurnRequest

RESPONSE, CONVERSATION = "/v1/responses/{response_id}", "/v1/conversations/{thread_id}"
ITEM = f"{CONVERSATION}/items/{{item_id}}"
ONLY_RUNS_ADD = "Items are added by responses only. Send them as `input` of the next response."
ONLY_WHOLE = "Other turns depend on it. `DELETE /v1/conversations/{id}` deletes the whole conversation."
_ITEM = re.compile(r"msg_(\d{1,8})_(user|assistant)", re.ASCII)


class ResponseRoutes(OpenAIRoutes):
    def register(self, add: Callable[..., None]) -> None:
        add("/v1/responses", self.create, methods=["POST"])
        add(RESPONSE, self.read, methods=["GET"])
        add(RESPONSE, self.delete, methods=["DELETE"])
        add(f"{RESPONSE}/input_items", self.input_items, methods=["GET"])

    async def create(self, body: NewResponse, request: Request, caller: Caller) -> Response:
        unused = body.check()
        items = [{"role": "user", "content": body.input}] if isinstance(body.input, str) else body.input
        messages, left_out = read_messages(items, "input")
        wanted = self._wanted(request, caller, body, messages, [*unused, *left_out])
        running = await self._begin(body, request, wanted)
        return await self._answer(running, self._frames(body, running), wanted)

    async def _begin(self, body: NewResponse, request: Request, wanted: TurnRequest) -> RunningTurn:
        if body.previous_response_id is not None:
            return await self._start_after(request, wanted, read_response_id(body.previous_response_id))
        if body.thread_id is not None:
            return await self._start(request, wanted, thread_id=body.thread_id, repeat=repeat_of(request))
        if body.store is False:
            return await self._start(request, wanted)
        new = self._derived(wanted.principal, "key", wanted.key) if wanted.key else f"conv_{self._new_id()}"
        return await self._start(request, wanted, thread_id=new, after=0, create=True)

    def _frames(self, body: NewResponse, running: RunningTurn) -> ResponseFrames:
        id_, item, number = f"resp_{self._new_id()}", f"msg_{self._new_id()}", running.turn_number
        if running.thread_id and running.run_id and number:
            id_ = str(ResponseId(number, run_digest(running.run_id).hex(), running.thread_id))
            item = f"msg_{number}_assistant"
        now, model = self._now() // 1000, body.model or default_agent(self._settings.default_agent)
        given = {"previous_response_id": body.previous_response_id, "metadata": body.metadata}
        return ResponseFrames(id_, now, model, item, running.thread_id, **given)

    def read(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        turn = self._turn(response_id, request, caller)
        item = f"msg_{turn.number}_assistant"
        frames = ResponseFrames(response_id, int(turn.created_at), turn.agent, item, turn.thread_id)
        return JSONResponse(frames.whole(turn))

    def delete(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        """Delete the response with its thread, which must have no other turn."""
        thread_id = str(self._turn(response_id, request, caller).thread_id)
        if self._store.threads.read(caller, thread_id).turn_count != 1:
            raise UnsupportedParameter("response_id", ONLY_WHOLE)
        self._store.threads.delete(caller, thread_id)
        return JSONResponse({"id": response_id, "object": "response", "deleted": True})

    def input_items(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        return _list(items_of(self._turn(response_id, request, caller))[:1])

    def _turn(self, response_id: str, request: Request, caller: Principal) -> Turn:
        named = read_response_id(response_id)
        name_thread(request, named.thread_id)
        return named.check(self._store.turns.read(caller, named.thread_id, named.number))


class ConversationRoutes(OpenAIRoutes):
    def register(self, add: Callable[..., None]) -> None:
        add("/v1/conversations", self.create, methods=["POST"])
        add(CONVERSATION, self.read, methods=["GET"])
        add(CONVERSATION, self.change, methods=["POST"])
        add(CONVERSATION, self.delete, methods=["DELETE"])
        add(f"{CONVERSATION}/items", self.items, methods=["GET"])
        add(ITEM, self.item, methods=["GET"])

    def create(self, caller: Caller, body: NewConversation | None = None) -> JSONResponse:
        if body and body.items:
            raise UnsupportedParameter("items", ONLY_RUNS_ADD)
        metadata = body.metadata if body else None
        return _view(self._store.threads.create(caller, f"conv_{self._new_id()}", metadata=metadata))

    def read(self, thread_id: Id, caller: Caller) -> JSONResponse:
        return _view(self._store.threads.read(caller, thread_id))

    def change(self, thread_id: Id, body: NewConversation, caller: Caller) -> JSONResponse:
        """Replace all metadata. Keys that are not sent are removed, as OpenAI does."""
        old = dict.fromkeys(self._store.threads.read(caller, thread_id).metadata)
        return _view(self._store.threads.update(caller, thread_id, {**old, **(body.metadata or {})}))

    def delete(self, thread_id: Id, caller: Caller) -> JSONResponse:
        self._store.threads.delete(caller, thread_id)
        return JSONResponse({"id": thread_id, "object": "conversation.deleted", "deleted": True})

    def items(
        self,
        thread_id: Id,
        caller: Caller,
        after: str | None = None,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
        order: Literal["asc", "desc"] = "desc",
    ) -> JSONResponse:
        number, wanted = _place(after)[0] if after else 0, limit // 2 + 2
        before = (number or 1) + wanted if order == "asc" else number + 1 if after else MAX_TURN_NUMBER
        turns = self._store.turns.newest(caller, thread_id, limit=wanted, before=min(before, MAX_TURN_NUMBER))
        items = [item for turn in turns for item in items_of(turn)]
        items = items[:: 1 if order == "asc" else -1]
        start = next((index + 1 for index, item in enumerate(items) if item["id"] == after), 0)
        shown, is_cut = fitting(items[start : start + limit])
        return _list(shown, has_more=is_cut or len(items) > start + limit)

    def item(self, thread_id: Id, item_id: str, caller: Caller) -> JSONResponse:
        number, index = _place(item_id)
        return JSONResponse(items_of(self._store.turns.read(caller, thread_id, number))[index])


def _place(item: str) -> tuple[int, int]:
    """Return the number of the turn and the index of the item in it; raise NotFound."""
    found = _ITEM.fullmatch(item)
    if found is None:
        raise NotFound("The item does not exist in this conversation.")
    return int(found[1]), ("user", "assistant").index(found[2])


def _view(thread: Thread) -> JSONResponse:
    metadata = {name: str(value) for name, value in thread.metadata.items()}
    facts: JSON = {"id": thread.thread_id, "object": "conversation", "created_at": int(thread.created_at)}
    return JSONResponse({**facts, "metadata": metadata})


def _list(items: list[JSON], *, has_more: bool = False) -> JSONResponse:
    first, last = (items[0]["id"], items[-1]["id"]) if items else ("", "")
    return JSONResponse({"object": "list", "data": items, "first_id": first, "last_id": last, "has_more": has_more})
