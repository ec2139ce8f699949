"""Recursive common table expressions, as months without rows and chains of superiors need them: one query that refers
to itself once, has a bound, and makes no text longer from round to round."""

from collections.abc import Iterator

from sqlglot import exp

MOST_ROUNDS = 10_000
_BOUNDS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_GROWING = (exp.Concat, exp.ConcatWs, exp.DPipe, exp.GroupConcat, exp.Pad, exp.Repeat, exp.Replace, exp.Space)


def excess_of_recursion(node: exp.With) -> str | None:
    """What is wrong with a WITH RECURSIVE, None if nothing is."""
    for common in node.expressions if node.args.get("recursive") else ():
        name, query = common.alias.casefold(), common.this
        if not any(_refers(query, name)):
            continue
        if not isinstance(query, exp.Union) or any(_refers(query.this, name)):
            return "A recursive query is a UNION ALL whose first part does not refer to itself."
        step = query.expression
        if len(list(_refers(step, name))) != 1 or not isinstance(step, exp.Select):
            return "The second part of a recursive query refers to it exactly once."
        if not _is_bounded(step) and not query.args.get("limit"):
            return "A recursive query needs a bound in the WHERE of its second part, as in WHERE n < 12."
        if any(step.find_all(*_GROWING)):
            return "A recursive query may not make texts longer from round to round."
    return None


def _refers(query: exp.Expr, name: str) -> Iterator[exp.Table]:
    return (table for table in query.find_all(exp.Table) if table.name.casefold() == name)


def _is_bounded(step: exp.Select) -> bool:
    """Whether a comparison with a constant has to be true of every row, such as "depth < 10"."""
    where = step.args.get("where")
    parts = list(where.this.flatten()) if where and isinstance(where.this, exp.And) else [where.this] if where else []
    return any(isinstance(part, _BOUNDS) and _has_one_side(part) for part in parts)


def _has_one_side(comparison: exp.Expr) -> bool:
    """A column on the left, on the right something constant that is soon reached."""
    others = [value for name, value in comparison.args.items() if name != "this" and isinstance(value, exp.Expr)]
    is_constant = not any(any(one.find_all(exp.Column)) for one in others)
    numbers = [one for other in others for one in other.find_all(exp.Literal) if not one.is_string]
    is_near = all(one.name.isdigit() and int(one.name[:12]) <= MOST_ROUNDS for one in numbers)
    return any(comparison.this.find_all(exp.Column)) and is_constant and is_near
