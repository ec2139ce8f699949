"""The names of this machine, and a server that answers only to them. Another site can point its own name here (DNS
rebinding); its pages could then read threads and use the model's key. Pages that use our own name can still send
requests without a preflight, but cannot read the answers."""

import asyncio
import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from turnkeep.errors import AmbiguousBody, BodyTimeout, ForeignOrigin, Misdirected, TurnkeepError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def is_this_machine(host: str | None) -> bool:
    """Return whether it is "localhost" or a loopback address, as `urlsplit` returns it."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


class OwnHosts:
    """ASGI middleware. 421: the Host is not this machine. 403: a page's origin is not in `origins` and does not match
    `pattern`. 400: a body with two lengths, whose rest would be read as another request. 408: a body that takes longer
    than `seconds`."""

    def __init__(
        self, app: "ASGIApp", origins: Collection[str] = (), pattern: str | None = None, seconds: float = 30.0
    ) -> None:
        self._app = app
        self._origins = origins
        self._pattern = re.compile(pattern or "(?!)")
        self._seconds = seconds

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        is_from_outside = scope["type"] == "http" and "turnkeep.principal" not in scope  # otherwise a node sent it
        fault = self._fault(dict(scope["headers"]), scope) if is_from_outside else None
        if fault is None:
            await self._app(scope, _timed(receive, self._seconds), send)
            return
        from turnkeep.http.errors import respond  # noqa: PLC0415 - loads FastAPI, which `turnkeep --help` does not need

        answer = respond(fault)
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send)

    def _fault(self, headers: Mapping[bytes, bytes], scope: "Scope") -> TurnkeepError | None:
        if {b"content-length", b"transfer-encoding"} <= headers.keys():
            return AmbiguousBody()
        try:
            host = urlsplit(f"//{headers.get(b'host', b'').decode('latin-1')}").hostname  # "[::1]:8000" is ::1
        except ValueError:
            return Misdirected()
        if not is_this_machine(host):
            return Misdirected()
        return ForeignOrigin() if self._is_foreign(headers, scope) else None

    def _is_foreign(self, headers: Mapping[bytes, bytes], scope: "Scope") -> bool:
        """Return whether a page of another site sent this. Browsers send no origin for a plain fetch or a link; links
        to the page are allowed."""
        if origin := headers.get(b"origin", b"").decode("latin-1"):
            is_own = origin.partition("://")[2] == headers[b"host"].decode("latin-1")
            return not (is_own or {origin, "*"} & {*self._origins} or self._pattern.fullmatch(origin))
        is_link = headers.get(b"sec-fetch-mode") == b"navigate" and (scope["method"], scope["path"]) == ("GET", "/")
        return headers.get(b"sec-fetch-site") == b"cross-site" and not is_link


def _timed(receive: "Receive", seconds: float) -> "Receive":
    """Raise BodyTimeout if the body is incomplete after `seconds`."""
    end: float | None = asyncio.get_running_loop().time() + seconds

    async def timed() -> "Message":
        nonlocal end
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise BodyTimeout from None
        end = end if message.get("more_body") else None
        return message

    return timed
