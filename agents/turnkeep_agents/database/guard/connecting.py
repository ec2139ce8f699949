"""How the sources of each FROM are connected: the joins, and cross products, which are refused. One row of a table may
connect others: those next to "(SELECT AVG(amount) AS mean FROM job) AS m" by what each has of it."""

from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.scopes import Frame, Source
from turnkeep_agents.database.guard.verdicts import Problem
from turnkeep_agents.database.joins.records import Kind

MOST_APART = 2  # sources of many rows that nothing connects
_NUMBERS: frozenset[Kind] = frozenset({"integer", "number", "boolean"})
_TIMES: frozenset[Kind] = frozenset({"date", "datetime", "time"})


class Connections:
    """Reads a resolved tree: `joins` as texts, and `problems`."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.joins: dict[str, None] = {}
        self.problems: list[Problem] = []
        for frame, select in resolver.frames:
            self._read(frame, select)

    def _read(self, frame: Frame, select: exp.Select) -> None:
        many = {id(source) for source in frame.sources if not source.is_one_row}
        groups = [{id(source)} for source in frame.sources if not (source.is_one_row and source.is_constant)]
        for condition in conditions(select):
            self._note(condition)
            groups = _merged(groups, self._connected(condition))
        for join in _joins(select):
            if join.args.get("using"):
                groups = self._used(frame, join, groups)
        apart = sum(bool(group & many) for group in groups)
        if apart > MOST_APART:
            message = f"{apart} tables are joined without a condition between them. Give every JOIN its ON."
            self.problems.append(Problem("cartesian", message))

    def _connected(self, condition: exp.Expr) -> set[int]:
        """Return the sources that the condition connects; an inequality connects none."""
        if isinstance(condition, exp.Paren):
            return self._connected(condition.this)
        if isinstance(condition, exp.Or):
            sides = self._connected(condition.this), self._connected(condition.expression)
            return sides[0] & sides[1] if min(map(len, sides)) > 1 else set()
        if isinstance(condition, exp.And):
            sides = self._connected(condition.this), self._connected(condition.expression)
            return max(sides, key=len)
        if isinstance(condition, exp.NEQ | exp.Not | exp.NullSafeNEQ):
            return set()
        bound = self.resolver.bound
        found = {id(bound[id(column)]) for column in condition.find_all(exp.Column) if id(column) in bound}
        return found if len(found) > 1 else set()

    def _used(self, frame: Frame, join: exp.Join, groups: list[set[int]]) -> list[set[int]]:
        for name in join.args["using"]:
            sources = [source for source in frame.sources if source.spelling(name.name) is not None]
            groups = _merged(groups, {id(source) for source in sources})
            if len(sources) > 1:
                self._join((sources[0], name.name), (sources[-1], name.name))
        return groups

    def _note(self, condition: exp.Expr) -> None:
        if not isinstance(condition, exp.EQ):
            return
        sides = [(self.resolver.bound.get(id(side)), side.name) for side in (condition.left, condition.right)]
        (one, name), (other, other_name) = sides
        if one and other and one is not other:
            self._join((one, name), (other, other_name))

    def _join(self, one: tuple[Source, str], other: tuple[Source, str]) -> None:
        if not (one[0].table and other[0].table):
            return
        names, kinds = [], set()
        for source, name in (one, other):
            spelling = source.spelling(name) or name
            column = self.resolver.catalogue.graph.tables[source.table].columns.get(spelling)
            names.append(f"{source.table}.{spelling}")
            kinds.add(column.kind if column else "other")
        join = " = ".join(names)
        self.joins[join] = None
        if kinds & _NUMBERS and kinds & _TIMES:
            message = f"The join {join} compares a number with a date or time: such columns are never equal."
            self.problems.append(Problem("types", message))


def _joins(select: exp.Select) -> Iterator[exp.Join]:
    start = select.args.get("from_")
    yield from select.args.get("joins") or ()
    is_query = start and isinstance(start.this, exp.Subquery) and isinstance(start.this.this, exp.Query)
    yield from start.find_all(exp.Join) if start and not is_query else ()


def conditions(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what must hold for its rows: the parts of each ON, and of WHERE, between their ANDs."""
    where = select.args.get("where")
    tops = [join.args["on"] for join in _joins(select) if join.args.get("on")]
    stack = [*([where.this] if where else []), *reversed(tops)]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.And):
            stack += [each.expression, each.this]
        elif isinstance(each, exp.Paren):
            stack.append(each.this)
        else:
            yield each


def _merged(groups: list[set[int]], tied: set[int]) -> list[set[int]]:
    touched = [group for group in groups if group & tied]
    others = [group for group in groups if not group & tied]
    return [*others, set().union(*touched)] if touched else others
