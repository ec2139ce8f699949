"""Assistants: one per agent, under its name or the id that LangGraph's server gives a graph of that name, and those
that users create, which are configurations of an agent in their own memory."""

from collections.abc import Callable
from time import time
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Body, Response
from pydantic import AfterValidator, Field

from turnkeep.entries import entries
from turnkeep.errors import Conflict, InvalidId, InvalidRequest, NotFound, UnknownAgent
from turnkeep.http.auth import Caller
from turnkeep.http.langgraph.bodies import Config, RunId
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import AgentName, LenientRequest, Metadata
from turnkeep.http.views import assistant_id
from turnkeep.records import JSON, iso

NAMESPACE = ("turnkeep", "assistants")
_STARTED = iso(time())


def _check_graph(name: str) -> str:
    if name not in entries():
        raise NotFound(UnknownAgent.advice)
    return name


GraphId = Annotated[AgentName, AfterValidator(_check_graph)]


class Versions(LenientRequest):
    metadata: dict[str, Any] | None = None
    limit: int = Field(10, ge=1, le=1000)
    offset: int = Field(0, ge=0)

    def matching(self, found: list[JSON]) -> list[JSON]:
        return [each for each in found if (self.metadata or {}).items() <= each["metadata"].items()]

    def page(self, found: list[JSON]) -> list[JSON]:
        return found[self.offset : self.offset + self.limit]


class AssistantSearch(Versions):
    metadata: Metadata | None = None
    graph_id: GraphId | None = None
    name: AgentName | None = None
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None


class AssistantChange(LenientRequest):
    graph_id: GraphId | None = None
    config: Config | None = None
    context: dict[str, Any] | None = None
    metadata: Metadata | None = None
    name: Annotated[str, Field(max_length=256)] | None = None
    description: Annotated[str, Field(max_length=4096)] | None = None


class AssistantCreation(AssistantChange):
    graph_id: GraphId
    assistant_id: RunId | None = None
    if_exists: Literal["raise", "do_nothing"] | None = None


def agent_of(named: str) -> str | None:
    """Return the agent of an assistant id, None for that of a created assistant. Names are returned unchecked."""
    if found := next((name for name in entries() if assistant_id(name) == named), None):
        return found
    try:
        UUID(named)
    except ValueError:
        return named
    return None


