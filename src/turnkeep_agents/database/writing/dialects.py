"""What differs between the databases when SQL is built: quotes, where missing values sort, and the names of days,
weeks and months, which are the same text in all three."""

from collections.abc import Callable, Mapping
from typing import Literal

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite

from turnkeep_agents.database.reading.asked import Grain
from turnkeep.blocks.grammar import word_class

type Dialect = Literal["sqlite", "mysql", "postgres"]
type _Named = Callable[[exp.Expr], exp.Expr]

_RESERVED = (
    set(MySQL.Generator.RESERVED_KEYWORDS)
    | {word.lower() for each in (SQLite, MySQL, Postgres) for word in each.Tokenizer.KEYWORDS}
    | word_class(
        "abort action add after analyze attach before cascade check commit conflict deferred detach each exclusive "
        "fail glob group immediate index initially instead key notnull of offset order plan pragma query raise "
        "reindex release restrict rollback savepoint to transaction trigger user vacuum without"
    )
)
"""Quoted in all dialects, be they reserved in one only: quotes never do harm."""

_RESERVED -= word_class("name number value type status title date year month day time text comment position")
"""Words with a meaning that may still stand without quotes."""


def identifier(name: str, dialect: Dialect) -> exp.Identifier:
    """In quotes where the name needs them; PostgreSQL folds what is not in quotes."""
    plain = name.isascii() and name.isidentifier() and name.lower() not in _RESERVED
    return exp.to_identifier(name, quoted=not plain or (dialect == "postgres" and name != name.lower()))


def ordered(key: exp.Expr, dialect: Dialect, *, is_descending: bool = False, has_all: bool = False) -> exp.Ordered:
    """Missing values come last both ways; `has_all` where none is missing, which saves saying so."""
    return exp.Ordered(this=key, desc=is_descending, nulls_first=has_all and is_descending == (dialect == "postgres"))


def grain_name(grain: Grain, moment: exp.Expr, dialect: Dialect) -> exp.Expr:
    """2026-05-04 for a day, and for a week its Monday; 2026-05, 2026-Q2, 2026."""
    return _GRAINS[dialect][grain](moment)


def days_between(first: exp.Expr, last: exp.Expr, dialect: Dialect) -> exp.Expr:
    """How many days lie between two moments, with their parts."""
    return _DAYS[dialect](first, last)


def _call(name: str, *arguments: exp.Expr | str) -> exp.Expr:
    return exp.Anonymous(
        this=name, expressions=[exp.Literal.string(one) if isinstance(one, str) else one for one in arguments]
    )


def _sqlite(form: str) -> _Named:
    return lambda moment: _call("STRFTIME", form, moment)


def _sqlite_quarter(moment: exp.Expr) -> exp.Expr:
    month = exp.Paren(this=exp.Add(this=exp.cast(_sqlite("%m")(moment), "int"), expression=exp.Literal.number(2)))
    third = exp.Div(this=month, expression=exp.Literal.number(3), typed=True, safe=True)
    return exp.DPipe(this=_sqlite("%Y-Q")(moment.copy()), expression=exp.Paren(this=third), safe=True)


def _mysql(form: str) -> _Named:
    return lambda moment: _call("DATE_FORMAT", moment, form)


def _mysql_week(moment: exp.Expr) -> exp.Expr:
    days = exp.Interval(this=_call("WEEKDAY", moment.copy()), unit=exp.Var(this="DAY"))
    return _mysql("%Y-%m-%d")(_call("DATE_SUB", moment, days))


def _mysql_quarter(moment: exp.Expr) -> exp.Expr:
    return _call("CONCAT", _call("YEAR", moment), "-Q", _call("QUARTER", moment.copy()))


def _postgres(form: str) -> _Named:
    return lambda moment: _call("TO_CHAR", moment, form)


def _postgres_week(moment: exp.Expr) -> exp.Expr:
    return _postgres("YYYY-MM-DD")(_call("DATE_TRUNC", "WEEK", moment))


_GRAINS: Mapping[Dialect, Mapping[Grain, _Named]] = {
    "sqlite": {
        "day": _sqlite("%Y-%m-%d"),
        "week": lambda moment: _call("DATE", moment, "weekday 0", "-6 days"),
        "month": _sqlite("%Y-%m"),
        "quarter": _sqlite_quarter,
        "year": _sqlite("%Y"),
    },
    "mysql": {
        "day": _mysql("%Y-%m-%d"),
        "week": _mysql_week,
        "month": _mysql("%Y-%m"),
        "quarter": _mysql_quarter,
        "year": _mysql("%Y"),
    },
    "postgres": {
        "day": _postgres("YYYY-MM-DD"),
        "week": _postgres_week,
        "month": _postgres("YYYY-MM"),
        "quarter": _postgres('YYYY-"Q"Q'),
        "year": _postgres("YYYY"),
    },
}


def _sqlite_days(first: exp.Expr, last: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Sub(this=_call("JULIANDAY", last), expression=_call("JULIANDAY", first)))


def _mysql_days(first: exp.Expr, last: exp.Expr) -> exp.Expr:
    seconds = exp.Anonymous(this="TIMESTAMPDIFF", expressions=[exp.Var(this="SECOND"), first, last])
    return exp.Paren(this=exp.Div(this=seconds, expression=exp.Literal.number(_SECONDS)))


def _postgres_days(first: exp.Expr, last: exp.Expr) -> exp.Expr:
    span = exp.Paren(this=exp.Sub(this=exp.cast(last, "timestamp"), expression=exp.cast(first, "timestamp")))
    seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=span)
    return exp.Paren(this=exp.Div(this=seconds, expression=exp.Literal.number(_SECONDS)))


_SECONDS = "86400.0"
_DAYS: Mapping[Dialect, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "sqlite": _sqlite_days,
    "mysql": _mysql_days,
    "postgres": _postgres_days,
}
