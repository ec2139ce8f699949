"""Rows themselves: the columns that were asked for or the main ones, in a total order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from turnkeep_agents.database.reading.asked import Field
from turnkeep_agents.database.writing.columns import Columns, Shown
from turnkeep_agents.database.writing.dialects import identifier, ordered
from turnkeep_agents.database.writing.names import alias, many_of
from turnkeep_agents.database.writing.sources import Source
from turnkeep_agents.database.writing.steps import CannotWrite

type Order = tuple[exp.Expr, bool]
"""What to sort by, and whether the largest comes first."""


def listing(source: Source, columns: Columns) -> exp.Select:
    """A row for each row of the subject, and for each of what it belongs to where that is shown too."""
    asked = source.asked
    shown = distinctly_named(_shown(source, columns))
    tallies = _tallies(source, [one.name for one in shown])
    places = [source.place(one.way, Field("", one.column, since=one.since)) for one in shown]
    orders = _orders(source, columns)
    ways = [one.way for one in shown] + [source.ways.to(field) for field in _sorting(source)]
    key = source.key(())
    source.restrict()
    own = [named(place, one.name, source) for place, one in zip(places, shown, strict=True)]
    select = source.select(*own, *tallies)
    if asked.is_distinct or (source.doubles((), ways) and not key):
        down = asked.order == "descending"
        each = [ordered(place, source.dialect, is_descending=down) for place in unique(places)]
        return select.distinct(copy=False).order_by(*each, copy=False)
    if source.doubles((), ways):
        if tallies:
            raise CannotWrite("numbers of rows are shown beside whole rows only")
        select = select.group_by(*unique([*key, *places, *(place for place, _ in orders)]), copy=False)
    total = [ordered(place, source.dialect, is_descending=down) for place, down in orders]
    ties = [ordered(one, source.dialect, has_all=True) for one in key if one not in [place for place, _ in orders]]
    return select.order_by(*total, *(ties or (ordered(one, source.dialect) for one in unique(places))), copy=False)


def _tallies(source: Source, taken: Sequence[str]) -> list[exp.Expr]:
    """How many rows of other tables belong to each row."""
    names = list(taken)
    found = []
    for tally in source.asked.tallies:
        names.append(free_name(alias(*many_of(tally.table)), names))
        found.append(named(source.tally(tally), names[-1], source))
    return found


def named(place: exp.Expr, name: str, source: Source) -> exp.Expr:
    if isinstance(place, exp.Column) and place.name == name:
        return place.copy()
    return exp.alias_(place.copy(), identifier(name, source.dialect))


def distinctly_named(shown: Iterable[Shown]) -> list[Shown]:
    """Each column once, no name twice."""
    found: dict[str, Shown] = {}
    for one in shown:
        if any(replace(one, name=other.name) == other for other in found.values()):
            continue
        name = free_name(one.name, found)
        found[name] = replace(one, name=name)
    return list(found.values())


def free_name(name: str, taken: Iterable[str]) -> str:
    used = {each.casefold() for each in taken}
    return next(one for one in (name, *(f"{name}_{n}" for n in range(2, len(used) + 3))) if one.casefold() not in used)


def unique(places: Iterable[exp.Expr]) -> list[exp.Expr]:
    return list({place.sql(): place.copy() for place in places}.values())


def _shown(source: Source, columns: Columns) -> Iterator[Shown]:
    asked, ways = source.asked, source.ways
    for field in asked.groups:
        yield from columns.named(ways.to(field), field.table, field.column)
    if asked.shown:
        yield from [] if asked.is_distinct else _label(asked.shown, columns, asked.subject)
        for field in asked.shown:
            yield from columns.named(ways.to(field), field.table, field.column)
    else:
        yield from columns.main(asked.subject)
    for field in [] if asked.is_distinct else _sorting(source):
        if field.since:
            yield Shown(ways.to(field), field.column, "days", field.since)
            continue
        yield from columns.named(ways.to(field), field.table, field.column)
    if asked.period and not asked.shown and asked.period.field.table == asked.subject:
        yield from columns.named(ways.to(asked.period.field), asked.subject, asked.period.field.column)


def _label(shown: Sequence[Field], columns: Columns, subject: str) -> list[Shown]:
    """What a row is called by, unless that is asked for anyway."""
    labels = columns.labels(subject)
    if any(field.table == subject and field.column in labels for field in shown):
        return []
    return [one for one in columns.main(subject) if not one.way and one.column in labels]


def _sorting(source: Source) -> list[Field]:
    asked = source.asked
    return [field for field in (asked.order_by or asked.of, asked.grain_of if asked.grain else None) if field]


def _orders(source: Source, columns: Columns) -> list[Order]:
    """Groups first, so that what belongs together stands together."""
    asked = source.asked
    shown = [one for field in asked.groups for one in columns.named(source.ways.to(field), field.table, field.column)]
    orders: list[Order] = [(source.column(one.way, one.column), False) for one in shown]
    fields = _sorting(source) or ([asked.period.field] if asked.period and asked.order else [])
    if asked.order or (fields and asked.order_by):
        orders += [(source.field(field), asked.order != "ascending") for field in fields]
    return orders
