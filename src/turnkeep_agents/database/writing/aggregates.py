"""What is measured of rows: counts, sums, shares in percent, parts side by side, the average of groups. A row that a
join makes several of is measured once, in a sub-query."""

from collections.abc import Callable, Iterable

from sqlglot import exp

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Asked, Measure
from turnkeep_agents.database.writing.dialects import identifier
from turnkeep_agents.database.writing.listings import free_name, named
from turnkeep_agents.database.writing.names import alias, column_words, link_words, many_of
from turnkeep_agents.database.writing.sources import Source
from turnkeep_agents.database.writing.steps import Way

type Refer = Callable[[exp.Expr], exp.Expr]

PERCENT = "percent"
_ONCE = "counted"
_DATED = ("date", "datetime", "time")
_CALLED = {"sum": "total", "average": "average", "minimum": "lowest", "maximum": "highest"}
_FUNCTIONS: dict[str, type[exp.AggFunc]] = {"sum": exp.Sum, "average": exp.Avg, "minimum": exp.Min, "maximum": exp.Max}


class Once:
    """Rows of a sub-query that has each once a group; `names` are those of its first columns, in order."""

    def __init__(self, source: Source, key: Iterable[exp.Column], names: Iterable[str]):
        self._source, self._key, self._wanted = source, list(key), list(names)
        self._places: dict[str, exp.Expr] = {}

    def refer(self, place: exp.Expr) -> exp.Column:
        """The column of the sub-query that holds what stands in the place."""
        known = next((name for name, other in self._places.items() if other == place), None)
        if known is None:
            known = free_name(self._wanted.pop(0) if self._wanted else "value", self._places)
            self._places[known] = place
        return self._source.scope.named(_ONCE, known)

    def select(self) -> exp.Select:
        inner = [named(place, name, self._source) for name, place in self._places.items()]
        names = list(self._places)
        for place in self._key:
            names.append(free_name("row_key", names))
            inner.append(named(place, names[-1], self._source))
        rows = self._source.select(*inner).distinct(copy=False)
        return exp.select().from_(rows.subquery(identifier(_ONCE, self._source.dialect)), copy=False)


def aggregate(measure: Measure, value: exp.Expr | None) -> exp.Expr:
    """Of all rows where a count has no value."""
    if measure == "count":
        return exp.Count(this=exp.Star() if value is None else exp.Distinct(expressions=[value]))
    return _FUNCTIONS[measure](this=value)


def share_of(asked: Asked, value: exp.Expr | None, truth: exp.Expr, refer: Refer) -> dict[str, exp.Expr]:
    """The part, the whole, and the one in percent of the other."""
    one, none = exp.Literal.number(1), exp.Literal.number(0)
    part = exp.Sum(this=refer(_where(truth, value if value is not None else one, none)))
    whole: exp.Expr = exp.Count(this=exp.Star()) if value is None else exp.Sum(this=refer(value))
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=part.copy())
    percent = exp.Div(this=hundred, expression=exp.Nullif(this=whole.copy(), expression=none.copy()))
    rows = (
        alias(*many_of(asked.subject)) if value is None or asked.of is None else alias(*column_words(asked.of.column))
    )
    return {"part": part, rows: whole, PERCENT: percent}


def of_parts(asked: Asked, value: exp.Expr | None, truths: list[exp.Expr], refer: Refer) -> dict[str, exp.Expr]:
    """The measure of each part; of two also by how much the first exceeds the second."""
    found: dict[str, exp.Expr] = {}
    for part, truth in zip(asked.parts, truths, strict=True):
        counts = asked.measure == "count" and not asked.is_distinct
        case = refer(_where(truth, exp.Literal.number(1) if counts or value is None else value))
        measure = exp.Count(this=case) if counts else aggregate(asked.measure, case)
        found[free_name(_part_name(part.words), found)] = measure
    if len(found) == 2 and asked.measure in ("count", "sum"):
        none = exp.Literal.number(0)
        sides = [each.copy() for each in found.values()]
        first, second = sides if asked.measure == "count" else [exp.func("COALESCE", side, none) for side in sides]
        found["difference"] = exp.Sub(this=first, expression=second)
    return found


def over_groups(over: Measure, groups: exp.Select, measure: str, source: Source) -> exp.Select:
    """The average or an extreme of the groups' measure."""
    value = aggregate(over, source.scope.named(_ONCE, measure))
    select = exp.select(named(value, alias(_CALLED[over], measure), source))
    return select.from_(groups.subquery(identifier(_ONCE, source.dialect)), copy=False)


def measure_name(asked: Asked, unit: Way, kind: str) -> str:
    """What the column of the measure is called; `kind` is that of the measured column."""
    of = asked.of
    if of is None or asked.measure in ("count", "share"):
        counts_values = of is not None and asked.is_distinct and of.table == asked.subject
        if of is not None and counts_values:
            *before, last = link_words(of.column)
            return alias(*before, *many_of(last))
        return alias(*many_of(of.table if of and (unit or asked.is_distinct) else asked.subject))
    words = ("days",) if of.since else column_words(of.column)
    first = _CALLED[asked.measure]
    if kind in _DATED:
        first = {"minimum": "earliest", "maximum": "latest"}.get(asked.measure, first)
    words = (*words, "less", *column_words(asked.less.column)) if asked.less else words
    return alias(*words) if first in words else alias(first, *words)


def _where(truth: exp.Expr, value: exp.Expr, default: exp.Expr | None = None) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=truth.copy(), true=value.copy())], default=default)


def _part_name(words: str) -> str:
    name = alias(*name_words(words)) or "part"
    return f"in_{name}" if name[0].isdigit() else name
