"""Scope of a query while it is read: the sources of its FROM and of the queries around it. Also what an expression is
at its place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import fold
from turnkeep_agents.database.guard.rendering import spelt
from turnkeep_agents.database.guard.verdicts import Dialect

Columns: TypeAlias = Mapping[str, str] | None  # the spelling of each column by its key; None if unknown
Place: TypeAlias = Literal["select", "where", "group", "having", "order"]

PLACES: Mapping[str, Place] = {
    "distinct": "select", "where": "where", "group": "group", "having": "having", "windows": "select", "order": "order"
}  # fmt: skip
_ROW_IDS = {"rowid", "oid", "_rowid_"}
ALIASES_SEEN: Mapping[Dialect, frozenset[Place]] = {
    "sqlite": frozenset({"where", "group", "having", "order"}),
    "mysql": frozenset({"group", "having", "order"}),
    "postgres": frozenset({"group", "having", "order"}),  # in HAVING only after `postgres.fit`
}


@dataclass(eq=False, slots=True)
class Source:
    """One entry of a FROM. `table` is the logical name, empty for a sub-query or a common table expression."""

    alias: exp.Identifier | None
    columns: Columns
    table: str = ""
    is_view: bool = False
    is_one_row: bool = False
    is_constant: bool = False  # one row from no table: it connects nothing

    @property
    def key(self) -> str:
        return fold(self.alias.name) if self.alias else ""

    def spelling(self, column: str) -> str | None:
        """Return None if the source lacks the column; return it unchanged if the columns are unknown."""
        return column if self.columns is None else self.columns.get(fold(column))

    def has_row_id(self, name: str) -> bool:
        """Return whether the name is the number that SQLite gives each row of a table."""
        return bool(self.table) and not self.is_view and fold(name) in _ROW_IDS


@dataclass(eq=False, slots=True)
class Frame:
    """`named` counts the columns of the result by name. `conditions` are those of joins, each with the number of
    sources it may use; `visible` is that number while one is read."""

    parent: "Frame | None" = None
    sources: list[Source] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    named: dict[str, int] = field(default_factory=dict)
    conditions: list[tuple[exp.Expr, int]] = field(default_factory=list)
    visible: int | None = None

    def around(self) -> Iterator["Frame"]:
        frame: Frame | None = self
        while frame:
            yield frame
            frame = frame.parent

    def seen(self) -> list[Source]:
        return self.sources[: self.visible]


@dataclass(frozen=True, slots=True)
class Shape:
    columns: Columns
    is_one_row: bool = False
    is_constant: bool = False


@dataclass(frozen=True, slots=True)
class Common:
    """A common table expression, by its name in the SQL that runs."""

    name: exp.Identifier
    shape: Shape


Commons: TypeAlias = Mapping[str, Common]


@dataclass(frozen=True, slots=True)
class Fault:
    """A name that does not fit. `node` is the column or table in the tree, `source` where it was looked for."""

    code: str
    node: exp.Expr
    frame: Frame | None = None
    source: Source | None = None


def is_of_result(node: exp.Column, frame: Frame, dialect: Dialect) -> bool:
    """Return whether a name in ORDER BY is the result's. Inside an expression PostgreSQL looks in the tables first."""
    is_inside = dialect == "postgres" and not isinstance(node.parent, exp.Ordered)
    is_hidden = is_inside and any(source.spelling(node.name) is not None for source in frame.seen())
    return bool(frame.named.get(fold(node.name))) and not is_hidden


def names_of(each: exp.Expr, frame: Frame, dialect: Dialect) -> Iterator[str | None]:
    """Yield the names that an expression of a SELECT gives the result; None for unknown names."""
    if not each.is_star:
        named = each.args["alias"] if isinstance(each, exp.Alias) else each.this
        yield spelt(named, dialect) if isinstance(named, exp.Identifier) else each.sql(dialect)
        return
    key = fold(each.table) if isinstance(each, exp.Column) else ""
    for source in frame.sources:
        if not key or source.key == key:
            yield from (None,) if source.columns is None else source.columns.values()


def source_of(alias: exp.Identifier | None, shape: Shape) -> Source:
    return Source(alias, shape.columns, is_one_row=shape.is_one_row, is_constant=shape.is_constant)


def columns_of(alias: exp.TableAlias, columns: Columns, dialect: Dialect) -> Columns:
    """Return the columns that the alias of a query names, else its own."""
    return {fold(name.name): spelt(name, dialect) for name in alias.columns} if alias.columns else columns


def source_of_values(node: exp.Values, dialect: Dialect) -> Source:
    """Return rows of constants as an entry of a FROM."""
    alias = node.args.get("alias")
    named = [spelt(name, dialect) for name in alias.columns] if alias else []
    names = named or [f"column{at}" for at, _ in enumerate(node.expressions[0].expressions, 1)]
    is_one_row = len(node.expressions) == 1
    columns = {fold(name): name for name in names}
    return Source(alias.this if alias else None, columns, is_one_row=is_one_row, is_constant=is_one_row)


def is_aggregate(node: exp.Expr) -> bool:
    """Return whether `node` makes one value of many rows; window functions do not."""
    if not isinstance(node, exp.AggFunc) or isinstance(node, exp.FirstValue | exp.LastValue | exp.Lag | exp.Lead):
        return False
    parent = node.parent
    if isinstance(parent, exp.Filter):
        parent = parent.parent
    return not (isinstance(parent, exp.Window) and parent.this in (node, node.parent))


def is_one_row(node: exp.Select) -> bool:
    limit = node.args.get("limit")
    if not node.args.get("from_") or (limit and limit.expression.name in ("0", "1")):
        return True
    if node.args.get("group"):
        return False
    return any(is_aggregate(found) for each in node.expressions for found in each.find_all(exp.AggFunc))


def is_compared_value(node: exp.Column) -> bool:
    """Return whether a column is the right-hand side of a comparison with a column."""
    parent = node.parent
    if isinstance(parent, exp.EQ | exp.NEQ | exp.Like | exp.Glob):
        return isinstance(parent.this, exp.Column) and parent.expression is node
    return isinstance(parent, exp.In) and isinstance(parent.this, exp.Column) and parent.this is not node


def alias_of(node: exp.Table) -> exp.Identifier:
    alias = node.args.get("alias")
    found = alias.this if alias else node.this
    assert isinstance(found, exp.Identifier)  # noqa: S101  (the grammar lets nothing else through)
    return found
