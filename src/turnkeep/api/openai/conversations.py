"""/v1/conversations: a conversation is a thread, under the thread's own id, and its items are the messages and replies
of its turns."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Query
from starlette.responses import JSONResponse

from turnkeep.api.auth import Caller
from turnkeep.api.openai.bodies import NewConversation
from turnkeep.api.openai.errors import UnsupportedParameter
from turnkeep.api.openai.response_views import items_of, listed
from turnkeep.api.schemas import MAX_TURN_NUMBER, Id
from turnkeep.errors import NotFound
from turnkeep.records import JSON, Thread

if TYPE_CHECKING:
    from turnkeep.services import Services

ONE = "/v1/conversations/{thread_id}"
ONLY_RUNS_ADD = "Only a response adds to a conversation: send them as `input` of the next one."
_ITEM = re.compile(r"msg_(\d{1,8})_(user|assistant)", re.ASCII)


class ConversationRoutes:
    def __init__(self, services: "Services", new_id: Callable[[], str]) -> None:
        self._table = services.table
        self._new_id = new_id

    def register(self, add: Callable[..., None]) -> None:
        add("/v1/conversations", self.create, methods=["POST"])
        add(ONE, self.read, methods=["GET"])
        add(ONE, self.change, methods=["POST"])
        add(ONE, self.delete, methods=["DELETE"])
        add(f"{ONE}/items", self.items, methods=["GET"])
        add(f"{ONE}/items/{{item}}", self.item, methods=["GET"])

    def create(self, caller: Caller, body: NewConversation | None = None) -> JSONResponse:
        wanted = body or NewConversation()
        if wanted.items:
            raise UnsupportedParameter("items", ONLY_RUNS_ADD)
        return _shown(self._table.create_thread(caller, f"conv_{self._new_id()}", metadata=wanted.kept()))

    def read(self, thread_id: Id, caller: Caller) -> JSONResponse:
        return _shown(self._table.read_thread(caller, thread_id))

    def change(self, thread_id: Id, body: NewConversation, caller: Caller) -> JSONResponse:
        """The metadata as a whole, as OpenAI has it: a key that is not sent goes."""
        old = dict.fromkeys(self._table.read_thread(caller, thread_id).metadata)
        return _shown(self._table.update_thread(caller, thread_id, {**old, **body.kept()}))

    def delete(self, thread_id: Id, caller: Caller) -> JSONResponse:
        self._table.delete_thread(caller, thread_id)
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
        turns = self._table.read_turns(caller, thread_id, limit=wanted, before=min(before, MAX_TURN_NUMBER))
        items = [item for turn in turns for item in items_of(turn)]
        items = items[:: 1 if order == "asc" else -1]
        start = next((index + 1 for index, item in enumerate(items) if item["id"] == after), 0)
        return JSONResponse(listed(items[start : start + limit], has_more=len(items) > start + limit))

    def item(self, thread_id: Id, item: str, caller: Caller) -> JSONResponse:
        number, index = _place(item)
        return JSONResponse(items_of(self._table.read_turn(caller, thread_id, number))[index])


def _place(item: str) -> tuple[int, int]:
    """The number of the turn, and which of its items it is. Raises NotFound."""
    found = _ITEM.fullmatch(item)
    if found is None:
        raise NotFound("The conversation has no such item.")
    return int(found[1]), ("user", "assistant").index(found[2])


def _shown(thread: Thread) -> JSONResponse:
    told = {name: str(value) for name, value in thread.metadata.items()}
    facts: JSON = {"id": thread.thread_id, "object": "conversation", "created_at": int(thread.created_at)}
    return JSONResponse({**facts, "metadata": told})
