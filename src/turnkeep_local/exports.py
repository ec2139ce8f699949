"""What bucket and worker are for exports on a laptop: a thread writes what is asked for, and a route gives it."""

from concurrent.futures import Future, ThreadPoolExecutor

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnkeep.errors import NotFound
from turnkeep.observability import logger, place
from turnkeep.storage.blobs import Objects
from turnkeep.storage.export import Exports
from turnkeep_local.objects import FolderObjects


def take_exports(app: FastAPI, exports: Exports, objects: Objects) -> None:
    """Has exports written, those too that an earlier server was stopped at."""
    writer = ThreadPoolExecutor(1, thread_name_prefix="exports")

    def write(key: str) -> None:
        writer.submit(exports.work, key).add_done_callback(_tell)

    exports.listen(write)
    if not isinstance(objects, FolderObjects):
        return

    async def give(request: Request) -> Response:
        try:
            body = await run_in_threadpool(objects.get, request.url.path.removeprefix("/"))
        except (KeyError, ValueError):
            raise NotFound from None
        return Response(body, media_type="application/octet-stream")

    app.router.routes.append(Route("/exports/{owner}/{name}.gz", give, methods=["GET"]))
    for key in objects.left_in("exports/"):
        write(key)


def _tell(writing: Future[None]) -> None:
    """The export says itself that it failed, when its time is over; why is for who runs the server."""
    if error := writing.exception():
        logger.error("export not written", error=type(error).__name__, place=place(error))
