"""What cannot be right in a statement whatever was asked: a foreign key that meets something else than what it points
at, and a text that a column never holds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp, parse_one

from turnkeep_agents.database.guard.verdicts import Checked, Dialect
from turnkeep_agents.database.joins.records import Column, JoinGraph

Targets: TypeAlias = Mapping[str, Sequence[str]]

MOST_VALUES = 30


def doubts(sql: str, found: Checked, graph: JoinGraph, targets: Targets, dialect: Dialect) -> str:
    """What is wrong with `sql`, for whoever wrote it; empty where nothing is."""
    return " ".join([*wrong_links(found.joins, targets), *strange_values(sql, found, graph, dialect)])


def wrong_links(joins: Sequence[str], targets: Targets) -> Iterator[str]:
    """Two keys that point at the same may meet: "visit.crewId = plan.crewId"."""
    for join in joins:
        one, _, other = join.partition(" = ")
        if {one, *targets.get(one, ())} & {other, *targets.get(other, ())}:
            continue
        for key, wrong in ((one, other), (other, one)):
            if key in targets:
                yield f"{key} points at {' or '.join(sorted(targets[key]))}, not at {wrong}."


def strange_values(sql: str, found: Checked, graph: JoinGraph, dialect: Dialect) -> Iterator[str]:
    """Comparisons of a column, all of whose values are known, with a text that none of its rows has: "status = 'in
    repair'" where there are active and workshop."""
    tree = parse_one(sql, dialect=dialect)
    named = {one.alias_or_name.casefold(): one.name for one in tree.find_all(exp.Table)}
    for condition in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        column, texts = condition.this, _texts(condition)
        if not isinstance(column, exp.Column) or not texts:
            continue
        names = [named.get(column.table.casefold(), "")] if column.table else list(found.tables)
        known = [found_ for name in names if (found_ := _column(graph, name, column.name))]
        values = dict.fromkeys(value for one in known for value in one.values)
        folded = {value.casefold() for value in values}
        if known and all(one.values for one in known) and not {text.casefold() for text in texts} <= folded:
            yield (
                f"{column.sql()} is compared with {', '.join(texts)}; "
                f"all its values are {', '.join(list(values)[:MOST_VALUES])}."
            )


def _texts(condition: exp.Expr) -> list[str]:
    sides = condition.expressions or [condition.args.get("expression")]
    return [one.this for one in sides if isinstance(one, exp.Literal) and one.is_string]


def _column(graph: JoinGraph, table: str, column: str) -> Column | None:
    tables = [one for name, one in graph.tables.items() if name.casefold() == table.casefold()]
    found = (one for each in tables for name, one in each.columns.items() if name.casefold() == column.casefold())
    return next(found, None)
