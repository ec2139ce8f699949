"""A small workshop with secure views, the corpora of this folder, and guards for all."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

from turnkeep_agents.database.guard.guard import Checked, Guard, Refused
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table
from turnkeep_demo.database.field_service import FOLDER as SAMPLE
from turnkeep_demo.database.field_service import access

type Dialect = Literal["sqlite", "mysql", "postgres"]

FOLDER = Path(__file__).parent
DIALECTS: tuple[Dialect, ...] = ("sqlite", "mysql", "postgres")
VIEWS = {"employee": "secure_employee", "workOrder": "secure_workorder"}


def table(name: str, /, **kinds: Kind) -> Table:
    columns = {column.replace("__", " "): kind for column, kind in kinds.items()}
    return Table(name, {column: Column(column, kind) for column, kind in columns.items()})


TABLES = [
    table("employee", id="integer", firstName="text", lastName="text", email="text", hiredOn="date"),
    table("crew", id="integer", name="text", workOrderId="integer", formedOn="date"),
    table("employeeCrew", id="integer", employeeId="integer", crewId="integer", isLead="boolean"),
    table("workOrder", id="integer", title="text", crewId="integer", status="text", amount="number"),
    table("customer", id="integer", name="text", city="text", employeeId="integer"),
    table("order", id="integer", customerId="integer", due__date="date"),
]
WORKSHOP = JoinGraph(
    {each.name: each for each in TABLES},
    (
        Relationship("employeeCrew", "employeeId", "employee", "id"),
        Relationship("employeeCrew", "crewId", "crew", "id"),
        Relationship("workOrder", "crewId", "crew", "id"),
        Relationship("order", "customerId", "customer", "id"),
        Relationship("customer", "employeeId", "employee", "id"),
    ),
)


def guard(dialect: Dialect = "sqlite", **options: Any) -> Guard:
    return Guard(WORKSHOP, dialect=dialect, views=VIEWS, **options)


def passed(sql: str, dialect: Dialect = "sqlite", **how: Any) -> Checked:
    found = guard(dialect).check(sql, **how)
    assert isinstance(found, Checked), (sql, found)
    return found


def refused(sql: str, dialect: Dialect = "sqlite", **how: Any) -> Refused:
    found = guard(dialect).check(sql, **how)
    assert isinstance(found, Refused), (sql, found)
    return found


def codes(sql: str, dialect: Dialect = "sqlite", **how: Any) -> list[str]:
    return [problem.code for problem in refused(sql, dialect, **how).problems]


def message(sql: str, dialect: Dialect = "sqlite", **how: Any) -> str:
    (problem,) = refused(sql, dialect, **how).problems
    return problem.message


def judged(by: Guard, sql: str) -> Checked | None:
    """Return the verdict if the statement may run; it must then be accepted again unchanged."""
    found = by.check(sql)
    if isinstance(found, Refused):
        assert found.problems
        assert all(problem.code and problem.message for problem in found.problems)
        return None
    again = by.check(found.sql)
    assert isinstance(again, Checked), (sql, found.sql, again)
    assert again.sql == found.sql
    return found


@cache
def sample_graph() -> JoinGraph:
    return load_graph(SAMPLE / "joins.json")


@cache
def sample_guard(dialect: Dialect) -> Guard:
    return Guard(sample_graph(), dialect=dialect, views=access().view_of)


def attacks(dialect: Dialect) -> list[dict[str, str]]:
    """`harmless` gives the reason why a statement may pass in its guarded form."""
    return lines(f"attacks_{dialect}.jsonl")


def benign(dialect: Dialect) -> list[str]:
    return [row["sql"] for row in lines("benign.jsonl") if row.get("dialect", dialect) == dialect]


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
