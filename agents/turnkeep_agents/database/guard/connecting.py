"""How the sources of each FROM hang together: the joins, for those who ask, and cross products, which are refused. One
row of a table may connect others: those beside "(SELECT AVG(amount) AS mean FROM job) AS m" by what each has of it."""

from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue, fold
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.scopes import Frame, Source
from turnkeep_agents.database.guard.verdicts import Problem
from turnkeep_agents.database.joins.records import Kind

MOST_APART = 2  # sources of many rows that nothing connects
_NUMBERS: frozenset[Kind] = frozenset({"integer", "number", "boolean"})
_TIMES: frozenset[Kind] = frozenset({"date", "datetime", "time"})


class Connections:
    """Of a tree that the resolver has read. `joins` and `notes` are texts, `problems` what is wrong."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver, self.catalogue = resolver, resolver.catalogue
        self.joins: dict[str, None] = {}
        self.notes: dict[str, None] = {}
        self.problems: list[Problem] = []
        for frame, select in resolver.frames:
            self._read(frame, select)

    def _read(self, frame: Frame, select: exp.Select) -> None:
        many = {id(source) for source in frame.sources if not source.is_one_row}
        groups = [{id(source)} for source in frame.sources if not (source.is_one_row and source.is_constant)]
        for condition in _conditions(select):
            self._note(condition)
            groups = _merged(groups, self._connected(condition))
        for join in _joins(select):
            if join.args.get("using"):
                groups = self._used(frame, join, groups)
        apart = sum(bool(group & many) for group in groups)
        if apart > MOST_APART:
            message = f"{apart} tables are joined without a condition between them. Give every JOIN its ON."
            self.problems.append(Problem("cartesian", message))
        elif apart == MOST_APART:
            self.notes["Two tables are joined without a condition between them."] = None

    def _connected(self, condition: exp.Expr) -> set[int]:
        """The sources that the condition ties to each other; a mere inequality ties nothing."""
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
        told = f"{_title(one)} = {_title(other)}"
        self.joins[told] = None
        self._check_kinds(one, other, told)
        pair = frozenset({_pair(one), _pair(other)})
        if pair not in self.catalogue.pairs and (self.catalogue.pairs or one[0].table != other[0].table):
            self.notes[f"No known relationship connects {told}."] = None

    def _check_kinds(self, one: tuple[Source, str], other: tuple[Source, str], told: str) -> None:
        kinds = {_kind(self.catalogue, side) for side in (one, other)}
        if kinds & _NUMBERS and kinds & _TIMES:
            message = f"The join {told} compares a number with a date or time: such columns are never equal."
            self.problems.append(Problem("types", message))


def _title(side: tuple[Source, str]) -> str:
    return f"{side[0].table}.{side[0].spelling(side[1]) or side[1]}"


def _pair(side: tuple[Source, str]) -> tuple[str, str]:
    return fold(side[0].table), fold(side[1])


def _kind(catalogue: Catalogue, side: tuple[Source, str]) -> Kind:
    column = catalogue.graph.tables[side[0].table].columns.get(side[0].spelling(side[1]) or "")
    return column.kind if column else "other"


def _joins(select: exp.Select) -> Iterator[exp.Join]:
    start = select.args.get("from_")
    yield from select.args.get("joins") or ()
    yield from start.find_all(exp.Join) if start and not _holds_query(start.this) else ()


def _holds_query(node: exp.Expr) -> bool:
    return isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query)


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    """What must all be true of a row: the parts of ON and WHERE between their ANDs."""
    where = select.args.get("where")
    tops = [join.args["on"] for join in _joins(select) if join.args.get("on")]
    for top in [*tops, where.this] if where else tops:
        yield from _parts(top)


def _parts(condition: exp.Expr) -> Iterator[exp.Expr]:
    stack = [condition]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.And):
            stack += [each.expression, each.this]
        elif isinstance(each, exp.Paren):
            stack.append(each.this)
        else:
            yield each


def _merged(groups: list[set[int]], tied: set[int]) -> list[set[int]]:
    """The groups, those that `tied` touches made one."""
    if not tied:
        return groups
    touched = [group for group in groups if group & tied]
    others = [group for group in groups if not group & tied]
    return [*others, set().union(*touched)] if touched else others
