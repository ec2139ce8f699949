"""Counts, sums, averages and extremes, whole or by groups. Each row counts once a group, however many rows a join makes
of it. Groups keep the rows that belong to none, except where only some groups are wanted or over time."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from turnkeep.agents.database.reading.asked import Asked, Field, Value
from turnkeep.agents.database.writing.columns import Columns
from turnkeep.agents.database.writing.conditions import compared, is_there, literal
from turnkeep.agents.database.writing.dialects import grain_name, identifier, ordered
from turnkeep.agents.database.writing.listings import free_name, named, unique
from turnkeep.agents.database.writing.names import alias, column_words, link_words, many_of
from turnkeep.agents.database.writing.sources import Source
from turnkeep.agents.database.writing.steps import CannotWrite, Way, multiplies

_DATED = ("date", "datetime", "time")
_ONCE = "counted"


@dataclass(frozen=True, slots=True)
class Group:
    """One expression to group by. `name` is empty where it only tells groups apart and is not shown."""

    place: exp.Expr
    name: str = ""


class Measured:
    """The statement of one question that has a measure."""

    def __init__(self, source: Source, columns: Columns):
        self._source, self._columns, self._asked = source, columns, source.asked
        self._joined: list[Way] = []
        self._unit = self._way_of_unit()

    def select(self) -> exp.Select:
        asked, source = self._asked, self._source
        found = [*self._time(), *(group for field in asked.groups for group in self._group(field))]
        groups = list({(group.place.sql(), bool(group.name)): group for group in found}.values())
        value = self._value()
        source.restrict()
        key = source.key(self._unit)
        doubles = source.doubles(self._unit, self._joined)
        if doubles and not self._is_safe(key):
            groups, measure, select = self._once(groups, value, key)
        else:
            measure = self._measure(value, key if doubles or self._unit else [])
            select = source.select()
        return self._grouped(select, groups, measure)

    def _way_of_unit(self) -> Way:
        """To the rows that are counted or summed: of the subject, or of a table of which it has many."""
        way = self._source.ways.to(self._asked.of) if self._asked.of else ()
        return way if any(multiplies(step, self._source.graph) for step in way) else ()

    def _time(self) -> Iterator[Group]:
        asked, source = self._asked, self._source
        if asked.grain is None:
            return
        field = asked.grain_of or (asked.period.field if asked.period else None)
        if field is None:
            raise CannotWrite(f"nothing says which date the {asked.grain} is of")
        way = source.ways.to(field)
        self._join(way, is_required=True)
        place = source.column(way, field.column)
        if asked.period is None or asked.period.field != field:
            source.where(is_there(place))
        yield Group(grain_name(asked.grain, place.copy(), source.dialect), asked.grain)

    def _group(self, field: Field) -> Iterator[Group]:
        asked, source = self._asked, self._source
        way = source.ways.to(field)
        shown = self._columns.named(way, field.table, field.column)
        behind = self._columns.key_behind(way, field.table, field.column, is_one_of_many=bool(way) or bool(self._unit))
        if behind and behind != (field.column,):
            shown = self._columns.labels_of(way, field.table)
        wants_some = asked.limit is not None or asked.keep is not None
        for one in shown:
            self._join(one.way, is_required=wants_some)
            yield Group(source.column(one.way, one.column), one.name)
        yield from (Group(source.column(way, name)) for name in behind)
        if wants_some and not behind:
            source.where(is_there(source.column(way, field.column)))

    def _value(self) -> exp.Expr | None:
        """What is summed, or counted where it is not whole rows."""
        asked, source = self._asked, self._source
        if asked.of is None:
            if asked.measure != "count":
                raise CannotWrite(f"nothing says of which column the {asked.measure} is asked")
            return None
        way = source.ways.to(asked.of)
        self._join(way, is_required=bool(self._unit))
        if asked.measure == "count" and asked.is_distinct:
            behind = self._columns.key_behind(way, asked.of.table, asked.of.column, is_one_of_many=bool(way))
            return source.column(way, behind[0] if len(behind) == 1 else asked.of.column)
        place = source.column(way, asked.of.column)
        if asked.measure == "count" and not self._unit:
            source.where(is_there(place))
        if asked.less is not None:
            taken = exp.func("COALESCE", source.column(way, asked.less.column), exp.Literal.number(0))
            return exp.Paren(this=exp.Sub(this=place, expression=taken))
        return place

    def _join(self, way: Way, *, is_required: bool) -> None:
        self._source.scope.join(way, is_required=is_required)
        self._joined.append(way)

    def _is_safe(self, key: list[exp.Column]) -> bool:
        """Whether rows that come several times do no harm to the measure."""
        asked = self._asked
        if asked.measure in ("minimum", "maximum") or asked.is_distinct:
            return True
        return asked.measure == "count" and len(key) == 1

    def _measure(self, value: exp.Expr | None, key: list[exp.Column]) -> exp.Expr:
        asked = self._asked
        match asked.measure:
            case "count":
                counted = value if asked.is_distinct else key[0] if len(key) == 1 else None
                return _count(counted)
            case "sum":
                return exp.Sum(this=value)
            case "average":
                return exp.Avg(this=value)
            case "minimum":
                return exp.Min(this=value)
            case _:
                return exp.Max(this=value)

    def _once(
        self, groups: list[Group], value: exp.Expr | None, key: list[exp.Column]
    ) -> tuple[list[Group], exp.Expr, exp.Select]:
        """The measure over a sub-query that has each row once a group."""
        source = self._source
        names: list[str] = []
        outer, inner = [], []
        for group in groups:
            names.append(free_name(group.name or "group_key", names))
            inner.append(named(group.place, names[-1], source))
            outer.append(Group(self._of_each(names[-1]), group.name))
        value_name = free_name("value", names)
        parts = [*([value] if value is not None else []), *key]
        for place in parts:
            names.append(free_name(value_name if place is value else "row_key", names))
            inner.append(named(place, names[-1], source))
        rows = source.select(*inner).distinct(copy=False)
        measure = self._measure(self._of_each(value_name) if value is not None else None, [])
        return outer, measure, exp.select().from_(rows.subquery(identifier(_ONCE, source.dialect)), copy=False)

    def _of_each(self, name: str) -> exp.Column:
        return self._source.scope.named(_ONCE, name)

    def _grouped(self, select: exp.Select, groups: list[Group], measure: exp.Expr) -> exp.Select:
        asked, source = self._asked, self._source
        shown: dict[str, exp.Expr] = {}
        for group in groups:
            if group.name:
                shown[free_name(group.name, shown)] = group.place
        name = free_name(_measure_name(asked, self._unit, self._kind()), shown)
        select = select.select(*(named(place, each, source) for each, place in shown.items()), copy=False)
        select = select.select(named(measure, name, source), copy=False)
        if not groups:
            return select
        select = select.group_by(*unique(group.place for group in groups), copy=False)
        if asked.keep:
            select = select.having(
                compared(measure.copy(), asked.keep.test, [_number(value) for value in asked.keep.values]), copy=False
            )
        keys = [group.place for group in groups if not group.name]
        return self._sorted(select, [*map(self._called, shown.values(), shown)], name, keys)

    def _called(self, place: exp.Expr, name: str) -> exp.Expr:
        """To sort by: a column as it is, since its name may be that of others too; anything longer by its alias."""
        return place if isinstance(place, exp.Column) else exp.Column(this=identifier(name, self._source.dialect))

    def _sorted(self, select: exp.Select, called: list[exp.Expr], measure: str, keys: list[exp.Expr]) -> exp.Select:
        """By time, or the largest first, unless it is said otherwise; equals by name and key."""
        asked, dialect = self._asked, self._source.dialect
        by_measure = ordered(
            exp.Column(this=identifier(measure, dialect)),
            dialect,
            is_descending=asked.order != "ascending",
            has_all=asked.measure == "count",
        )
        ties = [ordered(place, dialect, has_all=True) for place in unique([*called, *keys])]
        if asked.grain and (asked.order is None or (asked.order_by and asked.order_by == asked.grain_of)):
            ties[0] = ordered(called[0].copy(), dialect, is_descending=asked.order == "descending", has_all=True)
            return select.order_by(*ties, copy=False)
        if asked.order_by in asked.groups:
            ties[0] = ordered(called[0].copy(), dialect, is_descending=asked.order == "descending")
            return select.order_by(*ties, copy=False)
        return select.order_by(by_measure, *ties, copy=False)

    def _kind(self) -> str:
        of = self._asked.of
        return self._source.graph.tables[of.table].columns[of.column].kind if of else "other"


def _number(value: Value) -> exp.Expr:
    if isinstance(value, Field):
        raise CannotWrite("groups are held against numbers only")
    return literal(value)


def _count(counted: exp.Expr | None) -> exp.Expr:
    return exp.Count(this=exp.Star() if counted is None else exp.Distinct(expressions=[counted]))


def _measure_name(asked: Asked, unit: Way, kind: str) -> str:
    of = asked.of
    if of is None or asked.measure == "count":
        counts_values = of is not None and asked.is_distinct and of.table == asked.subject
        if of is not None and counts_values:
            *before, last = link_words(of.column)
            return alias(*before, *many_of(last))
        return alias(*many_of(of.table if of and (unit or asked.is_distinct) else asked.subject))
    words = column_words(of.column)
    first = {"sum": "total", "average": "average", "minimum": "lowest", "maximum": "highest"}[asked.measure]
    if kind in _DATED:
        first = {"minimum": "earliest", "maximum": "latest"}.get(asked.measure, first)
    words = (*words, "less", *column_words(asked.less.column)) if asked.less else words
    return alias(*words) if first in words else alias(first, *words)
