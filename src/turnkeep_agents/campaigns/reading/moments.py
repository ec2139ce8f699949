"""A single expression of time in a message, with its place in the text. What a date leaves open is its year: it is the
newest one in which it has begun by the newest day with data."""

from dataclasses import dataclass
from datetime import date

from turnkeep_agents.campaigns.reading.days import Clock, Unit, days_in, period
from turnkeep_agents.campaigns.requests import Period
from turnkeep.blocks.words import words

MONTHS = words("january february march april may june july august september october november december")
LEAP_YEARS = 8


class Impossible(ValueError):
    """No such day; the message is half a sentence for the user."""


@dataclass(frozen=True)
class Moment:
    """A stretch of the text from `at` up to `to`. `months` and `days` of a calendar date whose `year` may be open,
    otherwise `period`; `unit` and `count` of what is counted back, `is_week` where it hangs on the days of a week."""

    at: int
    to: int
    period: Period | None = None
    months: tuple[int, int] = (1, 12)
    days: tuple[int, int | None] = (1, None)
    year: int | None = None
    unit: Unit | None = None
    count: int = 0
    is_relative: bool = False
    is_week: bool = False
    remark: str = ""

    @property
    def is_day(self) -> bool:
        """Whether it is one day of the calendar, so that a range may start there."""
        given = self.period
        return given.days == 1 if given else self.months[0] == self.months[1] and self.days[0] == self.days[1]

    def in_year(self, year: int) -> Period:
        """The days it means in that year; raises Impossible."""
        (first, last), (day, end) = self.months, self.days
        until = end or days_in(year, last)
        for month, asked in ((first, day), (last, until)):
            if not 1 <= month <= 12:
                raise Impossible(f"there is no month {month}")
            if not 1 <= asked <= days_in(year, month):
                raise Impossible(f"{MONTHS[month - 1].capitalize()} {year} has no day {asked}")
        start, stop = date(year, first, day), date(year, last, until)
        if stop < start:
            raise Impossible(
                f"{until} {MONTHS[last - 1].capitalize()} comes before {day} {MONTHS[first - 1].capitalize()}"
            )
        return period(start, stop)


def resolve(moment: Moment, clock: Clock) -> Period:
    """Raises Impossible."""
    if moment.period:
        return moment.period
    if moment.year:
        return moment.in_year(moment.year)
    fault: Impossible | None = None
    for year in range(clock.last.year, clock.last.year - LEAP_YEARS - 1, -1):
        try:
            found = moment.in_year(year)
        except Impossible as error:
            fault = fault or error
            continue
        if found.start <= clock.last:
            return found
    raise fault or Impossible("there is no such day")
