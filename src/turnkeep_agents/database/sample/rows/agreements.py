"""Rows of services, contracts, maintenance plans, promises that were broken, and price lists."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.clients import CONTACTS, CONTRACTS_AHEAD_DAYS, SITES, Contract
from turnkeep_agents.database.sample.rows.dice import (
    at,
    day_of,
    first_of,
    iso,
    last_of,
    mix,
    month_of,
    pick,
    working_day,
)
from turnkeep_agents.database.sample.rows.jobs import ITEMS
from turnkeep_agents.database.sample.rows.prices import list_pence
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

VISITS_AHEAD_DAYS = 42
PRICE_LISTS = (("Partners 2024", 10), ("Public sector", 8), ("Large accounts", 15))
_SERVICES = (
    "Installation", "Repair", "Yearly service", "Safety inspection", "Emergency callout", "Upgrade",
    "Boiler service", "Fire alarm test", "Emergency light test", "Heat pump service", "Drain cleaning",
    "Thermal survey",
)  # fmt: skip
_TYPES = (1, 2, 3, 4, 5, 6, 3, 4, 4, 3, 3, 4)
_PROMISED_HOURS = {1: (4, 12), 2: (8, 24), 3: (24, 72)}


def agreements(world: World) -> Iterator[Pieces]:
    start, contracts = FOUNDED, world.clients.contracts
    yield (
        "service",
        [
            (number, name, f"S{number:02d}", type, 60 + number * 15, 45 + number % 5 * 30, int(number != 11), start)
            for number, (name, type) in enumerate(zip(_SERVICES, _TYPES, strict=True), 1)
        ],
    )
    yield (
        "priceList",
        [
            (number, name, percent, iso(day_of(2024, number, 1)), 1, start)
            for number, (name, percent) in enumerate(PRICE_LISTS, 1)
        ],
    )
    yield (
        "priceListItem",
        [
            (number, item, pounds(list_pence(item) * (100 - percent) // 100), start)
            for number, (_, percent) in enumerate(PRICE_LISTS, 1)
            for item in range(number, ITEMS + 1, 2)
        ],
    )
    yield "contract", [_contract(one, world) for one in contracts]
    yield (
        "contractLocation",
        [
            (one.id, one.customer.id * SITES + site, iso(one.starts), _signed(one))
            for one in contracts
            for site in range(one.customer.sites)
        ],
    )
    yield "contractService", [row for one in contracts for row in _services(one)]
    yield (
        "maintenancePlan",
        [
            (
                one.id,
                one.id,
                one.customer.site(one.id),
                _service(one),
                _every(one),
                int(one.covers(world.last)),
                _signed(one),
            )
            for one in contracts
        ],
    )
    yield "plannedVisit", [row for one in contracts for row in _visits(one, world)]
    yield "slaBreach", _breaches(world)


def _contract(one: Contract, world: World) -> Row:
    last = world.last
    if one.cancelled and one.cancelled <= last:
        state = "cancelled"
    else:
        state = "upcoming" if one.starts > last else "active" if one.ends >= last else "expired"
    return (
        one.id,
        f"K-{one.id:05d}",
        one.customer.id,
        1 + mix(one.customer.id, 151) % 4,
        one.level,
        world.staff.one("sales", one.customer.id, last).id,
        one.customer.id * CONTACTS,
        state,
        iso(one.starts),
        iso(one.ends),
        pounds(one.fee_pence),
        int(mix(one.customer.id, 152) % 3 > 0),
        _signed(one),
    )


def _signed(one: Contract) -> str:
    """Contracts are entered well ahead."""
    return at(one.starts - CONTRACTS_AHEAD_DAYS - 5)


def _service(one: Contract) -> int:
    return pick((3, 7, 8, 9, 10, 12), mix(one.customer.id, 153))


def _every(one: Contract) -> int:
    return pick((1, 3, 3, 6), mix(one.customer.id, 154))


def _services(one: Contract) -> Iterator[Row]:
    for service in sorted({_service(one), 5, 2 if one.level < 3 else 4}):
        visits = 12 // _every(one) if service == _service(one) else 0
        yield one.id, service, visits, 5 * (4 - one.level), _signed(one)


def _visits(one: Contract, world: World) -> Iterator[Row]:
    """Of the window and some weeks ahead."""
    for turn in range(12 // _every(one)):
        month = month_of(one.starts) + turn * _every(one)
        roll = mix(one.id, turn)
        day = working_day(min(first_of(month) + roll % 26, last_of(month) - 3))
        if world.first <= day <= world.last + VISITS_AHEAD_DAYS and one.covers(day):
            is_past, crew = day <= world.last, one.customer.region % world.staff.active_crews + 1
            is_skipped = is_past and (roll >> 8) % 14 == 0
            state = "skipped" if is_skipped else "done" if is_past else "planned"
            done = iso(day) if state == "done" else None
            yield one.id * 12 + turn, one.id, crew, iso(day), done, state, _signed(one)


def _breaches(world: World) -> Iterator[Row]:
    """Work under a contract that took longer than promised."""
    levels = {one.id: one.level for one in world.clients.contracts}
    for job in world.jobs:
        if job.contract and job.completed <= world.last and job.priority < 3:
            level = levels[job.contract]
            response, resolution = _PROMISED_HOURS[level]
            waited = (job.started - job.requested) * 24 - response
            worked = (job.completed - job.requested) * 24 + 8 - resolution
            late = ("response", waited) if waited > 0 else ("resolution", worked) if worked > 0 else None
            if late:
                yield job.id, job.id, level, *late, at(job.completed, job.end), at(job.completed, 1200)
