"""The route class of every protocol. A request body is JSON in UTF-8, at most 256 KB, counted while it arrives and
refused before it is parsed. An answer that is not streamed is at most 5 MB. The caller is known before the body is
read."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute

from turnkeep.api.answers import check_size
from turnkeep.api.auth import identify
from turnkeep.errors import BodyTooLarge, InvalidJson, UnsupportedMediaType

MAX_BODY_BYTES = 256 * 1024


class JsonRoute(APIRoute):
    """A route that knows its caller. FastAPI would turn what goes wrong in a body into its own words, so the body is
    read and parsed before; Starlette's request keeps both, and FastAPI finds them done."""

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
        too_large = BodyTooLarge(f"Send a body of at most {self.max_body_bytes} bytes.")
        if declared.isdecimal() and int(declared[:20]) > self.max_body_bytes:
            raise too_large
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.max_body_bytes:
                raise too_large
        return bytes(body)


def _check_media_type(request: Request) -> None:
    """A missing type is taken for JSON, except from a browser: there it would get past the CORS preflight."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind and "origin" not in request.headers:
        return
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise UnsupportedMediaType


def parse_json(body: bytes) -> Any:
    """Stricter than the standard library: no NaN, no infinity, no half surrogate pair, which no store could keep."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InvalidJson from None
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise InvalidJson("A string holds half of a surrogate pair; send whole characters.") from None
    except (ValueError, RecursionError):
        raise InvalidJson("A number is NaN or infinite, or the nesting is too deep.") from None
    return value
