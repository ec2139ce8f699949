"""Other texts that may have been meant where a text cannot be read: on words and signs, as there is no tree yet."""

import re
from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from turnkeep_agents.database.guard.verdicts import Dialect

MOST_BRACKETS = 3
_INNER_QUOTE = re.compile(r"(?<=[A-Za-z])'(?=[A-Za-z])")
_AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL"})
_BEFORE_TABLES = r"(?i:\b(?:from|join)\s+)"
_QUOTES = {"mysql": "`", "sqlite": '"', "postgres": '"'}


def variants(text: str, odd_names: Sequence[str], dialect: Dialect) -> Iterator[str]:
    """The text itself, then what a likely slip would have been without it."""
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
    with_cases = _with_cases(text, dialect)
    if with_cases != text:
        yield with_cases
    yield from _bracketed(text.rstrip("; \n"))


def _bracketed(text: str) -> Iterator[str]:
    missing = text.count("(") - text.count(")")
    if 0 < missing <= MOST_BRACKETS:
        yield text + ")" * missing
    if 0 < -missing <= MOST_BRACKETS and text.endswith(")" * -missing):
        yield text[:missing]


def _quoted(text: str, odd_names: Sequence[str], dialect: Dialect) -> str:
    """With quotes around names that cannot stand without; plain but reserved words only where a table stands."""
    quote = _QUOTES[dialect]
    for name in odd_names:
        before = _BEFORE_TABLES if name.isidentifier() else r"(?<![\w\"'`\[%$-])"
        pattern = rf"({before})({re.escape(name)})(?![\w\"'`\]%-])"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text


def _with_cases(text: str, dialect: Dialect) -> str:
    """`COUNT(x WHERE c)` and `COUNT(x WHEN c)` as `COUNT(CASE WHEN c THEN x END)`."""
    try:
        tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(text)
    except (TokenError, ValueError):
        return text
    edits: list[tuple[int, int, str]] = []
    for opened, closed in _calls(tokens):
        middle = _condition(tokens, opened, closed)
        if middle is not None:
            value = text[tokens[opened].end + 1 : tokens[middle].start].strip()
            condition = text[tokens[middle].end + 1 : tokens[closed].start].strip()
            edits.append((tokens[opened].end + 1, tokens[closed].start, f"CASE WHEN {condition} THEN {value} END"))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _calls(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The brackets of aggregate functions that hold no other aggregate's."""
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.token_type == TokenType.L_PAREN:
            opened.append(at)
        elif token.token_type == TokenType.R_PAREN and opened:
            start = opened.pop()
            if start and tokens[start - 1].text.upper() in _AGGREGATES:
                yield start, at


def _condition(tokens: Sequence[Token], opened: int, closed: int) -> int | None:
    """Where the condition begins, if it stands in this bracket itself and in no query or CASE."""
    depth = 0
    for at in range(opened + 1, closed):
        kind = tokens[at].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0 and kind in (TokenType.SELECT, TokenType.CASE):
            return None
        if depth == 0 and kind in (TokenType.WHERE, TokenType.WHEN) and at > opened + 1:
            return at
    return None
