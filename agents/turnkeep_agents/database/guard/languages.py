"""The dialects as the guard reads and writes them: SQL stays as it was written. sqlglot's own translations sometimes
lose what a function or a NOT meant."""

from collections.abc import Mapping
from typing import Any, ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.sqlite import SQLite
from sqlglot.generator import Generator
from sqlglot.generators.mysql import MySQLGenerator
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.parser import Parser
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.parsers.sqlite import SQLiteParser
from sqlglot.tokenizer_core import Token, TokenType

from turnkeep_agents.database.guard.verdicts import Dialect, refuse

TRUTHS = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)
_WRITTEN = "written"  # brackets that the parser did not add
_DISTINCT = "distinct"  # IS [NOT] DISTINCT FROM
_INSIDE = "inside"  # NOT between a value and IN, BETWEEN, GLOB or REGEXP


class _Bars(exp.Or):
    """An OR written as ||: its meaning on MariaDB, which few authors intend."""


def _mark(node: exp.Expr | None) -> None:
    if isinstance(node, exp.Paren):
        node.meta[_WRITTEN] = True


class _Reads(Parser):
    def _parse_is(self, this: exp.Expr | None) -> exp.Expr | None:
        is_distinct = "DISTINCT" in (self._curr.text.upper(), self._next.text.upper() if self._next else "")
        found = super()._parse_is(this)
        if isinstance(found, exp.NullSafeEQ | exp.NullSafeNEQ) and is_distinct:
            found.meta[_DISTINCT] = True
        if isinstance(found, exp.Not) and isinstance(found.this, exp.Is):
            found.this.set("negate", True)
            return found.this
        return found

    def _negate_range(self, this: exp.Expr | None = None) -> exp.Expr | None:
        found = super()._negate_range(this)
        if isinstance(found, exp.Not):
            found.meta[_INSIDE] = True
            if isinstance(found.this, exp.Is):
                found.this.set("negate", True)
                return found.this
        return found

    def _parse_paren(self) -> exp.Expr | None:
        found = super()._parse_paren()
        _mark(found.this if isinstance(found, exp.Window) else found)
        return found


class _Writes(Generator):
    def not_sql(self, expression: exp.Not) -> str:
        inner = expression.this
        if not expression.meta.get(_INSIDE):
            return super().not_sql(expression)
        match inner:
            case exp.In():
                query = inner.args.get("query")
                listed = self.sql(query) if query else f"({self.expressions(inner, flat=True)})"
                return f"{self.sql(inner, 'this')} NOT IN {listed}"
            case exp.Between():
                bounds = f"{self.sql(inner, 'low')} AND {self.sql(inner, 'high')}"
                return f"{self.sql(inner, 'this')} NOT BETWEEN {bounds}"
            case exp.Glob():
                return self.binary(inner, "NOT GLOB")
            case exp.RegexpLike():
                return self.binary(inner, "NOT REGEXP")
        return super().not_sql(expression)


def _without(functions: Mapping[str, Any], names: str) -> dict[str, Any]:
    left_out = set(names.split())
    return {name: build for name, build in functions.items() if name not in left_out}


def _is_path(node: exp.Expr | None) -> bool:
    """Return whether a JSON path is left unchanged: the database reports its errors, and no log quotes it."""
    return isinstance(node, exp.Literal) and node.name.startswith("$")


