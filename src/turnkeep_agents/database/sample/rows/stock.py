"""Rows of parts, suppliers, purchases and stock. What the work of a month used up is bought at its end and comes a week
later, so that stock hovers about the opening quantity."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from turnkeep_agents.database.sample.rows.dice import at, first_of, iso, last_of, mix, month_of, pick, working_day
from turnkeep_agents.database.sample.rows.jobs import ITEMS
from turnkeep_agents.database.sample.rows.names import FIRST_NAMES, LAST_NAMES, TOWNS, mailbox
from turnkeep_agents.database.sample.rows.people import MONTHS_FROM
from turnkeep_agents.database.sample.rows.prices import cost_pence, list_pence
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row, pounds
from turnkeep_agents.database.sample.rows.work import WAREHOUSES, warehouse_of
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

type Needs = Mapping[tuple[int, int, int], list[tuple[int, int]]]
"""Items and quantities by supplier, warehouse and month: the lines of one purchase."""

SUPPLIERS = 12
DELIVERY_DAYS = 7
_NAMES = (
    "Ampere Wholesale", "Bergmann Röhren", "Copperline", "Delta Ventiltechnik", "Eastgate Trade Parts",
    "Filtros Ibéricos", "Grantham Electrical", "Hydroparts", "Isolux", "Jordan & Pike", "Kabelwerk Süd", "Lumen Direct",
)  # fmt: skip
_COUNTRIES = ("GB", "DE", "GB", "DE", "GB", "ES", "GB", "GB", "FR", "GB", "DE", "GB")
_CITIES = (
    "Leeds",
    "Köln",
    "Bristol",
    "Bremen",
    "Norwich",
    "Bilbao",
    "Grantham",
    "Hull",
    "Lyon",
    "Stoke",
    "Ulm",
    "Derby",
)
_KINDS = ("cable", "pipe", "valve", "sensor", "filter", "fuse", "pump", "screw set")
_SORTS = ("small", "standard", "large", "heavy duty", "low noise", "weatherproof", "slim", "twin")
_UNITS = (2, 2, 1, 1, 1, 1, 1, 5)


@dataclass(frozen=True, slots=True)
class Movement:
    """Of stock, `quantity` below zero for what leaves."""

    id: int
    warehouse: int
    item: int
    job: int | None
    purchase: int | None
    quantity: int
    day: int

    @property
    def row(self) -> Row:
        kind = "consumption" if self.job else "receipt" if self.purchase else "opening"
        return self.id, self.warehouse, self.item, self.job, self.purchase, kind, self.quantity, iso(self.day)


def supplier_of(item: int) -> int:
    return item % SUPPLIERS + 1


def opening(item: int) -> int:
    """What each warehouse began with, far more than a month takes."""
    return 25 + mix(item, 121) % 60


def stock(world: World) -> Iterator[Pieces]:
    start, last = FOUNDED, world.last
    yield (
        "warehouse",
        [
            (number, f"{TOWNS[number][0]} store", number, TOWNS[number][0], keeper, 1, start)
            for number in range(1, WAREHOUSES + 1)
            for keeper in [world.staff.one("storekeeper", number, last).id]
        ],
    )
    yield "supplier", [_supplier(number, start) for number in range(1, SUPPLIERS + 1)]
    yield "supplierContact", [_contact(number, start) for number in range(1, SUPPLIERS * 2 + 1)]
    yield "inventoryItem", [_item(item, start) for item in range(1, ITEMS + 1)]
    yield (
        "supplierItem",
        [
            (supplier, item, pounds(cost_pence(item) * (100 + 4 * place) // 100), 2 + mix(item, supplier) % 12, start)
            for item in range(1, ITEMS + 1)
            for place, supplier in enumerate(sorted({supplier_of(item), (item * 5 + 1) % SUPPLIERS + 1}))
        ],
    )
    needs = _needs(world)
    yield "purchaseOrder", [_purchase(key, lines, world) for key, lines in needs.items()]
    yield "purchaseOrderLine", [row for key, lines in needs.items() for row in _purchase_lines(key, lines)]
    yield "goodsReceipt", [row for key in needs for row in _receipt(key, world)]
    movements = list(_movements(world, needs))
    yield "stockMovement", [one.row for one in movements]
    when = at(last, 1300)
    levels = _levels(movements)
    yield "stockLevel", [(house, item, count, _least(item), when) for (house, item), count in levels.items()]
    yield from _counts(world, movements)


def orders(world: World) -> Iterator[Pieces]:
    """What customers buy without any work; it goes from the supplier straight to them."""
    days = [day for day in world.busy_days if mix(day, 122) % 3 == 0]
    yield "order", [_order(day, world) for day in days]
    yield "orderLine", [row for day in days for row in _order_lines(day)]


def item_name(item: int) -> str:
    sort = _SORTS[(item - 1) // len(_KINDS) % len(_SORTS)]
    return f"{sort} {_KINDS[(item - 1) % len(_KINDS)]} {10 + (item - 1) // 64 * 10}"


def _item(item: int, start: str) -> Row:
    kind = (item - 1) % len(_KINDS)
    prices = pounds(cost_pence(item)), pounds(list_pence(item))
    is_active, level = int(item % 23 != 0), _least(item)
    sku = f"{_KINDS[kind][:3].upper()}-{item:04d}"
    return item, sku, item_name(item), kind + 1, _UNITS[kind], supplier_of(item), *prices, level, is_active, start


def _supplier(number: int, start: str) -> Row:
    name, state = _NAMES[number - 1], "blocked" if number == SUPPLIERS else "active"
    mail = mailbox("sales", domain=f"supplier{number}.example")
    city, country = _CITIES[number - 1], _COUNTRIES[number - 1]
    return number, name, mail, city, country, 1 + number % 4, 1 + mix(number, 124) % 5, state, start


def _contact(number: int, start: str) -> Row:
    supplier = (number - 1) // 2 + 1
    first, last = pick(FIRST_NAMES, mix(number, 125)), pick(LAST_NAMES, mix(number, 126))
    mail = mailbox(first, last, domain=f"supplier{supplier}.example")
    return number, supplier, f"{first} {last}", mail, pick(("sales", "support", "accounting"), number), start


def _needs(world: World) -> Needs:
    """Of the months that are over, by the work that was asked for in them."""
    wanted: defaultdict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for job in world.jobs:
        month = month_of(job.requested)
        if last_of(month) <= world.last:
            for item, count in job.materials:
                lines = wanted[supplier_of(item), warehouse_of(job), month]
                lines[item] = lines.get(item, 0) + count
    return {key: sorted(lines.items()) for key, lines in wanted.items()}


def _purchase_id(key: tuple[int, int, int]) -> int:
    supplier, warehouse, month = key
    return (month - MONTHS_FROM) * 100 + (warehouse - 1) * SUPPLIERS + supplier


def _received(key: tuple[int, int, int]) -> int:
    return working_day(last_of(key[2]) + DELIVERY_DAYS + mix(_purchase_id(key), 127) % 6)


def _purchase(key: tuple[int, int, int], lines: list[tuple[int, int]], world: World) -> Row:
    supplier, warehouse, month = key
    number, ordered, received = _purchase_id(key), last_of(month), _received(key)
    is_here = received <= world.last
    total = sum(cost_pence(item) * count for item, count in lines)
    return (
        number,
        f"PO-{number:05d}",
        supplier,
        warehouse,
        world.staff.one("storekeeper", number, ordered).id,
        world.staff.one("manager", number, ordered).id,
        "received" if is_here else "ordered",
        iso(ordered),
        iso(working_day(ordered + DELIVERY_DAYS)),
        iso(received) if is_here else None,
        pounds(total),
        at(ordered, 940),
    )


def _purchase_lines(key: tuple[int, int, int], lines: list[tuple[int, int]]) -> Iterator[Row]:
    for place, (item, count) in enumerate(lines, 1):
        price = cost_pence(item)
        yield _purchase_id(key), place, item, count, pounds(price), pounds(price * count)


def _receipt(key: tuple[int, int, int], world: World) -> Iterator[Row]:
    day, number = _received(key), _purchase_id(key)
    if day <= world.last:
        keeper = world.staff.one("storekeeper", number + 1, day).id
        when = at(day, 480 + number % 200)
        yield number, number, keeper, when, f"DN {number * 7}", 1, when


def _movements(world: World, needs: Needs) -> Iterator[Movement]:
    for warehouse in range(1, WAREHOUSES + 1):
        for item in range(1, ITEMS + 1):
            yield Movement(warehouse * 1000 + item, warehouse, item, None, None, opening(item), world.first)
    for job in world.jobs:
        if job.completed <= world.last:
            for place, (item, count) in enumerate(job.materials):
                number = 1_000_000 + job.id * 4 + place
                yield Movement(number, warehouse_of(job), item, job.id, None, -count, job.completed)
    for key, lines in needs.items():
        day, purchase = _received(key), _purchase_id(key)
        for place, (item, count) in enumerate(lines) if day <= world.last else ():
            yield Movement(9_000_000 + purchase * 50 + place, key[1], item, None, purchase, count, day)


def _levels(movements: Iterable[Movement]) -> dict[tuple[int, int], int]:
    """Quantities by warehouse and item."""
    sums: defaultdict[tuple[int, int], int] = defaultdict(int)
    for one in movements:
        sums[one.warehouse, one.item] += one.quantity
    return dict(sorted(sums.items()))


def _least(item: int) -> int:
    return 10 + mix(item, 123) % 35


def _counts(world: World, movements: list[Movement]) -> Iterator[Pieces]:
    """Every quarter each warehouse counts some of its parts."""
    days = [working_day(first_of(month) + 9) for month in world.months[1:] if month % 3 == 0]
    found = [(day, house) for day in days if day <= world.last for house in range(1, WAREHOUSES + 1)]
    books = {day: _levels(one for one in movements if one.day <= day) for day, _ in found}
    keeper = world.staff.one
    yield (
        "stockCount",
        [
            (_count_id(day, house), house, keeper("storekeeper", day, day).id, iso(day), "closed", at(day, 1000))
            for day, house in found
        ],
    )
    yield (
        "stockCountLine",
        [
            (_count_id(day, house), item, book, book - (mix(day, item * house) % 12 == 0), at(day, 1000))
            for day, house in found
            for item in range(1 + day % 7, ITEMS + 1, 7)
            for book in [books[day][house, item]]
        ],
    )


def _count_id(day: int, house: int) -> int:
    return (day - 730_000) * 10 + house


def _lines_of(day: int) -> list[tuple[int, int]]:
    return [(mix(day, 131 + place) % ITEMS + 1, 1 + mix(day, 141 + place) % 8) for place in range(1 + day % 3)]


def _order(day: int, world: World) -> Row:
    roll, number = mix(day, 128), day - 730_000
    delivered = working_day(day + 4 + roll % 6)
    is_back = (roll >> 8) % 19 == 0 and delivered + 10 <= world.last
    is_there = delivered <= world.last
    state = "returned" if is_back else "delivered" if is_there else "shipped" if day + 2 <= world.last else "placed"
    total = sum(list_pence(item) * count for item, count in _lines_of(day))
    customer, seller = world.clients.at(roll >> 16, day).id, world.staff.one("sales", roll >> 24, day).id
    return (
        number,
        f"SO-{number:05d}",
        customer,
        seller,
        state,
        iso(day),
        iso(delivered) if is_there else None,
        pounds(total),
        at(day, 640),
    )


def _order_lines(day: int) -> Iterator[Row]:
    for place, (item, count) in enumerate(_lines_of(day), 1):
        price = list_pence(item)
        yield day - 730_000, place, item, count, pounds(price), pounds(price * count), at(day, 640)
