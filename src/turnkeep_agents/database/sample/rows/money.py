"""Rows of invoices, payments, expenses and budgets. A bill's lines add up to its net amount, its payments to
what was paid."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from turnkeep_agents.database.sample.rows.clients import Contract
from turnkeep_agents.database.sample.rows.customers import payment_term
from turnkeep_agents.database.sample.rows.dice import at, first_of, iso, mix, month_of, pick
from turnkeep_agents.database.sample.rows.jobs import NEVER, Job
from turnkeep_agents.database.sample.rows.prices import LABOUR_PENCE, TRAVEL_PENCE, list_pence
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.staff import DEPARTMENTS
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

TERM_DAYS = (0, 14, 30, 45, 60)
TAX_PERCENT = 20
MONTHS_OF_A_FEE = 3
_VOID, _SPLIT, _LATE = 0, 1, 2


@dataclass(frozen=True)
class Bill:
    """`lines` are type, text, item, hundredths of a quantity and pence for one."""

    id: int
    customer: int
    job: int
    contract: int
    issued: int
    due: int
    lines: tuple[tuple[str, str, int, int, int], ...]

    @cached_property
    def net(self) -> int:
        return sum(hundredths * price // 100 for _, _, _, hundredths, price in self.lines)

    @cached_property
    def tax(self) -> int:
        return (self.net * TAX_PERCENT + 50) // 100

    @cached_property
    def voided(self) -> int:
        """The day on which it was taken back, `NEVER` for nearly all."""
        return self.issued + 6 if self._fate == _VOID else NEVER

    @cached_property
    def payments(self) -> tuple[tuple[int, int], ...]:
        """Days and pence, those to come included."""
        roll, total = mix(self.id, 111), self.net + self.tax
        if self._fate == _VOID or roll % 41 == 0:
            return ()
        if self._fate == _SPLIT:
            return (self.due - 5, total // 2), (self.due + 20 + roll % 30, total - total // 2)
        late = 12 + roll % 50 if self._fate == _LATE else -min(self.due - self.issued - 1, roll % 14)
        return ((self.due + late, total),)

    @property
    def _fate(self) -> int:
        return mix(self.id, 112) % 24

    def paid(self, last: int) -> int:
        """Pence so far."""
        return sum(pence for day, pence in self.payments if day <= last)

    def status(self, last: int) -> str:
        if self.voided <= last:
            return "void"
        if self.paid(last) >= self.net + self.tax:
            return "paid"
        if self.paid(last):
            return "partly_paid"
        return "overdue" if self.due <= last else "sent"


def bills(world: World) -> Iterator[Bill]:
    """For work soon after it was done, for contracts every three months."""
    for job in world.jobs:
        issued = job.completed + 1 + job.roll % 5
        if job.is_billable and issued <= world.last:
            days = TERM_DAYS[payment_term(job.customer)]
            yield Bill(job.id * 2, job.customer.id, job.id, 0, issued, issued + days, _job_lines(job))
    for contract in world.clients.contracts:
        yield from _fees(contract, world)


def money(world: World) -> Iterator[Pieces]:
    last = world.last
    all_of_them = list(bills(world))
    yield "invoice", [_invoice(bill, world) for bill in all_of_them]
    yield "invoiceLine", [row for bill in all_of_them for row in _lines(bill)]
    yield "payment", [row for bill in all_of_them for row in _payments(bill, last)]
    yield "creditNote", [row for bill in all_of_them for row in _credits(bill, last)]
    yield "paymentReminder", [row for bill in all_of_them for row in _reminders(bill, last)]
    yield "expense", [_expense(job, world) for job in world.jobs if job.started <= last and job.roll % 6 == 1]
    yield (
        "costCenter",
        [(number, f"{name} costs", f"K{number}00", number, FOUNDED) for number, name in enumerate(DEPARTMENTS, 1)],
    )
    yield (
        "budget",
        [
            (center, month // 12, month % 12 + 1, 4_000 + center * 750 + month % 12 * 50, at(first_of(month) - 90))
            for month in range(world.months.start, world.months.stop + 2)
            for center in range(1, len(DEPARTMENTS) + 1)
        ],
    )
    yield "commission", [row for contract in world.clients.contracts for row in _commission(contract, world)]


def _job_lines(job: Job) -> tuple[tuple[str, str, int, int, int], ...]:
    labour = ("labour", "Working hours", 0, job.minutes * len(job.technicians) * 100 // 60, LABOUR_PENCE)
    travel = ("travel", "Travel", 0, 100, TRAVEL_PENCE)
    parts = [("material", f"Part {item:03d}", item, count * 100, list_pence(item)) for item, count in job.materials]
    return labour, travel, *parts


def _fees(contract: Contract, world: World) -> Iterator[Bill]:
    start = month_of(contract.starts)
    for quarter in range(4):
        issued = first_of(start + quarter * MONTHS_OF_A_FEE)
        if world.first <= issued <= world.last and not 0 < contract.cancelled < issued:
            days = TERM_DAYS[payment_term(contract.customer)]
            line = ("fee", "Contract fee", 0, MONTHS_OF_A_FEE * 100, contract.fee_pence)
            number = (contract.id * 4 + quarter) * 2 + 1
            yield Bill(number, contract.customer.id, 0, contract.id, issued, issued + days, (line,))


def _invoice(bill: Bill, world: World) -> Row:
    last = world.last
    state = bill.status(last)
    paid_on = iso(bill.payments[-1][0]) if state == "paid" else None
    clerk = world.staff.one("accountant", bill.id, bill.issued).user
    return (
        bill.id,
        f"INV-{bill.id:06d}",
        bill.customer,
        bill.job or None,
        bill.contract or None,
        1,
        clerk,
        state,
        iso(bill.issued),
        iso(bill.due),
        paid_on,
        pounds(bill.net),
        pounds(bill.tax),
        pounds(bill.net + bill.tax),
        pounds(bill.paid(last)),
        at(bill.issued, 660),
    )


def _lines(bill: Bill) -> Iterator[Row]:
    for place, (kind, said, item, hundredths, price) in enumerate(bill.lines, 1):
        total = pounds(hundredths * price // 100)
        yield bill.id, place, item or None, kind, said, hundredths / 100, pounds(price), total


def _payments(bill: Bill, last: int) -> Iterator[Row]:
    for place, (day, pence) in enumerate(bill.payments):
        if day <= last:
            way = pick((1, 1, 1, 1, 2, 2, 3, 4, 5), mix(bill.id, 113))
            yield bill.id * 2 + place, bill.id, way, iso(day), pounds(pence), f"Ref {bill.id:06d}", at(day, 720)


def _credits(bill: Bill, last: int) -> Iterator[Row]:
    roll, day = mix(bill.id, 114), bill.issued + 15
    if roll % 20 == 0 and day <= last and bill.voided == NEVER:
        reason = pick(("complaint", "error", "goodwill"), roll >> 8)
        yield bill.id, f"CN-{bill.id:06d}", bill.id, iso(day), pounds(bill.net // 10), reason, at(day, 700)


def _reminders(bill: Bill, last: int) -> Iterator[Row]:
    paid = bill.payments[-1][0] if bill.payments else NEVER
    for level in (1, 2, 3):
        day = bill.due + 10 * level
        if day <= last and day < min(paid, bill.voided):
            yield bill.id * 3 + level, bill.id, level, iso(day), 5 * (level - 1), at(day, 560)


def _expense(job: Job, world: World) -> Row:
    day, roll = job.started, mix(job.id, 115)
    age = world.last - day
    decided = pick(("approved",) * 8 + ("rejected",), roll)
    state = "submitted" if age < 5 else decided if age < 30 or decided == "rejected" else "reimbursed"
    checker = world.staff.one("manager", roll, day + 5).user if age >= 5 else None
    pence, kind = 300 + (roll >> 8) % 90 * 50, 1 + (roll >> 16) % 5
    said = ("Lunch", "One night", "Parking", "From a shop", "Tram")[kind - 1]
    return job.id, job.technicians[0], kind, job.id, checker, iso(day), pounds(pence), state, said, at(day, 1100)


def _commission(contract: Contract, world: World) -> Iterator[Row]:
    day = contract.starts
    if world.first <= day <= world.last:
        seller = world.staff.one("sales", contract.customer.id, day).id
        is_paid = int(day + 40 <= world.last)
        yield contract.id, seller, contract.id, iso(day), pounds(contract.fee_pence), is_paid, at(day, 800)
