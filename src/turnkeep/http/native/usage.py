"""GET /usage: the caller's own usage, limits and reset times."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from turnkeep.errors import InvalidRequest
from turnkeep.http.auth import Caller
from turnkeep.http.errors import problems
from turnkeep.http.routes import ALWAYS, Routes
from turnkeep.http.schemas import Options
from turnkeep.http.views import LateView, Time
from turnkeep.store.keys import day, next_day
from turnkeep.store.reservations import MICRO, MINUTE_MS, Day

DAYS = 31


class UsageQuery(Options):
    days: int = Field(7, ge=1, le=DAYS, description="number of days, including today")


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


class UsageRoutes(Routes):
    def register(self, router: APIRouter) -> None:
        answers = problems(*ALWAYS, InvalidRequest)
        router.add_api_route("/usage", self.usage, methods=["GET"], responses=answers)

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
        used = [
            UsedDay(day=each.day, tokens=each.used[0], cost_usd=each.used[1] / MICRO, turns=each.turns) for each in days
        ]
        return UsageView(counted=limits.is_of_users, today=spent, rates=rates, days=used)


def _allowance(used: float, limit: float, reserved: float) -> Allowance:
    left = max(0, limit - used - reserved) if limit else None
    return Allowance(used=used, limit=limit or None, left=left, reserved=reserved)
