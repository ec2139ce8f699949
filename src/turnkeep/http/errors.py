"""Every error as application/problem+json. Errors name fields of the request but never quote it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match, Route

from turnkeep import errors
from turnkeep.errors import TurnkeepError
from turnkeep.observability import correlation_id, logger, note, place
from turnkeep.records import JSON

PROBLEM = "application/problem+json"
OWN_ADVICE = "turnkeep"  # type of validation errors whose message is the advice

_NO_ROUTE = "No route has this path. `/openapi.json` lists the routes."
_FIELD = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ADVICE = {
    "missing": "This field is required.",
    "extra_forbidden": "This field is not supported. Remove it.",
    "string_type": "Send a string.",
    "string_too_long": "Send at most {max_length} characters.",
    "list_type": "Send a list.",
    "too_long": "Send at most {max_length}.",
    "bool_type": "Send true or false.",
    "float_type": "Send a number.",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "Send a whole number."),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "Send a JSON object."),
    "literal_error": "Send one of {expected}.",
    "greater_than_equal": "Send at least {ge}.",
    "less_than_equal": "Send at most {le}.",
}


def as_problem(error: TurnkeepError) -> JSON:
    """Return the problem document of RFC 9457."""
    return {
        "type": f"urn:turnkeep:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "correlation_id": correlation_id(),
        **({"resets_at": error.resets_at} if error.resets_at else {}),
    }


def respond(error: TurnkeepError, **more: Any) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else {}
    headers |= {"Connection": "close"} if isinstance(error, errors.BodyTimeout) else {}
    return JSONResponse({**as_problem(error), **more}, error.status, headers, media_type=PROBLEM)


async def _on_known(_: Request, error: TurnkeepError) -> JSONResponse:
    note(error)
    return respond(error)


async def _on_unknown(request: Request, error: Exception) -> JSONResponse:
    """Return a 500 without details. The log has class and place."""
    logger.error("unexpected exception", error=type(error).__name__, place=place(error))
    return await _on_known(request, errors.InternalError())


async def _on_validation(_: Request, error: RequestValidationError) -> JSONResponse:
    listed = listed_faults(error.errors())
    first = f"{listed[0]['field']}: {listed[0]['advice']}" if listed else None
    return respond(errors.InvalidRequest(first), errors=listed)


async def _on_routing(request: Request, error: HTTPException) -> JSONResponse:
    if error.status_code == 405:  # Starlette would list only the methods of the first route
        routes = [route for route in request.app.router.routes if isinstance(route, Route)]
        fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
        response = respond(errors.MethodNotAllowed())
        response.headers["Allow"] = ", ".join(sorted({method for route in fitting for method in route.methods or ()}))
        return response
    return respond(errors.NotFound(_NO_ROUTE) if error.status_code == 404 else errors.BadRequest())


HANDLERS: Mapping[Any, Any] = {
    TurnkeepError: _on_known,
    RequestValidationError: _on_validation,
    HTTPException: _on_routing,
    Exception: _on_unknown,
}


def listed_faults(faults: Sequence[Any]) -> list[JSON]:
    return [{"field": _field(fault["loc"]), "advice": _advice(fault)} for fault in faults[:10]]


def _field(path: Sequence[str | int]) -> str:
    """Return the name of the invalid field. Unusual names are not repeated."""
    return ".".join(name if _FIELD.fullmatch(name) else "?" for name in map(str, path))


def _advice(fault: Mapping[str, Any]) -> str:
    if fault["type"] == OWN_ADVICE:
        return str(fault["msg"])
    wording = _ADVICE.get(fault["type"], "Compare this field with the schema at `/openapi.json`.")
    return wording.format(**fault.get("ctx", {}))
