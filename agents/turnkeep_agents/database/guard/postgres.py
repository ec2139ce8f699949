"""Rewrite a tree for PostgreSQL, which is stricter than other databases: names of the result may only stand alone,
GROUP BY needs every column, and booleans are not numbers. The resolver has read the tree and knows every name."""

from collections.abc import Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import fold
from turnkeep_agents.database.guard.languages import TRUTHS
from turnkeep_agents.database.guard.meaning import kind_of, stored
from turnkeep_agents.database.guard.rendering import identifier
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.scopes import Frame, Source, is_aggregate

_PLACES = ("group", "having", "order")
# how text types begin; views that decrypt BYTEA show it as text
_TEXTS = ("CHAR", "VARCHAR", "TEXT", "CITEXT", "NAME", "BPCHAR", "BYTEA")


def fit(tree: exp.Expr, resolver: Resolver) -> None:
    for node in list(tree.walk()):
        _fit_kinds(node, resolver)
    for frame, select in resolver.frames:
        _complete_group(frame, select, resolver)
        _use_names(select, resolver)


def as_limits(tree: exp.Expr) -> None:
    """Replace FETCH FIRST 3 ROWS ONLY by LIMIT 3, in place."""
    for fetch in list(tree.find_all(exp.Fetch)):
        options = fetch.args.get("limit_options")
        if fetch.args.get("count") and not (options and (options.args.get("percent") or options.args.get("with_ties"))):
            fetch.replace(exp.Limit(expression=fetch.args["count"]))


# Names of the result


def _use_names(select: exp.Select, resolver: Resolver) -> None:
    shown = {fold(each.alias_or_name): each for each in select.expressions if each.alias_or_name}
    for place in _PLACES:
        part = select.args.get(place)
        for column in list(part.find_all(exp.Column)) if part else ():
            named = shown.get(fold(column.name))
            is_ours = column.find_ancestor(exp.Select) is select
            if named is not None and is_ours and not column.table and id(column) not in resolver.bound:
                _put(column, named, place, resolver)


def _put(column: exp.Column, named: exp.Expr, place: str, resolver: Resolver) -> None:
    stands_alone = isinstance(column.parent, exp.Ordered | exp.Group) and place != "having"
    name = named.args["alias"] if isinstance(named, exp.Alias) else named.this
    if stands_alone and isinstance(name, exp.Identifier):
        column.set("this", name.copy())
    elif not stands_alone:
        inside = named.this if isinstance(named, exp.Alias) else named
        copied = inside.copy()
        for one, other in zip(inside.find_all(exp.Column), copied.find_all(exp.Column), strict=True):
            resolver.bound |= {id(other): resolver.bound[id(one)]} if id(one) in resolver.bound else {}
        column.replace(exp.paren(copied, copy=False) if isinstance(inside, exp.Binary) else copied)


# Groups


def _complete_group(frame: Frame, select: exp.Select, resolver: Resolver) -> None:
    """Add the columns that depend on a grouped primary key: views have no primary key that the database could know."""
    group = select.args.get("group")
    if not group or not group.expressions:
        return
    columns = [each for each in group.expressions if isinstance(each, exp.Column)]
    grouped = {(id(resolver.bound.get(id(each))), fold(each.name)) for each in columns}
    for source in frame.sources:
        table = resolver.catalogue.graph.tables.get(source.table)
        if table and table.primary_key and {(id(source), fold(name)) for name in table.primary_key} <= grouped:
            for column in _ungrouped(select, source, resolver):
                if (key := (id(source), fold(column.name))) not in grouped:
                    grouped.add(key)
                    group.append("expressions", column)


def _ungrouped(select: exp.Select, source: Source, resolver: Resolver) -> Iterator[exp.Column]:
    order, having = select.args.get("order"), select.args.get("having")
    stack: list[exp.Expr] = [*select.expressions, *([having] if having else []), *([order] if order else [])]
    while stack:
        node = stack.pop(0)
        if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star)):
            is_of = not isinstance(node, exp.Column) or fold(node.table) == source.key
            names = source.columns or {}
            yield from (_column(name, source, resolver) for name in (names.values() if is_of else ()))
        elif isinstance(node, exp.Column):
            if resolver.bound.get(id(node)) is source:
                yield _column(node.name, source, resolver)
        elif not is_aggregate(node):
            stack.extend(node.iter_expressions())


def _column(name: str, source: Source, resolver: Resolver) -> exp.Column:
    table = source.alias.copy() if source.alias else None
    return exp.Column(this=identifier(source.spelling(name) or name, resolver.dialect), table=table)


# Kinds


def _fit_kinds(node: exp.Expr, resolver: Resolver) -> None:
    match node:
        case exp.EQ() | exp.NEQ() | exp.In() if kind_of(node.this, resolver) == "boolean":
            for each in (*node.expressions, node.args.get("expression")):
                _as_truth(each)
        case exp.Like() | exp.ILike() | exp.Lower() | exp.Upper() if _needs_cast(node.this, resolver):
            node.set("this", exp.cast(node.this, "text", copy=False))
        case exp.EQ() | exp.NEQ() | exp.In() if _is_enumeration(node.this, resolver):
            node.set("this", exp.cast(node.this, "text", copy=False))
        case exp.Sum() | exp.Avg() | exp.Max() | exp.Min() if (
            isinstance(node.this.unnest(), TRUTHS) or kind_of(node.this, resolver) == "boolean"
        ):
            node.set("this", exp.cast(node.this, "int", copy=False))
        case exp.Round() if node.args.get("decimals") and not node.this.is_type("decimal"):
            node.set("this", exp.cast(node.this, "decimal", copy=False))
        case _:
            pass


def _needs_cast(node: exp.Expr, resolver: Resolver) -> bool:
    """Return whether a column must be cast to text first, even if it holds words."""
    column = stored(node, resolver)
    return column is not None and not (column.kind == "text" and column.type.upper().startswith(_TEXTS))


def _is_enumeration(node: exp.Expr, resolver: Resolver) -> bool:
    """Return whether a column accepts no words but its own."""
    column = stored(node, resolver)
    return column is not None and column.kind == "text" and not column.type.upper().startswith((*_TEXTS, "UUID"))


def _as_truth(node: exp.Expr | None) -> None:
    if isinstance(node, exp.Literal) and not node.is_string and node.name in ("0", "1"):
        node.replace(exp.Boolean(this=node.name == "1"))
