"""CORS: which pages of other origins may call the API from a browser. It lies outside of everything else, so that
errors can be read there too, and a preflight, which never carries a credential, needs none."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ALLOWED_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "X-Api-Key", "X-Correlation-Id")
EXPOSED_HEADERS = (
    "Content-Location",
    "Idempotency-Key",
    "Idempotency-Replayed",
    "Location",
    "Retry-After",
    "X-Correlation-Id",
    "X-Pagination-Next",
    "X-Pagination-Total",
    "X-Unreadable-Threads",
)


def for_browsers(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    """The app itself where no origin may call. A browser's own credentials (cookies) are never asked for."""
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=METHODS,
        allow_headers=ALLOWED_HEADERS,
        expose_headers=EXPOSED_HEADERS,
        allow_credentials=False,
    )
