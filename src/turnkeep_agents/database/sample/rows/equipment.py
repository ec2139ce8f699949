"""Rows of the equipment at customers' sites, and of the company's own tools."""

from collections.abc import Iterator
from dataclasses import dataclass

from turnkeep_agents.database.sample.rows.clients import SITES, Customer
from turnkeep_agents.database.sample.rows.dice import at, iso, mix, pick, working_day
from turnkeep_agents.database.sample.rows.jobs import INSTALLATION, UPGRADE, Job
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.staff import BRANCHES
from turnkeep_agents.database.sample.rows.world import World

PER_SITE = 2
MODELS, CATEGORIES = 24, 8
SERVICE_MONTHS = (6, 12, 12, 24)
TOOLS, TOOL_TYPES, CALIBRATION_MONTHS = 140, 7, (12, 6, 12, 0, 0, 24, 12)
WARRANTY_DAYS = 1096


@dataclass(frozen=True, slots=True)
class Asset:
    """`category` is the kind of equipment."""

    id: int
    site: int
    model: int
    installed: int

    @property
    def category(self) -> int:
        return (self.model - 1) % CATEGORIES + 1

    @property
    def service_days(self) -> int:
        return SERVICE_MONTHS[(self.model - 1) % 4] * 30

    def serviced(self, day: int) -> int:
        """The last service up to a day; at the earliest, the installation."""
        return self.installed + (day - self.installed) // self.service_days * self.service_days


def asset_of(job: Job) -> Asset:
    """The equipment that the work is about."""
    return _asset(job.customer, job.site, mix(job.site, 71) % PER_SITE)


def equipment(world: World) -> Iterator[Pieces]:
    last = world.last
    found = [
        _asset(one, one.id * SITES + site, place)
        for one in world.clients.customers
        for site in range(one.sites)
        for place in range(PER_SITE)
    ]
    yield "asset", [_row(asset, last) for asset in found]
    yield (
        "warranty",
        [
            (asset.id, asset.id, kind, iso(asset.installed), iso(asset.installed + WARRANTY_DAYS))
            for asset in found
            for kind in [pick(("parts", "full", "labour"), asset.id)]
        ],
    )
    read = [job for job in world.jobs if job.completed <= last and job.roll % 4 == 3]
    yield "meterReading", [_reading(job) for job in read]
    touched = [job for job in world.jobs if job.completed <= last]
    yield "workOrderAsset", [(job.id, asset_of(job).id, _action(job)) for job in touched]
    yield from _tools(world)


def _asset(customer: Customer, site: int, place: int) -> Asset:
    number = site * PER_SITE + place
    roll = mix(number, 181)
    model = (
        mix(site, 71) % CATEGORIES + 1 + (roll % 3) * CATEGORIES
        if place == mix(site, 71) % PER_SITE
        else 1 + roll % MODELS
    )
    return Asset(number, site, model, customer.since - roll // 64 % 1200)


def _row(asset: Asset, last: int) -> Row:
    roll = mix(asset.id, 182)
    state = pick(("in_service",) * 12 + ("out_of_service", "replaced"), roll)
    serviced = asset.serviced(last)
    service = iso(serviced) if serviced > asset.installed else None
    coming = iso(serviced + asset.service_days) if state == "in_service" else None
    serial = f"SN{asset.id * 7919 % 1_000_000:06d}-{asset.id}"
    price = pounds(40_000 + roll // 16 % 300 * 2_500)
    return (
        asset.id,
        asset.site,
        asset.model,
        serial,
        state,
        iso(asset.installed),
        service,
        coming,
        price,
        at(asset.installed),
    )


def _reading(job: Job) -> Row:
    asset, day = asset_of(job), job.completed
    value = max(0, day - asset.installed) * (3 + asset.id % 9) / 2
    unit = ("hours", "kwh", "cubic_meters")[asset.category % 3]
    return job.id, asset.id, job.technicians[0], iso(day), value, unit, at(day, job.end)


def _action(job: Job) -> str:
    if job.type in (INSTALLATION, UPGRADE):
        return "replaced"
    return ("repaired", "serviced", "checked", "repaired")[job.type - 2]


def _tools(world: World) -> Iterator[Pieces]:
    tools = range(1, world.some(TOOLS) + 1)
    last = world.last
    yield "tool", [_tool(number, last) for number in tools]
    technicians = world.staff.places["technician"]
    yield (
        "toolAssignment",
        [
            (
                number * 1000 + block - 12_000,
                number,
                person,
                iso(block * 60),
                iso(back) if back <= last else None,
                at(block * 60),
            )
            for number in tools
            if _tool_state(number) == "in_use"
            for block in range(world.first // 60 + 1, last // 60 + 1)
            if mix(number, block) % 3
            for back in [block * 60 + 30 + mix(number, block) % 29]
            for person in [world.staff.at(pick(technicians, mix(number, block) >> 8), block * 60).id]
        ],
    )
    yield "calibration", [row for number in tools for row in _calibrations(number, world)]


def _tool_state(number: int) -> str:
    return pick(("in_use",) * 6 + ("available",) * 3 + ("in_repair", "retired"), mix(number, 183))


def _tool(number: int, last: int) -> Row:
    roll = mix(number, 184)
    bought = 736_500 + roll % 2000
    price = pounds(3_000 + roll // 4096 % 90 * 1_000)
    serial = f"T{number:04d}-{roll % 997}"
    kind, branch = 1 + number % TOOL_TYPES, 1 + number % BRANCHES
    return number, kind, branch, serial, _tool_state(number), iso(min(bought, last)), price, at(min(bought, last))


def _calibrations(number: int, world: World) -> Iterator[Row]:
    days = CALIBRATION_MONTHS[number % TOOL_TYPES] * 30
    if not days or _tool_state(number) == "retired":
        return
    for turn in range(
        (world.first - 730_000 - number * 3) // days + 1, (world.last - 730_000 - number * 3) // days + 1
    ):
        day = working_day(730_000 + number * 3 + turn * days)
        if world.first <= day <= world.last:
            roll = mix(number, turn)
            result = pick(("passed",) * 8 + ("adjusted", "failed"), roll)
            tester = world.staff.one("storekeeper", roll, day).id
            cost = pounds(2_500 + roll % 8 * 500)
            yield number * 1000 + turn, number, tester, iso(day), iso(day + days), result, cost, at(day, 930)
