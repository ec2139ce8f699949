"""The allow-list of the tree: every class of node and every part of it, by name. Whatever a new parser version learns
to read is refused until it is listed here."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlglot import exp

from turnkeep_agents.database.guard import functions
from turnkeep_agents.database.guard.limits import excess_of_recursion
from turnkeep_agents.database.guard.verdicts import Dialect, Problem

DEEPEST_NODES = 120  # of nested expressions; chains of AND, OR and sums count once
MOST_QUERIES = 40
DEEPEST_QUERIES = 10


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BINARY = frozenset({"this", "expression"})
_THIS = frozenset({"this"})
_LIST = frozenset({"expressions"})
_QUERY = _words("distinct with_ order limit offset")
_SET = _BINARY | _QUERY

_PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Select: _QUERY | _words("expressions from_ joins where group having windows"),
    exp.Union: _SET, exp.Except: _SET, exp.Intersect: _SET,
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Values: frozenset({"expressions", "alias"}),
    exp.JSONKeyValue: _BINARY,
    exp.Table: frozenset({"this", "alias", "joins"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.From: _THIS,
    exp.Join: frozenset({"this", "on", "using", "side", "kind"}),
    exp.With: _LIST | {"recursive"},
    exp.CTE: frozenset({"this", "alias"}),
    exp.Where: _THIS, exp.Having: _THIS,
    exp.Group: frozenset({"expressions", "rollup"}), exp.Rollup: _LIST,
    exp.Order: frozenset({"this", "expressions"}),
    exp.All: _THIS, exp.Any: _THIS,
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression"}), exp.Offset: frozenset({"expression"}),
    exp.Distinct: frozenset({"expressions", "on"}), exp.WithinGroup: _BINARY,
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
    exp.WindowSpec: frozenset({"kind", "start", "start_side", "end", "end_side"}),
    exp.Filter: _BINARY,
    exp.Column: frozenset({"this", "table"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.Star: frozenset(),
    exp.Alias: frozenset({"this", "alias"}),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Null: frozenset(), exp.Boolean: _THIS,
    exp.Paren: _THIS, exp.Tuple: _LIST, exp.Not: _THIS, exp.Neg: _THIS,
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Between: frozenset({"this", "low", "high"}),
    exp.Like: _BINARY | {"negate"}, exp.ILike: _BINARY | {"negate"}, exp.Glob: _BINARY, exp.Is: _BINARY | {"negate"},
    exp.Interval: frozenset({"this", "unit"}),
    exp.Var: _THIS,
    exp.DataType: frozenset({"this", "expressions", "nested", "kind"}), exp.DataTypeParam: _THIS,
    exp.Cast: frozenset({"this", "to"}), exp.TryCast: frozenset({"this", "to", "safe"}),
    exp.JSONPath: _LIST, exp.JSONPathRoot: frozenset(), exp.JSONPathKey: _THIS, exp.JSONPathSubscript: _THIS,
    **dict.fromkeys(
        (
            exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Add, exp.Sub,
            exp.Escape, exp.Collate, exp.BitwiseAnd, exp.BitwiseOr, exp.And, exp.Or, exp.IntDiv,
            exp.Mul,
        ),
        _BINARY,
    ),
    exp.Div: _BINARY | {"typed", "safe"}, exp.DPipe: _BINARY | {"safe"},
    exp.Mod: _BINARY,
}  # fmt: skip

_ONLY_IN: Mapping[type[exp.Expr], frozenset[Dialect]] = {
    exp.Glob: frozenset({"sqlite"}), exp.Interval: frozenset({"mysql", "postgres"}),
    exp.IntDiv: frozenset({"mysql"}), exp.Rollup: frozenset({"mysql", "postgres"}),
    exp.TryCast: frozenset({"sqlite"}), exp.All: frozenset({"mysql", "postgres"}),
    exp.Any: frozenset({"mysql", "postgres"}), exp.WithinGroup: frozenset({"postgres"}),
    exp.Values: frozenset({"sqlite", "postgres"}),
}  # fmt: skip
_COMPARISONS = (exp.In, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_CHAINS = (exp.And, exp.Or, exp.Add, exp.Sub, exp.Mul, exp.DPipe, exp.SetOperation)
_UNITS = _words(
    "MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR DOW DOY EPOCH ISODOW "
    "SECONDS MINUTES HOURS DAYS WEEKS MONTHS YEARS"
)
_WORDS = re.compile(r"(?i)nocase|binary|rtrim|utf8(mb[34])?(_[a-z0-9_]+)?")
_TYPES = _words(
    "TINYINT UTINYINT SMALLINT USMALLINT INT UINT BIGINT UBIGINT FLOAT DOUBLE DECIMAL UDECIMAL BOOLEAN CHAR "
    "NCHAR VARCHAR NVARCHAR TEXT DATE TIME DATETIME TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ YEAR CHARACTER_SET UUID INTERVAL"
)
_SIDES, _KINDS = {"", "LEFT", "RIGHT", "FULL"}, {"", "INNER", "OUTER", "CROSS"}

_SPECIAL: tuple[tuple[tuple[type[exp.Expr], ...], str, str], ...] = (
    ((exp.Parameter, exp.SessionParameter, exp.Placeholder, exp.PropertyEQ), "variable",
     "Variables and parameters are not allowed."),
    ((exp.Lock,), "lock", "Locking clauses are not allowed."),
    ((exp.Into,), "into", "SELECT ... INTO is not allowed."),
    ((exp.Hint, exp.IndexTableHint, exp.WithTableHint), "hint", "Hints are not allowed."),
    ((exp.HexString, exp.BitString, exp.ByteString, exp.RawString, exp.Introducer, exp.National, exp.UnicodeString),
     "encoding", "Write texts as plain quoted strings."),
)  # fmt: skip
_SPECIAL_PARTS = {
    "db": ("qualified", "Name tables without a database or schema before them."),
    "catalog": ("qualified", "Name tables without a database or schema before them."),
    "locks": ("lock", "Locking clauses are not allowed."),
    "into": ("into", "SELECT ... INTO is not allowed."),
    "hint": ("hint", "Hints are not allowed."),
    "hints": ("hint", "Hints are not allowed."),
    "indexed": ("hint", "Hints are not allowed."),
    "operation_modifiers": ("hint", "Modifiers between SELECT and the columns are not allowed."),
    "method": ("natural", "NATURAL joins are not allowed: write ON with the columns."),
}


def violations(tree: exp.Expr, dialect: Dialect) -> Iterator[Problem]:
    queries = 0
    stack: list[tuple[exp.Expr, int, int]] = [(tree, 0, 0)]
    while stack:
        node, depth, nested = stack.pop()
        if isinstance(node, exp.Select | exp.Values):
            queries, nested = queries + 1, nested + 1
        if depth > DEEPEST_NODES or nested > DEEPEST_QUERIES or queries > MOST_QUERIES:
            yield Problem("too_deep", "The SQL is nested too deeply.")
            return
        found = _violation(node, dialect)
        if found:
            yield found
            continue
        for child in node.iter_expressions():
            is_chain = isinstance(node, _CHAINS) and type(child) is type(node)
            is_same_query = isinstance(node, exp.SetOperation)
            stack.append((child, depth + (not is_chain), nested - (is_same_query and isinstance(child, exp.Select))))


def _violation(node: exp.Expr, dialect: Dialect) -> Problem | None:
    parts = _PARTS.get(type(node))
    if isinstance(node, exp.Join) and (found := _misplaced(node, dialect)):
        return Problem("meaning", found)
    if isinstance(node, exp.With) and (found := excess_of_recursion(node)):
        return Problem("recursive", found)
    if parts is not None:
        extra = next((name for name, value in node.args.items() if _is_set(name, value) and name not in parts), None)
        if extra is None and dialect in _ONLY_IN.get(type(node), {dialect}) and _is_sound(node):
            return None
        return _forbidden_part(node, extra)
    if isinstance(node, exp.Func | exp.RegexpLike):
        return None if functions.is_allowed(node, dialect) else _forbidden_function(node, dialect)
    special = next((Problem(code, message) for classes, code, message in _SPECIAL if isinstance(node, classes)), None)
    return special or Problem("forbidden", f"{type(node).__name__} is not allowed in a query.")


def _misplaced(node: exp.Join, dialect: Dialect) -> str | None:
    """On servers a comma binds less than JOIN. It is written as CROSS JOIN, which means the same except before RIGHT
    and FULL JOIN."""
    side = node.side.upper()
    if dialect == "mysql" and side == "FULL":
        return "MariaDB has no FULL JOIN."
    joins = node.parent.args.get("joins") or [] if node.parent else []
    has_comma = any(not any(join.args.get(part) for part in ("on", "using", "side", "kind")) for join in joins)
    if dialect != "sqlite" and has_comma and side in ("RIGHT", "FULL"):
        return "RIGHT and FULL JOIN cannot follow a comma. Write every join with JOIN."
    return None


def _is_set(name: str, value: object) -> bool:
    """NOT INDEXED and NOT MATERIALIZED are an explicit False."""
    return bool(value) or (name in ("indexed", "materialized") and value is False)


def _is_sound(node: exp.Expr) -> bool:
    """Return whether words that are written unchanged are known, and the parts belong there."""
    test = _TESTS.get(type(node))
    return test is None or test(node)


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(node.this if isinstance(node, exp.Neg | exp.Cast) else node, exp.Literal | exp.Null | exp.Boolean)


_TESTS: Mapping[type[exp.Expr], Callable[[Any], bool]] = {
    exp.Table: lambda node: isinstance(node.this, exp.Identifier),
    exp.From: lambda node: isinstance(node.this, exp.Table | exp.Subquery | exp.Values),
    exp.Join: lambda node: (
        isinstance(node.this, exp.Table | exp.Subquery | exp.Values)
        and node.side.upper() in _SIDES
        and node.kind.upper() in _KINDS
    ),
    exp.CTE: lambda node: isinstance(node.this, exp.Query) and bool(node.alias),
    exp.Order: lambda node: not node.this or isinstance(node.parent, exp.GroupConcat),
    exp.Var: lambda node: node.name.upper() in _UNITS or bool(_WORDS.fullmatch(node.name)),
    exp.DataType: lambda node: getattr(node.this, "name", "") in _TYPES,
    exp.Interval: lambda node: isinstance(node.unit, exp.Var | None) and not isinstance(node.this, exp.Tuple),
    exp.Subquery: lambda node: isinstance(node.this, exp.Query | exp.Table),
    exp.TableAlias: lambda node: not node.columns or isinstance(node.parent, exp.CTE | exp.Values),
    exp.Values: lambda node: all(
        isinstance(row, exp.Tuple) and all(map(_is_constant, row.expressions)) for row in node.expressions
    ),
    exp.Tuple: lambda node: isinstance(node.parent, (*_COMPARISONS, exp.Values)) or node.arg_key == "on",
    exp.Collate: lambda node: isinstance(node.expression, exp.Var | exp.Column | exp.Literal),
}


def _forbidden_part(node: exp.Expr, part: str | None) -> Problem:
    if part in _SPECIAL_PARTS and not (part == "hint" and isinstance(node, exp.Join)):
        return Problem(*_SPECIAL_PARTS[part])
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        return Problem("function", "Functions cannot stand in place of a table.")
    given = f" with {part.rstrip('_')}" if part else ""
    return Problem("forbidden", f"{type(node).__name__}{given} is not allowed here.")


def _forbidden_function(node: exp.Expr, dialect: Dialect) -> Problem:
    name = functions.name_of(node)
    return Problem("function", f"The function {name} is not allowed, or {dialect} has none of that name.")
