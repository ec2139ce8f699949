"""Rows of certificates and courses."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.dice import at, first_of, iso, mix, pick, working_day
from turnkeep_agents.database.sample.rows.names import TOWNS
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.staff import Person
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

COURSES = (
    ("Gas safety refresher", 1, "classroom", 16, 320, 1), ("Electrical safety", 2, "classroom", 24, 410, 1),
    ("First aid", 3, "on_site", 8, 90, 1), ("Refrigerants", 4, "classroom", 32, 690, 0),
    ("Work at height", 5, "on_site", 8, 140, 1), ("Fire alarm systems", 6, "classroom", 24, 520, 0),
    ("Heat pumps for beginners", None, "online", 6, 60, 0), ("Talking with customers", None, "online", 4, 45, 0),
    ("Thermal imaging", None, "on_site", 12, 260, 0), ("Data protection", None, "online", 2, 20, 1),
)  # fmt: skip
VALID_DAYS = (1096, 1826, 731, 1826, 731, 1096)
PASS_SCORE, SEATS, MONTHS_AHEAD, AHEAD_DAYS = 50, 10, 2, 45


def courses(world: World) -> Iterator[Pieces]:
    start = FOUNDED
    holders = [person for person in world.staff.people if person.is_field or person.position == "inspector"]
    yield "employeeCertification", [row for person in holders for row in _certificates(person, world)]
    yield (
        "requiredCertification",
        [
            (kind * 10 + certificate, kind, certificate, int(certificate != 3), start)
            for kind in range(1, 7)
            for certificate in sorted({3, mix(kind, 211) % 6 + 1, mix(kind, 212) % 6 + 1})
        ],
    )
    yield (
        "trainingCourse",
        [
            (number, name, certificate, form, hours, cost, is_needed, start)
            for number, (name, certificate, form, hours, cost, is_needed) in enumerate(COURSES, 1)
        ],
    )
    found = [
        one for month in range(world.months.start, world.months.stop + MONTHS_AHEAD) for one in _dates(month, world)
    ]
    yield "trainingSession", [_session(number, course, day, world) for number, course, day in found]
    yield "trainingAttendance", [row for number, _, day in found for row in _attendances(number, day, world)]


def _certificates(person: Person, world: World) -> Iterator[Row]:
    """The first of each kind that the person has got, and its renewals; some were never renewed."""
    for kind in sorted({mix(person.id, 213 + place) % 6 + 1 for place in range(1 + person.id % 3)}):
        roll, days, last = mix(person.id, 220 + kind), VALID_DAYS[kind - 1], min(world.last, person.left)
        got = person.hired + 30 + roll % 200
        for turn, issued in enumerate(range(got, last + 1, days) if roll // 256 % 6 else [got] if got <= last else []):
            is_revoked = mix(roll, turn) % 40 == 0
            state = "revoked" if is_revoked else "valid" if issued + days > world.last else "expired"
            clerk = world.staff.one("manager", roll, issued).user if roll % 5 and issued >= world.first else None
            number = (person.id * 10 + kind) * 10 + turn
            yield number, person.id, kind, f"Z{number}", iso(issued), iso(issued + days), state, clerk, at(issued)


def _dates(month: int, world: World) -> Iterator[tuple[int, int, int]]:
    """Number, course and day of eight sessions a month; those far ahead are not fixed yet."""
    for turn in range(8 if world.size.share == 1 else 1):
        roll = mix(month, 230 + turn)
        day = working_day(first_of(month) + roll % 26)
        if day <= world.last + AHEAD_DAYS:
            yield (month - 24_000) * 10 + turn, 1 + (roll >> 8) % len(COURSES), day


def _session(number: int, course: int, day: int, world: World) -> Row:
    roll = mix(number, 214)
    days = max(1, COURSES[course - 1][3] // 8)
    ends = working_day(day + days - 1)
    is_off = roll % 15 == 0
    state = "cancelled" if is_off else "held" if ends <= world.last else "planned"
    trainer = world.staff.one("trainer", roll, day).id
    town = pick([towns[0] for towns in TOWNS.values()], roll >> 8)
    return number, course, trainer, town, iso(day), iso(ends), SEATS, state, at(day - 60)


def _attendances(number: int, day: int, world: World) -> Iterator[Row]:
    if mix(number, 214) % 15 == 0:
        return
    places = world.staff.field_places
    for place in sorted({mix(number, 240 + turn) % len(places) for turn in range(3 + number % 4)}):
        person, roll = world.staff.at(places[place], day), mix(number, 250 + place)
        score = 40 + roll % 61
        said: tuple[str, int | None] = ("registered", None)
        if day + 4 <= world.last:
            said = ("absent", None) if roll // 64 % 15 == 0 else ("passed" if score >= PASS_SCORE else "failed", score)
        yield number, person.id, *said, at(day - AHEAD_DAYS - 2)
