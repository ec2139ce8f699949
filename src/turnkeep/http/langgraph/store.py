"""The caller's store across threads: LangGraph's SDKs put, read, search and delete items."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Response
from pydantic import AfterValidator, Field

from turnkeep.errors import InvalidRequest
from turnkeep.http.auth import Caller
from turnkeep.http.routes import Routes
from turnkeep.http.schemas import LenientRequest
from turnkeep.records import JSON, iso

_LABELS = "namespace: Send a list of labels that are not empty and hold no period or NUL."


def _check_labels(labels: list[str]) -> list[str]:
    if not all(label and not {".", "\0"} & {*label} for label in labels):
        raise InvalidRequest(_LABELS)
    return labels


Namespace = Annotated[list[str], AfterValidator(_check_labels)]
Key = Annotated[str, Field(min_length=1)]
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]


class ItemKey(LenientRequest):
    namespace: Namespace
    key: Key


class Put(ItemKey):
    value: dict[str, Any]
    index: Literal[False] | list[str] | None = None
    ttl: float | None = Field(None, gt=0, le=10 * 366 * 24 * 60, description="minutes")


class Search(LenientRequest):
    namespace_prefix: Namespace
    filter: dict[str, Any] | None = None
    limit: Limit | None = None
    offset: Offset | None = None
    query: str | None = None
    refresh_ttl: bool | None = None


class Listing(LenientRequest):
    prefix: Namespace | None = None
    suffix: Namespace | None = None
    max_depth: int | None = Field(None, ge=1)
    limit: Limit = 100
    offset: Offset = 0


class StoreRoutes(Routes):
    """Routes run in threads, because a caller's memory may be slow the first time."""

    def register(self, add: Callable[..., None]) -> None:
        add("/store/items", self.put, methods=["PUT"], status_code=204)
        add("/store/items", self.read, methods=["GET"])
        add("/store/items", self.delete, methods=["DELETE"], status_code=204)
        add("/store/items/search", self.search, methods=["POST"])
        add("/store/namespaces", self.namespaces, methods=["POST"])

    def put(self, body: Put, caller: Caller) -> None:
        if not body.namespace:
            raise InvalidRequest(_LABELS)
        if body.namespace[0] in ("langgraph", "turnkeep"):
            raise InvalidRequest(
                "namespace: `langgraph` and `turnkeep` are reserved as first labels. Choose another one."
            )
        more: Any = {"ttl": body.ttl} if body.ttl is not None else {}
        self._services.stores(caller).put(tuple(body.namespace), body.key, body.value, index=body.index, **more)

    def read(self, caller: Caller, key: Key, namespace: str = "", refresh_ttl: bool | None = None) -> JSON | None:
        """Return an item. `namespace` is its labels joined by periods."""
        labels = tuple(_check_labels(namespace.split(".")))
        item = self._services.stores(caller).get(labels, key, refresh_ttl=refresh_ttl)
        return None if item is None else _view(item)

    def delete(self, body: ItemKey, caller: Caller) -> None:
        self._services.stores(caller).delete(tuple(body.namespace), body.key)

    def search(self, body: Search, caller: Caller) -> Response:
        prefix, limit, offset = tuple(body.namespace_prefix), body.limit or 10, body.offset or 0
        more: Any = {"filter": body.filter, "query": body.query, "refresh_ttl": body.refresh_ttl}
        found = self._services.stores(caller).search(prefix, limit=limit, offset=offset, **more)
        views = [_view(item) | {"score": item.score} for item in found]
        return Response(json.dumps({"items": views}, ensure_ascii=False), media_type="application/json")

    def namespaces(self, caller: Caller, body: Listing | None = None) -> JSON:
        wanted = body or Listing()
        page = wanted.model_dump(include={"max_depth", "limit", "offset"})
        prefix, suffix = tuple(wanted.prefix or ()), tuple(wanted.suffix or ())
        return {"namespaces": self._services.stores(caller).list_namespaces(prefix=prefix, suffix=suffix, **page)}


def _view(item: Any) -> JSON:
    times = {name: iso(getattr(item, name).timestamp()) for name in ("created_at", "updated_at")}
    return {"namespace": list(item.namespace), "key": item.key, "value": item.value, **times}
