"""Rows of inspections and forms: questionnaires, answers, and the faults that were found."""

from collections.abc import Iterator
from dataclasses import dataclass

from turnkeep_agents.database.sample.rows.dice import at, iso, mix, pick
from turnkeep_agents.database.sample.rows.equipment import asset_of
from turnkeep_agents.database.sample.rows.jobs import INSPECTION, MAINTENANCE, Job
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

CATEGORIES, SECTIONS, QUESTIONS = 8, 2, 3
PASS_SCORE = 70
_PURPOSES = ("safety", "handover", "survey", "permit")
_FIELDS = (("Place", "text"), ("Done as planned", "checkbox"), ("Minutes", "number"))
_ASKED = (
    "Is the housing free of damage?", "Does the display show no fault?", "Are all covers in place?",
    "Is the pressure within limits?", "Are the cables fixed?", "Does the emergency stop work?",
)  # fmt: skip
_FOUND = (
    "Seal is worn.",
    "Drips at the joint.",
    "Loose terminal.",
    "Cover is missing.",
    "Rust at the foot.",
    "Set too high.",
)
_NAMES = (
    "Boiler check", "Heat pump check", "Air conditioner check", "Fire alarm check", "Sprinkler check",
    "Distribution board check", "Access control check", "Water pump check",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """An inspection in the course of a job. `wrong` are the places of the questions that were not answered well."""

    job: Job
    asset: int
    template: int
    inspector: int
    wrong: tuple[int, ...]

    @property
    def score(self) -> int:
        return 100 - 15 * len(self.wrong) - self.job.roll % 5

    def status(self, last: int) -> str:
        if self.job.cancelled <= last:
            return "cancelled"
        if self.job.completed > last:
            return "planned"
        return "passed" if self.score >= PASS_SCORE else "failed"


def checks(world: World) -> Iterator[Pieces]:
    start, last = FOUNDED, world.last
    found = [_check(job, world) for job in world.jobs if _has_check(job) and job.planned <= last]
    done = [check for check in found if check.job.completed <= last]
    yield (
        "inspectionTemplate",
        [
            (number, name, number, 1 + number % 3, PASS_SCORE, int(number != CATEGORIES), start)
            for number, name in enumerate(_NAMES, 1)
        ],
    )
    yield (
        "inspectionSection",
        [
            ((template - 1) * SECTIONS + place, template, ("Outside", "Function")[place - 1], place, start)
            for template in range(1, CATEGORIES + 1)
            for place in range(1, SECTIONS + 1)
        ],
    )
    yield (
        "inspectionQuestion",
        [
            (
                number,
                (number - 1) // QUESTIONS + 1,
                pick(_ASKED, number),
                "yes_no",
                (number - 1) % QUESTIONS + 1,
                1 + number % 3,
                1,
                int(number % QUESTIONS == 0),
                start,
            )
            for number in range(1, CATEGORIES * SECTIONS * QUESTIONS + 1)
        ],
    )
    yield "inspections", [_inspection(check, world) for check in found]
    yield "inspectionAnswer", [row for check in done for row in _answers(check)]
    yield (
        "inspectionPhoto",
        [
            (check.job.id, check.job.id, f"check-{check.job.id}.jpg", when, when)
            for check in done
            if check.job.roll % 3 == 0
            for when in [at(check.job.completed, check.job.end)]
        ],
    )
    yield "defect", [row for check in done for row in _defects(check, last)]


def forms(world: World) -> Iterator[Pieces]:
    start = FOUNDED
    yield "form", [(number, f"{name} form", name, 1, start) for number, name in enumerate(_PURPOSES, 1)]
    yield (
        "formField",
        [
            ((form - 1) * len(_FIELDS) + place, form, label, kind, place, int(place == 1), start)
            for form in range(1, len(_PURPOSES) + 1)
            for place, (label, kind) in enumerate(_FIELDS, 1)
        ],
    )
    filled = [job for job in world.jobs if job.completed <= world.last and job.roll % 5 == 2]
    yield (
        "formSubmission",
        [
            (job.id, _form(job), job.id, job.technicians[0], when, when)
            for job in filled
            for when in [at(job.completed, job.end + 5)]
        ],
    )
    yield (
        "formAnswer",
        [
            (job.id, (_form(job) - 1) * len(_FIELDS) + place, said)
            for job in filled
            for place, said in enumerate(("Ground floor", pick(("yes", "yes", "no"), job.roll), str(job.minutes)), 1)
        ],
    )


def _form(job: Job) -> int:
    return 1 + (job.roll >> 21) % len(_PURPOSES)


def _has_check(job: Job) -> bool:
    return job.type == INSPECTION or (job.type == MAINTENANCE and job.roll % 3 == 0)


def _check(job: Job, world: World) -> Check:
    asset = asset_of(job)
    inspector = world.staff.one("inspector", job.roll >> 23, job.scheduled).id
    wrong = tuple(place for place in range(SECTIONS * QUESTIONS) if mix(job.id, 161 + place) % 9 == 0)
    return Check(job, asset.id, asset.category, inspector, wrong)


def _inspection(check: Check, world: World) -> Row:
    job, state = check.job, check.status(world.last)
    is_done = state in ("passed", "failed")
    day = job.completed if is_done else job.scheduled
    reviewer = world.staff.one("manager", job.roll, day).user if is_done and job.roll % 4 else None
    score = check.score if is_done else None
    where = job.id, job.site, check.asset
    return job.id, check.template, *where, check.inspector, reviewer, iso(day), state, score, at(job.planned, 1000)


def _answers(check: Check) -> Iterator[Row]:
    first = (check.template - 1) * SECTIONS * QUESTIONS + 1
    for place in range(SECTIONS * QUESTIONS):
        is_wrong = place in check.wrong
        yield check.job.id, first + place, "no" if is_wrong else "yes", int(not is_wrong)


def _defects(check: Check, last: int) -> Iterator[Row]:
    for place in check.wrong:
        roll, found = mix(check.job.id, 171 + place), check.job.completed
        mended = found + 3 + roll % 60
        state = "resolved" if mended <= last else "in_repair" if roll % 2 else "open"
        severity = pick(("minor", "minor", "major", "critical"), roll >> 8)
        kind = (roll >> 16) % len(_FOUND)
        done = iso(mended) if mended <= last else None
        number = check.job.id * 6 + place
        yield number, check.job.id, kind + 1, None, severity, state, _FOUND[kind], iso(found), done, at(found, 1190)
