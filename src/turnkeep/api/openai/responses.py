"""/v1/responses: a response is a turn. `conversation` names its thread, `previous_response_id` the turn that it comes
after; with neither it begins a thread, unless it is not to be stored."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import JSONResponse, Response

from turnkeep.api.auth import Caller, name_thread
from turnkeep.api.openai.bodies import NewResponse, Said, read_messages
from turnkeep.api.openai.errors import UnsupportedParameter
from turnkeep.api.openai.ids import ResponseId
from turnkeep.api.openai.response_views import Answer, items_of, listed
from turnkeep.api.openai.runs import Starter, key_of, repeat_of
from turnkeep.records import Principal, Turn
from turnkeep.turns import TurnRequest

if TYPE_CHECKING:
    from turnkeep.services import Services
    from turnkeep.turns import RunningTurn

ONE = "/v1/responses/{response_id}"
NO_DELETE = "Other turns hang on it; DELETE /v1/conversations/{id} takes the whole conversation away."


class ResponseRoutes:
    def __init__(self, services: "Services", starter: Starter, new_id: Callable[[], str]) -> None:
        self._table = services.table
        self._now = services.turns.budget.now
        self._starter = starter
        self._new_id = new_id
        self._default_agent = services.settings.default_agent

    def register(self, add: Callable[..., None]) -> None:
        add("/v1/responses", self.create, methods=["POST"])
        add(ONE, self.read, methods=["GET"])
        add(ONE, self.delete, methods=["DELETE"])
        add(f"{ONE}/input_items", self.input_items, methods=["GET"])

    async def create(self, body: NewResponse, request: Request, caller: Caller) -> Response:
        unused = body.check()
        items = [{"role": "user", "content": body.input}] if isinstance(body.input, str) else body.input
        said = read_messages(items, "input")
        warnings = tuple(dict.fromkeys((*unused, *said.warnings)))
        wanted = TurnRequest(
            principal=caller,
            message=said.message,
            agent=body.model,
            key=key_of(request),
            deadline=getattr(request.state, "deadline", None),
            warnings=warnings,
            call=said.call,
        )
        running = await self._start(body, said, request, wanted)
        answer = self._answer(body, running)
        frames = answer.frames() if body.stream else None
        return await self._starter.answer(running, whole=answer.whole, frames=frames, warnings=warnings)

    async def _start(self, body: NewResponse, said: Said, request: Request, wanted: TurnRequest) -> "RunningTurn":
        if body.previous_response_id is not None:
            return await self._starter.start_after(request, wanted, ResponseId.read(body.previous_response_id))
        if body.thread_id is not None:
            return await self._starter.start(request, wanted, thread_id=body.thread_id, repeat=repeat_of(request))
        if body.store is False:
            return await self._starter.start(request, wanted)
        return await self._starter.start_new(request, wanted, said.messages)

    def _answer(self, body: NewResponse, running: "RunningTurn") -> Answer:
        id_, item = f"resp_{self._new_id()}", f"msg_{self._new_id()}"
        if running.thread_id and running.run_id and running.turn_number:
            id_ = str(ResponseId.of(running.thread_id, running.turn_number, running.run_id))
            item = f"msg_{running.turn_number}_assistant"
        given = {"previous_response_id": body.previous_response_id, "metadata": body.metadata or {}}
        model = body.model or self._default_agent
        return Answer(id_, self._now() // 1000, model, item, running.thread_id, **given)

    def read(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        if request.query_params.get("stream") == "true":
            raise UnsupportedParameter("stream", "What is complete is not streamed again.")
        turn = self._turn(response_id, request, caller)
        item = f"msg_{turn.number}_assistant"
        return JSONResponse(Answer(response_id, int(turn.created_at), turn.agent, item, turn.thread_id).whole(turn))

    def delete(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        """Where its thread holds no other turn, with the thread."""
        thread_id = str(self._turn(response_id, request, caller).thread_id)
        if self._table.read_thread(caller, thread_id).turn_count != 1:
            raise UnsupportedParameter("response_id", NO_DELETE)
        self._table.delete_thread(caller, thread_id)
        return JSONResponse({"id": response_id, "object": "response", "deleted": True})

    def input_items(self, response_id: str, request: Request, caller: Caller) -> JSONResponse:
        return JSONResponse(listed(items_of(self._turn(response_id, request, caller))[:1]))

    def _turn(self, response_id: str, request: Request, caller: Principal) -> Turn:
        named = ResponseId.read(response_id)
        name_thread(request, named.thread_id)
        return named.check(self._table.read_turn(caller, named.thread_id, named.number))
