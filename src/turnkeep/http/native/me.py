"""Routes under /me: export all data of the caller as JSON lines, or erase it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from turnkeep.errors import InvalidId, InvalidRequest, NotFound
from turnkeep.http.answers import PART_BYTES, answered_bytes
from turnkeep.http.auth import Caller
from turnkeep.http.errors import problems
from turnkeep.http.routes import ALWAYS, Routes
from turnkeep.http.schemas import Id, Options
from turnkeep.http.views import LateView, Time
from turnkeep.observability import logger

if TYPE_CHECKING:
    from turnkeep.store.export import Export

NDJSON = "application/x-ndjson"
WHOLE_SECONDS = 5.0  # time for an immediate export
ERASE_SECONDS = 20.0
_MARGIN_SECONDS = 3.0
RETRY_SECONDS = 2
KEPT = (
    "usage_of_today: counts under a digest of your name, so that budgets do not reset; deleted within 31 days",
    "api_keys: they belong to the operator and contain your name and a digest",
    "markers: your name, your thread ids and the time of this request, without content; deleted within three hours",
)


NoQuery: TypeAlias = Annotated[Options, Query()]  # rejects all options


class ExportView(LateView):
    export_id: str
    status: Literal["running", "ready", "failed"] = Field(description="failed: request another export")
    status_url: str
    url: str | None = Field(None, description="when ready: link to the file, valid for 15 minutes")
    key: str | None = Field(None, description="its AES-256-CTR key, in hex")
    iv: str | None = Field(None, description="its initial counter, in hex")

    @classmethod
    def of(cls, export: "Export") -> "ExportView":
        return cls(**vars(export), status_url=f"/me/export/{export.export_id}")


class ReceiptView(LateView):
    erased_at: Time = Field(description="data stored before this time is erased")
    threads: int
    items: int
    objects: int
    complete: bool = Field(description="false: the hourly cleanup or another call continues")
    kept: list[str] = Field(description="data that is not erased, and why")


_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "all data of the caller", "content": {NDJSON: {"schema": {"type": "string"}}}},
    202: {"description": "too large for one response: a worker writes the export", "model": ExportView},
}
_ERASED: dict[int | str, dict[str, Any]] = {202: {"description": "the erasure continues", "model": ReceiptView}}


class MeRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        add = router.add_api_route
        known = problems(*ALWAYS, InvalidRequest)
        add("/me/export", self.export, methods=["GET"], response_class=Response, responses=_EXPORTED | known)
        one = problems(*ALWAYS, InvalidRequest, InvalidId, NotFound)
        add("/me/export/{export_id}", self.exported, methods=["GET"], responses=one)
        add("/me", self.erase, methods=["DELETE"], response_model=ReceiptView, responses=_ERASED | known)

    def export(self, caller: Caller, query: NoQuery, request: Request) -> Response:
        """Export all data, one JSON object a line, or start a background export if it is too large."""
        whole = self._services.exports.whole(caller, _fits(_until(request, WHOLE_SECONDS)))
        if whole is not None:
            return Response(whole, media_type=NDJSON)
        view = ExportView.of(self._services.exports.begin(caller))
        return JSONResponse(view.model_dump(exclude_none=True), 202, {"Retry-After": str(RETRY_SECONDS)})

    def exported(self, export_id: Id, caller: Caller, query: NoQuery) -> ExportView:
        return ExportView.of(self._services.exports.read(caller, export_id))

    def erase(self, caller: Caller, query: NoQuery, request: Request, response: Response) -> ReceiptView:
        """Erase all data of the caller, even while runs are active."""
        receipt = self._services.user_eraser.erase(caller, _until(request, ERASE_SECONDS))
        if not receipt.complete:
            response.status_code = 202
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        logger.info("user erased", threads=receipt.threads, complete=receipt.complete)
        return ReceiptView(**{**vars(receipt), "erased_at": receipt.erased_at / 1000}, kept=list(KEPT))


def _fits(has_time: Callable[[], bool]) -> Callable[[bytes], bool]:
    """Return a function that checks whether one more line fits into the response and its time."""
    size = 0

    def fits(line: bytes) -> bool:
        nonlocal size
        size += answered_bytes(line)
        return size <= PART_BYTES and has_time()

    return fits


def _until(request: Request, seconds: float) -> Callable[[], bool]:
    """Return a function that checks whether time is left, of `seconds` and of the request."""
    end = time.monotonic() + seconds
    deadline = getattr(request.state, "deadline", None)
    end = min(end, deadline - _MARGIN_SECONDS) if deadline else end
    return lambda: time.monotonic() < end
