"""Maps the periods that a model names to days: the model writes "the last two weeks", code counts."""

from datetime import date, timedelta
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from turnkeep_agents.campaigns.requests import Period
from turnkeep_agents.campaigns.specialists.formatting import span

Named: TypeAlias = Literal[
    "none", "dates", "yesterday", "this_week", "last_week", "this_month", "last_month", "last_days", "last_weeks",
    "last_months", "this_year",
]  # fmt: skip
Week: TypeAlias = Literal["sunday", "monday", "rolling"]

FIRST_DAY = {"sunday": 6, "monday": 0}
DAY = timedelta(days=1)
MOST_COUNTED = 1_000  # days, weeks or months


class Days(BaseModel):
    """`dates` takes start and end; last_days, last_weeks and last_months take n."""

    named: Named
    n: int | None = Field(None, ge=1, le=MOST_COUNTED)
    start: date | None = None
    end: date | None = None


def resolve(days: Days, week: Week, today: date, *, begun: date | None = None) -> Period | None:
    """Return the period; None for `none`. Days without figures yet are left out. Weeks, months and years are counted
    from those of `begun`, by default today. Raises ValueError with the remedy."""
    if days.named == "none":
        return None
    if days.named == "dates":
        if not days.start or not days.end or days.end < days.start:
            raise ValueError("a period of dates needs start and end, and ends on or after the day it starts")
        return _period(days.start, days.end)
    counted = days.n or 1 if days.named in ("last_days", "last_weeks", "last_months") else 1
    start, end, label = _span(days.named, counted, week, today, begun or today)
    return _period(min(start, end), end, label)


def _span(named: Named, n: int, week: Week, today: date, begun: date) -> tuple[date, date, str]:
    """Return first and last day, and a name if the days alone are unclear."""
    yesterday, month = today - DAY, begun.replace(day=1)
    sunday = begun - timedelta(days=(begun.weekday() - FIRST_DAY.get(week, FIRST_DAY["sunday"])) % 7)
    first = max(12, begun.year * 12 + begun.month - 1 - n)  # months since year 0, not before January of year 1
    months = date(first // 12, first % 12 + 1, 1)
    days, weeks = today - timedelta(days=n), sunday - timedelta(days=7 * n)
    if week == "rolling" and named in ("last_week", "last_weeks"):
        return today - timedelta(days=7 * n), yesterday, f"the last {7 * n} days"
    spans: dict[Named, tuple[date, date, str]] = {
        "this_week": (sunday, yesterday, "this week"),
        "last_week": (weeks, sunday - DAY, "last week"),
        "last_weeks": (weeks, sunday - DAY, f"the last {n} weeks" if n > 1 else "last week"),
        "last_days": (days, yesterday, f"the last {n} days"),
        "this_month": (month, yesterday, ""),
        "last_month": (months, month - DAY, ""),
        "last_months": (months, month - DAY, f"the last {n} months" if n > 1 else ""),
        "this_year": (begun.replace(month=1, day=1), yesterday, f"{begun.year}"),
    }
    return spans.get(named, (yesterday, yesterday, "yesterday"))


def _period(start: date, end: date, label: str = "") -> Period:
    """Return a period; a whole month, and one that has just begun, is labelled with its name."""
    is_month = start.day == 1 and (start.year, start.month) == (end.year, end.month)
    is_whole = is_month and (end + DAY).day == 1
    return Period(start=start, end=end, label=label or (f"{start:%B %Y}" if is_whole else span(start, end)))
