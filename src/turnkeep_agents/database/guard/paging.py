"""The rows of one page. One row more than a page holds is asked for, so that a cut is seen."""

from typing import Literal

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import refuse

LARGEST = 2**31 - 1


def turn_page(tree: exp.Query, max_rows: int, offset: int) -> None:
    """Sets the outermost LIMIT and OFFSET: the query's own are the rows that all pages together show."""
    own, start = _number(tree, "limit"), _number(tree, "offset") or 0
    rows = max_rows + 1 if own is None else min(max_rows + 1, max(own - offset, 0))
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
    tree.set("offset", exp.Offset(expression=exp.Literal.number(start + offset)) if start + offset else None)


def check_limits(tree: exp.Expr) -> None:
    """Raises Refusal where a LIMIT or OFFSET, however deep, is not a plain number."""
    for node in tree.find_all(exp.Query):
        _number(node, "limit")
        _number(node, "offset")


def _number(node: exp.Expr, part: Literal["limit", "offset"]) -> int | None:
    found = node.args.get(part)
    if not found:
        return None
    value = found.expression
    if not (isinstance(value, exp.Literal) and not value.is_string and value.name.isascii() and value.name.isdigit()):
        raise refuse("limit", f"{part.upper()} takes a plain number.")
    return min(int(value.name[:12]), LARGEST)
