"""Replaces bucket and workers on a laptop. Routes accept the form for S3 and serve an export; threads read uploads and
write exports."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnkeep.documents.pipeline import Pipeline
from turnkeep.errors import DocumentTooLarge, InvalidRequest, NotFound
from turnkeep.observability import logger, place
from turnkeep.services import Services
from turnkeep.store.attachments import Attachments
from turnkeep.store.blobs import Objects
from turnkeep.store.uploads import FORM_PATH, MAX_UPLOAD_BYTES, OWNER, KeptUploads
from turnkeep_local.objects import FolderObjects

_FORM_BYTES = 64 * 1024  # for fields and boundaries, in addition to the file
_READERS = 2


def take_files(app: FastAPI, services: Services, uploads: KeptUploads, objects: Objects) -> None:
    """Add the routes, and continue the work that an earlier server left."""
    pipeline = Pipeline(services.attachments, services.settings)
    read = _worker("documents", _READERS, pipeline.process)
    write = _worker("exports", 1, services.exports.work)
    take_form(app, services.attachments, uploads, read)
    services.exports.on_request = write
    if isinstance(objects, FolderObjects):
        give_exports(app, objects)
        for prefix, go_on in (("uploads/", read), ("exports/", write)):
            for key in objects.left_in(prefix):
                go_on(key)


def _worker(name: str, threads: int, work: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that works on a key in the background. The document or export itself shows the failure; the
    cause is logged for the operator."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def log_failure(done: Future[None]) -> None:
        if error := done.exception():
            logger.error("background work failed", work=name, error=type(error).__name__, place=place(error))

    return lambda key: pool.submit(work, key).add_done_callback(log_failure)


def take_form(app: FastAPI, attachments: Attachments, uploads: KeptUploads, read: Callable[[str], None]) -> None:
    """Accept a form as S3 does: all fields, and the file. Fields count only if we issued them. `read` gets the key of
    each new upload, and does not wait."""

    async def take(request: Request) -> Response:
        size = request.headers.get("content-length", "")
        if not size.isdecimal():
            raise InvalidRequest("Send the form with a Content-Length.")
        if int(size[:20]) > MAX_UPLOAD_BYTES + _FORM_BYTES:
            raise DocumentTooLarge
        async with request.form(max_files=1, max_fields=20) as form:
            file, key, owner = form.get("file"), str(form.get("key", "")), str(form.get(OWNER, ""))
            body = await file.read() if isinstance(file, UploadFile) else b""
        if not body or not await run_in_threadpool(attachments.awaits, key, owner):
            raise InvalidRequest("Send the fields as they were given, and last the file as `file`, within 5 minutes.")
        if len(body) > MAX_UPLOAD_BYTES:
            raise DocumentTooLarge
        await run_in_threadpool(uploads.put, key, owner, body)
        read(key)
        return Response(status_code=204)

    app.router.routes.append(Route(FORM_PATH, take, methods=["POST"]))


def give_exports(app: FastAPI, objects: FolderObjects) -> None:
    async def give(request: Request) -> Response:
        try:
            body = await run_in_threadpool(objects.get, request.url.path.removeprefix("/"))
        except (KeyError, ValueError):
            raise NotFound from None
        return Response(body, media_type="application/octet-stream")

    app.router.routes.append(Route("/exports/{owner}/{name}.gz", give, methods=["GET"]))
