"""What a request body may be: JSON in UTF-8, at most 256 KB, counted while it arrives and refused before it is parsed.
The caller is known before the first byte of the body is read."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute

from turnkeep.api.auth import identify
from turnkeep.errors import BodyTooLarge, InvalidJson, UnsupportedMediaType

MAX_BODY_BYTES = 256 * 1024


class JsonRequest(Request):
    """Reads and parses its body once; FastAPI then finds both done."""

    _json: Any
    max_body_bytes = MAX_BODY_BYTES

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            self._body = await self._read()
        return self._body

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = parse_json(await self.body())
        return self._json

    async def _read(self) -> bytes:
        declared = self.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self.max_body_bytes:
            raise BodyTooLarge(f"Send a body of at most {self.max_body_bytes} bytes.")
        body = bytearray()
        async for chunk in self.stream():
            body += chunk
            if len(body) > self.max_body_bytes:
                raise BodyTooLarge(f"Send a body of at most {self.max_body_bytes} bytes.")
        return bytes(body)


class JsonRoute(APIRoute):
    """A route that knows its caller. FastAPI would turn what goes wrong in a body into its own words, so the body is
    read and parsed before FastAPI sees it."""

    max_body_bytes: ClassVar[int] = MAX_BODY_BYTES

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def checked(plain: Request) -> Response:
            request = JsonRequest(plain.scope, plain.receive)
            request.max_body_bytes = self.max_body_bytes
            identify(request)
            if self.body_field is not None and await request.body():
                _check_media_type(request)
                await request.json()
            return await handle(request)

        return checked


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
