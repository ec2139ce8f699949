"""Days of the calendar: weeks, months, quarters and years. Weeks run from Monday to Sunday."""

import calendar
from datetime import date

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST, Grain
from turnkeep_agents.database.writing.cells import told_day

WEEK_DAYS = 7

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}


def shift(day: date, unit: str, count: int) -> date:
    """`day` moved by `count` units, kept inside the calendar; a day that a month does not have becomes its last."""
    if unit in ("day", "week", "fortnight"):
        step = {"day": 1, "week": WEEK_DAYS, "fortnight": 2 * WEEK_DAYS}[unit]
        return date.fromordinal(min(max(day.toordinal() + count * step, EARLIEST.toordinal()), LATEST.toordinal()))
    months = day.year * 12 + day.month - 1 + count * MONTHS_IN[unit]
    year, month = divmod(min(max(months, EARLIEST.year * 12), LATEST.year * 12 + 11), 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def whole(unit: str, day: date) -> tuple[date, date]:
    """The first and the last day of the week, month ... that holds `day`."""
    if unit == "day":
        return day, day
    if unit in ("week", "fortnight"):
        start = shift(day, "day", -day.weekday())
        return start, shift(start, "day", WEEK_DAYS - 1 if unit == "week" else 2 * WEEK_DAYS - 1)
    months = MONTHS_IN[unit]
    start = date(day.year, (day.month - 1) // months * months + 1, 1)
    return start, shift(shift(start, unit, 1), "day", -1)


def name_of(start: date, end: date) -> str:
    """The days in words, with their year."""
    if start == EARLIEST:
        return f"up to {told_day(end)}"
    if end == LATEST:
        return f"from {told_day(start)} on"
    return told_day(start) if start == end else f"{told_day(start)} to {told_day(end)}"


GRAINS: dict[str, Grain] = {
    **dict.fromkeys(("day", "daily", "date"), "day"),
    **dict.fromkeys(("week", "weekly"), "week"),
    **dict.fromkeys(("month", "monthly"), "month"),
    **dict.fromkeys(("quarter", "quarterly"), "quarter"),
    **dict.fromkeys(("year", "yearly", "annual", "annually"), "year"),
}
