"""Functions of another database in the words of this one. sqlglot knows many; here are those that it leaves as they
are, and the arithmetic that models write as functions."""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeAlias

from sqlglot import exp

from turnkeep_agents.database.guard.times import (
    call,
    days_apart,
    formatted,
    inside,
    part_of_date,
    read_date,
    shifted_date,
    text,
    time_between,
)
from turnkeep_agents.database.guard.verdicts import Dialect

Rule: TypeAlias = Callable[[exp.Expr], exp.Expr | None]

_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "ADD": exp.Add, "MULTIPLY": exp.Mul, "MINUS": exp.Sub, "PLUS": exp.Add
}  # fmt: skip
_PARTS_OF_MYSQL: Mapping[type[exp.Expr], str] = {
    exp.Year: "YEAR", exp.Quarter: "QUARTER", exp.Month: "MONTH", exp.Week: "WEEK", exp.WeekOfYear: "WEEK",
    exp.Day: "DAY", exp.DayOfMonth: "DAY", exp.DayOfYear: "DOY", exp.Hour: "HOUR", exp.Minute: "MINUTE",
    exp.Second: "SECOND",
}  # fmt: skip
_TODAY = frozenset({"CURDATE", "TODAY", "UTC_DATE"})
_NOW = frozenset({"NOW", "GETDATE", "SYSDATE", "LOCALTIME", "LOCALTIMESTAMP", "UTC_TIMESTAMP"})


