"""Every error is sent as application/problem+json, made only here. No answer quotes the request; it names fields."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match, Route

from turnkeep import errors
from turnkeep.errors import TurnkeepError
from turnkeep.observability import correlation_id, logger, place
from turnkeep.observability.faults import note
from turnkeep.records import JSON

MAX_LISTED_ERRORS = 10
PROBLEM = "application/problem+json"
OWN_WORDS = "turnkeep"  # type of the validation errors that schemas.py words itself

_NO_ROUTE = "No route has this path; /openapi.json lists them."
_FIELD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ADVICE = {
    "missing": "Add this field.",
    "extra_forbidden": "Remove this field; the route does not know it.",
    "string_type": "Send a string.",
    "string_too_long": "Send at most {max_length} characters.",
    "list_type": "Send a list.",
    "too_long": "Send at most {max_length}.",
    "bool_type": "Send true or false.",
    "float_type": "Send a number.",
    "int_type": "Send a whole number.",
    "int_parsing": "Send a whole number.",
    "int_from_float": "Send a whole number.",
    "dict_type": "Send a JSON object.",
    "model_type": "Send a JSON object.",
    "model_attributes_type": "Send a JSON object.",
    "literal_error": "Send one of {expected}.",
    "greater_than_equal": "Send at least {ge}.",
    "less_than_equal": "Send at most {le}.",
}


def as_problem(error: TurnkeepError) -> JSON:
    """Return the problem as RFC 9457 has it, with `code` for programs and `correlation_id` for readers of the logs."""
    return {
        "type": f"urn:turnkeep:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "correlation_id": correlation_id(),
        **({"resets_at": error.resets_at} if isinstance(error, errors.OverLimit) and error.resets_at else {}),
    }


def respond(error: TurnkeepError, **more: Any) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else {}
    headers |= {"Connection": "close"} if isinstance(error, errors.BodyTimeout) else {}
    return JSONResponse({**as_problem(error), **more}, error.status, headers, media_type=PROBLEM)


async def _on_known(_: Request, error: TurnkeepError) -> JSONResponse:
    note(error)
    return respond(error)


async def _on_unknown(_: Request, error: Exception) -> JSONResponse:
    """Return a 500 without details; class and place are logged."""
    logger.error("unexpected exception", error=type(error).__name__, place=place(error))
    internal = errors.InternalError()
    note(internal)
    return respond(internal)


async def _on_validation(_: Request, error: RequestValidationError) -> JSONResponse:
    faults = error.errors()
    listed = [{"field": _field(fault["loc"]), "advice": _advice(fault)} for fault in faults[:MAX_LISTED_ERRORS]]
    first = f"{listed[0]['field']}: {listed[0]['advice']}" if listed else None
    return respond(errors.InvalidRequest(first), errors=listed)


async def _on_routing(request: Request, error: HTTPException) -> JSONResponse:
    if error.status_code == 405:  # Starlette would list only the methods of the first route
        routes = [route for route in request.app.router.routes if isinstance(route, Route)]
        fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
        answer = respond(errors.MethodNotAllowed())
        answer.headers["Allow"] = ", ".join(sorted({method for route in fitting for method in route.methods or ()}))
        return answer
    return respond(errors.NotFound(_NO_ROUTE) if error.status_code == 404 else errors.BadRequest())


HANDLERS: Mapping[Any, Any] = {
    TurnkeepError: _on_known,
    RequestValidationError: _on_validation,
    HTTPException: _on_routing,
    Exception: _on_unknown,
}


def _field(path: Sequence[str | int]) -> str:
    """Return the invalid field. A name that the caller invented appears only if it is harmless to repeat."""
    return ".".join(name if _FIELD.fullmatch(name) else "?" for name in map(str, path))


def _advice(fault: Mapping[str, Any]) -> str:
    if fault["type"] == OWN_WORDS:
        return str(fault["msg"])
    wording = _ADVICE.get(fault["type"], "Compare this field with the schema at /openapi.json.")
    return wording.format(**fault.get("ctx", {}))


def problems(*kinds: type[TurnkeepError]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route for the OpenAPI document: one entry a status, with its codes."""
    by_status: dict[int | str, list[str]] = {}
    for kind in kinds:
        by_status.setdefault(kind.status, []).append(kind.code)
    return {status: _described(codes) for status, codes in by_status.items()}


def _described(codes: Iterable[str]) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": " or ".join(f"`{code}`" for code in codes), "content": {PROBLEM: {"schema": schema}}}
