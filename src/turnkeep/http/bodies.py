"""Bodies of requests, of up to 256 KB of JSON, and of responses, of up to 5 MB: Lambda turns a body of more than
6,291,556 bytes, as a JSON string, into a 502. Streams have any size."""

import json
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, ClassVar, TypeVar

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from turnkeep.errors import AnswerTooLarge, BodyTooLarge, InvalidJson, UnsupportedMediaType
from turnkeep.http.auth import identify
from turnkeep.http.sse import compact

View = TypeVar("View")

ANSWER_BYTES = 5_000_000
PART_BYTES = 4_900_000  # of turns, states or items; the rest is for other fields


class JsonRoute(APIRoute):
    """Authenticates, and reads and parses the body itself, because FastAPI reports errors differently."""

    max_body_bytes: ClassVar[int] = 256 * 1024

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def checked(request: Request) -> Response:
            identify(request)
            if self.body_field is not None:
                request._body = await self._read(request)
                if request._body:
                    _check_media_type(request)
                    request._json = parse_json(request._body)
            response = await handle(request)
            body = getattr(response, "body", b"")  # a stream has none
            if 2 * len(body) > ANSWER_BYTES < answered_bytes(body):
                raise AnswerTooLarge
            return response

        return checked

    async def _read(self, request: Request) -> bytes:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.max_body_bytes:
                raise BodyTooLarge(f"The body must be at most {self.max_body_bytes:,} bytes.")
        return bytes(body)


def _check_media_type(request: Request) -> None:
    """Accept a missing type as JSON, except from a browser, where it would bypass the CORS preflight."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    if not is_json and (kind or "origin" in request.headers):
        raise UnsupportedMediaType


def parse_json(body: bytes) -> Any:
    """Parse JSON without NaN, infinity and lone surrogates, which cannot be stored."""
    try:
        value = json.loads(body.decode())
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise InvalidJson("Send JSON in UTF-8, with finite numbers, complete characters and few levels.") from None
    return value


def answered_bytes(body: bytes) -> int:
    """Return the length of a body in Lambda's response, where quotes, backslashes and line ends are escaped."""
    return len(body) + sum(body.count(escaped) for escaped in (b'"', b"\\", b"\n"))


def size_of(view: Any) -> int:
    text = view.model_dump_json(exclude_unset=True) if isinstance(view, BaseModel) else compact(view)
    return answered_bytes(text.encode(errors="replace"))


def fitting(views: Iterable[View]) -> tuple[list[View], bool]:
    """Return the first views that fit into one response, at least one, and whether any are left."""
    taken: list[View] = []
    size = 0
    for view in views:
        size += size_of(view)
        if taken and size > PART_BYTES:
            return taken, True
        taken.append(view)
    return taken, False