def translate(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The tree with foreign functions replaced where there is a way to say the same."""
    rules = (_arithmetic, *_RULES[dialect])
    for node in reversed(list(tree.walk())):
        found = next((new for rule in rules if (new := rule(node)) is not None), None)
        if found is not None:
            node.replace(found)
    return tree


def _arithmetic(node: exp.Expr) -> exp.Expr | None:
    """A quotient of whole numbers keeps its fraction in every database."""
    if not isinstance(node, exp.Anonymous) or node.name.upper() not in _ARITHMETIC:
        return None
    found = node.expressions
    if len(found) == 1 and isinstance(found[0], exp.Tuple):
        found = found[0].expressions
    if len(found) != 2:
        return None
    one, other = (exp.paren(each, copy=False) if isinstance(each, exp.Binary) else each for each in found)
    return exp.paren(_ARITHMETIC[node.name.upper()](this=one, expression=other), copy=False)


# SQLite


def _rounded(node: exp.Expr) -> exp.Expr | None:
    """PRINTF('%.2f', x) as ROUND(x, 2): a width in a pattern may cost any time."""
    if not (isinstance(node, exp.Anonymous) and node.name.upper() == "PRINTF") and not isinstance(node, exp.Format):
        return None
    pattern, *values = node.expressions if isinstance(node, exp.Anonymous) else [node.this, *node.expressions]
    found = re.fullmatch(r"%\.(\d)f", pattern.name) if isinstance(pattern, exp.Literal) else None
    if found is None or len(values) != 1:
        return None
    return exp.Round(this=values[0], decimals=exp.Literal.number(found[1]))


def _current(node: exp.Expr) -> exp.Expr | None:
    name = node.name.upper() if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if name in _TODAY:
        return exp.CurrentDate()
    return exp.CurrentTimestamp() if name in _NOW or isinstance(node, exp.UtcTimestamp) else None


def _joined_text(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Concat | exp.ConcatWs) or not node.expressions:
        return None
    parts: list[exp.Expr] = list(node.expressions)
    if isinstance(node, exp.ConcatWs):
        return _joined_by(*parts)
    found = parts[0]
    for part in parts[1:]:
        found = exp.DPipe(this=found, expression=_in_brackets(part))
    return exp.paren(found, copy=False)


def _in_brackets(node: exp.Expr) -> exp.Expr:
    return exp.paren(node) if isinstance(node, exp.Binary) else node


def _joined_by(between: exp.Expr, *parts: exp.Expr) -> exp.Expr | None:
    """What is NULL is left out, with its sign."""
    if not (isinstance(between, exp.Literal) and parts):
        return None
    pairs = [exp.DPipe(this=between.copy(), expression=_in_brackets(part)) for part in parts]
    each: list[exp.Expr] = [exp.Coalesce(this=pair, expressions=[text("")]) for pair in pairs]
    joined = reduce(lambda one, other: exp.DPipe(this=one, expression=other), each)
    return exp.Substring(this=joined, start=exp.Literal.number(len(between.name) + 1))


def _extreme(node: exp.Expr) -> exp.Expr | None:
    """GREATEST of nothing known is not known: SQLite's MAX of several values is the same."""
    if not isinstance(node, exp.Greatest | exp.Least) or not node.args.get("ignore_nulls"):
        return None
    return type(node)(this=node.this, expressions=node.expressions, ignore_nulls=False)


def _end_of_text(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Left):
        return exp.Substring(this=node.this, start=exp.Literal.number(1), length=node.expression)
    if isinstance(node, exp.Right):
        return exp.Substring(this=node.this, start=exp.Neg(this=node.expression))
    return None


def _is_null(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "ISNULL" and len(node.expressions) == 1:
        return exp.paren(exp.Is(this=node.expressions[0], expression=exp.Null()), copy=False)
    return None


# MySQL


def _sqlite_date(node: exp.Expr) -> exp.Expr | None:
    """DATE('now', '-7 days') and the like."""
    name = node.name.upper() if isinstance(node, exp.Anonymous) else "DATE" if type(node) is exp.Date else ""
    if name not in ("DATE", "DATETIME"):
        return None
    arguments = [node.this, node.args.get("zone")] if type(node) is exp.Date else []
    start, *modifiers = [each for each in (*arguments, *node.expressions) if each]
    found: exp.Expr = start
    if start.name.lower() == "now":
        found = exp.CurrentDate() if name == "DATE" else call("NOW")
    for modifier in modifiers:
        words = modifier.name.lower().replace("+", "").split()
        if len(words) != 2 or not words[0].lstrip("-").isdigit():
            return None
        shift = exp.DateSub if words[0].startswith("-") else exp.DateAdd
        amount = exp.Literal.number(words[0].lstrip("-"))
        found = shift(this=found, expression=amount, unit=exp.var(words[1].rstrip("s").upper()))
    return found if found is not start else None


def _sqlite_day(node: exp.Expr) -> exp.Expr | None:
    """DATE gives a day, whatever it was reckoned from."""
    found = _sqlite_date(node)
    is_day = isinstance(found, exp.DateAdd | exp.DateSub) and node.name.upper() == "DATE"
    return call("DATE", found) if found is not None and is_day else found


def _with_words(node: exp.Expr) -> exp.Expr | None:
    """DATE of SQLite with words that are not translated, so that they are refused and not left out."""
    words = node.args.get("zone") or node.args.get("format") if type(node) in (exp.Date, exp.TsOrDsToDate) else None
    return call("DATE", node.this, words) if words else None


def _days_between(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Sub) and all(_is_call(side, "JULIANDAY") for side in (node.this, node.expression)):
        one, other = (_of_now(side.expressions[0]) for side in (node.this, node.expression))
        return exp.DateDiff(this=one, expression=other)
    return None


def _total(node: exp.Expr) -> exp.Expr | None:
    if not _is_call(node, "TOTAL"):
        return None
    return exp.Coalesce(this=exp.Sum(this=node.expressions[0]), expressions=[exp.Literal.number(0)])


def _is_call(node: exp.Expr, name: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() == name and len(node.expressions) == 1


def _of_now(node: exp.Expr) -> exp.Expr:
    return exp.CurrentDate() if node.name.lower() == "now" else node


def _formatted_now(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.TimeToStr) and inside(node.this).name.lower() == "now":
        node.set("this", exp.CurrentTimestamp())
    return None


# PostgreSQL


def _extracted(node: exp.Expr) -> exp.Expr | None:
    part = _PARTS_OF_MYSQL.get(type(node))
    return exp.Extract(this=exp.var(part), expression=inside(node.this)) if part else None


def _with_interval(node: exp.Expr) -> exp.Expr | None:
    """DATE_ADD and DATE_SUB, and DATE('now', '-7 days') of SQLite."""
    if not isinstance(node, exp.DateAdd | exp.DateSub):
        found = _sqlite_date(node)
        return _with_interval(found) or found if found is not None else None
    amount, unit = node.expression, node.args.get("unit")
    if isinstance(amount, exp.Interval):
        amount, unit = amount.this, amount.args.get("unit")
    if not isinstance(amount, exp.Literal):
        return None
    operator = exp.Sub if isinstance(node, exp.DateSub) else exp.Add
    start = _with_interval(node.this) or inside(node.this)
    shift = exp.Interval(this=exp.Literal.string(amount.name), unit=exp.var(unit.name if unit else "DAY"))
    return exp.paren(operator(this=start, expression=shift), copy=False)


def _subtracted(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.DateDiff) or node.text("unit").upper() not in ("", "DAY"):
        return None
    one, other = (exp.cast(inside(side), "date") for side in (node.this, node.expression))
    return exp.paren(exp.Sub(this=one, expression=other), copy=False)


_RULES: Mapping[Dialect, tuple[Rule, ...]] = {
    "sqlite": (
        part_of_date, _current, _joined_text, _end_of_text, shifted_date, days_apart, time_between, read_date,
        formatted, _extreme, _is_null, _rounded,
    ),
    "mysql": (formatted, _formatted_now, _sqlite_day, _with_words, _days_between, _total),
    "postgres": (_current, _extracted, _with_interval, _with_words, _subtracted, _total),
}  # fmt: skip
