"""The life of every work order: a function of the day on which it was asked for and its place among those of the day.
What lies ahead of the last day has not happened yet, and `status` says how far it has come."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from turnkeep_agents.database.sample.rows.clients import Clients, Customer
from turnkeep_agents.database.sample.rows.dice import day_of, is_working_day, mix, pick, working_day
from turnkeep_agents.database.sample.rows.staff import BRANCHES, Staff

type Status = Literal["new", "scheduled", "in_progress", "on_hold", "completed", "cancelled"]

EPOCH = day_of(2020, 1, 1)
MOST_A_DAY = 20
NEVER = day_of(9000, 1, 1)
HOLD_DAYS = 30
ITEMS = 120

INSTALLATION, REPAIR, MAINTENANCE, INSPECTION, CALLOUT, UPGRADE = range(1, 7)
_TYPES = (MAINTENANCE,) * 7 + (REPAIR,) * 6 + (INSPECTION,) * 3 + (INSTALLATION,) * 3 + (UPGRADE,) * 2 + (CALLOUT,) * 3
_EMERGENCY, _HIGH, _NORMAL, _LOW = range(1, 5)
_PRIORITIES = {
    CALLOUT: (_EMERGENCY, _EMERGENCY, _HIGH),
    REPAIR: (_HIGH, _NORMAL, _NORMAL, _NORMAL, _LOW),
    INSPECTION: (_NORMAL, _LOW),
}
_WAITS = {_EMERGENCY: (0, 1), _HIGH: (1, 3), _NORMAL: (3, 14), _LOW: (8, 35)}
_HOURS = {
    INSTALLATION: (6, 14),
    REPAIR: (1, 5),
    MAINTENANCE: (1, 4),
    INSPECTION: (1, 3),
    CALLOUT: (1, 4),
    UPGRADE: (4, 10),
}
_STARTS = (450, 480, 510, 540, 600, 660, 720, 780, 840)


@dataclass(frozen=True, slots=True)
class Job:
    """`planned` is when it gets a date, a crew and technicians; `scheduled`, `started`, `completed` and `cancelled` are
    days, `NEVER` where there is none. Minutes count from midnight. `materials` are items with their quantities."""

    id: int
    requested: int
    planned: int
    scheduled: int
    started: int
    completed: int
    cancelled: int
    is_held: bool
    minute: int
    minutes: int
    delay: int
    type: int
    priority: int
    customer: Customer
    site: int
    contact: int
    contract: int
    branch: int
    crew: int
    technicians: tuple[int, ...]
    dispatcher: int
    roll: int
    materials: tuple[tuple[int, int], ...]

    def status(self, last: int) -> Status:
        if self.cancelled <= last:
            return "cancelled"
        if self.completed <= last:
            return "completed"
        if self.started <= last:
            return "on_hold" if self.is_held else "in_progress"
        return "scheduled" if self.planned <= last else "new"

    @property
    def asked(self) -> int:
        """The minute of the day on which it was asked for."""
        return _asked(self.roll)

    @property
    def begin(self) -> int:
        """The minute at which work began on the day `started`."""
        return self.minute + self.delay

    @property
    def end(self) -> int:
        """The minute of the day `completed` at which work ended."""
        return min(self.begin + self.minutes, 1140) if self.completed == self.started else 900 + self.roll % 60

    @property
    def is_billable(self) -> bool:
        return not self.contract or self.type in (INSTALLATION, UPGRADE)


def jobs(staff: Staff, clients: Clients, rate: int) -> Iterator[Job]:
    """Those that were asked for from the first day to the last; `rate` is how many on a quiet working day."""
    for day in range(staff.first, staff.last + 1):
        roll = mix(day, 41)
        count = rate + roll % 3 if is_working_day(day) else (roll % 5 == 0)
        for place in range(count):
            yield _job(day, (day - EPOCH) * MOST_A_DAY + place, staff, clients)


def _job(day: int, number: int, staff: Staff, clients: Clients) -> Job:
    roll = mix(number, 42)
    type = pick(_TYPES, roll) if is_working_day(day) else CALLOUT
    priority = pick(_PRIORITIES.get(type, (_NORMAL, _NORMAL, _LOW)), roll >> 8)
    wait, hours = _WAITS[priority], _HOURS[type]
    scheduled = day + wait[0] + (roll >> 12) % (wait[1] - wait[0] + 1)
    scheduled = scheduled if priority == _EMERGENCY else working_day(scheduled)
    planned = min(day + (roll >> 16) % 4, max(day, scheduled - 1))
    is_cancelled, is_held = (roll >> 20) % 23 == 0, (roll >> 20) % 23 == 1
    minutes = hours[0] * 60 + (roll >> 26) % ((hours[1] - hours[0]) * 4 + 1) * 15
    started = NEVER if is_cancelled else scheduled
    later = HOLD_DAYS if is_held else minutes // 420
    customer = clients.at(number, day)
    contract = clients.contract(customer, day)
    branch = customer.region
    crew = _crew(branch, roll >> 32, staff)
    members = staff.crew_members(crew, scheduled)
    turn = (roll >> 36) % len(members)
    count = 1 + (minutes > 240) + (minutes > 540)
    technicians = tuple(members[(turn + at) % len(members)].id for at in range(min(count, len(members))))
    return Job(
        id=number,
        requested=day,
        planned=planned,
        scheduled=scheduled,
        started=started,
        completed=NEVER if is_cancelled else working_day(started + later) if later else started,
        cancelled=max(planned, scheduled - 1) if is_cancelled else NEVER,
        is_held=is_held,
        minute=_asked(roll) + 60 if scheduled == day else pick(_STARTS, roll >> 40),
        minutes=minutes,
        delay=max(0, (roll >> 44) % 60 - 30),
        type=type,
        priority=priority,
        customer=customer,
        site=customer.site(roll >> 50),
        contact=customer.contact(roll >> 52),
        contract=contract.id if contract else 0,
        branch=branch,
        crew=crew,
        technicians=technicians,
        dispatcher=staff.one("dispatcher", roll >> 3, day).id,
        roll=roll,
        materials=() if is_cancelled or type == INSPECTION else _materials(number, roll >> 5),
    )


def _asked(roll: int) -> int:
    return 480 + (roll >> 13) % 400


def _crew(branch: int, roll: int, staff: Staff) -> int:
    """An active crew of the branch, or of the next one that has any."""
    crews = [crew for crew in range(1, staff.active_crews + 1) if crew % BRANCHES == branch - 1]
    return pick(crews or [1], roll)


def _materials(number: int, roll: int) -> tuple[tuple[int, int], ...]:
    wanted = {(mix(number, 43 + at) % ITEMS + 1): 1 + mix(number, 53 + at) % 6 for at in range(roll % 4)}
    return tuple(wanted.items())
