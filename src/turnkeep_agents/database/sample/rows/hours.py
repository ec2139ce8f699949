"""The hours that people worked: on work orders, on the way to them, and in the office."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from turnkeep_agents.database.sample.rows.dice import mix, month_of
from turnkeep_agents.database.sample.rows.jobs import Job
from turnkeep_agents.database.sample.rows.staff import is_away
from turnkeep_agents.database.sample.rows.world import World

ON_SITE, TRAVEL, OFFICE = 1, 2, 3
PEOPLE_OF_A_JOB = 4
OVERTIME_FROM = 1080
"""The minute of the day after which work is overtime: 18:00."""
OFFICE_ID = 5_000_000
"""Ids of hours that belong to no work order count from here."""


@dataclass(frozen=True, slots=True)
class Stint:
    """Minutes count from midnight; `job` is 0 for what belongs to none."""

    id: int
    employee: int
    job: int
    kind: int
    day: int
    begin: int
    end: int

    @property
    def minutes(self) -> int:
        return self.end - self.begin

    @property
    def overtime(self) -> int:
        """In hundredths of an hour, as it is booked and paid."""
        return round(max(0, self.end - max(self.begin, OVERTIME_FROM)) / 60 * 100)


def stints(world: World) -> Iterator[Stint]:
    """All of the window."""
    for job in world.jobs:
        if job.started <= world.last:
            yield from _of_job(job, world.last)
    yield from _of_office(world)


def overtime_by_month(world: World) -> dict[tuple[int, int], int]:
    """Hundredths of an hour by employee and month, where there were any."""
    found: defaultdict[tuple[int, int], int] = defaultdict(int)
    for stint in stints(world):
        if stint.overtime:
            found[stint.employee, month_of(stint.day)] += stint.overtime
    return found


def _of_job(job: Job, last: int) -> Iterator[Stint]:
    days = [job.started] if job.is_held else range(job.started, min(job.completed, last) + 1)
    working = [day for day in days if day == job.started or (day - 1) % 7 < 5][:2]
    for place, day in enumerate(working):
        begin = job.begin if day == job.started else 480
        end = min(1200, begin + min(job.minutes, 600)) if day == job.started else max(540, 480 + job.minutes - 600)
        for turn, employee in enumerate(job.technicians[:2]):
            number = (job.id * 2 + place) * PEOPLE_OF_A_JOB + turn * 2
            yield Stint(number, employee, job.id, ON_SITE, day, begin, end)
            if turn == 0:
                way = 10 + (job.roll >> 6) % 9 * 5
                yield Stint(number + 1, employee, job.id, TRAVEL, day, begin - way, begin)


def _of_office(world: World) -> Iterator[Stint]:
    """Everybody in the field has an hour or so at the desk every fourth Friday."""
    fridays = [day for day in world.days if (day - 1) % 7 == 4]
    for place in world.staff.field_places:
        for day in fridays[(place - fridays[0] // 7) % 4 :: 4] if fridays else ():
            if not is_away(place, day):
                person = world.staff.at(place, day)
                number = OFFICE_ID + (day - 730_000) * 200 + place
                yield Stint(number, person.id, 0, OFFICE, day, 960, 1020 + mix(place, day) % 4 * 15)
