"""Limits on what a statement may cost: functions that grow their result, and recursion."""

import re
from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import refuse

# Functions

MOST_REPEATS = 200
MOST_GROWTH = 10_000  # of a text through nested REPLACE
MOST_WILDCARDS = 10
LONGEST_PATTERN = 100
UNKNOWN_LENGTH = 20

_NESTED_REPEATS = re.compile(r"\)[*+{]|[*+}][*+]|\\[1-9]")


def check_costs(tree: exp.Expr) -> None:
    """Raise Refusal for a function whose result or time grows without bound."""
    for node in tree.walk():
        for excess in _excesses_of_function(node):
            raise refuse("cost", excess)


def _excesses_of_function(node: exp.Expr) -> Iterator[str]:
    match node:
        case exp.Repeat() if _number(node.args.get("times")) > MOST_REPEATS:
            yield f"REPEAT takes a plain number up to {MOST_REPEATS}."
        case exp.Space() if _number(node.this) > MOST_REPEATS:
            yield f"SPACE takes a plain number up to {MOST_REPEATS}."
        case exp.Pad() if _number(node.expression) > MOST_REPEATS:
            yield f"LPAD and RPAD take a plain length up to {MOST_REPEATS}."
        case exp.Replace() if not isinstance(node.parent, exp.Replace) and _growth(node) > MOST_GROWTH:
            yield "REPLACE is nested so that texts grow without bound."
        case exp.RegexpLike() | exp.RegexpILike() if not _is_small_pattern(node.expression):
            yield "REGEXP takes a plain, short pattern without nested repeats."
        case exp.Like() | exp.ILike() | exp.Glob():
            texts = [text.name for text in node.expression.find_all(exp.Literal) if text.is_string]
            if sum(text.count("%") + text.count("*") for text in texts) > MOST_WILDCARDS:
                yield f"Patterns hold at most {MOST_WILDCARDS} wildcards."


def _number(node: object) -> float:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return float(node.name)
    return float("inf")


def _is_small_pattern(node: exp.Expr) -> bool:
    is_text = isinstance(node, exp.Literal) and node.is_string
    return is_text and len(node.name) <= LONGEST_PATTERN and not _NESTED_REPEATS.search(node.name)


def _growth(node: exp.Expr) -> float:
    growth = 1.0
    for each in node.find_all(exp.Replace):
        put, sought = each.args.get("replacement"), each.args.get("expression")
        growth *= max(_length(put) / max(_length(sought, 1), 1), 1)
    return growth


def _length(node: object, unknown: int = UNKNOWN_LENGTH) -> int:
    return len(node.name) if isinstance(node, exp.Literal) else unknown


# Recursion

MOST_ROUNDS = 10_000
_BOUNDS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_GROWING = (exp.Concat, exp.ConcatWs, exp.DPipe, exp.GroupConcat, exp.Pad, exp.Repeat, exp.Replace, exp.Space)


def excess_of_recursion(node: exp.With) -> str | None:
    """Return what is wrong with a WITH RECURSIVE: it must refer to itself once, have a bound, and lengthen no text."""
    for common in node.expressions if node.args.get("recursive") else ():
        name, query = common.alias.casefold(), common.this
        if not any(_refers(query, name)):
            continue
        if not isinstance(query, exp.Union) or any(_refers(query.this, name)):
            return "A recursive query is a UNION ALL whose first part does not refer to itself."
        step = query.expression
        if len(list(_refers(step, name))) != 1 or not isinstance(step, exp.Select):
            return "The second part of a recursive query refers to it exactly once."
        where = step.args.get("where")
        is_bounded = where and any(isinstance(part, _BOUNDS) and _is_bound(part) for part in _parts(where.this))
        if not is_bounded and not query.args.get("limit"):
            return "A recursive query needs a bound in the WHERE of its second part, as in WHERE n < 12."
        if any(step.find_all(*_GROWING)):
            return "A recursive query may not make texts longer from round to round."
    return None


def _refers(query: exp.Expr, name: str) -> Iterator[exp.Table]:
    return (table for table in query.find_all(exp.Table) if table.name.casefold() == name)


def _parts(condition: exp.Expr) -> list[exp.Expr]:
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _is_bound(comparison: exp.Expr) -> bool:
    """Return whether a column is compared with a constant that is soon reached, such as "depth < 10"."""
    others = [value for name, value in comparison.args.items() if name != "this" and isinstance(value, exp.Expr)]
    is_constant = not any(any(one.find_all(exp.Column)) for one in others)
    numbers = [one for other in others for one in other.find_all(exp.Literal) if not one.is_string]
    is_near = all(one.name.isdigit() and int(one.name[:12]) <= MOST_ROUNDS for one in numbers)
    return any(comparison.this.find_all(exp.Column)) and is_constant and is_near
