"""What the bucket and the worker are on a laptop: a route that takes the same form as S3 does, one that takes a small
file straight, and threads that read what has come."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnkeep.api.attachments import PATH
from turnkeep.api.auth import identify
from turnkeep.api.schemas import check_id
from turnkeep.documents.pipeline import Pipeline
from turnkeep.errors import DocumentTooLarge, InvalidRequest
from turnkeep.observability import logger, place
from turnkeep.services import Services
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.blobs import Objects
from turnkeep.storage.uploads import FORM_PATH, MAX_UPLOAD_BYTES, OWNER, KeptUploads
from turnkeep_local.objects import FolderObjects

MAX_SMALL_BYTES = 4_000_000
_FORM_BYTES = 64 * 1024  # of fields and boundaries, beside the file
_READERS = 2


def take_uploads(app: FastAPI, services: Services, uploads: KeptUploads, objects: Objects) -> None:
    """Adds the routes, and goes on with what an earlier server was stopped at."""
    routes = UploadRoutes(services.attachments, uploads, Pipeline(services.attachments, services.settings).process)
    routes.register(app)
    if isinstance(objects, FolderObjects):
        routes.read_left(objects)


class UploadRoutes:
    """`process` reads the upload of a key, however long it takes."""

    def __init__(self, attachments: Attachments, uploads: KeptUploads, process: Callable[[str], None]):
        self._attachments = attachments
        self._uploads = uploads
        self._process = process
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="documents")

    def register(self, app: FastAPI) -> None:
        app.router.routes.append(Route(FORM_PATH, self.form, methods=["POST"]))
        app.router.routes.append(Route(f"{PATH}/{{document_id}}/content", self.content, methods=["PUT"]))

    async def form(self, request: Request) -> Response:
        """As S3: all fields, and the file. What the fields say is only believed where we wrote it."""
        size = request.headers.get("content-length", "")
        if not size.isdecimal():
            raise InvalidRequest("Send the form with a Content-Length.")
        if int(size[:20]) > MAX_UPLOAD_BYTES + _FORM_BYTES:
            raise DocumentTooLarge
        async with request.form(max_files=1, max_fields=20) as form:
            file, key, owner = form.get("file"), str(form.get("key", "")), str(form.get(OWNER, ""))
            body = await file.read() if isinstance(file, UploadFile) else b""
        if not body or not await run_in_threadpool(self._attachments.awaits, key, owner):
            raise InvalidRequest("Send the fields as they were given, and last the file as `file`, within 5 minutes.")
        return await self._take(key, owner, body)

    async def content(self, request: Request) -> Response:
        """A small file as the body of the request."""
        identify(request)
        thread_id, document_id = (check_id(request.path_params[name]) for name in ("thread_id", "document_id"))
        who = request.state.principal
        key, owner = await run_in_threadpool(self._attachments.place, who, thread_id, document_id)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_SMALL_BYTES:
                raise DocumentTooLarge("Send a file of over 4 MB by the form that POST to attachments gives.")
        return await self._take(key, owner, bytes(body))

    async def _take(self, key: str, owner: str, body: bytes) -> Response:
        if len(body) > MAX_UPLOAD_BYTES:
            raise DocumentTooLarge
        await run_in_threadpool(self._uploads.put, key, owner, body)
        self._read(key)
        return Response(status_code=204)

    def read_left(self, objects: FolderObjects) -> None:
        for key in objects.left_in("uploads/"):
            self._read(key)

    def _read(self, key: str) -> None:
        self._readers.submit(self._process, key).add_done_callback(_tell)


def _tell(reading: Future[None]) -> None:
    """The document says itself that it failed; why is for who runs the server."""
    if error := reading.exception():
        logger.error("document not read", error=type(error).__name__, place=place(error))
