"""The embedded data: six advertisers that do not exist, some of them with troubles that were planted (`PLANTS`).

A figure is a function of line item, creative and day alone, so a past day never changes while the window moves on.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from turnkeep_agents.campaigns.warehouse.tables import (
    advertisers,
    audiences,
    creatives,
    daily_metrics,
    insertion_orders,
    line_items,
    metadata,
)
from turnkeep.databases.files import Contents, Values, built_once, pack, temporary_folder

VERSION = 1
"""To be raised with every change of the figures, so that no file of an older version is taken."""
MONTHS_BACK = 7


def _named(advertiser: str, campaign: str) -> str:
    """What an insertion order is called, which no two advertisers share."""
    return f"{advertiser.split(maxsplit=1)[0]} {campaign}"


WELL = "Tidewater Audio"
OVERSPENDING = _named("Brightway Travel", "City Breaks")
UNDERDELIVERING = _named("Oakmere Kitchens", "Showroom")
FRUITLESS_AUDIENCE = "Coupon Collectors"
WEAK_SIZE = "160x600"
TIRING = ("Runway 970x250", "Lookbook 970x250")
TIRING_WEEKS = 12

PLANTS = {
    OVERSPENDING: "spends its monthly budget 1.4 times as fast as planned, every month",
    UNDERDELIVERING: "spends half of its quarterly budget, every quarter",
    FRUITLESS_AUDIENCE: "costs money and never converts",
    WEAK_SIZE: "is clicked a third as often as other sizes",
    TIRING[0]: "loses 7 % of its click rate every week and is renewed every 12 weeks",
    TIRING[1]: "as the other, six weeks apart: one of the two is always 6 to 12 weeks old",
    WELL: "has no trouble at all",
}


@dataclass(frozen=True)
class _Order:
    """An insertion order as it is booked anew every month or quarter. Rates are shares of 1; `value` is of one
    conversion; `swing` says how far a weekday lies from the mean."""

    advertiser: str
    campaign: str
    every: Literal["month", "quarter"]
    budget: float
    items: tuple[tuple[str, str, str], ...]
    creatives: tuple[str, ...]
    cpm: float
    ctr: float
    cvr: float
    value: float
    pace: float = 1.0
    swing: float = 0.1

    @property
    def name(self) -> str:
        return _named(self.advertiser, self.campaign)


_ORDERS = (
    _Order(
        "Quiz", "Always On", "month", 9_000,
        (("Prospecting", "Display", "Fashion Fans"), ("Retargeting", "Display", "Basket Abandoners"),
         ("Lookalike", "Native", "Returning Customers")),
        ("Sequin 300x250", "Sequin 728x90", "Sequin 160x600"), 3.2, 0.0062, 0.031, 52,
    ),
    _Order(
        "Quiz", "New Season", "quarter", 30_000,
        (("Prospecting", "Display", "Fashion Fans"), ("Social", "Native", "Students")),
        ("Runway 970x250", "Lookbook 970x250", "Party 300x250", "Party 320x50"), 4.1, 0.0075, 0.026, 58,
    ),
    _Order(
        "Quiz", "Occasionwear", "month", 6_000,
        (("Retargeting", "Display", "Basket Abandoners"), ("Wedding Guests", "Display", "Party Goers"),
         ("Mobile", "Display", "Commuters")),
        ("Occasion 300x250", "Occasion 320x50", "Occasion 728x90"), 3.6, 0.0068, 0.03, 64,
    ),
    _Order(
        "Brightway Travel", "City Breaks", "month", 12_000,
        (("Weekenders", "Display", "Commuters"), ("Retargeting", "Display", "Trip Planners"),
         ("Rich Media", "Rich Media", "Young Couples")),
        ("Skyline 300x250", "Skyline 970x250", "Skyline 160x600"), 4.4, 0.0055, 0.012, 240, pace=1.4,
    ),
    _Order(
        "Brightway Travel", "Summer Sun", "quarter", 36_000,
        (("Families", "Display", "Young Families"), ("Retargeting", "Display", "Trip Planners"),
         ("Native", "Native", "Young Couples")),
        ("Beach 300x250", "Beach 728x90", "Beach 320x50"), 4.0, 0.0058, 0.011, 310,
    ),
    _Order(
        "Oakmere Kitchens", "Showroom", "quarter", 27_000,
        (("Local", "Display", "Home Movers"), ("Retargeting", "Display", "Kitchen Planners")),
        ("Island 300x250", "Island 970x250", "Island 728x90"), 5.2, 0.0042, 0.009, 620, pace=0.5,
    ),
    _Order(
        "Oakmere Kitchens", "Brochure", "month", 5_000,
        (("Prospecting", "Display", "Home Movers"), ("Retargeting", "Display", "Kitchen Planners"),
         ("Mobile", "Display", "Young Families")),
        ("Brochure 300x250", "Brochure 320x50", "Brochure 160x600"), 4.6, 0.0047, 0.016, 190,
    ),
    _Order(
        "Larkspur Pets", "Subscriptions", "month", 7_000,
        (("Dogs", "Display", "Dog Owners"), ("Cats", "Display", "Cat Owners"),
         ("Vouchers", "Display", "Coupon Collectors")),
        ("Puppy 300x250", "Puppy 320x50", "Kitten 300x250"), 2.9, 0.0071, 0.028, 41,
    ),
    _Order(
        "Larkspur Pets", "Treats", "quarter", 18_000,
        (("Dogs", "Display", "Dog Owners"), ("Retargeting", "Display", "Basket Abandoners")),
        ("Biscuit 300x250", "Biscuit 728x90", "Biscuit 160x600"), 3.0, 0.0066, 0.033, 36,
    ),
    _Order(
        "Fernhill Garden", "Spring Planting", "quarter", 21_000,
        (("Gardeners", "Display", "Gardeners"), ("Movers", "Display", "Home Movers"),
         ("Native", "Native", "Weekend Makers")),
        ("Border 300x250", "Border 728x90", "Border 970x250"), 3.4, 0.006, 0.021, 66,
    ),
    _Order(
        "Fernhill Garden", "Furniture", "month", 8_000,
        (("Gardeners", "Display", "Gardeners"), ("Retargeting", "Display", "Basket Abandoners"),
         ("Mobile", "Display", "Commuters")),
        ("Patio 300x250", "Patio 320x50", "Patio 160x600"), 3.7, 0.0057, 0.018, 98,
    ),
    _Order(
        "Tidewater Audio", "Headphones", "month", 10_000,
        (("Music Fans", "Display", "Music Fans"), ("Retargeting", "Display", "Basket Abandoners"),
         ("Rich Media", "Rich Media", "Students")),
        ("Wireless 300x250", "Wireless 728x90", "Wireless 970x250"), 3.5, 0.0072, 0.027, 75, swing=0.02,
    ),
    _Order(
        "Tidewater Audio", "Home Hifi", "quarter", 24_000,
        (("Music Fans", "Display", "Music Fans"), ("Movers", "Native", "Home Movers"),
         ("Mobile", "Display", "Commuters")),
        ("Turntable 300x250", "Turntable 320x50", "Turntable 728x90"), 3.9, 0.0069, 0.025, 92, swing=0.02,
    ),
)  # fmt: skip

_SIZE_CTR = {"300x250": 1.0, "728x90": 0.92, "320x50": 0.95, "970x250": 1.08, WEAK_SIZE: 0.33}
_WEEKDAYS = (-0.6, -0.8, -0.4, 0.0, 0.4, 1.0, 0.4)  # from Monday on; the sum is 0, so that a week spends its budget
_SEASONS = (0.9, 0.9, 1.0, 1.0, 1.05, 1.0, 0.95, 0.95, 1.0, 1.0, 1.15, 1.1)
_WEEKLY_FRESHNESS = 0.93


def tired_creative(today: date) -> str:
    """Which of TIRING is in the second half of its life on that day."""
    return max(TIRING, key=lambda name: _age_in_days(name, today.toordinal()))


def first_day(today: date) -> date:
    """The first day of the data: of the quarter that holds the month seven before that of the last day."""
    last = today - timedelta(days=1)
    return _first_of_month((_month_number(last) - MONTHS_BACK) // 3 * 3)


def sample_file(today: date, folder: Path | None = None) -> Path:
    """The SQLite file with data up to the day before `today`, built on its first use; raises OSError."""
    place = folder or temporary_folder("campaigns")
    return built_once(f"sample {VERSION} {today}", lambda: pack(metadata, contents(today)), place)


def contents(today: date) -> Contents:
    """The rows of all tables, up to the day before `today`."""
    sellers = _numbered(order.advertiser for order in _ORDERS)
    groups = _numbered(audience for order in _ORDERS for _, _, audience in order.items)
    designs = _numbered(creative for order in _ORDERS for creative in order.creatives)
    yield advertisers, [(number, name) for name, number in sellers.items()]
    yield audiences, [(number, name) for name, number in groups.items()]
    yield creatives, [(number, name, _size(name), _format(name)) for name, number in designs.items()]
    item = 1
    flights = [flight for order in _ORDERS for flight in _flights(order, today)]
    for number, flight in enumerate(flights, 1):
        order, start, end = flight.order, flight.start.isoformat(), flight.end.isoformat()
        yield insertion_orders, [(number, sellers[order.advertiser], order.name, flight.budget, start, end)]
        for name, kind, audience in order.items:
            yield line_items, [(item, number, groups[audience], f"{order.name} {name}", kind)]
            for creative in order.creatives:
                yield daily_metrics, _metrics(flight, (name, audience), creative, (item, designs[creative]), today)
            item += 1


def _numbered(names: Iterable[str]) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names), 1)}


def _size(creative: str) -> str:
    return creative.rpartition(" ")[2]


def _format(creative: str) -> str:
    return "html5" if _size(creative) == "970x250" else "image"


@dataclass(frozen=True)
class _Flight:
    order: _Order
    start: date
    end: date

    @property
    def budget(self) -> float:
        return round(self.order.budget * _SEASONS[self.start.month - 1], -2)

    @property
    def daily_cost(self) -> float:
        """Of one creative in one line item: they share evenly."""
        series = len(self.order.items) * len(self.order.creatives)
        return self.budget * self.order.pace / ((self.end - self.start).days + 1) / series


def _flights(order: _Order, today: date) -> Iterator[_Flight]:
    months = 1 if order.every == "month" else 3
    number = _month_number(first_day(today))
    while (start := _first_of_month(number)) < today:
        number += months
        yield _Flight(order, start, _first_of_month(number) - timedelta(days=1))


def _month_number(day: date) -> int:
    return day.year * 12 + day.month - 1


def _first_of_month(number: int) -> date:
    return date(number // 12, number % 12 + 1, 1)


def _metrics(
    flight: _Flight, item: tuple[str, str], creative: str, ids: tuple[int, int], today: date
) -> Iterator[tuple[Values, ...]]:
    """The days of one creative in one line item, which is known by name and audience."""
    order, (name, audience) = flight.order, item
    seed = zlib.crc32(f"{order.name}|{name}|{creative}".encode())
    cpm = order.cpm * (0.9 + 0.2 * (seed % 1000) / 1000)
    ctr, cvr = order.ctr * _SIZE_CTR[_size(creative)], 0.0 if audience == FRUITLESS_AUDIENCE else order.cvr
    for day in range(flight.start.toordinal(), min(flight.end + timedelta(days=1), today).toordinal()):
        first, second, third = _noises(seed, day)
        weekday = 1 + order.swing * _WEEKDAYS[(day - 1) % 7]
        cost = flight.daily_cost * weekday * (1 + 0.05 * first)
        impressions = int(cost / cpm * 1000)
        clicks = round(impressions * ctr * _freshness(creative, day) * (1 + 0.06 * second))
        conversions = round(clicks * cvr * (1 + 0.2 * third) + (0.4 * first if cvr else 0))
        revenue = conversions * order.value * (1 + 0.1 * second)
        yield (
            date.fromordinal(day).isoformat(),
            *ids,
            impressions,
            clicks,
            round(cost, 2),
            conversions,
            round(revenue, 2),
        )


def _freshness(creative: str, day: int) -> float:
    return _WEEKLY_FRESHNESS ** (_age_in_days(creative, day) / 7) if creative in TIRING else 1.0


def _age_in_days(creative: str, day: int) -> int:
    """Since the creative was last renewed: the two take turns, half a life apart."""
    life = TIRING_WEEKS * 7
    return (day + TIRING.index(creative) * life // 2) % life


def _noises(seed: int, day: int) -> tuple[float, float, float]:
    """Three numbers from -1 to 1 that look random."""
    mixed = (seed ^ (day * 0x9E3779B1)) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
    mixed ^= mixed >> 16
    return (mixed & 1023) / 511.5 - 1, (mixed >> 10 & 1023) / 511.5 - 1, (mixed >> 20 & 1023) / 511.5 - 1
