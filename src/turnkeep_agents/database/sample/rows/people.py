"""Rows of branches, employees, crews, absences and wages."""

from collections.abc import Iterator, Sequence

from turnkeep_agents.database.sample.rows.dice import (
    at,
    between,
    clock,
    day_of,
    first_of,
    is_working_day,
    iso,
    last_of,
    mix,
    month_of,
    pick,
    working_day,
)
from turnkeep_agents.database.sample.rows.hours import overtime_by_month
from turnkeep_agents.database.sample.rows.names import CREWS, STREETS, TOWNS, mailbox, phone
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.staff import (
    BRANCHES,
    DEPARTMENT_OF,
    DEPARTMENTS,
    LEAVE_DAYS,
    Person,
    branch_of,
    is_on_leave,
    is_suspended,
)
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

TRADES = ("electrical", "plumbing", "hvac", "fire", "security", "general")
MONTHS_FROM = 24_000
"""The month before which nothing happened, so that ids made of months stay small."""
ANNUAL, ILLNESS, PARENTAL = 1, 2, 3
_GRADE_RATES = (0, 1150, 1400, 1750, 2200, 2700)


def people(world: World) -> Iterator[Pieces]:
    staff, last = world.staff, world.last
    yield "branch", [_branch(number, world) for number in range(1, BRANCHES + 1)]
    yield (
        "department",
        [
            (number, name, name[:3].upper(), staff.one("manager", number, last).id, FOUNDED)
            for number, name in enumerate(DEPARTMENTS, 1)
        ],
    )
    yield "employee", [_employee(person, world) for person in staff.people]
    yield "crew", [_crew(number, world) for number in range(1, world.size.crews + 1)]
    yield "employeeCrew", [_membership(person, world) for person in staff.people if person.crew]
    yield "employeeSkill", [row for person in staff.people for row in _skills(person)]
    yield (
        "employeeAvailability",
        [
            (person.id, weekday, clock(begin := 420 + person.id % 3 * 30), clock(begin + 510), at(person.hired))
            for person in staff.people
            if person.left > last
            for weekday in range(1, 6)
        ],
    )
    yield "employeeAbsence", [row for person in staff.people for row in _absences(person, world)]
    yield "payRate", [row for person in staff.people for row in _pay_rates(person, world)]
    yield "payrollPeriod", [_period(month, last) for month in world.settled_months]
    yield "payrollEntry", _wages(world)
    yield (
        "shift",
        [
            (number, name, clock(begin), clock(begin + 480), int(name == "night"), FOUNDED)
            for number, (name, begin) in enumerate((("early", 360), ("day", 480), ("late", 840), ("night", 1320)), 1)
        ],
    )
    yield "onCallDuty", [row for monday in _mondays(world) for row in _duties(monday, world)]
    yield "performanceReview", [row for person in staff.people for row in _reviews(person, world)]


def grade(person: Person) -> int:
    if person.position == "apprentice":
        return 1
    return 5 if person.position == "manager" else 2 + mix(person.id, 61) % 4


