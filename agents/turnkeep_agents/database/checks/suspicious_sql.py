"""Errors in a statement whatever was asked: a foreign key joined to another column than its target, and a text that a
column never holds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp, parse_one

from turnkeep_agents.database.guard.verdicts import Checked, Dialect
from turnkeep_agents.database.joins.records import JoinGraph

Targets: TypeAlias = Mapping[str, Sequence[str]]

MOST_VALUES = 30


def doubts(sql: str, checked: Checked, graph: JoinGraph, targets: Targets, dialect: Dialect) -> str:
    """Return what is wrong with `sql`, for its author; empty if nothing is."""
    return " ".join([*wrong_links(checked.joins, targets), *strange_values(sql, checked, graph, dialect)])


def wrong_links(joins: Sequence[str], targets: Targets) -> Iterator[str]:
    """Two keys with the same target may be joined: "visit.crewId = plan.crewId"."""
    for join in joins:
        one, _, other = join.partition(" = ")
        if {one, *targets.get(one, ())} & {other, *targets.get(other, ())}:
            continue
        for key, wrong in ((one, other), (other, one)):
            if key in targets:
                yield f"{key} points at {' or '.join(sorted(targets[key]))}, not at {wrong}."


def strange_values(sql: str, checked: Checked, graph: JoinGraph, dialect: Dialect) -> Iterator[str]:
    """Yield comparisons with a text that no row has, for columns whose values are all known: "status = 'in repair'"
    where there are active and workshop."""
    tree = parse_one(sql, dialect=dialect)
    named = {one.alias_or_name.casefold(): one.name for one in tree.find_all(exp.Table)}
    for condition in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        sides = condition.expressions or [condition.args.get("expression")]
        column, texts = condition.this, [one.this for one in sides if isinstance(one, exp.Literal) and one.is_string]
        if not isinstance(column, exp.Column) or not texts:
            continue
        names = [named.get(column.table.casefold(), "")] if column.table else list(checked.tables)
        tables = [
            table for name, table in graph.tables.items() if name.casefold() in {each.casefold() for each in names}
        ]
        known = [
            one for each in tables for one in each.columns.values() if one.name.casefold() == column.name.casefold()
        ]
        values = dict.fromkeys(value for one in known for value in one.values)
        folded = {value.casefold() for value in values}
        if known and all(one.values for one in known) and not {text.casefold() for text in texts} <= folded:
            yield (
                f"{column.sql()} is compared with {', '.join(texts)}; "
                f"all its values are {', '.join(list(values)[:MOST_VALUES])}."
            )
