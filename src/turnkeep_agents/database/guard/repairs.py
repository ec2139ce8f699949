"""What rules alone can mend of SQL that was refused, before a model is asked again. What comes out is no more trusted
than what went in: it goes through the guard like anything else."""

import re
from collections.abc import Iterator
from itertools import islice

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.guard import unwrapped
from turnkeep_agents.database.guard.mending import Mender
from turnkeep_agents.database.guard.rendering import identifier, render
from turnkeep_agents.database.guard.rewriting import variants
from turnkeep_agents.database.guard.screening import LONGEST_CHARACTERS, parse
from turnkeep_agents.database.guard.translating import translate
from turnkeep_agents.database.guard.unwrapping import candidates
from turnkeep_agents.database.guard.verdicts import Dialect, Refusal, Refused
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

HOPELESS = frozenset(
    {"too_long", "too_deep", "catalog", "variable", "into", "lock", "hint", "recursive", "meaning", "encoding"}
)
MOST_READINGS = 6
_OTHERS: dict[Dialect, tuple[Dialect, ...]] = {
    "sqlite": ("mysql", "postgres"), "mysql": ("sqlite", "postgres"), "postgres": ("mysql", "sqlite")
}  # fmt: skip
_TOLD_APART = re.compile(r'"|\|\|')
_OWN_SCHEMAS = frozenset({"main", "public", "dbo"})


def repair(sql: str, refused: Refused, graph: JoinGraph, dialect: Dialect) -> str | None:
    """Another SQL to be checked in place of `sql`, or None where rules do not help. Never raises."""
    if len(sql) > LONGEST_CHARACTERS or HOPELESS & {problem.code for problem in refused.problems[:1]}:
        return None
    try:
        mended = next(_repaired(sql, Catalogue(graph, {}), dialect), None)
    except (Refusal, RecursionError):
        return None
    return mended if mended != sql else None


def _repaired(sql: str, catalogue: Catalogue, dialect: Dialect) -> Iterator[str]:
    for tree in islice(_trees(sql, catalogue, dialect), MOST_READINGS):
        translated = translate(tree, dialect)
        _simplify(translated)
        _condition_joins(translated, catalogue, dialect)
        if any(True for _ in violations(translated, dialect)):
            continue
        if Mender(catalogue, dialect).mend(translated):
            yield render(translated, dialect)


def _trees(sql: str, catalogue: Catalogue, dialect: Dialect) -> Iterator[exp.Query]:
    """The text read in this dialect, and in others where it holds words that only they know."""
    seen: set[str] = set()
    for text in candidates(sql):
        for variant in variants(text, catalogue.odd_names, dialect):
            if variant in seen:
                continue
            seen.add(variant)
            yield from _readings(variant, dialect)


def _readings(text: str, dialect: Dialect) -> Iterator[exp.Query]:
    tree = _read(text, dialect)
    if tree is not None:
        yield tree
    for other in _OTHERS[dialect]:
        again = _read(text, other, is_foreign=True) if _reads_alike(text, dialect, other) else None
        if again is not None:
            yield again


def _reads_alike(text: str, dialect: Dialect, other: Dialect) -> bool:
    """Whether quotes, bars and carets mean the same in both."""
    return "mysql" not in (dialect, other) or ("^" not in text and (dialect == "mysql" or not _TOLD_APART.search(text)))


def _read(text: str, dialect: Dialect, *, is_foreign: bool = False) -> exp.Query | None:
    try:
        return unwrapped(parse(text, dialect, is_foreign=is_foreign))
    except (Refusal, RecursionError):
        return None


def _simplify(tree: exp.Expr) -> None:
    """Without the name of the only schema."""
    for table in tree.find_all(exp.Table):
        if table.text("db").lower() in _OWN_SCHEMAS and not table.text("catalog"):
            table.set("db", None)
    for column in tree.find_all(exp.Column):
        if column.text("db").lower() in _OWN_SCHEMAS:
            column.set("db", None)


def _condition_joins(tree: exp.Expr, catalogue: Catalogue, dialect: Dialect) -> None:
    """A NATURAL join, and one without a condition, gets that of the only relationship of its tables."""
    for select in tree.find_all(exp.Select):
        start = select.args.get("from_")
        before = [start.this] if start else []
        for join in select.args.get("joins") or ():
            if _is_bare(join):
                _condition(join, before, catalogue, dialect)
            before.append(join.this)


def _is_bare(join: exp.Join) -> bool:
    """The parser writes ON TRUE where nothing stood."""
    on = join.args.get("on")
    is_conditioned = join.args.get("using") or join.kind or (on and not isinstance(on, exp.Boolean))
    return join.method.upper() == "NATURAL" or not is_conditioned


def _condition(join: exp.Join, before: list[exp.Expr], catalogue: Catalogue, dialect: Dialect) -> None:
    ways = [(one, link) for one in before for link in _between(one, join.this, catalogue)]
    if len(ways) != 1:
        return
    one, link = ways[0]
    table = catalogue.find(one.name, None)
    is_from = table is not None and table.name == link.from_table
    names = (one.alias_or_name, join.this.alias_or_name)
    from_name, to_name = names if is_from else names[::-1]
    pairs = [
        exp.EQ(
            this=exp.Column(this=identifier(here, dialect), table=identifier(from_name, dialect)),
            expression=exp.Column(this=identifier(there, dialect), table=identifier(to_name, dialect)),
        )
        for here, there in link.pairs
    ]
    join.set("method", None)
    join.set("on", exp.and_(*pairs, copy=False))


def _between(one: exp.Expr, other: exp.Expr, catalogue: Catalogue) -> list[Relationship]:
    tables = {found.name for each in (one, other) if (found := catalogue.find(each.name, None))}
    if len(tables) != 2:
        return []
    return [link for link in catalogue.graph.relationships if {link.from_table, link.to_table} == tables]