def rate_pence(person: Person, day: int) -> int:
    """What an hour is paid with: 3 % more every January."""
    base = _GRADE_RATES[grade(person)] * (100 + mix(person.id, 62) % 15)
    return base * (100 + 3 * (month_of(day) // 12 - 2024)) // 10_000


def weekly_hours(person: Person) -> int:
    return 24 if mix(person.id, 63) % 9 == 0 else 40


def _branch(number: int, world: World) -> Row:
    town = TOWNS[number][0]
    manager = world.staff.one("manager", number, world.last).id
    opened = iso(day_of(2008 + number * 2, number, 3))
    return number, town, town[:3].upper(), number, manager, town, phone(number), opened, 1, FOUNDED


def _employee(person: Person, world: World) -> Row:
    last, region = world.last, branch_of(person)
    first_name, last_name = person.first_name, person.last_name
    roll = mix(person.id, 64)
    return (
        person.id,
        f"E{person.id:05d}",
        first_name,
        last_name,
        mailbox(first_name, last_name, domain="northlight.example"),
        phone(person.id * 7),
        f"{1 + roll % 180} {pick(STREETS, roll >> 8)}",
        pick(TOWNS[region], roll >> 12),
        person.position,
        _employment(person, last),
        "contractor" if roll % 17 == 0 else "part_time" if weekly_hours(person) < 40 else "full_time",
        grade(person),
        region,
        DEPARTMENT_OF.get(person.position, 1),
        _supervisor(person, world, last),
        person.user,
        iso(person.hired),
        iso(person.left) if person.left <= last else None,
        pounds(rate_pence(person, min(last, person.left))),
        weekly_hours(person),
        f"{person.first_name}'s family, {phone(person.id * 13)}" if roll % 5 else None,
        at(person.hired),
    )


def _employment(person: Person, last: int) -> str:
    if person.left <= last:
        return "terminated"
    if is_on_leave(person.place, last):
        return "on_leave"
    return "suspended" if is_suspended(person.place, last) else "active"


def _supervisor(person: Person, world: World, day: int) -> int | None:
    if person.position == "manager":
        return None
    above = "foreman" if person.position in ("technician", "apprentice") else "manager"
    return world.staff.one(above, person.place, day).id


def _crew(number: int, world: World) -> Row:
    active, crews = world.staff.active_crews, world.size.crews
    state = "active" if number <= active else "standby" if number <= crews - (crews - active) // 2 else "disbanded"
    name, formed = CREWS[number - 1], day_of(2019, 1, 7) + number * 70
    ended = iso(formed + 1200 + number) if state == "disbanded" else None
    trade = pick(TRADES, number)
    return number, name, name[:3].upper(), number % BRANCHES + 1, trade, state, 6, iso(formed), ended, at(formed)


def _membership(person: Person, world: World) -> Row:
    staff = world.staff
    place = next(one for one in staff.places["technician"] if staff.at(one, world.last).crew == person.crew)
    joined = max(person.hired + 14, day_of(2019, 1, 7) + person.crew * 70)
    left = iso(person.left) if person.left <= world.last else None
    return (
        person.id,
        person.id,
        person.crew,
        int(person.place == place),
        iso(min(joined, person.left)),
        left,
        at(joined),
    )


def _skills(person: Person) -> Iterator[Row]:
    if person.is_field or person.position == "inspector":
        for skill in sorted({mix(person.id, 65 + at) % 14 + 1 for at in range(1 + person.id % 4)}):
            roll = mix(person.id, skill)
            yield person.id, skill, pick(("basic", "good", "good", "expert"), roll), roll // 8 % 20, at(person.hired)


def _absences(person: Person, world: World) -> Iterator[Row]:
    for month in range(world.months.start, world.months.stop + 2):
        base, roll = person.id * 2000 + (month - MONTHS_FROM) * 3, mix(person.id, month)
        if roll % 3 == 0:
            starts = working_day(first_of(month) + (roll >> 8) % 24)
            ends = working_day(starts + (roll >> 16) % 10)
            if starts - 30 <= world.last:
                state = (
                    pick(("approved",) * 9 + ("rejected",), roll >> 20) if starts - 21 <= world.last else "requested"
                )
                yield from _absence(world, person, (base, ANNUAL), (starts, ends), state)
        starts = working_day(first_of(month) + (roll >> 24) % 28)
        if (roll >> 30) % 8 == 0 and starts <= world.last:
            ends = working_day(starts + (roll >> 34) % 4)
            yield from _absence(world, person, (base + 1, ILLNESS), (starts, ends))
    for block in range(world.first // LEAVE_DAYS, world.last // LEAVE_DAYS + 1):
        starts = block * LEAVE_DAYS
        if is_on_leave(person.place, starts) and starts <= world.last:
            number = person.id * 2000 + (month_of(starts) - MONTHS_FROM) * 3 + 2
            yield from _absence(world, person, (number, PARENTAL), (starts, starts + LEAVE_DAYS - 1))


def _absence(
    world: World, person: Person, key: tuple[int, int], days: tuple[int, int], state: str = "approved"
) -> Iterator[Row]:
    """`key` is the id and the type."""
    (number, kind), (starts, ends) = key, days
    asked = starts if kind == ILLNESS else starts - 30
    if person.hired <= asked and ends <= person.left:
        count = sum(map(is_working_day, range(starts, ends + 1)))
        decider = None if state == "requested" else world.staff.one("manager", person.id, asked).user
        yield number, person.id, kind, iso(starts), iso(ends), count, state, decider, at(asked)


def _pay_rates(person: Person, world: World) -> Iterator[Row]:
    years = range(month_of(world.first) // 12, month_of(world.last) // 12 + 1)
    raises = [day_of(year, 1, 1) for year in years]
    for place, day in enumerate([person.hired, *(day for day in raises if person.hired < day <= person.left)]):
        if day <= world.last:
            pence = rate_pence(person, max(day, raises[0] - 1))
            number = person.id * 100 + (month_of(day) // 12 - 2000 if place else 0)
            yield number, person.id, iso(day), pounds(pence), pounds(pence * 3 // 2), at(day)


def _period(month: int, last: int) -> Row:
    paid = first_of(month + 1) + 4
    state = "paid" if paid <= last else "closed" if last_of(month) <= last else "open"
    name = month // 12, month % 12 + 1
    starts, ends = iso(first_of(month)), iso(last_of(month))
    return month - MONTHS_FROM, *name, starts, ends, iso(paid) if paid <= last else None, state, at(first_of(month))


def _wages(world: World) -> Iterator[Row]:
    overtime = overtime_by_month(world)
    for month in world.settled_months:
        starts, ends = first_of(month), last_of(month)
        for person in world.staff.people if ends <= world.last else ():
            days = min(ends, person.left) - max(starts, person.hired) + 1
            if days > 0:
                yield _wage(person, month, days, overtime.get((person.id, month), 0))


def _wage(person: Person, month: int, days: int, overtime: int) -> Row:
    """`overtime` in hundredths of an hour; `days` are those of the month on which the person was employed."""
    ends, rate = last_of(month), rate_pence(person, last_of(month))
    hundredths = weekly_hours(person) * 5200 // 12 * days // (ends - first_of(month) + 1)
    gross = hundredths * rate // 100 + overtime * rate * 3 // 200
    roll = mix(person.id, month + 7)
    bonus = between(5, 25, roll >> 8) * 1000 if roll % 12 == 0 else 0
    number = person.id * 1000 + month - MONTHS_FROM
    hours = hundredths / 100, overtime / 100
    return number, month - MONTHS_FROM, person.id, *hours, pounds(gross), pounds(bonus), at(ends, 1020)


def _mondays(world: World) -> Sequence[int]:
    return range(world.first + (1 - world.first) % 7, world.last + 28, 7)


def _duties(monday: int, world: World) -> Iterator[Row]:
    """One a branch and week, also for some weeks ahead."""
    for branch in range(1, BRANCHES + 1):
        crews = [crew for crew in range(1, world.staff.active_crews + 1) if crew % BRANCHES + 1 == branch]
        if crews:
            roll = mix(monday, branch)
            person = pick(world.staff.crew_members(pick(crews, roll), monday), roll >> 8)
            callouts = (roll >> 16) % 5 if monday + 6 <= world.last else 0
            number = (monday - 730_000) // 7 * 10 + branch
            yield number, person.id, branch, 4, iso(monday), iso(monday + 6), callouts, at(monday - 28)


def _reviews(person: Person, world: World) -> Iterator[Row]:
    for year in range(month_of(world.first) // 12, month_of(world.last) // 12 + 1):
        roll = mix(person.id, year)
        day = working_day(first_of(year * 12 + roll % 12) + (roll >> 8) % 25)
        reviewer = _supervisor(person, world, day)
        if reviewer and world.first <= day <= world.last and person.hired + 90 <= day <= person.left:
            score = pick((2, 3, 3, 4, 4, 4, 5, 1), roll >> 16)
            said = ("Needs close help.", "Below what we hoped for.", "Solid work.", "Very good work.", "Outstanding.")
            yield person.id * 100 + year - 2000, person.id, reviewer, iso(day), score, said[score - 1], at(day, 960)
