"""Where the rows come from: what is shown or measured is joined; conditions on rows that a join would multiply, and on
rows that must be absent, are put to EXISTS, so that they count nothing twice."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from turnkeep_agents.database.joins.records import Column, JoinGraph
from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Part, Period
from turnkeep_agents.database.writing.conditions import NULL_FITS, compared, held, literal, within
from turnkeep_agents.database.writing.dialects import Dialect, days_between
from turnkeep_agents.database.writing.scopes import Scope
from turnkeep_agents.database.writing.steps import Way, Ways, key_of, multiplies

type Demand = Condition | Period


class Source:
    """FROM, JOIN and WHERE of one question, in the making."""

    def __init__(self, asked: Asked, ways: Ways, graph: JoinGraph, dialect: Dialect):
        self.asked, self.ways, self.graph, self.dialect = asked, ways, graph, dialect
        self.scope = Scope(asked.subject, dialect)
        self._wheres: list[exp.Expr] = []

    def column(self, way: Way, name: str) -> exp.Column:
        return self.scope.column(way, name)

    def field(self, field: Field) -> exp.Expr:
        return self.place(self.ways.to(field), field)

    def place(self, way: Way, field: Field, scope: Scope | None = None) -> exp.Expr:
        """What stands for the field at the end of a way: its column, or the days up to that."""
        scope = scope or self.scope
        last = scope.column(way, field.column)
        return days_between(scope.column(way, field.since), last, self.dialect) if field.since else last

    def where(self, condition: exp.Expr) -> None:
        self._wheres.append(condition)

    def restrict(self) -> None:
        """Adds the conditions of the question, once all that is shown or measured is joined."""
        demands: list[Demand] = [*self.asked.conditions, *([self.asked.period] if self.asked.period else [])]
        beside: dict[Way, list[Demand]] = {}
        for demand in demands:
            if isinstance(demand, Condition) and demand.test == "named":
                self._wheres.append(self._named(demand))
                continue
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
        for stay in self.asked.stays:
            for way in self.scope.ways():
                if way[-1].far == stay.field.table and stay.until:
                    days = self.column(way, stay.field.column), self.column(way, stay.until.column)
                    self.scope.narrow(way, within(days[0], stay, days[1]))
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

    def truth(self, part: Part) -> exp.Expr:
        """Whether a row is one of the part. What this needs is joined so that no row is lost."""
        demands: list[Demand] = [*part.conditions, *([part.period] if part.period else [])]
        tests = [self._test(demand) for demand in demands]
        return exp.and_(*tests, *(self._belonging(absence) for absence in part.absences))

    def _test(self, demand: Demand) -> exp.Expr:
        branches = {self._branch(self.ways.to(field)) for field in _fields(demand)}
        branch = branches.pop() if len(branches) == 1 else None
        return self._holds(self.scope, demand, loses=False) if branch is None else self._exists(branch, [demand])

    def _holds(self, scope: Scope, demand: Demand, end: Way = (), *, loses: bool = True) -> exp.Expr:
        """The demand on what is joined in the scope; `end` is where its rows are, if not the subject's. With `loses`
        the joins drop rows that have nothing to meet it with."""
        if isinstance(demand, Condition) and demand.test == "named":
            named = [[self._holds(scope, one, end, loses=False) for one in each] for each in by_table(demand)]
            return exp.or_(*(exp.and_(*each) for each in named))
        ways = {field: self._way(field, end) for field in _fields(demand)}
        is_one = len(set(ways.values())) == 1
        is_required = loses and is_one and (isinstance(demand, Period) or demand.test not in NULL_FITS)
        for way in ways.values():
            many = [at for at, step in enumerate(way, 1) if multiplies(step, self.graph)]
            scope.join(way[: max([len(scope.root), *many])], is_required=loses and (is_required or len(ways) == 1))
            scope.join(way, is_required=is_required)
        places = [self.place(way, field, scope) for field, way in ways.items()]
        if isinstance(demand, Period):
            return within(places[0], demand, places[1] if demand.until else None)
        tests = [
            held(place, self._known(field), demand, lambda other: self._place(scope, other, end))
            for place, field in zip(places, ways, strict=True)
        ]
        return exp.and_(*tests) if demand.test == "is_not" else exp.or_(*tests)

    def _named(self, condition: Condition) -> exp.Expr:
        """A name that rows of one of several tables bear, whichever it is."""
        found: list[exp.Expr] = []
        for each in by_table(condition):
            branch = self._branch(self.ways.to(each[0].field))
            if branch is None:
                found.append(exp.and_(*(self._holds(self.scope, one, loses=False) for one in each)))
            else:
                found.append(self._exists(branch, each))
        return exp.or_(*found)

    def _way(self, field: Field, end: Way) -> Way:
        return self.ways.beyond(end, field) if end else self.ways.to(field)

    def _place(self, scope: Scope, field: Field, end: Way) -> exp.Expr:
        """Where a value stands that is a column itself, of these rows or of those around."""
        if end and field.table == self.asked.subject and field.table != end[-1].far:
            return self.field(field)
        return scope.column(self._way(field, end), field.column)

    def _known(self, field: Field) -> Column:
        if field.since:
            return Column("days", "number")
        return self.graph.tables[field.table].columns[field.column]

    def _exists(self, root: Way, demands: Sequence[Demand]) -> exp.Expr:
        """Some row at the end of `root` is joined to the rows around, and meets all demands."""
        outer, scope = self.scope.join(root[:-1]), self._inner(root)
        wheres = [self._holds(scope, demand) for demand in demands]
        select = scope.put_into(exp.select(exp.Literal.number(1)))
        return exp.Exists(this=select.where(scope.link(root, outer), *wheres, copy=False))

    def tally(self, absence: Absence) -> exp.Expr:
        """How many rows belong to a row of the subject, or the sum of a column of theirs."""
        end, root, scope, wheres = self._around(absence)
        if absence.of:
            total = exp.Sum(this=self.place(self.ways.beyond(end, absence.of), absence.of, scope))
            measure: exp.Expr = exp.func("COALESCE", total, exp.Literal.number(0))
        else:
            key = [scope.column(end, name) for name in key_of(self.graph.tables[absence.table])]
            once = len(key) == 1 and (len(end) > 1 or any(scope.ways()))
            measure = exp.Count(this=exp.Distinct(expressions=key) if once else exp.Star())
        select = scope.put_into(exp.select(measure))
        return select.where(scope.link(root, self.scope.join(())), *wheres, copy=False).subquery(copy=False)

    def _belonging(self, absence: Absence) -> exp.Expr:
        """Whether as many rows belong to a row of the subject as are wanted: some, none, or a number."""
        if (absence.test, absence.times) == ("at_least", (1,)) and absence.of is None:
            _, root, scope, wheres = self._around(absence)
            select = scope.put_into(exp.select(exp.Literal.number(1)))
            found: exp.Expr = exp.Exists(this=select.where(scope.link(root, self.scope.join(())), *wheres, copy=False))
        else:
            found = compared(self.tally(absence), absence.test, [literal(number) for number in absence.times])
        return exp.not_(found) if absence.is_absent else found

    def _around(self, absence: Absence) -> tuple[Way, Way, Scope, list[exp.Expr]]:
        """The way to the rows that belong, its first step, the tables joined there, and what the rows have to meet."""
        end = self.ways.to_rows_of(absence.table, absence.via)
        root = end[:1]
        scope = self._inner(root)
        scope.join(end, is_required=True)
        demands: list[Demand] = [*absence.conditions, *([absence.period] if absence.period else [])]
        return end, root, scope, [self._holds(scope, demand, end) for demand in demands]

    def _inner(self, root: Way) -> Scope:
        return Scope(root[-1].far, self.dialect, root, set(self.scope.taken))


def by_table(condition: Condition) -> list[list[Condition]]:
    """The conditions of a name in each table, all of which have to hold there."""
    tables: dict[tuple[str, str], list[Field]] = {}
    for field in (condition.field, *condition.others):
        tables.setdefault((field.table, field.via), []).append(field)
    first, _, rest = str(condition.values[0]).partition(" ")
    found = []
    for columns in tables.values():
        if len(columns) == 2 and rest:
            parts = zip(columns, (first, rest), strict=True)
            found.append([Condition(field, "contains", (part,)) for field, part in parts])
        else:
            found.append([Condition(columns[0], "contains", condition.values, tuple(columns[1:]))])
    return found


def _fields(demand: Demand) -> tuple[Field, ...]:
    if isinstance(demand, Period):
        return (demand.field, demand.until) if demand.until else (demand.field,)
    return (demand.field, *demand.others)
