"""Rows of users and of the inside of the system."""

import hashlib
from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.dice import at, day_of, iso, mix, pick
from turnkeep_agents.database.sample.rows.names import mailbox, phone
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.staff import SYSTEM_USER, USERS_FROM, Person
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

_ROLES = {"manager": 1, "dispatcher": 2, "accountant": 4, "sales": 5, "trainer": 6}
_FIELD_ROLE = 3
_GROUPS = (
    ("All staff", "News."),
    ("Field", "Changes of plan."),
    ("Office", "Office matters."),
    ("Leads", "Crew leads."),
)
_SETTINGS = (
    ("working_day_start", "07:30", "planning"), ("working_day_end", "18:00", "planning"),
    ("tax_percent", "20", "billing"), ("reminder_days", "10", "billing"), ("language", "en", "display"),
    ("map_provider", "open", "display"),
)  # fmt: skip
_SYSTEMS = (("Ledgerline", "accounting"), ("Paywell", "payroll"), ("Mapwise", "maps"), ("Customer portal", "portal"))
_ENTITIES = ("workOrder", "customer", "invoice", "employee", "inventoryItem")


def system(world: World) -> Iterator[Pieces]:
    people, start, last = world.staff.people, FOUNDED, world.last
    yield "user", [_system_user(start), *(_user(person, world) for person in people)]
    yield (
        "userRole",
        [
            (person.user, _ROLES.get(person.position, _FIELD_ROLE), iso(person.hired), at(person.hired))
            for person in people
        ],
    )
    yield "group", [(number, name, purpose, start) for number, (name, purpose) in enumerate(_GROUPS, 1)]
    yield (
        "groupMember",
        [
            (group, person.user, iso(person.hired), at(person.hired))
            for person in people
            if person.left > last
            for group in (1, 2 if person.is_field else 3)
        ],
    )
    seen = [(day, place) for day in world.days for place in range(world.some(60)) if mix(day, place) % 30 == 0]
    yield "loginEvent", [_login(day, place, world) for day, place in seen]
    yield "auditLog", [_audit(day, turn, world) for day in world.busy_days for turn in range(mix(day, 231) % 4)]
    yield "setting", [(number, *row, start) for number, row in enumerate(_SETTINGS, 1)]
    yield from _systems(world)
    yield (
        "userCredential",
        [(person.id, person.user, _hash(person.id), iso(person.hired), at(person.hired)) for person in people],
    )


def _system_user(start: str) -> Row:
    mail = mailbox("system", domain="northlight.example")
    return SYSTEM_USER, "System", "Import", mail, None, "en", "active", None, start


def _user(person: Person, world: World) -> Row:
    first, last = person.first_name, person.last_name
    state = "locked" if person.left <= world.last else "invited" if person.hired > world.last - 7 else "active"
    seen = min(world.last, person.left) - mix(person.id, world.last // 7) % 9
    login = at(max(seen, person.hired), 450 + person.id % 200) if state != "invited" else None
    mail = mailbox(first, last, domain="northlight.example")
    language = pick(("en", "en", "en", "en", "pl", "cy"), mix(person.id, 232))
    return person.user, first, last, mail, phone(person.id * 7), language, state, login, at(person.hired)


def _login(day: int, place: int, world: World) -> Row:
    roll = mix(day * 100 + place, 233)
    places = world.staff.field_places
    user = world.staff.at(places[place % len(places)], day).user
    device = pick(("phone", "phone", "browser", "tablet"), roll)
    return (day - 730_000) * 100 + place, user, at(day, 390 + roll % 700), device, int(roll // 1024 % 12 > 0)


def _audit(day: int, turn: int, world: World) -> Row:
    roll = mix(day, 234 + turn)
    user, entity = world.staff.clerk(roll, day).user, pick(_ENTITIES, roll >> 8)
    action = pick(("update", "update", "update", "insert", "delete"), roll >> 16)
    return (day - 730_000) * 4 + turn, user, entity, 1 + (roll >> 20) % 100, action, at(day, 500 + (roll >> 28) % 500)


def _systems(world: World) -> Iterator[Pieces]:
    start = FOUNDED
    yield (
        "3rdPartySystem",
        [
            (number, name, purpose, int(number != 3), at(world.last, 60 + number) if number != 3 else None, start)
            for number, (name, purpose) in enumerate(_SYSTEMS, 1)
        ],
    )
    yield (
        "syncRun",
        [
            ((day - 730_000) * 10 + number, number, at(day, 60 + number), roll % 400, result)
            for day in world.busy_days
            if mix(day, 235) % 2
            for number in (1, 2, 4)
            for roll in [mix(day, 236 + number)]
            for result in [pick(("ok",) * 10 + ("partial", "failed"), roll >> 12)]
        ],
    )
    yield (
        "apiKey",
        [(number, number, _hash(USERS_FROM * number), iso(day_of(2030, 1, number)), start) for number in (1, 2, 4)],
    )


def _hash(number: int) -> str:
    return hashlib.sha256(str(mix(number, 237)).encode()).hexdigest()
