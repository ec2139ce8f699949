"""What rules alone can repair of SQL that was refused: the spelling of a dialect, and what stands around a statement.
Never a name: the nearest one may be another fact. What comes out is no more trusted than what went in: it goes through
the guard like anything else."""

import re
from collections.abc import Iterator
from itertools import islice

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.guard import unwrapped
from turnkeep_agents.database.guard.rendering import render
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.rewriting import candidates, variants
from turnkeep_agents.database.guard.screening import LONGEST_CHARACTERS, parse, tokenize
from turnkeep_agents.database.guard.translating import translate
from turnkeep_agents.database.guard.verdicts import Dialect, Refusal, Refused
from turnkeep_agents.database.joins.records import JoinGraph

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
        found = next(_repaired(sql, Catalogue(graph, {}), dialect), None)
    except (Refusal, RecursionError):
        return None
    return found if found != sql else None


def _repaired(sql: str, catalogue: Catalogue, dialect: Dialect) -> Iterator[str]:
    for tree in islice(_trees(sql, catalogue, dialect), MOST_READINGS):
        translated = translate(tree, dialect)
        _simplify(translated)
        if not any(True for _ in violations(translated, dialect)) and _fits(translated, catalogue, dialect):
            yield render(translated, dialect)


def _fits(tree: exp.Expr, catalogue: Catalogue, dialect: Dialect) -> bool:
    """Whether every name is one of the schema."""
    resolver = Resolver(catalogue, dialect, None)
    resolver.read(tree)
    return not resolver.faults


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
        tree = unwrapped(parse(text, dialect, is_foreign=is_foreign))
    except (Refusal, RecursionError):
        return None
    return tree if not is_foreign or _texts_in(tree) >= _texts_of(text, dialect) else None


def _texts_in(tree: exp.Query) -> int:
    return sum(one.is_string for one in tree.find_all(exp.Literal))


def _texts_of(text: str, dialect: Dialect) -> int:
    """A parser leaves out what it has no place for, such as the second text of DATE('now', 'start of month')."""
    return sum(token.token_type == TokenType.STRING for token in tokenize(text, dialect))


def _simplify(tree: exp.Expr) -> None:
    """Without the name of the only schema."""
    for table in tree.find_all(exp.Table):
        if table.text("db").lower() in _OWN_SCHEMAS and not table.text("catalog"):
            table.set("db", None)
    for column in tree.find_all(exp.Column):
        if column.text("db").lower() in _OWN_SCHEMAS:
            column.set("db", None)
