"""Counts, sums, averages and extremes, whole or by groups. Each row counts once a group, however many rows a join makes
of it. Groups keep the rows that belong to none, except where only some groups are wanted or over time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from turnkeep_agents.database.reading.asked import Field, Figure, Value
from turnkeep_agents.database.writing.aggregates import (
    Once,
    Refer,
    aggregate,
    measure_name,
    of_parts,
    over_groups,
    share_of,
)
from turnkeep_agents.database.writing.columns import Columns
from turnkeep_agents.database.writing.conditions import compared, is_there, literal
from turnkeep_agents.database.writing.dialects import grain_name, identifier, ordered
from turnkeep_agents.database.writing.listings import free_name, named, unique
from turnkeep_agents.database.writing.sources import Source
from turnkeep_agents.database.writing.steps import CannotWrite, Way, multiplies


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
        values = [self._value(figure) for figure in self._figures]
        truths = [source.truth(part) for part in asked.parts]
        source.restrict()
        key = source.key(self._unit)
        doubles = source.doubles(self._unit, self._joined)
        if doubles and not self._is_safe(key):
            rows = Once(source, key, [group.name or "group_key" for group in groups])
            groups = [Group(rows.refer(group.place), group.name) for group in groups]
            measures = self._measures(values, truths, [], rows.refer)
            return self._grouped(rows.select(), groups, measures)
        measures = self._measures(values, truths, key if doubles or self._unit else [], lambda place: place)
        return self._grouped(source.select(), groups, measures)

    @property
    def _figures(self) -> list[Figure]:
        return [Figure(self._asked.measure, self._asked.of), *self._asked.also]

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

    def _value(self, figure: Figure) -> exp.Expr | None:
        """What is summed, or counted where it is not whole rows."""
        asked, source, of = self._asked, self._source, figure.of
        if of is None:
            if figure.measure not in ("count", "share"):
                raise CannotWrite(f"nothing says of which column the {figure.measure} is asked")
            return None
        way = source.ways.to(of)
        if figure in asked.also and (figure.measure == "count" or self._leaves_unit(way)):
            raise CannotWrite(f"{asked.subject} and {of.table} are not measured together")
        self._join(way, is_required=bool(self._unit))
        if figure.measure == "count" and asked.is_distinct:
            behind = self._columns.key_behind(way, of.table, of.column, is_one_of_many=bool(way))
            return source.column(way, behind[0] if len(behind) == 1 else of.column)
        place = source.place(way, of)
        if figure.measure == "count" and not self._unit:
            source.where(is_there(place))
        if asked.less is not None and of == asked.of:
            taken = exp.func("COALESCE", source.column(way, asked.less.column), exp.Literal.number(0))
            return exp.Paren(this=exp.Sub(this=place, expression=taken))
        return place

    def _leaves_unit(self, way: Way) -> bool:
        """Whether a row that is measured has several at the end of the way."""
        return any(multiplies(step, self._source.graph) for step in way[len(self._unit) :])

    def _join(self, way: Way, *, is_required: bool) -> None:
        self._source.scope.join(way, is_required=is_required)
        self._joined.append(way)

    def _is_safe(self, key: list[exp.Column]) -> bool:
        """Whether rows that come several times do no harm to the measure."""
        asked = self._asked
        if asked.also or asked.parts:
            return False
        if asked.measure in ("minimum", "maximum") or asked.is_distinct:
            return True
        return asked.measure == "count" and len(key) == 1

    def _measures(
        self, values: list[exp.Expr | None], truths: list[exp.Expr], key: list[exp.Column], refer: Refer
    ) -> dict[str, exp.Expr]:
        """All that is measured, by name; `refer` gives what stands for a value of a row."""
        asked, names = self._asked, [self._name(figure) for figure in self._figures]
        if asked.measure == "share":
            return share_of(asked, values[0], truths[0], refer)
        if truths:
            return of_parts(asked, values[0], truths, refer)
        found: dict[str, exp.Expr] = {}
        for figure, value, name in zip(self._figures, values, names, strict=True):
            counted = (value if asked.is_distinct else key[0] if len(key) == 1 else None, value)
            place = counted[0] if figure.measure == "count" else value
            found[free_name(name, found)] = aggregate(figure.measure, refer(place) if place is not None else None)
        return found

    def _name(self, figure: Figure) -> str:
        asked = self._asked
        own = replace(asked, measure=figure.measure, of=figure.of, less=asked.less if figure.of == asked.of else None)
        return measure_name(own, self._unit, self._kind(figure.of))

    def _grouped(self, select: exp.Select, groups: list[Group], measures: dict[str, exp.Expr]) -> exp.Select:
        asked, source = self._asked, self._source
        shown: dict[str, exp.Expr] = {}
        for group in groups:
            if group.name:
                shown[free_name(group.name, shown)] = group.place
        select = select.select(*(named(place, each, source) for each, place in shown.items()), copy=False)
        called = {free_name(name, shown): place for name, place in measures.items()}
        select = select.select(*(named(place, name, source) for name, place in called.items()), copy=False)
        if not groups:
            return select
        select = select.group_by(*unique(group.place for group in groups), copy=False)
        main = next(reversed(called)) if asked.measure == "share" else next(iter(called))
        if asked.keep:
            numbers = [_number(value) for value in asked.keep.values]
            select = select.having(compared(called[main].copy(), asked.keep.test, numbers), copy=False)
        if asked.over:
            return over_groups(asked.over, select, main, source)
        keys = [group.place for group in groups if not group.name]
        return self._sorted(select, [*map(self._called, shown.values(), shown)], main, keys)

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
            has_all=asked.measure == "count" and not asked.parts,
        )
        ties = [ordered(place, dialect, has_all=True) for place in unique([*called, *keys])]
        if asked.grain and (asked.order is None or (asked.order_by and asked.order_by == asked.grain_of)):
            ties[0] = ordered(called[0].copy(), dialect, is_descending=asked.order == "descending", has_all=True)
            return select.order_by(*ties, copy=False)
        if asked.order_by and asked.order_by in asked.groups:
            place = self._source.field(asked.order_by)
            key = next((each for each in called if each == place), called[0])
            first = ordered(key.copy(), dialect, is_descending=asked.order == "descending")
            return select.order_by(first, *(tie for tie in ties if tie.this != key), copy=False)
        return select.order_by(by_measure, *ties, copy=False)

    def _kind(self, of: Field | None) -> str:
        if of is None or of.since:
            return "other"
        return self._source.graph.tables[of.table].columns[of.column].kind


def _number(value: Value) -> exp.Expr:
    if isinstance(value, Field):
        raise CannotWrite("groups are held against numbers only")
    return literal(value)