class PlainSQLite(SQLite):
    """SQLite's DECIMAL keeps whole numbers whole, and its MOD is not its %."""

    NORMALIZE_NOT_NULL = False

    class Parser(_Reads, SQLiteParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = _without(SQLiteParser.FUNCTIONS, "LOG LOG2 LOG10 MOD")

    class Generator(_Writes, SQLiteGenerator):
        SET_OP_PARENTHESIZED_OPERANDS = True
        TYPE_MAPPING: ClassVar[dict[Any, str]] = {**SQLiteGenerator.TYPE_MAPPING, exp.DType.DECIMAL: "NUMERIC"}

        def nullsafeeq_sql(self, expression: exp.NullSafeEQ) -> str:
            return self.binary(expression, "IS NOT DISTINCT FROM" if expression.meta.get(_DISTINCT) else "IS")

        def nullsafeneq_sql(self, expression: exp.NullSafeNEQ) -> str:
            return self.binary(expression, "IS DISTINCT FROM" if expression.meta.get(_DISTINCT) else "IS NOT")

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path if _is_path(path) else super().to_json_path(path)


class MariaDB(MySQL):
    """MySQL's dialect without what only MySQL 8 understands."""

    class Generator(_Writes, MySQLGenerator):
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **MySQLGenerator.TRANSFORMS,
            exp.IntDiv: lambda self, node: self.binary(node, "DIV"),
            exp.Interval: lambda self, node: f"INTERVAL {self.sql(node, 'this')} {self.sql(node, 'unit')}",
            exp.RegexpLike: lambda self, node: self.binary(node, "REGEXP"),
            exp.JSONExtractScalar: lambda self, node: self.func(
                "JSON_UNQUOTE", exp.JSONExtract(this=node.this, expression=node.expression)
            ),
        }


class PlainMariaDB(MariaDB):
    """Leave date functions unparsed: the server interprets their formats."""

    NORMALIZE_NOT_NULL = False

    class Parser(_Reads, MySQLParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = _without(
            MySQLParser.FUNCTIONS,
            "DATE DATE_FORMAT FROM_UNIXTIME INSTR ISNULL LOCATE LOG LOG2 LOG10 MOD MONTHNAME STR_TO_DATE TIME_FORMAT"
            " TO_DAYS",
        )
        DISJUNCTION: ClassVar[dict[Any, Any]] = {**MySQLParser.DISJUNCTION, TokenType.DPIPE: _Bars}

        def _parse_not(self) -> exp.Expr:
            """Keep the brackets of `!`, which binds more tightly than NOT."""
            found = super()._parse_not()
            _mark(found)
            return found

    class Generator(MariaDB.Generator):
        def dpipe_sql(self, expression: exp.DPipe) -> str:
            return self.binary(expression, "||")

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path if _is_path(path) else super().to_json_path(path)


class JoiningMariaDB(PlainMariaDB):
    class Parser(PlainMariaDB.Parser):
        DISJUNCTION: ClassVar[dict[Any, Any]] = Parser.DISJUNCTION

        def _parse_bitwise(self) -> exp.Expr | None:
            found = super()._parse_bitwise()
            while self._match(TokenType.DPIPE):
                found = self.expression(exp.DPipe(this=found, expression=super()._parse_bitwise()))
            return found


_READ: Mapping[Dialect, type[sqlglot.Dialect] | str] = {"sqlite": PlainSQLite, "mysql": PlainMariaDB}
COMPARED = frozenset(_READ)


def read(tokens: list[Token], sql: str, dialect: Dialect) -> list[exp.Expr | None]:
    """Return the trees. || between booleans is OR on MariaDB and joins texts elsewhere; one statement may not use
    both."""
    trees = language(dialect).parser(error_message_context=0).parse(tokens, sql)
    bars = [bar for tree in trees if tree for bar in tree.find_all(_Bars)]
    if not all(map(_is_logic, bars)):
        trees = JoiningMariaDB().parser(error_message_context=0).parse(tokens, sql)
        if any(map(_is_logic, bars)):
            raise refuse("meaning", "|| stands for OR and between texts. Write OR and CONCAT.")
    for bar in reversed(bars):
        bar.replace(exp.Or(this=bar.this, expression=bar.expression))
    return trees


def _is_logic(node: exp.Expr) -> bool:
    """A column next to OR may be a boolean; next to || it would be a text."""
    truths = TRUTHS if isinstance(node, _Bars) else (*TRUTHS, exp.Column)
    sides = (node.this.unnest(), node.expression.unnest())
    return all(_is_logic(side) if isinstance(side, exp.Connector) else isinstance(side, truths) for side in sides)


def language(dialect: Dialect) -> sqlglot.Dialect:
    return sqlglot.Dialect.get_or_raise(_READ.get(dialect, dialect))


def leave_out_added(tree: exp.Expr) -> None:
    """Remove the brackets that the parser added, in place: the database knows its own precedence."""
    for node in list(tree.find_all(exp.Paren)):
        if not node.meta.get(_WRITTEN):
            node.replace(node.this)
