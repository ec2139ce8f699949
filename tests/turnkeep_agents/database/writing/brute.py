"""The same questions answered without SQL: every combination of joined rows is looked at."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from workshop import Row, Rows

from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Period

type Hop = tuple[str, str, str]
"""Forward: ("to", column, table); backward: ("from", table, column)."""
type Hops = tuple[Hop, ...]
type Joined = dict[Hops, Row | None]

HOPS: dict[tuple[str, str, str], Hops] = {
    ("workOrder", "customer", ""): (("to", "customerId", "customer"),),
    ("workOrder", "employee", "assignedTo"): (("to", "assignedTo", "employee"),),
    ("workOrder", "employee", "createdBy"): (("to", "createdBy", "employee"),),
    ("workOrder", "invoice", ""): (("from", "invoice", "workOrderId"),),
    ("customer", "workOrder", ""): (("from", "workOrder", "customerId"),),
    ("customer", "invoice", ""): (("from", "workOrder", "customerId"), ("from", "invoice", "workOrderId")),
    ("employee", "employeeCrew", ""): (("from", "employeeCrew", "employeeId"),),
    ("employee", "crew", ""): (("from", "employeeCrew", "employeeId"), ("to", "crewId", "crew")),
    ("employee", "employee", "supervisorId"): (("to", "supervisorId", "employee"),),
    ("invoice", "workOrder", ""): (("to", "workOrderId", "workOrder"),),
    ("invoice", "customer", ""): (("to", "workOrderId", "workOrder"), ("to", "customerId", "customer")),
}
LABELS = {"crew": ("name",), "customer": ("name",), "employee": ("firstName", "lastName")}


def hops_of(subject: str, field: Field) -> Hops:
    return () if field.table == subject and not field.via else HOPS[subject, field.table, field.via]


def near(rows: Rows, row: Row, hop: Hop) -> list[Row]:
    if hop[0] == "to":
        return [other for other in rows[hop[2]] if other["id"] == row[hop[1]]]
    return [other for other in rows[hop[1]] if other[hop[2]] == row["id"]]


def joined(rows: Rows, start: Row, ways: set[Hops]) -> Iterator[Joined]:
    """All combinations, with None where nothing is to be joined."""
    parts = sorted({way[:length] for way in ways for length in range(1, len(way) + 1)}, key=lambda way: (len(way), way))

    def extend(done: Joined, left: list[Hops]) -> Iterator[Joined]:
        if not left:
            yield done
            return
        before = done[left[0][:-1]]
        for row in (near(rows, before, left[0][-1]) if before else []) or [None]:  # type: ignore[list-item]
            yield from extend({**done, left[0]: row}, left[1:])

    yield from extend({(): start}, parts)


def day_of(value: Any) -> date:
    return datetime.fromisoformat(value).date()


def fits(value: Any, condition: Condition) -> bool:
    test, values = condition.test, condition.values
    if test == "is_missing":
        return value is None
    if test == "is_not":
        return value is None or value not in values
    if value is None:
        return False
    if test == "is_there":
        return True
    if isinstance(value, str) and value[:4].isdigit():
        value = value[:10]
    first, last = values[0], values[-1]
    return {
        "is": lambda: value in values,
        "contains": lambda: any(str(one).lower() in str(value).lower() for one in values),
        "over": lambda: value > first,
        "at_least": lambda: value >= first,
        "under": lambda: value < first,
        "at_most": lambda: value <= first,
        "between": lambda: first <= value <= last,
    }[test]()


def meets(combined: Joined, subject: str, demand: Condition | Period) -> bool:
    """Of rows that come in numbers there must be one, whatever is asked of it."""
    hops = hops_of(subject, demand.field)
    many = max([at for at, hop in enumerate(hops, 1) if hop[0] == "from"], default=0)
    if many and combined[hops[:many]] is None:
        return False
    row = combined[hops]
    value = row[demand.field.column] if row else None
    if isinstance(demand, Condition):
        return fits(value, demand)
    return value is not None and demand.start <= day_of(value) <= demand.end


def belongs(rows: Rows, row: Row, subject: str, absence: Absence) -> bool:
    found = [row]
    for hop in HOPS[subject, absence.table, absence.via]:
        found = [other for one in found for other in near(rows, one, hop)]
    once = {
        one["id"]: one
        for one in found
        if all(fits(one[condition.field.column], condition) for condition in absence.conditions)
    }
    number = len(once)
    enough = fits(number, Condition(Field("", ""), absence.test, absence.times))
    return enough != absence.is_absent


def named(row: Row | None, table: str, column: str) -> tuple[Any, ...]:
    labels = LABELS.get(table, ())
    return tuple(row[name] if row else None for name in (labels if column in labels else (column,)))


def is_thing(field: Field, hops: Hops) -> bool:
    """Whether the column names a row of another table, which its key tells from its namesakes."""
    return bool(hops) and field.column in LABELS.get(field.table, ())


def group_of(combined: Joined, asked: Asked, has_unit: bool) -> tuple[Any, ...]:
    """For each group first what tells it apart, then what is shown of it."""
    parts: list[Any] = []
    for field in asked.groups:
        hops = hops_of(asked.subject, field)
        row = combined[hops]
        if is_thing(field, hops or (("", "", ""),) * has_unit):
            parts.append((row["id"] if row else None, *named(row, field.table, field.column)))
        else:
            parts.append((row[field.column] if row else None,) * 2)
    return tuple(parts)


def month_of(combined: Joined, asked: Asked) -> str | None:
    assert asked.grain_of
    row = combined[hops_of(asked.subject, asked.grain_of)]
    value = row[asked.grain_of.column] if row else None
    if value is None:
        return None
    day = day_of(value)
    if asked.grain == "week":
        return (day - timedelta(days=day.weekday())).isoformat()
    quarter = f"{day.year}-Q{(day.month + 2) // 3}"
    return {"day": str(day), "month": str(day)[:7], "quarter": quarter, "year": str(day.year)}[asked.grain or "day"]


def value_of(combined: Joined, asked: Asked) -> Any:
    if asked.of is None:
        return None
    hops = hops_of(asked.subject, asked.of)
    row = combined[hops]
    return (row["id"] if asked.is_distinct and is_thing(asked.of, hops) else row[asked.of.column]) if row else None


def measured(asked: Asked, found: Sequence[Any]) -> Any:
    """Of one value for each unit."""
    if asked.measure == "count" and not asked.is_distinct:
        return len(found)
    values = [value for value in found if value is not None]
    if asked.measure == "count":
        return len(set(values))
    if not values:
        return None
    return {
        "sum": lambda: sum(values),
        "average": lambda: round(sum(values) / len(values), 6),
        "minimum": lambda: min(values),
        "maximum": lambda: max(values),
    }[asked.measure]()


def solve(rows: Rows, asked: Asked) -> list[tuple[Any, ...]]:
    """The rows of the answer, in no order."""
    demands = [*asked.conditions, *([asked.period] if asked.period else [])]
    unit = hops_of(asked.subject, asked.of) if asked.of else ()
    unit = unit if any(hop[0] == "from" for hop in unit) else ()
    fields = [*asked.groups, *(each.field for each in demands), *([asked.grain_of] if asked.grain_of else [])]
    ways = {hops_of(asked.subject, field) for field in [*fields, *([asked.of] if asked.of else [])]}
    groups: dict[Any, dict[Any, Any]] = {}
    for row in rows[asked.subject]:
        if not all(belongs(rows, row, asked.subject, absence) for absence in asked.absences):
            continue
        for combined in joined(rows, row, ways):
            counted = combined[unit]
            if counted is None or not all(meets(combined, asked.subject, each) for each in demands):
                continue
            key: tuple[Any, ...] = group_of(combined, asked, bool(unit))
            if asked.grain:
                grain = month_of(combined, asked)
                if grain is None:
                    continue
                key = ((grain, grain), *key)
            groups.setdefault(key, {})[counted["id"]] = value_of(combined, asked)
    if not asked.groups and not asked.grain:
        return [(measured(asked, list(groups.get((), {}).values())),)]
    if asked.keep:
        groups = {key: units for key, units in groups.items() if all(part[0] is not None for part in key)}
    found = [
        (*(cell for part in key for cell in part[1:]), measured(asked, list(units.values())))
        for key, units in groups.items()
    ]
    return [row for row in found if asked.keep is None or fits(row[-1], asked.keep)]
