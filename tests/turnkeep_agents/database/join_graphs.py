"""Small join graphs from a few words."""

from typing import get_args

from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table


def table(text: str, **known: object) -> Table:
    """`crew: id*, name! text, state text=new|old`: an asterisk marks the primary key, an exclamation mark a unique
    column; a kind may follow, and values."""
    name, _, columns = text.partition(":")
    spelt = [marked(each.strip()) for each in columns.split(",") if each.strip()]
    key = tuple(column.name for column, mark in spelt if mark == "*")
    unique = tuple(column.name for column, mark in spelt if mark == "!" or (mark == "*" and len(key) == 1))
    return Table(name, {column.name: column for column, _ in spelt}, key, unique, **known)  # type: ignore[arg-type]


def marked(text: str) -> tuple[Column, str]:
    start, _, values = text.partition("=")
    name, _, kind = start.rpartition(" ")
    name, kind = (name, kind) if name and kind in get_args(Kind) else (start, "other")
    plain = name.rstrip("*!")
    return Column(plain, kind, values=tuple(filter(None, values.split("|")))), name[len(plain) :]  # type: ignore[arg-type]


def link(text: str, **known: object) -> Relationship:
    """`workOrder.crewId > crew.id`."""
    start, end = (side.rsplit(".", 1) for side in text.split(" > "))
    return Relationship(start[0], start[1], end[0], end[1], **known)  # type: ignore[arg-type]


def graph(tables: str, *links: str | Relationship) -> JoinGraph:
    """One table per line."""
    found = [table(line.strip()) for line in tables.strip().splitlines()]
    links = tuple(link(each) if isinstance(each, str) else each for each in links)
    return JoinGraph({each.name: each for each in found}, links)


SERVICE = graph(
    """
    user: id*, name
    employee: id*, userId!, supervisorId, createdBy
    crew: id*, leaderId
    employeeCrew: employeeId*, crewId*
    customer: id*, createdBy, changedBy
    workOrder: id*, customerId, crewId, assignedTo, approvedBy, createdBy
    invoice: id*, workOrderId, customerId, createdBy
    holiday: id*, day
    """,
    link("employee.userId > user.id", cardinality="1:1"),
    "employee.supervisorId > employee.id",
    "employee.createdBy > user.id",
    "crew.leaderId > employee.id",
    "employeeCrew.employeeId > employee.id",
    "employeeCrew.crewId > crew.id",
    "customer.createdBy > user.id",
    "customer.changedBy > user.id",
    "workOrder.customerId > customer.id",
    "workOrder.crewId > crew.id",
    "workOrder.assignedTo > employee.id",
    "workOrder.approvedBy > employee.id",
    "workOrder.createdBy > employee.id",
    "invoice.workOrderId > workOrder.id",
    "invoice.createdBy > user.id",
    link("invoice.customerId > customer.id", type="inferred", confidence=0.6),
)
"""A field service company; `invoice.customerId` is too doubtful to be used, `holiday` is joined to nothing."""
