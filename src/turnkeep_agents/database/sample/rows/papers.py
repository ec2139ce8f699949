"""Rows of messages, calls, documents, photos and signatures."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.clients import CONTACTS
from turnkeep_agents.database.sample.rows.dice import at, first_of, iso, mix, pick, working_day
from turnkeep_agents.database.sample.rows.jobs import Job
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.staff import BRANCHES, USERS_FROM
from turnkeep_agents.database.sample.rows.work import number_of
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

_SUBJECTS = ("Key for the site", "Part is here", "Change of plan", "Please call back", "Report is missing")
_TEMPLATES = (
    ("Appointment", "sms"), ("Technician on the way", "sms"), ("Work done", "email"), ("Bill", "email"),
    ("Reminder", "email"), ("New job", "push"), ("Change of plan", "push"), ("Satisfaction", "email"),
)  # fmt: skip
_NEWS = ("New vans arrived", "Summer party", "Price list changed", "Safety week", "Welcome to new colleagues")


def papers(world: World) -> Iterator[Pieces]:
    last, start = world.last, FOUNDED
    done = [job for job in world.jobs if job.completed <= last]
    planned = [job for job in world.jobs if job.planned <= last]
    yield (
        "messageTemplate",
        [
            (number, name, channel, name, f"Text of {name.lower()}.", start)
            for number, (name, channel) in enumerate(_TEMPLATES, 1)
        ],
    )
    yield "message", [_message(job, last) for job in planned if job.roll % 5 == 3]
    yield "notification", [_notification(job, last) for job in planned if job.roll % 4 == 2]
    yield "callLog", [_call(job) for job in world.jobs if job.roll % 3 == 1]
    yield "announcement", [_news(month, world) for month in world.months if working_day(first_of(month) + 3) <= last]
    filed = [job for job in done if job.roll % 4 == 0]
    yield "document", [_document(job) for job in filed]
    yield (
        "documentVersion",
        [
            (job.id, version, ("first draft", "after a check")[version - 1], at(job.completed, 1100 + version * 20))
            for job in filed
            for version in range(1, 2 + (job.roll >> 25) % 2)
        ],
    )
    yield (
        "photo",
        [
            (job.id * 3 + place, job.id, job.technicians[0], stage, f"{number_of(job)}-{stage}.jpg", when, when)
            for job in done
            if job.roll % 6 == 5
            for place, stage in enumerate(("before", "during", "after"))
            for when in [at(job.started, job.begin + 10 + 15 * place)]
        ],
    )
    yield (
        "signature",
        [
            (
                job.id,
                job.id,
                job.contact if job.roll % 9 else None,
                at(job.completed, job.end),
                "paper" if job.roll % 10 == 0 else "screen",
            )
            for job in done
            if job.roll % 3 != 2
        ],
    )


def _message(job: Job, last: int) -> Row:
    sender, reader = USERS_FROM + job.dispatcher, USERS_FROM + job.technicians[0]
    if job.roll % 2:
        sender, reader = reader, sender
    subject, sent = pick(_SUBJECTS, job.roll >> 10), at(job.planned, 600 + job.roll % 400)
    read = at(job.planned, 1010 + job.roll % 90) if job.planned < last or job.roll % 3 else None
    return job.id, sender, reader, job.id, subject, f"{subject}: {number_of(job)}.", sent, read, sent


def _notification(job: Job, last: int) -> Row:
    sent = at(job.planned, 500 + job.roll % 500)
    channel = pick(("push", "push", "email", "sms"), job.roll >> 12)
    is_read = int(job.planned < last - 1 and (job.roll >> 14) % 10 > 0)
    return job.id, USERS_FROM + job.technicians[0], channel, f"New: {number_of(job)}", sent, is_read, sent


def _call(job: Job) -> Row:
    roll = mix(job.id, 221)
    outcome = pick(("answered",) * 5 + ("voicemail", "missed"), roll)
    tenths = 5 + (roll >> 8) % 140 if outcome == "answered" else 0
    direction = "incoming" if (roll >> 16) % 3 else "outgoing"
    contact = job.customer.id * CONTACTS + (roll >> 20) % CONTACTS
    when = at(job.requested, 490 + (roll >> 24) % 470)
    return job.id, job.customer.id, contact, job.dispatcher, direction, outcome, when, tenths / 10, when


def _news(month: int, world: World) -> Row:
    day, roll = working_day(first_of(month) + 3), mix(month, 222)
    title, branch = pick(_NEWS, roll), roll % BRANCHES + 1 if roll % 3 == 0 else None
    author = world.staff.one("manager", roll, day).user
    return month - 24_000, author, branch, title, f"{title}. More at the desk.", iso(day), at(day, 580)


def _document(job: Job) -> Row:
    kind = 1 + (job.roll >> 27) % 5
    name = ("Report", "Plan", "Permit", "Photo report", "Letter")[kind - 1]
    when = at(job.completed, 1150)
    size = 20_000 + (job.roll >> 30) % 4_000_000
    file = f"{number_of(job)}.pdf"
    return (
        job.id,
        kind,
        job.customer.id,
        job.id,
        USERS_FROM + job.dispatcher,
        f"{name} {number_of(job)}",
        file,
        size,
        when,
        when,
    )
