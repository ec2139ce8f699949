"""Hypothesis strategies: rows of the workshop, and questions about them."""

from datetime import date
from typing import Any

from hypothesis import strategies as st
from workshop import GRAPH, Rows

from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Period

CITIES, NAMES = ["Ulm", "Bonn", "O'Hara%_!", None], ["North", "South", None]
DAYS = ["2026-01-31", "2026-03-30", "2026-04-05", "2026-04-06", "2026-06-30", None]
MOMENTS = [f"{day} {clock}" for day in DAYS if day for clock in ("00:00:00", "23:59:59")] + [None]
IDS, LINK = range(1, 4), st.sampled_from([1, 2, 3, None])

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": st.sampled_from(NAMES),
    "firstName": st.sampled_from(["Ann", "Bob"]),
    "lastName": st.sampled_from(["Lee", None]),
    "city": st.sampled_from(CITIES),
    "position": st.sampled_from(["technician", "office", None]),
    "isActive": st.sampled_from([0, 1, None]),
    "rate": st.sampled_from([10, 20, None]),
    "status": st.sampled_from(["open", "done", None]),
    "total": st.sampled_from([1, 5, 7, 7, None]),
    "amount": st.sampled_from([2, 3, 3, None]),
    "due": st.sampled_from(MOMENTS),
    "hiredOn": st.sampled_from(DAYS),
    "issuedOn": st.sampled_from(DAYS),
    "number": st.sampled_from(["A-1", "A-2"]),
    "order": st.sampled_from(["x"]),
}


@st.composite
def filled_tables(draw: st.DrawFn) -> Rows:
    """At most three rows of a thing, and up to six of what connects things."""
    rows: Rows = {}
    for name, table in GRAPH.tables.items():
        most = 6 if name in ("employeeCrew", "workOrder", "invoice") else 3
        rows[name] = [
            {column: key if column == "id" else draw(VALUES.get(column, LINK)) for column in table.columns}
            for key in range(1, draw(st.integers(1, most)) + 1)
        ]
    return rows


FIELDS = {
    "workOrder": [
        Field("workOrder", "status"), Field("workOrder", "total"), Field("workOrder", "due"),
        Field("customer", "name"), Field("customer", "city"), Field("employee", "city", "assignedTo"),
        Field("employee", "lastName", "createdBy"), Field("invoice", "amount"), Field("invoice", "issuedOn"),
    ],
    "customer": [
        Field("customer", "name"), Field("customer", "city"), Field("workOrder", "status"),
        Field("workOrder", "total"), Field("workOrder", "due"), Field("invoice", "amount"),
        Field("invoice", "issuedOn"),
    ],
    "employee": [
        Field("employee", "city"), Field("employee", "position"), Field("employee", "rate"),
        Field("employee", "hiredOn"), Field("crew", "name"), Field("crew", "city"),
        Field("employee", "city", "supervisorId"),
    ],
    "invoice": [
        Field("invoice", "amount"), Field("invoice", "issuedOn"), Field("workOrder", "status"),
        Field("workOrder", "total"), Field("customer", "name"),
    ],
}  # fmt: skip
BELONGING = {"workOrder": ["invoice"], "customer": ["workOrder", "invoice"], "employee": ["employeeCrew", "crew"]}
NUMBERS, DATES = {"total", "amount", "rate"}, {"due", "issuedOn", "hiredOn"}
TEXTS = {"status": ["open", "done"], "position": ["technician"], "name": ["North"], "lastName": ["Lee"]}


@st.composite
def conditions(draw: st.DrawFn, fields: list[Field]) -> Condition:
    field = draw(st.sampled_from(fields))
    if draw(st.integers(0, 5)) == 0:
        return Condition(field, draw(st.sampled_from(["is_missing", "is_there"])))
    if field.column in NUMBERS:
        test = draw(st.sampled_from(["over", "at_least", "under", "at_most", "is", "is_not"]))
        return Condition(field, test, (draw(st.sampled_from([2, 3, 5, 7, 10])),))
    if field.column in DATES:
        test = draw(st.sampled_from(["over", "at_least", "under", "at_most", "is"]))
        return Condition(field, test, (draw(st.sampled_from([day for day in DAYS if day])),))
    values = TEXTS.get(field.column, ["Ulm", "O'Hara%_!"])
    test = draw(st.sampled_from(["is", "is_not", "contains"]))
    return Condition(field, test, tuple(draw(st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True))))


@st.composite
def questions(draw: st.DrawFn) -> Asked:
    subject = draw(st.sampled_from(sorted(FIELDS)))
    fields = FIELDS[subject]
    numbers = [field for field in fields if field.column in NUMBERS]
    dates = [field for field in fields if field.column in DATES]
    measure = draw(st.sampled_from(["count", "count", "sum", "sum", "average", "minimum", "maximum"]))
    groups = draw(st.lists(st.sampled_from([f for f in fields if f not in numbers]), max_size=2, unique=True))
    groups = [field for field in groups if field.column not in DATES]
    grain = draw(st.sampled_from([None, None, "day", "week", "month", "quarter", "year"]))
    period = None
    if draw(st.booleans()):
        start, end = date(2026, 3, 30), draw(st.sampled_from([date(2026, 4, 5), date(2026, 6, 30)]))
        period = Period(draw(st.sampled_from(dates)), start, end, "")
    absences = ()
    if subject in BELONGING and draw(st.integers(0, 3)) == 0:
        test, times = draw(st.sampled_from([("at_least", (1,)), ("over", (1,)), ("is", (2,)), ("at_most", (1,))]))
        absences = (Absence(draw(st.sampled_from(BELONGING[subject])), draw(st.booleans()), test=test, times=times),)
    keep = None
    if groups and draw(st.integers(0, 2)) == 0:
        keep = Condition(Field(subject, ""), draw(st.sampled_from(["over", "at_most"])), (draw(st.integers(0, 7)),))
    is_distinct = measure == "count" and draw(st.booleans())
    counted = draw(st.sampled_from([f for f in fields if f not in numbers])) if is_distinct else None
    return Asked(
        subject,
        measure,
        of=counted if measure == "count" else draw(st.sampled_from(numbers)),
        is_distinct=is_distinct,
        keep=keep,
        conditions=tuple(draw(st.lists(conditions(fields), max_size=2))),
        period=period,
        absences=absences,
        groups=tuple(groups),
        grain=grain,
        grain_of=draw(st.sampled_from(dates)) if grain else None,
    )
