"""Rows of estimates: some became work, the others were refused or forgotten. The lines add up to the total."""

from collections.abc import Iterator
from dataclasses import dataclass

from turnkeep_agents.database.sample.rows.dice import at, iso, mix
from turnkeep_agents.database.sample.rows.prices import TRAVEL_PENCE
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.work import estimate_pence
from turnkeep_agents.database.sample.rows.world import World

VALID_DAYS, THINKING_DAYS = 30, 12
SERVICES = 12


@dataclass(frozen=True, slots=True)
class Offer:
    """`job` is 0 where no work came of it."""

    id: int
    customer: int
    site: int
    job: int
    service: int
    issued: int
    pence: int

    @property
    def lines(self) -> tuple[tuple[str, int | None, int], ...]:
        """Text, service and pence."""
        return ("Work as agreed", self.service, self.pence), ("Travel", None, TRAVEL_PENCE)

    def status(self, last: int) -> str:
        if self.job:
            return "accepted"
        if self.issued + THINKING_DAYS <= last and self.id % 3:
            return "rejected"
        return "expired" if self.issued + VALID_DAYS < last else "sent"


def offers(world: World) -> Iterator[Pieces]:
    found = [*_fruitful(world), *_fruitless(world)]
    yield "estimate", [_estimate(offer, world) for offer in found]
    yield "estimateLine", [row for offer in found for row in _lines(offer)]


def _fruitful(world: World) -> Iterator[Offer]:
    """Sent before the work was asked for."""
    for job in world.jobs:
        if job.roll % 7 == 0:
            pence = estimate_pence(job)
            yield Offer(job.id * 2, job.customer.id, job.site, job.id, job.type, job.requested - 3, pence)


def _fruitless(world: World) -> Iterator[Offer]:
    for day in world.busy_days:
        roll = mix(day, 116)
        if roll % 3 == 0:
            customer, pence = world.clients.at(roll, day), 20_000 + (roll >> 8) % 200 * 2_500
            number, service = (day - 730_000) * 2 + 1, 1 + (roll >> 20) % SERVICES
            yield Offer(number, customer.id, customer.site(roll >> 16), 0, service, day, pence)


def _estimate(offer: Offer, world: World) -> Row:
    total = sum(pence for _, _, pence in offer.lines)
    return (
        offer.id,
        f"EST-{offer.id:06d}",
        offer.customer,
        offer.site,
        world.staff.one("estimator", offer.id // 2, offer.issued).id,
        offer.job or None,
        offer.status(world.last),
        iso(offer.issued),
        iso(offer.issued + VALID_DAYS),
        pounds(total),
        at(offer.issued),
    )


def _lines(offer: Offer) -> Iterator[Row]:
    for place, (said, service, pence) in enumerate(offer.lines, 1):
        yield offer.id, place, service, said, 1, pounds(pence), pounds(pence), at(offer.issued)
