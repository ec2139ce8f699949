"""Where the rows come from: what is shown or measured is joined; conditions on rows that a join would multiply, and on
rows that must be absent, are put to EXISTS, so that they count nothing twice."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from turnkeep.agents.database.joins.records import Column, JoinGraph
from turnkeep.agents.database.reading.asked import Absence, Asked, Condition, Field, Period
from turnkeep.agents.database.writing.conditions import NULL_FITS, compared, held, literal, within
from turnkeep.agents.database.writing.dialects import Dialect
from turnkeep.agents.database.writing.scopes import Scope
from turnkeep.agents.database.writing.steps import Way, Ways, key_of, multiplies

type Demand = Condition | Period


class Source:
    """FROM, JOIN and WHERE of one question, in the making."""

    def __init__(self, asked: Asked, ways: Ways, graph: JoinGraph, dialect: Dialect):
        self.asked, self.ways, self.graph, self.dialect = asked, ways, graph, dialect
        self.scope = Scope(asked.subject, dialect)
        self._wheres: list[exp.Expr] = []

    def column(self, way: Way, name: str) -> exp.Column:
        return self.scope.column(way, name)

    def field(self, field: Field) -> exp.Column:
        return self.column(self.ways.to(field), field.column)

    def where(self, condition: exp.Expr) -> None:
        self._wheres.append(condition)

    def restrict(self) -> None:
        """Adds the conditions of the question, once all that is shown or measured is joined."""
        demands: list[Demand] = [*self.asked.conditions, *([self.asked.period] if self.asked.period else [])]
        beside: dict[Way, list[Demand]] = {}
        for demand in demands:
            branches = {self._branch(self.ways.to(field)) for field in _fields(demand)}
            branch = branches.pop() if len(branches) == 1 else None
            if branch is None:
                self._wheres.append(self._holds(self.scope, demand))
            else:
                beside.setdefault(branch, []).append(demand)
        for branch, those in beside.items():
            self._wheres.append(self._exists(branch, those))
        self._wheres += [self._belonging(absence) for absence in self.asked.absences]

    def select(self, *expressions: exp.Expr) -> exp.Select:
        """A SELECT of them from all that is joined, under all conditions."""
        select = self.scope.put_into(exp.select(*expressions))
        return select.where(*self._wheres, copy=False) if self._wheres else select

    def doubles(self, unit: Way, joined: Iterable[Way]) -> bool:
        """Whether a row at the end of `unit` may come several times, once `joined` are."""
        steps = {way[:length] for way in joined for length in range(1, len(way) + 1)}
        return any(multiplies(step[-1].back() if unit[: len(step)] == step else step[-1], self.graph) for step in steps)

    def key(self, way: Way) -> list[exp.Column]:
        """What identifies a row at the end of a joined way; empty where nothing is known to."""
        table = way[-1].far if way else self.asked.subject
        return [self.column(way, name) for name in key_of(self.graph.tables[table])]

    def _branch(self, way: Way) -> Way | None:
        """The first part of the way that is not joined and would multiply rows."""
        parts = (way[:length] for length in range(1, len(way) + 1))
        return next((part for part in parts if not self.scope.holds(part) and multiplies(part[-1], self.graph)), None)

    def _holds(self, scope: Scope, demand: Demand, end: Way = ()) -> exp.Expr:
        """The demand on what is joined in the scope; `end` is where its rows are, if not the subject's."""
        ways = {field: self._way(field, end) for field in _fields(demand)}
        is_required = len(set(ways.values())) == 1 and (isinstance(demand, Period) or demand.test not in NULL_FITS)
        for way in ways.values():
            many = [at for at, step in enumerate(way, 1) if multiplies(step, self.graph)]
            scope.join(way[: max([len(scope.root), *many])], is_required=is_required or len(ways) == 1)
            scope.join(way, is_required=is_required)
        places = [scope.column(way, field.column) for field, way in ways.items()]
        if isinstance(demand, Period):
            return within(places[0], demand, places[1] if demand.until else None)
        tests = [
            held(place, self._known(field), demand, lambda other: self._place(scope, other, end))
            for place, field in zip(places, ways, strict=True)
        ]
        return exp.and_(*tests) if demand.test == "is_not" else exp.or_(*tests)

    def _way(self, field: Field, end: Way) -> Way:
        return self.ways.beyond(end, field) if end else self.ways.to(field)

    def _place(self, scope: Scope, field: Field, end: Way) -> exp.Expr:
        """Where a value stands that is a column itself, of these rows or of those around."""
        if end and field.table == self.asked.subject and field.table != end[-1].far:
            return self.field(field)
        return scope.column(self._way(field, end), field.column)

    def _known(self, field: Field) -> Column:
        return self.graph.tables[field.table].columns[field.column]

    def _exists(self, root: Way, demands: Sequence[Demand]) -> exp.Expr:
        """Some row at the end of `root` is joined to the rows around, and meets all demands."""
        outer, scope = self.scope.join(root[:-1]), self._inner(root)
        wheres = [self._holds(scope, demand) for demand in demands]
        select = scope.put_into(exp.select(exp.Literal.number(1)))
        return exp.Exists(this=select.where(scope.link(root, outer), *wheres, copy=False))

    def _belonging(self, absence: Absence) -> exp.Expr:
        """How many rows belong to a row of the subject: some, none, or a number."""
        end = self.ways.to_rows_of(absence.table, absence.via)
        root = end[:1]
        outer, scope = self.scope.join(()), self._inner(root)
        scope.join(end, is_required=True)
        demands: list[Demand] = [*absence.conditions, *([absence.period] if absence.period else [])]
        wheres = [self._holds(scope, demand, end) for demand in demands]
        if (absence.test, absence.times) == ("at_least", (1,)):
            select = scope.put_into(exp.select(exp.Literal.number(1)))
            found: exp.Expr = exp.Exists(this=select.where(scope.link(root, outer), *wheres, copy=False))
        else:
            key = [scope.column(end, name) for name in key_of(self.graph.tables[absence.table])]
            once = len(key) == 1 and (len(end) > 1 or any(scope.ways()))
            count = exp.Count(this=exp.Distinct(expressions=key) if once else exp.Star())
            select = scope.put_into(exp.select(count)).where(scope.link(root, outer), *wheres, copy=False)
            found = compared(select.subquery(copy=False), absence.test, [literal(number) for number in absence.times])
        return exp.not_(found) if absence.is_absent else found

    def _inner(self, root: Way) -> Scope:
        return Scope(root[-1].far, self.dialect, root, set(self.scope.taken))


def _fields(demand: Demand) -> tuple[Field, ...]:
    if isinstance(demand, Period):
        return (demand.field, demand.until) if demand.until else (demand.field,)
    return (demand.field, *demand.others)
