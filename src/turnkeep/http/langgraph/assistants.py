"""Assistants: one per agent, under its name or the id that LangGraph's server gives a graph of that name."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from fastapi import Response
from pydantic import Field

from turnkeep.entries import entries
from turnkeep.errors import InvalidId, InvalidRequest, NotFound, UnknownAgent
from turnkeep.http.langgraph.bodies import Body
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import AgentName, Metadata
from turnkeep.http.views import assistant_id
from turnkeep.records import JSON, iso

_STARTED = iso(datetime.now(UTC).timestamp())


class AssistantSearch(Body):
    graph_id: AgentName | None = None
    name: AgentName | None = None
    metadata: Metadata | None = None
    limit: int = Field(10, ge=1, le=1000)
    offset: int = Field(0, ge=0)
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None


def agent_of(named: str) -> str:
    """Return the agent of an assistant id; raise NotFound for an unknown one. Names are returned unchecked."""
    if found := next((name for name in entries() if assistant_id(name) == named), None):
        return found
    try:
        UUID(named)
    except ValueError:
        return named
    raise NotFound("The assistant does not exist. `POST /assistants/search` lists the assistants.")


def _known(named: str) -> str:
    """Return the agent; raise NotFound, or InvalidId for a text that is neither a name nor an id."""
    name = agent_of(named)
    if name not in entries():
        raise InvalidId("assistant_id: Send the name of an agent or the id of an assistant.")
    return name


def _view(agent: str) -> JSON:
    return {
        "assistant_id": assistant_id(agent),
        "graph_id": agent,
        "config": {},
        "context": {},
        "metadata": {"created_by": "system"},
        "name": agent,
        "created_at": _STARTED,
        "updated_at": _STARTED,
        "version": 1,
        "description": entries()[agent].description or None,
    }


class AssistantRoutes(Routes):
    def register(self, add: Callable[..., None]) -> None:
        add("/assistants/search", self.search, methods=["POST"])
        add("/assistants/count", self.count, methods=["POST"])
        add("/assistants/{assistant_id}", self.read, methods=["GET"])
        add("/assistants/{assistant_id}/graph", self.graph, methods=["GET"])
        add("/assistants/{assistant_id}/schemas", self.schemas, methods=["GET"])
        add("/assistants/{assistant_id}/subgraphs", self.subgraphs, methods=["GET"])
        add("/assistants/{assistant_id}/subgraphs/{namespace}", self.subgraphs, methods=["GET"])

    async def search(self, response: Response, body: AssistantSearch | None = None) -> list[JSON]:
        wanted = body or AssistantSearch()
        found = _find(wanted)
        response.headers["X-Pagination-Total"] = str(len(found))
        return found[wanted.offset : wanted.offset + wanted.limit]

    async def count(self, body: AssistantSearch | None = None) -> int:
        return len(_find(body or AssistantSearch()))

    async def read(self, assistant_id: str) -> JSON:
        return _view(_known(assistant_id))

    def graph(self, assistant_id: str, xray: str = "false") -> JSON:
        depth = {"true": True, "false": False}.get(xray.lower())
        if depth is None and not (xray.isdecimal() and 0 < int(xray[:4]) < 100):
            raise InvalidRequest("xray: Send true, false or a depth from 1 to 99.")
        return self._turns.drawing(_known(assistant_id)).as_json(xray=int(xray) if depth is None else depth)

    def schemas(self, assistant_id: str) -> JSON:
        name = _known(assistant_id)
        return {"graph_id": name, **self._turns.drawing(name).schemas()}

    def subgraphs(self, assistant_id: str, namespace: str | None = None, *, recurse: bool = False) -> JSON:
        return self._turns.drawing(_known(assistant_id)).subgraphs(namespace, recurse=recurse)


def _find(wanted: AssistantSearch) -> list[JSON]:
    if wanted.graph_id and wanted.graph_id not in entries():
        raise NotFound(UnknownAgent.advice)
    views = [_view(name) for name in entries() if wanted.graph_id in (None, name) and (wanted.name or "") in name]
    views.sort(key=lambda view: view[wanted.sort_by or "name"], reverse=wanted.sort_order == "desc")
    return [view for view in views if (wanted.metadata or {}).items() <= view["metadata"].items()]
