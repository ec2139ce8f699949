"""Routes under /me: the export of all data of the caller as lines of JSON, and its erasure."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from turnkeep.api.answers import PART_BYTES, answered_bytes
from turnkeep.api.auth import Caller
from turnkeep.api.errors import problems
from turnkeep.api.routes import ALWAYS, Routes
from turnkeep.api.schemas import Id, Options
from turnkeep.api.views import LateView, Time
from turnkeep.errors import InvalidId, InvalidRequest, NotFound
from turnkeep.observability import logger

if TYPE_CHECKING:
    from turnkeep.storage.export import Export

NDJSON = "application/x-ndjson"
WHOLE_BYTES, WHOLE_SECONDS = PART_BYTES, 5.0  # limits of an immediate answer: its size, and the time to read it
ERASE_SECONDS = 20.0
_MARGIN_SECONDS = 3.0
RETRY_SECONDS = 2
KEPT = (
    "usage_of_today: numbers under a digest of your name, so that no budget begins anew; gone within 31 days",
    "api_keys: they belong to whoever runs this service, and hold your name and a digest",
    "markers: your name, the ids of your threads and the time of this request, without any content, until a last look "
    "within three hours",
)


NoQuery: TypeAlias = Annotated[Options, Query()]  # options are rejected, so that none seems to work


class ExportView(LateView):
    export_id: str
    status: Literal["running", "ready", "failed"] = Field(description="failed: ask for another")
    status_url: str
    url: str | None = Field(None, description="when ready: what gives the file for 15 minutes; ask again for a new one")
    key: str | None = Field(None, description="its AES-256-CTR key, in hex")
    iv: str | None = Field(None, description="the first counter, in hex")

    @classmethod
    def of(cls, export: "Export") -> "ExportView":
        return cls(**vars(export), status_url=f"/me/export/{export.export_id}")


class ReceiptView(LateView):
    erased_at: Time = Field(description="what was there by then is erased; what begins after this answer stays")
    threads: int
    items: int
    objects: int
    complete: bool = Field(description="false: the hourly cleanup goes on, and so does another call")
    kept: list[str] = Field(description="what is not erased, and why")


EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "all that is held", "content": {NDJSON: {"schema": {"type": "string"}}}},
    202: {"description": "too much for one answer: a worker writes it", "model": ExportView},
}
ERASED: dict[int | str, dict[str, Any]] = {202: {"description": "not everything yet", "model": ReceiptView}}


class MeRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        known = problems(*ALWAYS, InvalidRequest)
        add("/me/export", self.export, methods=["GET"], response_class=Response, responses=EXPORTED | known)
        one = problems(*ALWAYS, InvalidRequest, InvalidId, NotFound)
        add("/me/export/{export_id}", self.exported, methods=["GET"], responses=one)
        add("/me", self.erase, methods=["DELETE"], response_model=ReceiptView, responses=ERASED | known)

    def export(self, caller: Caller, query: NoQuery, request: Request) -> Response:
        """Export everything as one JSON object a line; if that is too much, return where to fetch it later."""
        whole = self._services.exports.whole(caller, _fits(_until(request, WHOLE_SECONDS)))
        if whole is not None:
            return Response(whole, media_type=NDJSON)
        view = ExportView.of(self._services.exports.begin(caller))
        return JSONResponse(view.model_dump(exclude_none=True), 202, {"Retry-After": str(RETRY_SECONDS)})

    def exported(self, export_id: Id, caller: Caller, query: NoQuery) -> ExportView:
        return ExportView.of(self._services.exports.read(caller, export_id))

    def erase(self, caller: Caller, query: NoQuery, request: Request, response: Response) -> ReceiptView:
        """Erase all data of the caller, even while runs are active; return a receipt."""
        receipt = self._services.persons.erase(caller, _until(request, ERASE_SECONDS))
        if not receipt.complete:
            response.status_code = 202
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        logger.info("user erased", threads=receipt.threads, complete=receipt.complete)
        return ReceiptView(**{**vars(receipt), "erased_at": receipt.erased_at / 1000}, kept=list(KEPT))


def _fits(has_time: Callable[[], bool]) -> Callable[[bytes], bool]:
    """Return a check whether one more line fits into the answer and its time."""
    size = 0

    def fits(line: bytes) -> bool:
        nonlocal size
        size += answered_bytes(line)
        return size <= WHOLE_BYTES and has_time()

    return fits


def _until(request: Request, seconds: float) -> Callable[[], bool]:
    """Return a check whether `seconds` are left and the function can still answer."""
    end = time.monotonic() + seconds
    deadline = getattr(request.state, "deadline", None)
    end = min(end, deadline - _MARGIN_SECONDS) if deadline else end
    return lambda: time.monotonic() < end
