"""Repair refused SQL by rules: the spelling of a dialect, and the prose around a statement. Names are never changed,
because the nearest name may be another fact. The result goes through the guard like any other SQL."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.guard import unwrapped
from turnkeep_agents.database.guard.parsing import LONGEST_CHARACTERS, parse
from turnkeep_agents.database.guard.rendering import render
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.verdicts import Dialect, Refusal, Refused
from turnkeep_agents.database.joins.records import JoinGraph

HOPELESS = frozenset(
    {"too_long", "too_deep", "catalog", "variable", "into", "lock", "hint", "recursive", "meaning", "encoding"}
)
MOST_READINGS = 6
_FENCE = re.compile(r"```+(?:[ \t]*\w*[ \t]*\n|[ \t]*(?i:sql\w*|mysql|mariadb)\b)?\s*(.*?)(?:```+|\Z)", re.DOTALL)
_START = re.compile(r"(?is)(?:^|[\n:>`])\s*(?=\(?\s*select\b|with\s+\w+\s*(?:\([^)]*\)\s*)?as\s*\()")
_STATEMENT = re.compile(
    r"(?i)\s*(select|with|insert|update|delete|replace|merge|create|alter|drop|truncate|rename|grant|revoke|set|use|call"
    r"|exec|execute|prepare|do|load|lock|unlock|handler|show|explain|describe|desc|analyze|pragma|attach|detach|vacuum"
    r"|reindex|begin|start|commit|rollback|savepoint|release|kill|flush|shutdown|copy|values|table)\b"
)
_CHANGE = re.compile(
    r"(?im)^\s*(insert\s+into|update\s+\w+\s+set|delete\s+from|(create|alter|drop|truncate|rename)\s+\w+|grant|revoke)\b"
)
_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u3000": " "})
_INNER_QUOTE = re.compile(r"(?<=[A-Za-z])'(?=[A-Za-z])")
_BEFORE_TABLES = r"(?i:\b(?:from|join)\s+)"
_QUOTES = {"mysql": "`", "sqlite": '"', "postgres": '"'}
_OWN_SCHEMAS = frozenset({"main", "public", "dbo"})
_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "SUBTRACT": exp.Sub, "ADD": exp.Add, "MULTIPLY": exp.Mul, "MINUS": exp.Sub, "PLUS": exp.Add
}  # fmt: skip
_DATE_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "DAYOFMONTH": "%d", "HOUR": "%H", "MINUTE": "%M"}
_CLOCKS = {"CURDATE": exp.CurrentDate, "NOW": exp.CurrentTimestamp, "GETDATE": exp.CurrentTimestamp}


def repair(sql: str, refused: Refused, graph: JoinGraph, dialect: Dialect) -> str | None:
    """Return another SQL to check in place of `sql`, or None if no rule helps. Never raises."""
    if len(sql) > LONGEST_CHARACTERS or HOPELESS & {problem.code for problem in refused.problems[:1]}:
        return None
    catalogue = Catalogue(graph, {})
    try:
        for tree in islice(_trees(sql, catalogue, dialect), MOST_READINGS):
            _translate(tree, dialect)
            _leave_out_schema(tree)
            if next(violations(tree, dialect), None):
                continue
            resolver = Resolver(catalogue, dialect, None)
            resolver.read(tree)
            if not resolver.faults:
                found = render(tree, dialect)
                return found if found != sql else None
    except (Refusal, RecursionError):
        return None
    return None


def _trees(sql: str, catalogue: Catalogue, dialect: Dialect) -> Iterator[exp.Query]:
    texts = (text for found in candidates(sql) for text in variants(found, catalogue.odd_names, dialect))
    for text in dict.fromkeys(texts):
        try:
            yield unwrapped(parse(text, dialect))
        except (Refusal, RecursionError):
            continue


def _translate(tree: exp.Expr, dialect: Dialect) -> None:
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
    """GREATEST of an unknown value is unknown, as is SQLite's MAX of several values."""
    is_other = isinstance(node, exp.Greatest | exp.Least) and node.args.get("ignore_nulls")
    return type(node)(this=node.this, expressions=node.expressions, ignore_nulls=False) if is_other else None


def _clock(node: exp.Expr) -> exp.Expr | None:
    is_bare = isinstance(node, exp.Anonymous) and not node.expressions
    clock = _CLOCKS.get(node.name.upper()) if is_bare else None
    return clock() if clock else None


def _leave_out_schema(tree: exp.Expr) -> None:
    for table in tree.find_all(exp.Table):
        if table.text("db").lower() in _OWN_SCHEMAS and not table.text("catalog"):
            table.set("db", None)
    for column in tree.find_all(exp.Column):
        if column.text("db").lower() in _OWN_SCHEMAS:
            column.set("db", None)


# Texts that may have been meant, while there is no tree yet


def candidates(text: str) -> Iterator[str]:
    """Yield the parts of `text` that may be the SQL, likeliest first. A second statement is never dropped: then there
    is none."""
    text = text.translate(_STRAIGHT)
    plain = "".join(c for c in text if c in "\n\r\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    for found in [match[1] for match in _FENCE.finditer(plain)] or [plain]:
        start = _START.search(found)
        body = found[start.end() :].strip() if start else found.strip()
        before = found[: start.start()] if start else ""
        first, *others = body.split(";")
        is_one = ";" not in before and not any(_STATEMENT.match(other) for other in others)
        if is_one and not _CHANGE.search(found):
            yield body
            yield first.rstrip()
            yield body.split("\n\n", 1)[0].rstrip(" ;")


def variants(text: str, odd_names: Sequence[str], dialect: Dialect) -> Iterator[str]:
    """Yield the text itself, then the text without each likely slip."""
    yield text
    if "\\'" in text:
        yield text.replace("\\'", "''")
    if _INNER_QUOTE.search(text):
        yield _INNER_QUOTE.sub("''", text)
    if dialect == "postgres" and "`" in text:
        text = text.replace("`", '"')
        yield text
    quoted = _quoted(text, odd_names, dialect)
    if quoted != text:
        yield quoted


def _quoted(text: str, odd_names: Sequence[str], dialect: Dialect) -> str:
    """Quote names that need it; names that are reserved words only where a table stands."""
    quote = _QUOTES[dialect]
    for name in odd_names:
        before = _BEFORE_TABLES if name.isidentifier() else r"(?<![\w\"'`\[%$-])"
        pattern = rf"({before})({re.escape(name)})(?![\w\"'`\]%-])"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text
