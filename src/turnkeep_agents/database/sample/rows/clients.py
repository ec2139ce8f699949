"""Customers, their sites, contacts and yearly contracts. A customer comes every few days; some leave after years."""

from dataclasses import dataclass
from functools import cached_property

from turnkeep_agents.database.sample.rows.dice import day_of, first_of, last_of, mix, month_of
from turnkeep_agents.database.sample.rows.names import FIRM_KINDS, FIRMS, FIRST_NAMES, LAST_NAMES

BEGUN = day_of(2018, 2, 1)
"""When the first customer came."""
CONTRACTS_AHEAD_DAYS = 45
SITES, CONTACTS = 3, 2
YEARS_FROM = 2015


@dataclass(frozen=True, slots=True)
class Customer:
    """`left` is far away for those who stay."""

    id: int
    since: int
    left: int
    region: int
    sites: int
    is_private: bool

    @property
    def name(self) -> str:
        roll = mix(self.id, 21)
        if self.is_private:
            return f"{FIRST_NAMES[roll % len(FIRST_NAMES)]} {LAST_NAMES[self.id * 7 % len(LAST_NAMES)]}"
        return f"{FIRMS[self.id % len(FIRMS)]} {FIRM_KINDS[self.id % len(FIRM_KINDS)]}"

    def site(self, roll: int) -> int:
        """The id of one of the sites."""
        return self.id * SITES + roll % self.sites

    def contact(self, roll: int) -> int:
        return self.id * CONTACTS + roll % CONTACTS


@dataclass(frozen=True, slots=True)
class Contract:
    """`cancelled` is the day on which it was ended early, or 0."""

    id: int
    customer: Customer
    starts: int
    ends: int
    cancelled: int
    fee_pence: int
    level: int

    def covers(self, day: int) -> bool:
        return self.starts <= day <= (self.cancelled or self.ends)


class Clients:
    """The customers of a company up to a day, and their contracts that matter since another."""

    def __init__(self, coming_days: int, first: int, last: int):
        """A new customer comes every `coming_days`."""
        self._coming_days, self.first, self.last = coming_days, first, last

    @cached_property
    def customers(self) -> list[Customer]:
        """In the order of their ids, which is that of their coming."""
        return [self._customer(number) for number in range(1, self._count(self.last) + 1)]

    def at(self, roll: int, day: int) -> Customer:
        """Some customer of that day, early ones more often."""
        count = self._count(day)
        for attempt in range(20):
            share = mix(roll, attempt) % 10_000 / 10_000
            found = self.customers[min(int(count * share**1.4), count - 1)]
            if found.since <= day < found.left:
                return found
        return self.customers[0]

    def contract(self, customer: Customer, day: int) -> Contract | None:
        """The contract that covers a customer on that day."""
        return next((one for one in self._contracts.get(customer.id, ()) if one.covers(day)), None)

    @cached_property
    def contracts(self) -> list[Contract]:
        return [one for several in self._contracts.values() for one in several]

    @cached_property
    def _contracts(self) -> dict[int, list[Contract]]:
        return {one.id: list(self._contracts_of(one)) for one in self.customers if one.id % 9 < 5}

    def _contracts_of(self, customer: Customer) -> list[Contract]:
        month = mix(customer.id, 31) % 12
        years = range(month_of(self.first) // 12 - 1, month_of(self.last + CONTRACTS_AHEAD_DAYS) // 12 + 1)
        terms = [(year, first_of(year * 12 + month), last_of(year * 12 + month + 11)) for year in years]
        return [
            _contract(customer, year, starts, ends)
            for year, starts, ends in terms
            if ends >= self.first and starts <= self.last + CONTRACTS_AHEAD_DAYS
            if customer.since <= starts < customer.left
        ]

    def _count(self, day: int) -> int:
        return max(1, (day - BEGUN) // self._coming_days + 1)

    def _customer(self, number: int) -> Customer:
        since, roll = BEGUN + (number - 1) * self._coming_days, mix(number, 22)
        left = since + 700 + roll % 1500 if roll % 8 == 0 else day_of(9000, 1, 1)
        return Customer(number, since, left, roll // 8 % 5 + 1, 1 + roll // 64 % SITES, roll // 256 % 4 == 0)


def _contract(customer: Customer, year: int, starts: int, ends: int) -> Contract:
    roll = mix(customer.id, year)
    cancelled = starts + 60 + roll % 200 if roll // 1000 % 17 == 0 else 0
    fee = 6_000 + 500 * (mix(customer.id, 32) % 60) * customer.sites
    number = (year - YEARS_FROM) * 1000 + customer.id
    return Contract(number, customer, starts, ends, cancelled, fee, 1 + mix(customer.id, 33) % 3)
