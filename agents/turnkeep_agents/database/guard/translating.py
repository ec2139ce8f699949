"""Write functions of another database in the words of this one: those that models write often and sqlglot does not
translate. The rest goes back to the model."""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeAlias

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import Dialect

Rule: TypeAlias = Callable[[exp.Expr], exp.Expr | None]

_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "ADD": exp.Add, "MULTIPLY": exp.Mul, "MINUS": exp.Sub, "PLUS": exp.Add
}  # fmt: skip
_DATE_PARTS = {
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "DAYOFMONTH": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S",
    "DAYOFYEAR": "%j", "DAYOFWEEK": "%w",
}  # fmt: skip
_UNSHARED = re.compile(r"%[^YmdHMSjw]|%$")
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


def _inside(node: exp.Expr) -> exp.Expr:
    """Without the conversions that the parser puts around the argument of a function of dates."""
    while isinstance(node, exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TsOrDsToTime):
        node = node.this
    return node


def _part_of_date(node: exp.Expr) -> exp.Expr | None:
    pattern = _DATE_PARTS.get(node.name.upper() if isinstance(node, exp.Extract) else type(node).__name__.upper())
    if pattern is None or (isinstance(node, exp.Extract) and not isinstance(node.this, exp.Var)):
        return None
    value = _inside(node.expression if isinstance(node, exp.Extract) else node.this)
    number = exp.cast(exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(pattern), value]), "INTEGER")
    return exp.paren(number + 1) if pattern == "%w" else number


def _formatted(node: exp.Expr) -> exp.Expr | None:
    """A format with a sign that means something else, or nothing, in the other database is not translated."""
    if not isinstance(node, exp.TimeToStr):
        return None
    pattern = node.args.get("format")
    is_shared = isinstance(pattern, exp.Literal) and not _UNSHARED.search(pattern.name.replace("%%", ""))
    return None if is_shared else exp.Anonymous(this="TIME_TO_STR", expressions=[node.this])


def _current(node: exp.Expr) -> exp.Expr | None:
    name = node.name.upper() if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if name in _TODAY:
        return exp.CurrentDate()
    return exp.CurrentTimestamp() if name in _NOW or isinstance(node, exp.UtcTimestamp) else None


def _joined_text(node: exp.Expr) -> exp.Expr | None:
    if type(node) is not exp.Concat or not node.expressions:
        return None
    parts = [exp.paren(part) if isinstance(part, exp.Binary) else part for part in node.expressions]
    return exp.paren(reduce(lambda one, other: exp.DPipe(this=one, expression=other), parts), copy=False)


def _extreme(node: exp.Expr) -> exp.Expr | None:
    """GREATEST of nothing known is not known: SQLite's MAX of several values is the same."""
    if not isinstance(node, exp.Greatest | exp.Least) or not node.args.get("ignore_nulls"):
        return None
    return type(node)(this=node.this, expressions=node.expressions, ignore_nulls=False)


_RULES: Mapping[Dialect, tuple[Rule, ...]] = {
    "sqlite": (_part_of_date, _current, _joined_text, _formatted, _extreme), "mysql": (), "postgres": (_current,)
}  # fmt: skip
