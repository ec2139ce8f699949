"""The chat page: the files in `static`, unchanged. The path of modules contains the checksum of all, so a browser can
cache them forever. The page itself is requested each time. No authentication here."""

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
KEPT, ASKED_AGAIN = "public, max-age=31536000, immutable", "no-cache"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json"}
_POLICY = (
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src data:"),
    *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    *("require-trusted-types-for 'script'", "trusted-types 'none'"),
)


def register(router: APIRouter, services: Services, _: Callable[[], str]) -> None:
    """Add the routes; nothing if the setting PAGE is off."""
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
    digest = sha256()
    for name, body in files().items():
        digest.update(f"{name} {len(body)}\n".encode() + body)
    return digest.hexdigest()[:12]


async def _page(request: Request) -> Response:
    """Return the page. Its relative links work under a stage and a base path, but need a final slash."""
    path = request.scope.get("aws.event", {}).get("requestContext", {}).get("path", "/")
    if not path.endswith("/"):
        return RedirectResponse(f"{path}/")
    body = files()[PAGE].replace(b"{modules}", _modules()).replace(b"{checksum}", checksum().encode())
    return _answer(request, PAGE, body, {"Content-Security-Policy": "; ".join(_POLICY), "Cache-Control": ASKED_AGAIN})


def _modules() -> bytes:
    """Return links to all modules; otherwise each is requested only after the one that imports it."""
    names = [name for name in files() if name.endswith(".js") and not name.endswith(".iife.min.js")]
    return "\n".join(f'<link rel="modulepreload" href="page/{{checksum}}/{name}">' for name in names).encode()


async def _file(request: Request) -> Response:
    """Return a file. One of another version comes from a server that is being replaced; it is not cached."""
    name = request.path_params["file"]
    if name not in files() or name == PAGE:
        raise NotFound
    is_same = request.path_params["checksum"] == checksum()
    return _answer(request, name, files()[name], {"Cache-Control": KEPT if is_same else ASKED_AGAIN})


def _answer(request: Request, name: str, body: bytes, headers: Mapping[str, str]) -> Response:
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    told = {"ETag": tag, "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", **headers}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=told)
    return Response(body, headers=told, media_type=_TYPES[Path(name).suffix])
