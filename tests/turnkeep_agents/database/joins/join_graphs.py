"""Small join graphs from a few words."""

from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table


def table(text: str, **known: object) -> Table:
    """`crew: id*, name!, leaderId`: an asterisk marks the primary key, an exclamation mark a unique column."""
    name, _, columns = text.partition(":")
    spelt = [column.strip() for column in columns.split(",") if column.strip()]
    names = [column.rstrip("*!") for column in spelt]
    key = tuple(column[:-1] for column in spelt if column.endswith("*"))
    unique = tuple(column[:-1] for column in spelt if column.endswith("!") or (column.endswith("*") and len(key) == 1))
    return Table(name, {each: Column(each) for each in names}, key, unique, **known)  # type: ignore[arg-type]


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
