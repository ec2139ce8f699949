"""CORS, as the outermost layer: pages can read errors, and a preflight needs no credential."""

import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from turnkeep.http.auth import USER_HEADER
from turnkeep.observability import logger

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?")
_USUAL_PORT = re.compile(r"http://.*[^:]:80|https://.*[^:]:443")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
EXPOSED_HEADERS = (
    "Content-Location",
    "Idempotency-Key",
    "Idempotency-Replayed",
    "Location",
    "Retry-After",
    "X-Correlation-Id",
    "X-Pagination-Next",
    "X-Pagination-Total",
    "X-Request-Id",
    "X-Should-Retry",
    "X-Turnkeep-Thread",
    "X-Turnkeep-Warnings",
    "X-Unreadable-Threads",
)
ON_THIS_MACHINE = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?|https://(eu\.)?smith\.langchain\.com"
"""Origins that may call a local server: pages of this machine, and LangGraph's Studio."""


class _Cors(CORSMiddleware):
    def preflight_response(self, request_headers: Headers) -> Response:
        """Allow any header except the one that names another user on a laptop."""
        asked = request_headers.get("access-control-request-headers", "").lower().split(",")
        if USER_HEADER.lower() in (name.strip() for name in asked):
            return Response(f"{USER_HEADER} is not allowed for web pages. Omit it.", 400)
        return super().preflight_response(request_headers)


def usable_origins(origins: Sequence[str]) -> Sequence[str]:
    """Return those in the form that browsers send, because they are compared literally. Log the places of others."""
    if tuple(origins) == ("*",):
        return origins
    usable = [name for name in origins if _ORIGIN.fullmatch(name) and not _USUAL_PORT.fullmatch(name)]
    if unusable := [place for place, name in enumerate(origins, 1) if name not in usable]:
        logger.error("invalid origins ignored", setting="CORS_ORIGINS", places=unusable)
    return usable


def for_browsers(app: ASGIApp, origins: Sequence[str], pattern: str | None = None) -> ASGIApp:
    """Allow pages of these origins to call, without cookies; return the app itself if there are none."""
    if not origins and not pattern:
        return app
    return _Cors(
        app,
        allow_origins=origins,
        allow_origin_regex=pattern,
        allow_methods=METHODS,
        allow_headers=("*",),
        expose_headers=EXPOSED_HEADERS,
        allow_credentials=False,
        allow_private_network=True,
    )
