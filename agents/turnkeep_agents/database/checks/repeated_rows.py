"""Find sums and counts over rows that a join repeats ("fan-out"): the paid amount of an invoice, once for each of its
lines. Cardinalities of the join graph show which join may do so, and the rows whether it does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp, parse_one

from turnkeep_agents.database.guard.connecting import conditions
from turnkeep_agents.database.guard.verdicts import Dialect
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.results import Try

Ends: TypeAlias = tuple[str, str]  # alias, column


@dataclass(frozen=True)
class Repeated:
    """The join to `by` makes `figure` count rows of `table` more than once. `is_shown`: the data confirms it."""

    figure: str
    table: str
    by: str
    is_shown: bool

    @property
    def problem(self) -> str:
        return (
            f"{self.figure} counts rows of {self.table} several times, once for each of their rows of {self.by}: "
            f"aggregate one of both in a sub-query first, or count DISTINCT keys."
        )

    @property
    def caution(self) -> str:
        return f"rows of {self.table} may count several times in {self.figure}, once for each {self.by}"


def repeated_rows(sql: str, graph: JoinGraph, dialect: Dialect, run: Try) -> list[Repeated]:
    """Return, in the order of the statement, the repetitions that the rows prove or that cannot be tried."""
    tree = parse_one(sql, dialect=dialect)
    return [found for select in tree.find_all(exp.Select) for found in _of_select(select, tree, graph, dialect, run)]


def _of_select(select: exp.Select, tree: exp.Expr, graph: JoinGraph, dialect: Dialect, run: Try) -> Iterator[Repeated]:
    tables = _tables(select, graph)
    if len(tables) < 2:
        return
    many = _to_many(select, tables, graph)
    for figure in _figures(select):
        owners = {_owner(column, tables, graph) for column in _summed(figure.this)}
        if len(owners) != 1 or (owner := owners.pop()) not in tables or owner not in many:
            continue
        is_shown = _is_shown(select, tree, owner, graph.tables[tables[owner]].primary_key, dialect=dialect, run=run)
        if is_shown is not False:
            by = tables[many[owner]]
            yield Repeated(figure.sql(dialect), tables[owner], by, is_shown=bool(is_shown))


def _owner(column: exp.Column, tables: Mapping[str, str], graph: JoinGraph) -> str:
    """Return the alias of the column's table, even if the column is unqualified."""
    name = column.name.casefold()
    having = [alias for alias, table in tables.items() if name in map(str.casefold, graph.tables[table].columns)]
    return column.table or (having[0] if len(having) == 1 else "")


def _summed(value: exp.Expr) -> Iterator[exp.Column]:
    """Yield the columns whose values count: in CASE WHEN state = 'paid' THEN amount END only the amount."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Column):
            yield node
        stack += [each for each in node.iter_expressions() if not (isinstance(node, exp.If) and each.arg_key == "this")]


def _tables(select: exp.Select, graph: JoinGraph) -> dict[str, str]:
    folded = {name.casefold(): name for name in graph.tables}
    start = select.args.get("from_")
    sources = [start.this] if start else []
    sources += [join.this for join in select.args.get("joins") or ()]
    named = ((one.alias_or_name, folded.get(one.name.casefold())) for one in sources if isinstance(one, exp.Table))
    return {alias: table for alias, table in named if table}


def _figures(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield sums, means and counts of columns of this SELECT, except DISTINCT ones."""
    for node in select.find_all(exp.Sum, exp.Avg, exp.Count):
        is_own = node.find_ancestor(exp.Select) is select and not isinstance(node.parent, exp.Window)
        if is_own and not isinstance(node.this, exp.Distinct | exp.Star):
            yield node


def _to_many(select: exp.Select, tables: Mapping[str, str], graph: JoinGraph) -> dict[str, str]:
    """Map each alias to another one of which a row here has many, over any number of joins."""
    steps: dict[str, list[tuple[str, bool]]] = {alias: [] for alias in tables}
    for one, other in _equalities(select, tables):
        for here, there in ((one, other), (other, one)):
            steps[here[0]].append((there[0], not _is_unique(there, tables, graph)))
    return {alias: many for alias in tables if (many := _first_many(alias, steps))}


def _first_many(alias: str, steps: Mapping[str, Sequence[tuple[str, bool]]]) -> str:
    queue, seen = [alias], {alias}
    while queue:
        for other, is_many in steps[queue.pop(0)]:
            if other in seen:
                continue
            if is_many:
                return other
            seen.add(other)
            queue.append(other)
    return ""


def _equalities(select: exp.Select, tables: Mapping[str, str]) -> Iterator[tuple[Ends, Ends]]:
    for part in conditions(select):
        sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
        ends = [(side.table, side.name) for side in sides if isinstance(side, exp.Column)]
        if len(ends) == 2 and ends[0][0] != ends[1][0] and {ends[0][0], ends[1][0]} <= tables.keys():
            yield ends[0], ends[1]


def _is_unique(end: Ends, tables: Mapping[str, str], graph: JoinGraph) -> bool:
    table, column = graph.tables[tables[end[0]]], end[1].casefold()
    unique = {name.casefold() for name in table.unique_columns}
    is_key = [name.casefold() for name in table.primary_key] == [column]
    is_one_to_one = any(
        link.cardinality == "1:1" and link.from_table == table.name and link.from_column.casefold() == column
        for link in graph.relationships
    )
    return is_key or column in unique or is_one_to_one


def _is_shown(
    select: exp.Select, tree: exp.Expr, owner: str, key: Sequence[str], *, dialect: Dialect, run: Try
) -> bool | None:
    """Return whether a row of `owner` is repeated in a group; None if that cannot be tried."""
    if len(key) != 1 or tree.args.get("with_") or select.find_ancestor(exp.Select):
        return None
    probe = select.copy()
    for clause in ("having", "order", "limit", "offset", "distinct", "qualify", "windows"):
        probe.set(clause, None)
    column = exp.column(key[0], owner)
    rows, keys = exp.Count(this=column), exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    if group := probe.args.get("group"):
        probe.set("group", exp.Group(expressions=[_grouped(one, select) for one in group.expressions]))
        probe = probe.having(exp.GT(this=rows.copy(), expression=keys.copy())).limit(1)
    result = run(probe.select(rows.as_("all_rows"), keys.as_("own_rows"), append=False).sql(dialect))
    return None if result is None else any(row[0] != row[1] for row in result.rows)


def _grouped(expression: exp.Expr, select: exp.Select) -> exp.Expr:
    """Replace the 1 of GROUP BY 1 by the first expression of the SELECT."""
    if not isinstance(expression, exp.Literal) or expression.is_string:
        return expression
    named: exp.Expr = select.expressions[int(expression.this) - 1]
    return named.this.copy() if isinstance(named, exp.Alias) else named.copy()
