"""The limits that SQLite reads by, counted as SQLite counts: what it would refuse is refused here, in words. They are
those that row-level security sets, far below SQLite's own."""

from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.verdicts import Dialect, Problem

DEEPEST_EXPRESSION = 100
MOST_ARGUMENTS = 50
MOST_SELECTS = 20  # joined by UNION, EXCEPT and INTERSECT
LONGEST_PATTERN_BYTES = 100

_FLAT = (
    exp.Paren, exp.Alias, exp.Ordered, exp.Order, exp.Identifier, exp.Select, exp.SetOperation, exp.Where, exp.Having,
    exp.Group, exp.From, exp.Join, exp.Table, exp.With, exp.CTE, exp.TableAlias, exp.Limit, exp.Offset, exp.DataType,
)  # fmt: skip
_SOURCES = (exp.From, exp.Join, exp.With)
_TEXTS = (exp.Like, exp.Glob)


def excesses(tree: exp.Expr, dialect: Dialect) -> Iterator[Problem]:
    if dialect != "sqlite":
        return
    if _deepest(tree) > DEEPEST_EXPRESSION:
        told = f"An expression is more than {DEEPEST_EXPRESSION} deep: every AND, OR and sign in a row counts."
        yield Problem("too_deep", f"{told} Write IN (...) in place of many comparisons.")
    for node in tree.walk():
        if isinstance(node, exp.Func) and not isinstance(node, exp.Connector) and _arguments(node) > MOST_ARGUMENTS:
            yield Problem("cost", f"A function takes at most {MOST_ARGUMENTS} arguments.")
        elif isinstance(node, _TEXTS) and _is_long(node.expression):
            yield Problem("cost", f"A pattern is at most {LONGEST_PATTERN_BYTES} bytes long.")
        elif isinstance(node, exp.SetOperation) and _selects(node) > MOST_SELECTS:
            yield Problem("cost", f"At most {MOST_SELECTS} queries are joined by UNION. Use IN (...) or OR.")
            return


def _deepest(tree: exp.Expr) -> int:
    """SQLite adds the depth of an expression to those of the expressions around its query. Children come before their
    parents in the reversed walk."""
    depths: dict[int, int] = {}
    sums: dict[int, int] = {}
    for node in reversed(list(tree.walk())):
        children = list(node.iter_expressions())
        depths[id(node)] = max((depths[id(child)] for child in children), default=0) + _own_depth(node)
        sums[id(node)] = max((sums[id(child)] + _is_whole(child) * depths[id(child)] for child in children), default=0)
    return max(sums.values(), default=0)


def _is_whole(node: exp.Expr) -> bool:
    """Whether `node` is an expression of a query that stands in no other of the same query."""
    return node.arg_key == "on" or (isinstance(node.parent, exp.Select) and not isinstance(node, _SOURCES))


def _own_depth(node: exp.Expr) -> int:
    if isinstance(node, exp.Column) and node.table:
        return 2
    is_negated = bool(node.args.get("negate"))
    return (not isinstance(node, _FLAT)) + is_negated


def _arguments(node: exp.Func) -> int:
    return sum(len(value) if isinstance(value, list) else isinstance(value, exp.Expr) for value in node.args.values())


def _is_long(pattern: exp.Expr) -> bool:
    return isinstance(pattern, exp.Literal) and len(pattern.name.encode()) > LONGEST_PATTERN_BYTES


def _selects(node: exp.Expr) -> int:
    if isinstance(node, exp.Subquery) and not node.alias:
        node = node.this
    if isinstance(node, exp.SetOperation):
        return _selects(node.this) + _selects(node.expression)
    return 1
