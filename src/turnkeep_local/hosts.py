"""The names of this machine, and a server that answers to them alone. A page of another site can have its own name lead
here (DNS rebinding); its browser would then let it read threads and ask on the model's key."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from turnkeep.errors import AmbiguousBody, Misdirected, TurnkeepError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def is_this_machine(host: str | None) -> bool:
    """Whether it is "localhost" or a loopback address, as `urlsplit` gives it."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


class OwnHosts:
    """An ASGI layer: 421 for a Host that is not this machine; 400 for a body of two lengths, of which the second would
    be read as another request."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        fault = _fault(dict(scope["headers"])) if scope["type"] == "http" else None
        if fault is None:
            await self._app(scope, receive, send)
            return
        from turnkeep.api.errors import respond  # noqa: PLC0415 - FastAPI, which the terminal chat does without

        answer = respond(fault)
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send)


def _fault(headers: Mapping[bytes, bytes]) -> TurnkeepError | None:
    if {b"content-length", b"transfer-encoding"} <= headers.keys():
        return AmbiguousBody()
    return None if is_this_machine(_host_of(headers.get(b"host", b""))) else Misdirected()


def _host_of(header: bytes) -> str | None:
    """ "[::1]:8000" is ::1."""
    try:
        return urlsplit(f"//{header.decode('latin-1')}").hostname
    except ValueError:
        return None
