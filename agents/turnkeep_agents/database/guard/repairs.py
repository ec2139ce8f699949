"""What rules alone can repair of SQL that was refused: the spelling of a dialect, and what stands around a statement.
Never a name: the nearest one may be another fact. What comes out is no more trusted than what went in: it goes through
the guard like anything else."""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.guard import unwrapped
from turnkeep_agents.database.guard.rendering import render
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.rewriting import candidates, variants
from turnkeep_agents.database.guard.screening import LONGEST_CHARACTERS, parse
from turnkeep_agents.database.guard.verdicts import Dialect, Refusal, Refused
from turnkeep_agents.database.joins.records import JoinGraph

HOPELESS = frozenset(
    {"too_long", "too_deep", "catalog", "variable", "into", "lock", "hint", "recursive", "meaning", "encoding"}
)
MOST_READINGS = 6
_OWN_SCHEMAS = frozenset({"main", "public", "dbo"})
_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "ADD": exp.Add, "MULTIPLY": exp.Mul, "MINUS": exp.Sub, "PLUS": exp.Add
}  # fmt: skip
_DATE_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "DAYOFMONTH": "%d", "HOUR": "%H", "MINUTE": "%M"}
_CLOCKS = {"CURDATE": exp.CurrentDate, "NOW": exp.CurrentTimestamp, "GETDATE": exp.CurrentTimestamp}


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
        _translate(tree, dialect)
        _simplify(tree)
        if not any(True for _ in violations(tree, dialect)) and _fits(tree, catalogue, dialect):
            yield render(tree, dialect)


def _fits(tree: exp.Expr, catalogue: Catalogue, dialect: Dialect) -> bool:
    """Whether every name is one of the schema."""
    resolver = Resolver(catalogue, dialect, None)
    resolver.read(tree)
    return not resolver.faults


def _trees(sql: str, catalogue: Catalogue, dialect: Dialect) -> Iterator[exp.Query]:
    texts = (text for found in candidates(sql) for text in variants(found, catalogue.odd_names, dialect))
    for text in dict.fromkeys(texts):
        try:
            yield unwrapped(parse(text, dialect))
        except (Refusal, RecursionError):
            continue


def _translate(tree: exp.Expr, dialect: Dialect) -> None:
    """Replace the functions of other databases that models write most."""
    rules = {"sqlite": (_arithmetic, _clock, _part_of_date, _joined, _extreme), "postgres": (_arithmetic, _clock)}
    for node in reversed(list(tree.walk())):
        found = next((new for rule in rules.get(dialect, (_arithmetic,)) if (new := rule(node)) is not None), None)
        if found is not None:
            node.replace(found)


def _arithmetic(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Anonymous) or node.name.upper() not in _ARITHMETIC:
        return None
    found = node.expressions
    if len(found) == 1 and isinstance(found[0], exp.Tuple):
        found = found[0].expressions
    if len(found) != 2:
        return None
    one, other = (exp.paren(each, copy=False) if isinstance(each, exp.Binary) else each for each in found)
    return exp.paren(_ARITHMETIC[node.name.upper()](this=one, expression=other), copy=False)


def _part_of_date(node: exp.Expr) -> exp.Expr | None:
    is_extract = isinstance(node, exp.Extract)
    pattern = _DATE_PARTS.get(node.name.upper() if is_extract else type(node).__name__.upper())
    if pattern is None:
        return None
    value = node.expression if is_extract else node.this
    while isinstance(value, exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TsOrDsToTime):  # the parser's own
        value = value.this
    return exp.cast(exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(pattern), value]), "INTEGER")


def _joined(node: exp.Expr) -> exp.Expr | None:
    if type(node) is not exp.Concat:
        return None
    parts = [exp.paren(part, copy=False) if isinstance(part, exp.Binary) else part for part in node.expressions]
    return exp.paren(reduce(lambda one, other: exp.DPipe(this=one, expression=other), parts), copy=False)


def _extreme(node: exp.Expr) -> exp.Expr | None:
    """GREATEST of an unknown value is unknown, as SQLite's MAX of several values."""
    is_other = isinstance(node, exp.Greatest | exp.Least) and node.args.get("ignore_nulls")
    return type(node)(this=node.this, expressions=node.expressions, ignore_nulls=False) if is_other else None


def _clock(node: exp.Expr) -> exp.Expr | None:
    is_bare = isinstance(node, exp.Anonymous) and not node.expressions
    found = _CLOCKS.get(node.name.upper()) if is_bare else None
    return found() if found else None


def _simplify(tree: exp.Expr) -> None:
    """Without the name of the only schema."""
    for table in tree.find_all(exp.Table):
        if table.text("db").lower() in _OWN_SCHEMAS and not table.text("catalog"):
            table.set("db", None)
    for column in tree.find_all(exp.Column):
        if column.text("db").lower() in _OWN_SCHEMAS:
            column.set("db", None)
