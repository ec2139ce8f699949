"""Errors under /v1 in OpenAI's form: `{"error": {message, type, param, code}}`; an invalid request is 400."""

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.responses import JSONResponse

from turnkeep.errors import InvalidRequest, TurnkeepError, UnknownAgent
from turnkeep.http.bodies import JsonRoute
from turnkeep.http.errors import HANDLERS
from turnkeep.records import JSON

_TYPES = {401: "authentication_error", 404: "not_found_error", 409: "conflict_error", 429: "rate_limit_error"}


class UnsupportedParameter(InvalidRequest):
    status, code, title = 400, "unsupported_parameter", "A parameter or its value is not supported"
    advice = "Omit the parameter, or send another value."

    def __init__(self, param: str | None = None, detail: str = "", *, retry_after: int | None = None) -> None:
        self.param = param
        super().__init__(f"{param}: {detail}" if param else None, retry_after=retry_after)


class OpenAIRoute(JsonRoute):
    """Returns errors in OpenAI's form. Bodies may be larger, because clients send the whole history."""

    max_body_bytes: ClassVar[int] = 4 * 1024 * 1024

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except (TurnkeepError, RequestValidationError) as error:
                kind = TurnkeepError if isinstance(error, TurnkeepError) else RequestValidationError
                native: Response = await HANDLERS[kind](request, error)
                problem = json.loads(bytes(native.body))
                headers = {name: value for name, value in native.headers.items() if not name.startswith("content-")}
                return JSONResponse(shape(problem, getattr(error, "param", None)), _status(problem), headers)

        return answered


def shape(problem: Mapping[str, Any], param: str | None = None) -> JSON:
    status, code, message = _status(problem), problem["code"], problem["detail"]
    if code == UnknownAgent.code:
        param, code = "model", "model_not_found"
        message = "The model does not exist. `GET /v1/models` lists the available models."
    if problem.get("errors"):
        param, message = (text.removeprefix("body.") for text in (problem["errors"][0]["field"], message))
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    about = {"message": message, "type": kind, "param": param, "code": code}
    return {"error": {**about, "correlation_id": problem["correlation_id"]}}


def _status(problem: Mapping[str, Any]) -> int:
    changed = 404 if problem["code"] == UnknownAgent.code else 400
    return changed if problem["status"] == 422 else int(problem["status"])
