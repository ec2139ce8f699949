"""Rows of feedback, complaints, accidents, risks, safety talks and audits."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.dice import at, first_of, iso, mix, pick, working_day
from turnkeep_agents.database.sample.rows.jobs import Job
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.staff import is_away
from turnkeep_agents.database.sample.rows.world import World

_PRAISE = ("Too late and left a mess.", "Could be better.", "Fine.", "Friendly and quick.", "Excellent, thank you!")
_TOPICS = ("Ladders", "Live parts", "Lifting", "Driving in winter", "Gloves and glasses", "Hot work", "First aid")
_ACCIDENTS = ("Slipped on a wet floor.", "Cut on sheet metal.", "Ladder moved.", "Hot water splashed.", "Van was hit.")
_MEASURES = ("Talk with the crew.", "New gloves for everybody.", "Check all ladders.", "Mark the place.")


def quality(world: World) -> Iterator[Pieces]:
    last = world.last
    done = [job for job in world.jobs if job.completed + 4 <= last]
    yield "customerFeedback", [_feedback(job) for job in done if job.roll % 5 < 2]
    yield "complaint", [_complaint(job, world) for job in done if job.roll % 13 == 4]
    yield "safetyIncident", [_incident(job, world) for job in done if job.roll % 17 == 6]
    yield "correctiveAction", [_action(job, world) for job in done if job.roll % 17 == 6]
    yield "riskAssessment", [_risk(job) for job in world.jobs if job.started <= last and job.roll % 4 == 1]
    yield "qualityAudit", [_audit(job, world) for job in done if job.roll % 11 == 5]
    yield from _meetings(world)


def _feedback(job: Job) -> Row:
    """The later the technician came, the worse."""
    rating = max(1, pick((5, 5, 4, 4, 4, 3, 5, 2), job.roll >> 9) - (job.delay > 20))
    said = _PRAISE[rating - 1] if (job.roll >> 13) % 3 else None
    return job.id, job.id, rating, said, int(rating > 3), iso(job.completed + 3), at(job.completed + 3, 760)


def _complaint(job: Job, world: World) -> Row:
    day, roll = job.completed + 2, mix(job.id, 191)
    solved = day + 1 + roll % 40
    is_closed = solved <= world.last
    state = "open" if not is_closed else "rejected" if (roll >> 8) % 7 == 0 else "resolved"
    handler = world.staff.one("dispatcher", roll >> 12, day).id
    ended = iso(solved) if is_closed else None
    return job.id, job.customer.id, job.id, 1 + (roll >> 16) % 5, handler, state, iso(day), ended, at(day, 650)


def _incident(job: Job, world: World) -> Row:
    roll, day = mix(job.id, 192), job.completed
    severity = pick(("near_miss",) * 5 + ("minor",) * 4 + ("serious",), roll)
    age = world.last - day
    state = "open" if age < 7 else "investigating" if age < 30 else "closed"
    lost = 0 if severity == "near_miss" else roll // 16 % 4 if severity == "minor" else 5 + roll // 16 % 20
    teller = world.staff.one("foreman", roll, day).id
    when = at(day, job.begin + 20)
    kind, said = 1 + (roll >> 20) % 6, pick(_ACCIDENTS, roll >> 24)
    return job.id, kind, job.id, job.technicians[-1], teller, severity, state, when, lost, said, at(day, 1180)


def _action(job: Job, world: World) -> Row:
    roll, due = mix(job.id, 193), job.completed + 20 + job.roll % 30
    done = due - 10 + roll % 14
    is_done = done <= world.last
    state = "done" if is_done else "overdue" if due < world.last else "open"
    person = world.staff.one("foreman", roll, job.completed).id
    ended = iso(done) if is_done else None
    return job.id, job.id, person, pick(_MEASURES, roll), iso(due), ended, state, at(job.completed + 1)


def _risk(job: Job) -> Row:
    level = pick(("low",) * 5 + ("medium",) * 3 + ("high",), job.roll >> 18)
    hazard, day = 1 + (job.roll >> 22) % 6, job.started
    accepted = int(level != "high" or job.roll % 3 > 0)
    return job.id, job.id, hazard, job.technicians[0], level, accepted, iso(day), at(day, job.begin - 10)


def _audit(job: Job, world: World) -> Row:
    day, score = working_day(job.completed + 1), 100 - (job.roll >> 24) % 45
    result = "passed" if score >= 75 else "rework" if score >= 60 else "failed"
    auditor = world.staff.one("inspector", job.roll, day).id
    return job.id, job.id, auditor, iso(day), score, result, at(day, 1010)


def _meetings(world: World) -> Iterator[Pieces]:
    """One a month and crew, in its first days."""
    crews = range(1, world.staff.active_crews + 1)
    held = [
        (crew, day)
        for month in world.months
        for crew in crews
        for day in [working_day(first_of(month) + crew % 6)]
        if day <= world.last
    ]
    yield (
        "safetyMeeting",
        [
            (
                _meeting_id(crew, day),
                crew,
                leader,
                pick(_TOPICS, mix(day, crew)),
                iso(day),
                20 + crew % 3 * 10,
                at(day, 460),
            )
            for crew, day in held
            for leader in [world.staff.one("foreman", crew, day).id]
        ],
    )
    yield (
        "safetyMeetingAttendance",
        [
            (_meeting_id(crew, day), person.id, int(mix(day, person.id) % 12 > 0))
            for crew, day in held
            for person in world.staff.crew_members(crew, day)
            if not is_away(person.place, day)
        ],
    )


def _meeting_id(crew: int, day: int) -> int:
    return (day - 730_000) * 20 + crew
