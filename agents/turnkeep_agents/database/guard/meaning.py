"""Write what a statement means so that every database understands it: a quotient keeps its fraction, a decimal cast is
decimal, a moment is compared with a day by its day, and texts are joined, not added. The resolver has read the tree."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import fold
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.verdicts import Dialect, Problem
from turnkeep_agents.database.joins.records import Column, Kind

_FLOATS = (exp.DType.DOUBLE, exp.DType.FLOAT)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_DAY = re.compile(r"(\d{4})[-/](\d\d?)[-/](\d\d?)")
_LAST_MOMENT = re.compile(r"[ T]23:59(:59(\.9+)?)?$")
_UNITS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_DAYS = (exp.CurrentDate, exp.UtcDate, exp.Date, exp.TsOrDsToDate, exp.LastDay)
_ADDS = (exp.Add, exp.BitwiseAnd, exp.BitwiseOr)
_RECKONS = (*_ADDS, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Connector)
_JOINED = (exp.DPipe, exp.Concat, exp.CurrentDate, exp.CurrentTimestamp)
_TEXTS = (exp.Upper, exp.Lower, exp.Trim)
_COUNTED = (exp.Substring, exp.Left, exp.Right, exp.Pad, exp.Repeat)
_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LTE: exp.GTE, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.GT: exp.LT, exp.EQ: exp.EQ, exp.NEQ: exp.NEQ
}  # fmt: skip


def settle(tree: exp.Expr, resolver: Resolver) -> None:
    dialect = resolver.dialect
    for node in reversed(list(tree.walk())):
        if isinstance(node, exp.Cast) and node.to.this == exp.DType.DECIMAL:
            _set_decimal(node, dialect)
        elif isinstance(node, exp.Div) and dialect != "mysql":
            _keep_fraction(node, dialect)
        elif isinstance(node, exp.DPipe) and dialect == "mysql" and not isinstance(node.parent, exp.DPipe):
            node.replace(exp.Concat(expressions=list(node.flatten())))
        elif isinstance(node, (*_FLIPPED, exp.Between, exp.In)) and (found := _by_day(node, resolver)):
            node.replace(found)


# Numbers


def _set_decimal(node: exp.Cast, dialect: Dialect) -> None:
    """SQLite's decimals keep whole numbers whole; MariaDB's DECIMAL has no decimal places unless they are named."""
    size = node.to.expressions
    if dialect == "mysql" and not size:
        node.set("to", exp.DataType.build("DECIMAL(38, 10)"))
    elif dialect == "sqlite":
        real: exp.Expr = exp.cast(node.this, "double", copy=False)
        places = size[1].this if size[1:] else exp.Literal.number(0)
        node.replace(exp.Round(this=real, decimals=places) if size else real)


def _keep_fraction(node: exp.Div, dialect: Dialect) -> None:
    """Multiply by 1.0 instead of casting as sqlglot does: PostgreSQL divides intervals too, and a decimal is not a
    float."""
    if not (_has_fraction(node.this, dialect) or _has_fraction(node.expression, dialect) or _is_whole(node)):
        node.set("this", exp.Mul(this=node.this, expression=exp.Literal.number("1.0")))


def _has_fraction(node: exp.Expr, dialect: Dialect) -> bool:
    """Return whether the database gives it a fractional type, whatever its value."""
    match node:
        case exp.Literal():
            return not (node.is_string or node.name.isdigit())
        case exp.Cast():
            return node.to.this in _FLOATS or (dialect == "postgres" and node.to.this == exp.DType.DECIMAL)
        case exp.Paren() | exp.Neg() | exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            return any(_has_fraction(side, dialect) for side in node.iter_expressions())
    return isinstance(node, exp.Avg)


def _is_whole(node: exp.Div) -> bool:
    """Return whether the quotient must be whole to mean anything: `year / 10 * 10`, a number of characters."""
    outer, divisor = node.parent, node.expression
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    is_bucket = isinstance(outer, exp.Mul) and divisor.is_int and divisor in (outer.this, outer.expression)
    return isinstance(outer, _COUNTED) or (is_bucket and not node.find(exp.AggFunc))


# Days


def _by_day(node: exp.Expr, resolver: Resolver) -> exp.Expr | None:
    """Return the comparison of a moment with a day; None for any other."""
    moment = node.this
    if isinstance(node, exp.In):
        days = [(each, _day_after(moment, each, resolver)) for each in node.expressions]
        found = [_on(moment, each, after, resolver) for each, after in days if after]
        return exp.paren(exp.or_(*found), copy=False) if found and len(found) == len(days) else None
    if isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        both = [exp.GTE(this=moment, expression=low), exp.LTE(this=moment, expression=high)]
        sides = [_by_day(each, resolver) for each in both]
        if not any(sides):
            moment.parent = low.parent = high.parent = node
            return None
        return exp.paren(exp.and_(*(new or old for new, old in zip(sides, both, strict=True))), copy=False)
    day, kind = node.expression, type(node)
    return _compared(kind, moment, day, resolver) or _compared(_FLIPPED[kind], day, moment, resolver)


def _compared(kind: type[exp.Expr], moment: exp.Expr, day: exp.Expr, resolver: Resolver) -> exp.Expr | None:
    after = _day_after(moment, day, resolver, is_end=kind in (exp.LTE, exp.GT))
    if after is None or kind in (exp.GTE, exp.LT):
        return None
    if kind in (exp.LTE, exp.GT):
        return _FLIPPED[exp.GT if kind is exp.LTE else exp.LTE](this=moment, expression=after)
    found = _on(moment, day, after, resolver)
    return found if kind is exp.EQ else exp.not_(found, copy=False)


def _on(moment: exp.Expr, day: exp.Expr, after: exp.Expr, resolver: Resolver) -> exp.Expr:
    """A text that begins with a day is a moment only if a time follows, or nothing."""
    if kind_of(moment, resolver) != "text":
        both = exp.GTE(this=moment.copy(), expression=day), exp.LT(this=moment.copy(), expression=after)
        return exp.paren(exp.and_(*both), copy=False)
    start, rest = (exp.func("SUBSTR", moment.copy(), *map(exp.convert, part)) for part in ((1, 10), (11, 1)))
    is_time = exp.In(this=rest, expressions=[exp.convert(sign) for sign in ("", " ", "T")])
    return exp.paren(exp.and_(exp.EQ(this=start, expression=day), is_time), copy=False)


def _day_after(moment: exp.Expr, day: exp.Expr, resolver: Resolver, *, is_end: bool = False) -> exp.Expr | None:
    """Return the first moment after `day`; None if `day` is not a day, or `moment` has no times. SQLite stores days as
    texts, and its texts may be moments. With `is_end` the last moment of a day counts as the day."""
    kind, dialect = kind_of(moment, resolver), resolver.dialect
    if kind not in ("datetime", "text") and not (kind == "date" and dialect == "sqlite"):
        return None
    if isinstance(day, exp.Literal):
        return _next(_LAST_MOMENT.sub("", day.name) if is_end else day.name) if day.is_string else None
    if not _is_day(day, resolver) or (kind != "datetime" and kind_of(day, resolver)):
        return None
    if dialect == "sqlite":
        return exp.Anonymous(this="DATE", expressions=[day.copy(), exp.Literal.string("+1 days")])
    return exp.Add(this=day.copy(), expression=exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY")))


def _next(text: str) -> exp.Expr | None:
    found = _DAY.fullmatch(text)
    try:
        return exp.convert((date(*map(int, found.groups())) + timedelta(days=1)).isoformat()) if found else None
    except (ValueError, OverflowError):
        return None


def _is_day(node: exp.Expr, resolver: Resolver) -> bool:
    match node:
        case exp.Cast():
            return node.to.this == exp.DType.DATE or _is_day(node.this, resolver)
        case exp.Paren() | exp.Timestamp():
            return _is_day(node.this, resolver)
        case exp.Add() | exp.Sub() | exp.DateAdd() | exp.DateSub():
            return _is_day(node.this, resolver) and _is_shift(node)
        case exp.Literal():
            return node.is_string and _next(node.name) is not None
        case exp.Anonymous() | exp.TimeToStr():
            is_format = any(each.name == "%Y-%m-%d" for each in node.iter_expressions())
            is_midnight = node.name.upper() == "DATETIME" and all(_is_day(each, resolver) for each in node.expressions)
            return is_format or is_midnight or node.name.upper() in ("DATE", "MAKE_DATE")
    return isinstance(node, _DAYS) or kind_of(node, resolver) == "date"


def _is_shift(node: exp.Expr) -> bool:
    amount = node.expression
    unit = amount.text("unit") or node.text("unit")
    return amount.is_int if isinstance(node, exp.Binary) and not unit else unit.upper().removesuffix("S") in _UNITS


# Texts


def misread_texts(tree: exp.Expr, resolver: Resolver) -> Iterator[Problem]:
    """Yield texts that SQLite and MariaDB would take for numbers or booleans."""
    how = "CONCAT" if resolver.dialect == "mysql" else "||"
    for node in tree.find_all(*_RECKONS) if resolver.dialect != "postgres" else ():
        sides = [side.unnest() for side in (node.this, node.expression)]
        is_sum = isinstance(node, _ADDS) and all(
            isinstance(side, _TEXTS) or _is_words(side, resolver) or kind_of(side, resolver) == "text" for side in sides
        )
        if is_sum or (any(_is_words(side, resolver) for side in sides) and not node.find(exp.Interval)):
            shown = node.sql(resolver.dialect)[:80]
            yield Problem("text", f"{shown} takes a text or a date for a number or a condition. Join texts with {how}.")


def _is_words(node: exp.Expr, resolver: Resolver) -> bool:
    is_literal = isinstance(node, exp.Literal) and node.is_string and not _NUMBER.fullmatch(node.name)
    return is_literal or isinstance(node, _JOINED) or kind_of(node, resolver) in ("date", "datetime")


# Kinds


def kind_of(node: exp.Expr, resolver: Resolver, seen: frozenset[int] = frozenset()) -> Kind | None:
    """Return the kind of a column, of its first or last value, or of a name that a query gives to one."""
    while isinstance(node, exp.Paren | exp.Min | exp.Max | exp.Alias | exp.Coalesce):
        node = node.this
    source = resolver.bound.get(id(node))
    if not isinstance(node, exp.Column) or (source and source.table):
        return column.kind if (column := stored(node, resolver)) else None
    shown = [each for _, select in resolver.frames for each in select.expressions
             if fold(each.alias_or_name) == fold(node.name) and id(each) not in seen]  # fmt: skip
    seen |= set(map(id, shown))
    kinds = [kind_of(each, resolver, seen) for each in shown]
    if not shown and source:
        tables = (resolver.catalogue.graph.tables[name] for name in resolver.tables)
        kinds = [column.kind for table in tables if (column := table.columns.get(node.name))]
    return next(filter(None, kinds), None)


def stored(node: exp.Expr, resolver: Resolver) -> Column | None:
    source = resolver.bound.get(id(node))
    table = resolver.catalogue.graph.tables.get(source.table) if source and source.table else None
    return table.columns.get(node.name) if table else None
