"""The OpenAPI document, corrected where FastAPI lacks the facts: our problems, and streams event by event."""

from typing import Any

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from turnkeep.api.internal import PATH as INTERNAL_PATH
from turnkeep.api.views import Problem
from turnkeep.records import JSON

REFERENCE = "#/components/schemas/{model}"


def _event(description: str, data: str, **others: JSON) -> JSON:
    told = {"type": "string", "contentMediaType": "application/json", "description": data}
    properties = {**others, "data": told}
    return {"type": "object", "description": description, "required": list(properties), "properties": properties}


EVENT = _event(
    "One server-sent event; exactly one `complete` or `error` comes last.",
    "An object that repeats `event`: of `complete` the turn, of `error` the problem.",
    event={"type": "string", "description": "route_decision, tool_start, node, token, custom, complete, error"},
    id={"type": "string", "description": "counts from 1"},
)
INTERNAL_EVENT = _event(
    "A `data:` line and an empty one; the last event is `complete` or `error`, and there is just one.",
    "An object whose `event` is route_decision, tool_start, token, complete or error.",
)


def describe(title: str, version: str, routes: list[BaseRoute]) -> JSON:
    document = get_openapi(title=title, version=version, routes=routes)
    schemas: dict[str, Any] = document["components"]["schemas"]
    problem = Problem.model_json_schema(ref_template=REFERENCE)
    schemas |= problem.pop("$defs") | {"Problem": problem}
    for path, operations in document["paths"].items():
        event = INTERNAL_EVENT if path == INTERNAL_PATH else EVENT
        for operation in operations.values():
            content = operation["responses"].get("200", {}).get("content", {})
            if "text/event-stream" in content:
                content["text/event-stream"] = {"itemSchema": event}
    return document
