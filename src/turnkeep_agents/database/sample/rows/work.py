"""Rows of work orders, and of all that belongs to one: steps, hours, parts, appointments, rounds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from turnkeep_agents.database.sample.rows.dice import at, clock, iso, mix, pick
from turnkeep_agents.database.sample.rows.hours import Stint, stints
from turnkeep_agents.database.sample.rows.jobs import NEVER, REPAIR, Job
from turnkeep_agents.database.sample.rows.names import phone
from turnkeep_agents.database.sample.rows.prices import list_pence
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.staff import USERS_FROM
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

WAREHOUSES = 3
_STEPS = (
    ("survey site", "fit equipment", "hand over"),
    ("find fault", "replace part", "test run"),
    ("clean and adjust", "replace filters", "write report"),
    ("check documents", "measure values", "write report"),
    ("secure site", "mend fault", "inform customer"),
    ("remove old parts", "fit new parts", "test run"),
)
_TITLES = ("Install {}", "Repair {}", "Service {}", "Inspect {}", "Urgent call: {}", "Upgrade {}")
_THINGS = (
    "boiler", "heat pump", "air conditioner", "fire alarm panel", "sprinkler system", "distribution board",
    "access control", "water pump",
)  # fmt: skip
_WISHES = ("Please come before noon.", "Ask at the desk.", "It makes a loud noise.", "The unit is on the roof.")
_REMARKS = (
    "Customer asked for a written report.", "Ordered a spare part.", "Second visit may be needed.",
    "Access was difficult.", "Everything works again.", "Customer was not on site at first.",
)  # fmt: skip


def work(world: World) -> Iterator[Pieces]:
    last = world.last
    begun = [job for job in world.jobs if job.started <= last]
    yield (
        "taskTemplate",
        [
            (type * 3 + position - 3, type, name, position, 30 + 15 * position, FOUNDED)
            for type, names in enumerate(_STEPS, 1)
            for position, name in enumerate(names, 1)
        ],
    )
    yield "workOrder", [_work_order(job, last) for job in world.jobs]
    yield "workOrderTask", [row for job in begun for row in _tasks(job, last)]
    yield "workOrderStatusHistory", [row for job in world.jobs for row in _history(job, world)]
    yield "workOrderNote", [row for job in begun if job.roll % 3 == 0 for row in _note(job, last)]
    yield "workOrderMaterial", [row for job in begun for row in _materials(job, last)]
    yield "workTime", [_work_time(stint, world) for stint in stints(world)]
    yield "serviceRequest", [_request(job, last) for job in world.jobs if job.roll % 2]
    yield "appointment", [_appointment(job, last) for job in world.jobs if job.planned <= last]
    rounds = _rounds(world)
    yield "dispatchRoute", [_route(crew, day, stops, world) for (crew, day), stops in rounds.items()]
    yield "routeStop", [row for (crew, day), stops in rounds.items() for row in _stops(crew, day, stops)]


def number_of(job: Job) -> str:
    return f"WO-{job.id:06d}"


def warehouse_of(job: Job) -> int:
    return job.branch % WAREHOUSES + 1


def thing(job: Job) -> int:
    """The kind of equipment that the work is about."""
    return mix(job.site, 71) % len(_THINGS)


def _work_order(job: Job, last: int) -> Row:
    state, is_planned = job.status(last), job.planned <= last
    ended = job.completed if job.completed <= last else job.cancelled if job.cancelled <= last else 0
    title = _TITLES[job.type - 1].format(_THINGS[thing(job)])
    changed = at(ended, 1150) if ended else at(min(last, max(job.planned, job.requested)), 960)
    return (
        job.id,
        number_of(job),
        title,
        f"{title}. {pick(_WISHES, job.roll >> 7)}" if job.roll % 4 else None,
        job.customer.id,
        job.site,
        job.contact,
        job.type,
        job.priority,
        job.branch,
        job.crew if is_planned else None,
        job.technicians[0] if is_planned else None,
        job.dispatcher if is_planned else None,
        USERS_FROM + job.dispatcher if is_planned and job.type != REPAIR else None,
        job.contract or None,
        state,
        iso(job.requested),
        at(job.scheduled, job.minute) if is_planned else None,
        at(job.scheduled, min(job.minute + job.minutes, 1140)) if is_planned else None,
        at(job.started, job.begin) if job.started <= last else None,
        at(job.completed, job.end) if job.completed <= last else None,
        max(1, round(job.minutes / 60 * 2) / 2),
        pounds(estimate_pence(job)),
        1 + (job.roll >> 9) % 5 if state == "cancelled" else None,
        int(job.is_billable),
        phone(job.id) if job.roll % 5 == 0 else None,
        pick(_REMARKS, job.roll >> 11) if job.roll % 6 == 0 else None,
        at(job.requested, job.asked),
        changed,
    )


def estimate_pence(job: Job) -> int:
    """Before anything is done: a round sum."""
    return (job.minutes * 115 + sum(list_pence(item) * count for item, count in job.materials)) // 500 * 500 + 4_000


def _tasks(job: Job, last: int) -> Iterator[Row]:
    for position, name in enumerate(_STEPS[job.type - 1], 1):
        done = job.completed <= last
        is_skipped = done and (job.roll >> position * 3) % 19 == 0
        state = "skipped" if is_skipped else "done" if done else "open"
        who, when = (job.technicians[0], at(job.completed, job.end)) if state == "done" else (None, None)
        template = job.type * 3 + position - 3
        minutes = 30 + 15 * position
        yield job.id * 3 + position, job.id, template, name, position, state, minutes, who, when


def _history(job: Job, world: World) -> Iterator[Row]:
    """Every change up to now, the first one included."""
    held = (job.started if job.is_held else NEVER, job.begin + 40, "on_hold")
    steps = [
        (job.requested, job.asked, "new"),
        (job.planned, job.asked + 30, "scheduled"),
        (job.started, job.begin, "in_progress"),
        held,
        (job.completed, job.end, "completed"),
        (job.cancelled, 1020, "cancelled"),
    ]
    before = None
    for place, (day, minute, state) in enumerate(steps):
        if day <= world.last:
            user = USERS_FROM + (job.dispatcher if place < 2 or state == "cancelled" else job.technicians[0])
            yield job.id * 6 + place, job.id, before, state, at(day, minute), user
            before = state


def _note(job: Job, last: int) -> Iterator[Row]:
    day = min(job.completed, last)
    when = at(job.started if job.is_held else day, 1000)
    yield job.id, job.id, USERS_FROM + job.technicians[0], pick(_REMARKS, job.roll >> 17), when, when


def _materials(job: Job, last: int) -> Iterator[Row]:
    if job.completed <= last:
        for place, (item, count) in enumerate(job.materials):
            price = list_pence(item)
            total = pounds(price * count)
            yield job.id * 4 + place, job.id, item, warehouse_of(job), count, pounds(price), total


def _work_time(stint: Stint, world: World) -> Row:
    """Hours are checked a few days later."""
    checked = stint.day + 3 <= world.last
    roll = mix(stint.id, 72)
    state = "submitted" if not checked else "rejected" if roll % 40 == 0 else "approved"
    checker = world.staff.one("foreman", roll, stint.day + 3).user if checked else None
    return (
        stint.id,
        stint.employee,
        stint.job or None,
        stint.kind,
        iso(stint.day),
        clock(stint.begin),
        clock(stint.end),
        round(stint.minutes / 60, 2),
        stint.overtime / 100,
        state,
        checker,
    )


def _request(job: Job, last: int) -> Row:
    is_made = job.planned <= last
    subject = _TITLES[job.type - 1].format(_THINGS[thing(job)])
    received = at(job.requested, job.asked)
    return (
        job.id,
        job.customer.id,
        job.site,
        job.id if is_made else None,
        job.dispatcher,
        pick(("phone", "phone", "email", "portal", "app"), job.roll >> 15),
        "converted" if is_made else "open",
        subject,
        received,
        received,
    )


def _appointment(job: Job, last: int) -> Row:
    state = job.status(last)
    if state == "cancelled":
        said = "cancelled"
    elif job.started <= last:
        said = "missed" if (job.roll >> 19) % 31 == 0 else "done"
    else:
        said = "confirmed" if job.scheduled - last <= 3 else "planned"
    delay = job.delay if said == "done" else None
    return (
        job.id,
        job.id,
        job.technicians[0],
        job.crew,
        at(job.scheduled, job.minute),
        at(job.scheduled, min(job.minute + job.minutes, 1140)),
        said,
        delay,
        at(job.planned, 900),
    )


def _rounds(world: World) -> Mapping[tuple[int, int], list[Job]]:
    """The jobs that crews begin on a day, where there are at least two, by crew and day."""
    found: defaultdict[tuple[int, int], list[Job]] = defaultdict(list)
    for job in world.jobs:
        if job.planned <= world.last and job.cancelled == NEVER:
            found[job.crew, job.scheduled].append(job)
    return {key: sorted(several, key=lambda job: job.minute) for key, several in found.items() if len(several) > 1}


def _route_id(crew: int, day: int) -> int:
    return (day - 730_000) * 20 + crew


def _route(crew: int, day: int, stops: list[Job], world: World) -> Row:
    state = "driven" if day <= world.last else "released" if day - world.last <= 3 else "draft"
    planned = min(job.planned for job in stops)
    return _route_id(crew, day), crew, crew, stops[0].dispatcher, iso(day), 18 * len(stops) + crew, state, at(planned)


def _stops(crew: int, day: int, stops: list[Job]) -> Iterator[Row]:
    for position, job in enumerate(stops, 1):
        yield _route_id(crew, day), position, job.id, clock(job.minute), at(job.planned, 930)
