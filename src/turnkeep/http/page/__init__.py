"""The chat page: files in `static`, without authentication. Browsers cache modules forever: paths have a checksum."""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from turnkeep.errors import NotFound
from turnkeep.services import Services

STATIC = Path(__file__).parent / "static"
PAGE, FILES = "index.html", "/page/{checksum}/{file:path}"
FOREVER, REVALIDATED = "public, max-age=31536000, immutable", "no-cache"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json"}
_POLICY = (
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src data:"),
    *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    *("require-trusted-types-for 'script'", "trusted-types 'none'"),
)


def register(router: APIRouter, services: Services, _: Callable[[], str]) -> None:
    if services.settings.page:
        router.routes.append(Route("/", _page, methods=["GET"]))
        router.routes.append(Route(FILES, _file, methods=["GET"]))


@cache
def files() -> Mapping[str, bytes]:
    """Return all files by their path in `static`."""
    found = sorted(path for path in STATIC.rglob("*") if path.suffix in _TYPES)
    return {path.relative_to(STATIC).as_posix(): path.read_bytes() for path in found}


@cache
def checksum() -> str:
    named = (f"{name} {len(body)}\n".encode() + body for name, body in files().items())
    return sha256(b"".join(named)).hexdigest()[:12]


async def _page(request: Request) -> Response:
    """Return the page. Its relative links work under a stage or a base path, but need a final slash."""
    path = request.scope.get("aws.event", {}).get("requestContext", {}).get("path", "/")
    if not path.endswith("/"):
        return RedirectResponse(f"{path}/")
    # Preload links; otherwise each module is requested after the one that imports it.
    names = [name for name in files() if name.endswith(".js") and not name.endswith(".iife.min.js")]
    links = "\n".join(f'<link rel="modulepreload" href="page/{checksum()}/{name}">' for name in names)
    body = files()[PAGE].replace(b"{modules}", links.encode()).replace(b"{checksum}", checksum().encode())
    return _respond(request, PAGE, body, {"Content-Security-Policy": "; ".join(_POLICY), "Cache-Control": REVALIDATED})


async def _file(request: Request) -> Response:
    """Return a file. The checksum differs while a server is being replaced; the file is then not cached."""
    name = request.path_params["file"]
    if name not in files() or name == PAGE:
        raise NotFound
    is_same = request.path_params["checksum"] == checksum()
    return _respond(request, name, files()[name], {"Cache-Control": FOREVER if is_same else REVALIDATED})


def _respond(request: Request, name: str, body: bytes, more: Mapping[str, str]) -> Response:
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", **more}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=_TYPES[Path(name).suffix])
