"""One company between two days: its staff, customers and work orders, from which all rows are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from turnkeep_agents.database.sample.rows.clients import Clients
from turnkeep_agents.database.sample.rows.dice import at, day_of, first_of, month_of
from turnkeep_agents.database.sample.rows.jobs import Job, jobs
from turnkeep_agents.database.sample.rows.staff import Staff

MONTHS_BACK = 14
FOUNDED = at(day_of(2019, 1, 7))
"""When what has always been there was entered."""
SETTLED_MONTHS = 2
"""Months after the first in which work of the time before would still be seen, were it not left out."""


@dataclass(frozen=True)
class Size:
    """How large a company is. `share` is what it has of everything else, beside the large one."""

    positions: Mapping[str, int]
    crews: int
    coming_days: int
    rate: int
    share: float


LARGE = Size(
    {
        "technician": 60, "apprentice": 12, "foreman": 6, "dispatcher": 6, "inspector": 4, "estimator": 3,
        "storekeeper": 3, "accountant": 3, "sales": 5, "manager": 4, "trainer": 2,
    },
    crews=18, coming_days=12, rate=4, share=1.0,
)  # fmt: skip
SMALL = Size({name: 8 if name == "technician" else 1 for name in LARGE.positions}, 4, 120, -1, 0.1)


class World:
    """The figures of one company up to the day before `today`."""

    def __init__(self, size: Size, today: date):
        self.size, self.last = size, today.toordinal() - 1
        self.first = first_day(today)
        self.staff = Staff(size.positions, size.crews, self.first, self.last)
        self.clients = Clients(size.coming_days, self.first, self.last)

    @cached_property
    def jobs(self) -> list[Job]:
        return list(jobs(self.staff, self.clients, self.size.rate))

    @cached_property
    def months(self) -> range:
        """Of the window, the month of the last day included."""
        return range(month_of(self.first), month_of(self.last) + 1)

    @cached_property
    def settled_months(self) -> range:
        """Those of which all work is in the window."""
        return self.months[SETTLED_MONTHS:]

    @cached_property
    def days(self) -> range:
        return range(self.first, self.last + 1)

    @cached_property
    def busy_days(self) -> range:
        """Days on which the small things happen that belong to no work order; fewer in a small company."""
        step = round(1 / self.size.share)
        return range(self.first + -self.first % step, self.last + 1, step)

    def some(self, count: int) -> int:
        """How many a company of this size has, where the large one has `count`; at least two."""
        return max(2, round(count * self.size.share))


def first_day(today: date) -> int:
    """The first of the month that lies 14 months before that of the day before `today`."""
    return first_of(month_of(today.toordinal() - 1) - MONTHS_BACK)
