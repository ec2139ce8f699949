"""Rows of vehicles: who drives them, fuel, repairs, journeys and fines. Each crew has the vehicle of its number."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.dice import at, day_of, first_of, iso, mix, pick, working_day
from turnkeep_agents.database.sample.rows.jobs import Job
from turnkeep_agents.database.sample.rows.names import POSTCODES
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.staff import BRANCHES
from turnkeep_agents.database.sample.rows.world import World

VEHICLES = 46
KILOMETERS_A_MONTH = 1_400
_MAKES = (("Transporta", "T4"), ("Lastwerk", "Cargo"), ("Borealis", "Nord"), ("Marelli", "Volta"), ("Kobe", "Hauler"))


def fleet(world: World) -> Iterator[Pieces]:
    vehicles = range(1, max(world.some(VEHICLES), world.size.crews) + 1)
    driven = range(1, world.staff.active_crews + 1)
    yield "vehicle", [_vehicle(number, world) for number in vehicles]
    yield "vehicleAssignment", [row for number in vehicles for row in _assignments(number, world)]
    yield "fuelPurchase", [row for number in driven for month in world.months for row in _fuel(number, month, world)]
    yield "vehicleService", [row for number in vehicles for row in _services(number, world)]
    yield "trip", [_trip(job) for job in world.jobs if job.started <= world.last]
    yield "trafficFine", [row for job in world.jobs for row in _fine(job, world.last)]


def _vehicle(number: int, world: World) -> Row:
    roll = mix(number, 201)
    bought = day_of(2019, 1, 10) + roll % 1800
    make, model = pick(_MAKES, roll >> 8)
    if number <= world.staff.active_crews:
        state = "in_use"
    else:
        state = pick(("available", "available", "in_repair", "sold"), roll >> 12)
    plate = f"{POSTCODES[number % BRANCHES + 1]}{10 + number} {chr(65 + roll % 26)}TK"
    fuel = "electric" if roll % 5 == 0 else pick(("diesel", "diesel", "petrol"), roll >> 16)
    kilometers = (world.last - bought) * KILOMETERS_A_MONTH // 30
    year = int(iso(bought)[:4])
    kind, branch = 1 + (roll >> 20) % 4, number % BRANCHES + 1
    return number, kind, branch, plate, make, model, year, fuel, state, iso(bought), kilometers, at(bought)


def _assignments(number: int, world: World) -> Iterator[Row]:
    """Crews have their own; the others lend one out for a quarter now and then."""
    crews = world.staff.active_crews
    if number <= crews:
        day = day_of(2024, 1, 8)
        yield number * 1000, number, number, iso(day), None, at(day)
        return
    for month in world.months[:-4]:
        roll, day = mix(number, month), working_day(first_of(month))
        if roll % 2 and month % 3 == 0:
            number_of_row = number * 1000 + (month - 24_000) % 1000
            yield number_of_row, number, 1 + roll % crews, iso(day), iso(first_of(month + 3) - 1), at(day)


def _fuel(number: int, month: int, world: World) -> Iterator[Row]:
    """Three times a month."""
    for turn in range(3):
        roll = mix(number * 4 + turn, month)
        day = working_day(first_of(month) + turn * 9 + roll % 8)
        if day <= world.last:
            driver = world.staff.crew_members(number, day)[0].id
            hundredths = 3_000 + roll // 64 % 4_000
            pence = hundredths * (145 + roll // 4096 % 20) // 100
            row = (month - 24_000) * 1000 + number * 4 + turn
            yield row, number, driver, iso(day), hundredths / 100, pounds(pence), at(day, 1060)


def _services(number: int, world: World) -> Iterator[Row]:
    for month in world.months:
        roll = mix(number, month + 50)
        day = working_day(first_of(month) + (roll >> 8) % 25)
        if roll % 5 == 0 and day <= world.last:
            kind = pick(("regular", "regular", "repair", "tyres", "inspection"), roll >> 16)
            cost = pounds(9_000 + (roll >> 24) % 120 * 500)
            garage = pick(("Bridge Street Garage", "Northside Motors", "Vanwerk"), roll >> 32)
            yield (month - 24_000) * 1000 + number, number, kind, iso(day), cost, garage, at(day, 990)


def _trip(job: Job) -> Row:
    """From the branch to the site, at the minutes that are booked as travel."""
    way = 10 + (job.roll >> 6) % 9 * 5
    kilometers = round(way * 0.7 + job.site % 10 / 10, 1)
    begun, ended = at(job.started, job.begin - way), at(job.started, job.begin)
    return job.id, job.crew, job.technicians[0], job.id, begun, ended, kilometers


def _fine(job: Job, last: int) -> Iterator[Row]:
    day = job.started + 12
    if job.roll % 19 == 9 and day <= last:
        roll = mix(job.id, 202)
        state = pick(("paid", "paid", "paid", "contested"), roll) if day + 14 <= last else "open"
        offence = pick(("speeding", "parking", "parking", "other"), roll >> 8)
        pence = (3_000, 6_000, 3_500, 10_000)[(roll >> 16) % 4]
        yield job.id, job.crew, job.technicians[0], offence, iso(day), pounds(pence), state, at(day, 850)
