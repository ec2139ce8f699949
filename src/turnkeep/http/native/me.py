"""Routes about the caller: usage with limits and reset times; export of all data as JSON lines; erasure."""

import time
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from turnkeep.errors import InvalidId, InvalidRequest, NotFound
from turnkeep.http.auth import Caller
from turnkeep.http.bodies import PART_BYTES, answered_bytes
from turnkeep.http.routes import ALWAYS, Routes, problems
from turnkeep.http.schemas import Id, Options
from turnkeep.http.views import LateView, Time
from turnkeep.observability import logger
from turnkeep.store.export import Export
from turnkeep.store.keys import day, next_day
from turnkeep.store.usage import MICRO, MINUTE_MS, Day

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


class UsageQuery(Options):
    days: int = Field(7, ge=1, le=31, description="number of days, including today")


class Allowance(LateView):
    """Whole tokens, or dollars."""

    used: int | float
    limit: int | float | None = Field(description="null: no limit")
    left: int | float | None
    reserved: int | float = Field(description="for running turns, in addition to `used`")


class Budget(LateView):
    tokens: Allowance
    cost_usd: Allowance = Field(description="by list price; models without a known price are not counted")
    resets_at: Time


class Rates(LateView):
    turns_this_minute: int
    turns_a_minute: int | None = Field(description="null: no limit")
    running: int
    turns_at_once: int | None = Field(description="null: no limit")


class UsedDay(LateView):
    day: str = Field(description="in UTC")
    tokens: int
    cost_usd: float
    turns: int


class UsageView(LateView):
    counted: bool = Field(description="false: this deployment has no limits and does not count")
    today: Budget
    rates: Rates
    days: list[UsedDay] = Field(description="newest first, days with turns only")


class ExportView(LateView):
    export_id: str
    status: Literal["running", "ready", "failed"] = Field(description="failed: request another export")
    status_url: str
    url: str | None = Field(None, description="when ready: link to the file, valid for 15 minutes")
    key: str | None = Field(None, description="its AES-256-CTR key, in hex")
    iv: str | None = Field(None, description="its initial counter, in hex")

    @classmethod
    def of(cls, export: Export) -> "ExportView":
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
        add("/usage", self.usage, methods=["GET"], responses=known)
        add("/me/export", self.export, methods=["GET"], response_class=Response, responses=_EXPORTED | known)
        one = problems(*ALWAYS, InvalidRequest, InvalidId, NotFound)
        add("/me/export/{export_id}", self.exported, methods=["GET"], responses=one)
        add("/me", self.erase, methods=["DELETE"], response_model=ReceiptView, responses=_ERASED | known)

    async def usage(self, query: Annotated[UsageQuery, Query()], caller: Caller) -> UsageView:
        """Return the usage of the caller and what is left."""
        budget, limits = self._turns.budget, self._settings.budget
        days, now = await budget.days(caller, query.days), budget.now()
        today = days[0] if days and days[0].day == day(now) else Day(day(now))
        (tokens, micro), held = today.used, today.live(now)
        spent = Budget(
            tokens=_allowance(tokens, limits.tokens_a_day, sum(hold.tokens for hold in held)),
            cost_usd=_allowance(micro / MICRO, limits.usd_a_day, sum(hold.micro for hold in held) / MICRO),
            resets_at=next_day(now) / 1000,
        )
        rates = Rates(
            turns_this_minute=today.begun_in(now // MINUTE_MS),
            turns_a_minute=limits.turns_a_minute or None,
            running=len(held),
            turns_at_once=limits.turns_at_once or None,
        )
        used = [UsedDay(day=one.day, tokens=one.used[0], cost_usd=one.used[1] / MICRO, turns=one.turns) for one in days]
        return UsageView(counted=limits.is_of_users, today=spent, rates=rates, days=used)

    def export(self, caller: Caller, query: NoQuery, request: Request) -> Response:
        """Export all data, one JSON object a line, or start a background export if it is too large."""
        whole = _whole(self._services.exports.lines(caller), _until(request, WHOLE_SECONDS))
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


def _allowance(used: float, limit: float, reserved: float) -> Allowance:
    left = max(0, limit - used - reserved) if limit else None
    return Allowance(used=used, limit=limit or None, left=left, reserved=reserved)


def _whole(lines: Iterable[bytes], has_time: Callable[[], bool]) -> bytes | None:
    """Return all lines, or None as soon as one does not fit into the response and its time."""
    whole, size = bytearray(), 0
    for line in lines:
        size += answered_bytes(line)
        if size > PART_BYTES or not has_time():
            return None
        whole += line
    return bytes(whole)


def _until(request: Request, seconds: float) -> Callable[[], bool]:
    """Return a function that checks whether time is left, of `seconds` and of the request."""
    end = time.monotonic() + seconds
    deadline = getattr(request.state, "deadline", None)
    end = min(end, deadline - _MARGIN_SECONDS) if deadline else end
    return lambda: time.monotonic() < end
