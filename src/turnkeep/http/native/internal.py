"""POST /internal/chat/stream for the agent `database`, in the format of seed 003: five events as `data:` lines."""

from collections.abc import Mapping
from itertools import chain, count
from typing import Any

from fastapi import APIRouter, Request

from turnkeep.http.auth import act_for, name_thread
from turnkeep.http.native.turns import RUN, Key, replay_headers
from turnkeep.http.routes import Routes, problems
from turnkeep.http.schemas import InternalChat
from turnkeep.http.sse import EventId, RunStream, compact
from turnkeep.records import JSON, Turn
from turnkeep.turns import TurnRequest

PATH = "/internal/chat/stream"
TOOLS = {"sql": "sql_agent", "manual": "rag_agent", "general": "general_agent"}


class InternalRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        kind, known = RunStream, problems(*RUN)
        router.add_api_route(PATH, self.chat, methods=["POST"], response_class=kind, status_code=200, responses=known)

    async def chat(self, body: InternalChat, key: Key, request: Request) -> RunStream:
        """Run the agent `database` on the conversation's thread, which is created if it does not exist."""
        conversation = body.conversation
        principal = act_for(request, conversation.user_id, conversation.company_id)
        name_thread(request, conversation.id)
        wanted = TurnRequest(
            principal=principal,
            message=body.input.message,
            thread_id=conversation.id,
            agent="database",
            key=key,
            create=True,
            streamed=True,
            deadline=getattr(request.state, "deadline", None),
        )
        running = await self._turns.start(wanted)
        seconds = self._settings.turn.heartbeat_seconds
        return await RunStream(running, _frame, headers=replay_headers(running), heartbeat_seconds=seconds).opened()


def rows_of(details: Mapping[str, Any]) -> list[JSON]:
    """Return the rows of a turn as objects. Repeated column names get a number from 2."""
    names: list[str] = []
    for column in details.get("columns", ()):
        numbered = (f"{column}_{number}" for number in count(2))
        names.append(next(name for name in chain([column], numbered) if name not in names))
    return [dict(zip(names, row, strict=True)) for row in details.get("rows", ())]


def _frame(_: EventId, name: str, data: Mapping[str, Any]) -> bytes:
    """Return an event as a `data:` line; empty for events that the seed does not have."""
    match name:
        case "route_decision":
            route = data.get("route")
            fields: JSON = {"route": "sql" if route == "clarify" else route}  # the seed has no "clarify"
        case "tool_start":
            fields = {"tool": TOOLS.get(data.get("tool", ""), data.get("tool"))}
        case "token":
            fields = {"channel": "final", "content": data["content"]}
        case "complete":
            turn: Turn = data["turn"]
            fields = {
                "stats": {"tokens": turn.usage.output_tokens},
                "data": rows_of(turn.details),
                "persisted": turn.persisted,
                "turn_number": turn.number or None,
                "conversation": {"id": turn.thread_id},
            }
        case "error":
            fields = dict(data)
        case _:
            return b""
    return f"data: {compact({'event': name, **fields})}\n\n".encode(errors="replace")
