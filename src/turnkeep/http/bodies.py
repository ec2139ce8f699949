"""The route class of every protocol. It authenticates the caller, then reads a JSON body of at most 256 KB. A response
that is not streamed has at most 5 MB."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute

from turnkeep.errors import BodyTooLarge, InvalidJson, UnsupportedMediaType
from turnkeep.http.answers import check_size
from turnkeep.http.auth import identify

MAX_BODY_BYTES = 256 * 1024


class JsonRoute(APIRoute):
    """Reads and parses the body itself, because FastAPI reports errors differently."""

    max_body_bytes: ClassVar[int] = MAX_BODY_BYTES

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
            check_size(getattr(response, "body", b""))  # a stream has none
            return response

        return checked

    async def _read(self, request: Request) -> bytes:
        declared = request.headers.get("content-length", "")
        too_large = BodyTooLarge(f"The body must be at most {self.max_body_bytes:,} bytes.")
        if declared.isdecimal() and int(declared[:20]) > self.max_body_bytes:
            raise too_large
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.max_body_bytes:
                raise too_large
        return bytes(body)


def _check_media_type(request: Request) -> None:
    """Accept a missing type as JSON, except from a browser, where it would bypass the CORS preflight."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind and "origin" not in request.headers:
        return
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise UnsupportedMediaType


def parse_json(body: bytes) -> Any:
    """Parse JSON without NaN, infinity and lone surrogates, which cannot be stored."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InvalidJson from None
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise InvalidJson("A string contains a lone surrogate. Send complete characters.") from None
    except (ValueError, RecursionError):
        raise InvalidJson(
            "A number is NaN or infinite, or the nesting is too deep. Send finite numbers and flatter values."
        ) from None
    return value
