"""Days of the calendar: where weeks, months, quarters and years begin, and which of them lie behind a given day.
Whatever is counted stays between EARLIEST and LATEST, so no number in a message can leave the calendar."""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from turnkeep_agents.campaigns.requests import Period

type Week = Literal["sunday", "monday", "rolling"]
"""Which days a week has; a rolling one ends on the newest day."""
type Unit = Literal["day", "week", "month", "quarter", "year"]

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
MONTHS_OF: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}
WEEK_DAYS = 7


@dataclass(frozen=True)
class Clock:
    """`first` and `last` are the oldest and the newest day with data."""

    first: date
    last: date
    today: date
    week: Week = "sunday"

    @property
    def newest(self) -> date:
        """The newest day with data that is over."""
        return min(self.last, self.today - timedelta(days=1))

    @property
    def now(self) -> date:
        """The day from which periods are counted back."""
        return self.newest + timedelta(days=1)

    @property
    def is_behind(self) -> bool:
        return self.newest < self.today - timedelta(days=1)

    def start_of(self, unit: Unit, day: date) -> date:
        """The first day of the week, month ... that holds `day`."""
        if unit == "day":
            return day
        if unit == "week":
            begins = {"sunday": 6, "monday": 0, "rolling": self.now.weekday()}[self.week]
            return add_days(day, -((day.weekday() - begins) % WEEK_DAYS))
        months = MONTHS_OF[unit]
        return date(day.year, (day.month - 1) // months * months + 1, 1)

    def whole(self, unit: Unit, day: date) -> Period:
        """The week, month ... that holds `day`."""
        start = self.start_of(unit, day)
        return period(start, add_days(shift(start, unit, 1), -1))

    def back(self, unit: Unit, count: int, skipped: int = 0) -> Period:
        """The newest `count` whole units that are over, `skipped` of them left out."""
        end = shift(self.start_of(unit, self.now), unit, -skipped)
        return period(shift(end, unit, -max(count, 1)), add_days(end, -1))

    def current(self, unit: Unit) -> Period:
        """The unit that is going on, up to the newest day; on its first day that day alone, of which nothing is
        known yet."""
        if unit == "week" and self.week == "rolling":
            return self.back("week", 1)
        start = self.start_of(unit, self.now)
        return period(start, max(start, self.newest))


def period(start: date, end: date) -> Period:
    return Period(start=start, end=end, label=name_of(start, end))


def add_days(day: date, count: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + count, EARLIEST.toordinal()), LATEST.toordinal()))


def shift(day: date, unit: Unit, count: int) -> date:
    """`day` moved by `count` units; a day that the month does not have becomes its last one."""
    if unit in ("day", "week"):
        return add_days(day, count * (WEEK_DAYS if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * MONTHS_OF[unit]
    months = min(max(months, EARLIEST.year * 12), LATEST.year * 12 + 11)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, days_in(year, month + 1)))


def days_in(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def is_whole_months(one: Period) -> bool:
    return one.start.day == 1 and add_days(one.end, 1).day == 1


def months_of(one: Period) -> int:
    """In how many months the days of the period lie."""
    return (one.end.year - one.start.year) * 12 + one.end.month - one.start.month + 1


def before(one: Period) -> Period:
    """The time of the same length that ends where `one` starts: months before months, days before days."""
    end = add_days(one.start, -1)
    if is_whole_months(one):
        return period(shift(one.start, "month", -months_of(one)), end)
    return period(add_days(one.start, -one.days), end)


def after(one: Period) -> Period:
    """The same the other way."""
    start = add_days(one.end, 1)
    if is_whole_months(one):
        return period(start, add_days(shift(start, "month", months_of(one)), -1))
    return period(start, add_days(one.end, one.days))


def a_year_before(one: Period) -> Period:
    start = shift(one.start, "year", -1)
    if is_whole_months(one):
        return period(start, add_days(shift(start, "month", months_of(one)), -1))
    return period(start, shift(one.end, "year", -1))


def name_of(start: date, end: date) -> str:
    """The days as an answer names them, always with the year, such as "May 2026" or "24 May to 6 June 2026"."""
    whole = start.day == 1 and add_days(end, 1).day == 1
    same_year, same_month = start.year == end.year, (start.year, start.month) == (end.year, end.month)
    if start == end:
        return f"{start.day} {start:%B %Y}"
    if whole and same_year and end.month - start.month + 1 in (3, 12) and start.month % 3 == 1:
        return f"{start.year}" if start.month + 11 == end.month else f"Q{end.month // 3} {start.year}"
    if whole and same_month:
        return f"{start:%B %Y}"
    if whole:
        return f"{start:%B}{'' if same_year else f' {start.year}'} to {end:%B %Y}"
    if same_month:
        return f"{start.day} to {end.day} {end:%B %Y}"
    return f"{start.day} {start:%B}{'' if same_year else f' {start.year}'} to {end.day} {end:%B %Y}"
