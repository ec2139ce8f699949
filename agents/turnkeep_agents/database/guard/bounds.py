"""Functions whose result, or whose time, grows far beyond what went in: their arguments are bounded."""

import re
from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import refuse

MOST_REPEATS = 200
MOST_GROWTH = 10_000  # of a text through nested REPLACE
MOST_WILDCARDS = 10
LONGEST_PATTERN = 100
UNKNOWN_LENGTH = 20

_NESTED_REPEATS = re.compile(r"\)[*+{]|[*+}][*+]|\\[1-9]")


def check_costs(tree: exp.Expr) -> None:
    """Raises Refusal."""
    for node in tree.walk():
        for told in _excesses(node):
            raise refuse("cost", told)


def _excesses(node: exp.Expr) -> Iterator[str]:
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
        case exp.Like() | exp.ILike() | exp.Glob() if _wildcards(node.expression) > MOST_WILDCARDS:
            yield f"Patterns hold at most {MOST_WILDCARDS} wildcards."


def _number(node: object) -> float:
    """Endless where it is not written as a plain number."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return float(node.name)
    return float("inf")


def _is_small_pattern(node: exp.Expr) -> bool:
    if not (isinstance(node, exp.Literal) and node.is_string):
        return False
    return len(node.name) <= LONGEST_PATTERN and not _NESTED_REPEATS.search(node.name)


def _wildcards(node: exp.Expr) -> int:
    return sum(text.name.count("%") + text.name.count("*") for text in node.find_all(exp.Literal) if text.is_string)


def _growth(node: exp.Expr) -> float:
    """How many times longer a text can become."""
    growth = 1.0
    for each in node.find_all(exp.Replace):
        put, sought = each.args.get("replacement"), each.args.get("expression")
        growth *= max(_length(put) / max(_length(sought, 1), 1), 1)
    return growth


def _length(node: object, unknown: int = UNKNOWN_LENGTH) -> int:
    return len(node.name) if isinstance(node, exp.Literal) else unknown