def created(memory: Any, named: str) -> JSON:
    """Return the `latest` and all `versions` of an assistant in a user's memory, newest first. Raise NotFound."""
    item = memory.get(NAMESPACE, named)
    if item is None:
        raise NotFound("The assistant does not exist. `POST /assistants/search` lists the assistants.")
    return dict(item.value)


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
        add("/assistants", self.create, methods=["POST"])
        add("/assistants/{assistant_id}", self.update, methods=["PATCH"])
        add("/assistants/{assistant_id}", self.delete, methods=["DELETE"])
        add("/assistants/{assistant_id}/versions", self.versions, methods=["POST"])
        add("/assistants/{assistant_id}/latest", self.choose, methods=["POST"])
        add("/assistants/search", self.search, methods=["POST"])
        add("/assistants/count", self.count, methods=["POST"])
        add("/assistants/{assistant_id}", self.read, methods=["GET"])
        add("/assistants/{assistant_id}/graph", self.graph, methods=["GET"])
        add("/assistants/{assistant_id}/schemas", self.schemas, methods=["GET"])
        add("/assistants/{assistant_id}/subgraphs", self.subgraphs, methods=["GET"])
        add("/assistants/{assistant_id}/subgraphs/{namespace}", self.subgraphs, methods=["GET"])

    def create(self, caller: Caller, body: AssistantCreation) -> JSON:
        named = body.assistant_id or self._new_id()
        if agent_of(named) or self._services.stores(caller).get(NAMESPACE, named):
            if body.if_exists == "do_nothing":
                return self.read(caller, named)
            raise Conflict('The assistant exists. Choose another id, or send `"if_exists": "do_nothing"`.')
        made = _view(body.graph_id) | {"assistant_id": named, "metadata": {}, "created_at": iso(time())}
        return self._keep(caller, [], made, body)

    def update(self, caller: Caller, assistant_id: str, body: AssistantChange) -> JSON:
        """Make another version. Fields that are left out stay, and `metadata` is merged."""
        stored = self._created(caller, assistant_id)
        return self._keep(caller, stored["versions"], stored["latest"], body)

    def _keep(self, caller: Caller, versions: list[JSON], before: JSON, body: AssistantChange) -> JSON:
        change = body.model_dump(exclude_none=True, exclude={"assistant_id", "if_exists"})
        change["metadata"] = {**before["metadata"], **change.get("metadata", {})}
        number = versions[0]["version"] + 1 if versions else 1
        made = {**before, **change, "version": number, "updated_at": iso(time())}
        return self._put(caller, made, [made, *versions][:10])

    def _put(self, caller: Caller, latest: JSON, versions: list[JSON]) -> JSON:
        value = {"latest": latest, "versions": versions}
        self._services.stores(caller).put(NAMESPACE, latest["assistant_id"], value, index=False)
        return latest

    def delete(self, caller: Caller, assistant_id: str) -> None:
        self._created(caller, assistant_id)
        self._services.stores(caller).delete(NAMESPACE, assistant_id)

    def versions(self, caller: Caller, assistant_id: str, body: Versions | None = None) -> list[JSON]:
        wanted, found = body or Versions(), self._created(caller, assistant_id)["versions"]
        return wanted.page(wanted.matching(found))

    def choose(self, caller: Caller, assistant_id: str, version: Annotated[int, Body(embed=True, strict=True)]) -> JSON:
        versions = self._created(caller, assistant_id)["versions"]
        for each in versions:
            if each["version"] == version:
                return self._put(caller, each, versions)
        raise NotFound("The assistant has no such version. `POST .../versions` lists its versions.")

    def _created(self, caller: Caller, named: str) -> JSON:
        if agent_of(named):
            raise InvalidRequest("This assistant is an agent of the deployment. Create one with its `graph_id`.")
        return created(self._services.stores(caller), named)

    def read(self, caller: Caller, assistant_id: str) -> JSON:
        """Return the assistant; raise NotFound, or InvalidId for a text that is neither a name nor an id."""
        name = agent_of(assistant_id)
        if name is None:
            return dict(created(self._services.stores(caller), assistant_id)["latest"])
        if name not in entries():
            raise InvalidId("assistant_id: Send the name of an agent or the id of an assistant.")
        return _view(name)

    def search(self, caller: Caller, response: Response, body: AssistantSearch | None = None) -> list[JSON]:
        wanted = body or AssistantSearch()
        found = self._all(caller, wanted)
        response.headers["X-Pagination-Total"] = str(len(found))
        return wanted.page(found)

    def count(self, caller: Caller, body: AssistantSearch | None = None) -> int:
        return len(self._all(caller, body or AssistantSearch()))

    def _all(self, caller: Caller, wanted: AssistantSearch) -> list[JSON]:
        items = self._services.stores(caller).search(NAMESPACE, limit=1000)
        views = [*map(_view, entries()), *(item.value["latest"] for item in items)]
        views = [view for view in views if wanted.graph_id in (None, view["graph_id"])]
        views = [view for view in views if (wanted.name or "") in view["name"]]
        views.sort(key=lambda view: view[wanted.sort_by or "name"], reverse=wanted.sort_order == "desc")
        return wanted.matching(views)

    def graph(self, caller: Caller, assistant_id: str, xray: str = "false") -> JSON:
        depth = {"true": True, "false": False}.get(xray.lower())
        if depth is None and not (xray.isdecimal() and 0 < int(xray[:4]) < 100):
            raise InvalidRequest("xray: Send true, false or a depth from 1 to 99.")
        drawing = self._turns.drawing(self.read(caller, assistant_id)["graph_id"])
        return drawing.as_json(xray=int(xray) if depth is None else depth)

    def schemas(self, caller: Caller, assistant_id: str) -> JSON:
        name = self.read(caller, assistant_id)["graph_id"]
        return {"graph_id": name, **self._turns.drawing(name).schemas()}

    def subgraphs(
        self, caller: Caller, assistant_id: str, namespace: str | None = None, *, recurse: bool = False
    ) -> JSON:
        drawing = self._turns.drawing(self.read(caller, assistant_id)["graph_id"])
        return drawing.subgraphs(namespace, recurse=recurse)
