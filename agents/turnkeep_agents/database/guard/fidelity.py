"""Check that a tree still means what was written: its text must have the same words in the same order, except for
synonyms. Other rewriting by sqlglot is refused, even if it means the same."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from sqlglot.tokenizer_core import Token, TokenType

from turnkeep_agents.database.guard.languages import COMPARED
from turnkeep_agents.database.guard.parsing import tokenize
from turnkeep_agents.database.guard.verdicts import Dialect, Problem

LONGEST_QUOTE_WORDS = 10
WORDS_BEFORE = 2

Words: TypeAlias = list[str]


def _alike(text: str) -> dict[str, str]:
    """Replace the words of each line by the first."""
    lines = [line.split() for line in text.splitlines()]
    return {word: words[0] for words in lines for word in words}


_SAME: Mapping[Dialect, Mapping[str, str]] = {
    "sqlite": _alike("""SUBSTRING SUBSTR
COALESCE IFNULL
GROUP_CONCAT STRING_AGG
CEIL CEILING
POWER POW
IIF IF
= ==
<> !=
REAL FLOAT DOUBLE
INTEGER INT TINYINT SMALLINT BIGINT
TEXT CHAR VARCHAR NCHAR NVARCHAR
NUMERIC DECIMAL"""),
    "mysql": _alike("""SUBSTRING SUBSTR MID
COALESCE IFNULL
LOWER LCASE
UPPER UCASE
CHAR_LENGTH CHARACTER_LENGTH
CEIL CEILING
POWER POW
STDDEV_POP STDDEV STD
VAR_POP VARIANCE
CURRENT_DATE CURDATE
CURRENT_TIME CURTIME
<> !=
AND &&
OR ||
% MOD
REGEXP RLIKE
SIGNED INT INTEGER BIGINT
CHAR VARCHAR
DECIMAL DEC"""),
}
_LEFT_OUT = frozenset({"AS", "ASC"})
_CLOCKS = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"})
_TEXT = "'"
_OWN = frozenset({"!", "+", "ALL", "GLOB", "ISNULL", "NOT", "NOTNULL"})
_ENDS = frozenset({")", ",", "AND", "OR", "THEN", "ELSE", "END", "FROM", "GROUP", "HAVING", "ORDER", "LIMIT"})
_NUMBER = re.compile(r"\.?\d")
_KEY = re.compile(r"(?!\d)\w+", re.ASCII)


def changes_of_meaning(sql: str, read: str, dialect: Dialect) -> Iterator[Problem]:
    """Yield where `read`, the text of the tree, differs from `sql`. Rules may repair what is `foreign`."""
    if dialect not in COMPARED:
        return
    words, others = _words(tokenize(sql, dialect), dialect), _words(tokenize(read, dialect), dialect)
    for at, (one, other) in enumerate(zip_longest(words, others, fillvalue="")):
        is_quoted_name = one.startswith(_TEXT) and one[1:].upper() == other
        if one != other and not is_quoted_name:
            change = f"{_quote(words, at)} would be run as {_quote(others, at)}, which may not be the same."
            yield Problem("meaning" if _is_own(one) else "foreign", f"{change} Write it in another way.")
            return


def _is_own(word: str) -> bool:
    """Return whether the database itself understands the word, in a way that was lost."""
    return word in _OWN or word.startswith(_TEXT) or bool(_NUMBER.match(word))


def _quote(words: Words, at: int) -> str:
    found = words[max(at - WORDS_BEFORE, 0) :][:LONGEST_QUOTE_WORDS]
    return f"'{' '.join(word.replace(_TEXT, '') for word in found)}'"


def _words(tokens: Sequence[Token], dialect: Dialect) -> Words:
    """Return the words in their common spelling. A text starts with a quotation mark, so that it is not a name."""
    same = _SAME[dialect]
    words = [_word(token, same) for token in tokens]
    return list(_joined([word for word in words if word not in _LEFT_OUT], dialect))


def _word(token: Token, same: Mapping[str, str]) -> str:
    if token.token_type == TokenType.STRING:
        return _TEXT + token.text
    if token.token_type == TokenType.IDENTIFIER:
        return token.text.upper()
    word = " ".join(token.text.upper().split())
    return same.get(word, word)


def _joined(words: Words, dialect: Dialect) -> Iterator[str]:
    """Yield words in their common spelling. Each way returns the next words and how many it read."""
    ways = (_first_clause, _first_value, _first_of_mysql if dialect == "mysql" else _first_of_sqlite)
    at = 0
    while at < len(words):
        ahead = words[at : at + 4]
        found, used = next((read for way in ways if (read := way(ahead))), (ahead[:1], 1))
        yield from found
        at += used


def _first_clause(ahead: Words) -> tuple[Words, int] | None:
    match ahead:
        case ["LIMIT", start, ",", rows]:
            return ["LIMIT", rows, "OFFSET", start], 4
        case ["DESC", "NULLS", "LAST", *_]:
            return ["DESC"], 3
        case ["DESC", "NULLS", *_]:
            return ["DESC", "NULLS"], 2
        case ["NULLS", "FIRST", *_]:
            return [], 2
        case ["ROWS" | "RANGE" | "GROUPS" as kind, amount, "PRECEDING", *_]:
            return [kind, "BETWEEN", amount, "PRECEDING", "AND", "CURRENT", "ROW"], 3
    return None


def _first_value(ahead: Words) -> tuple[Words, int] | None:
    match ahead:
        case ["INTERVAL", "-", amount, *_] if amount.isdigit():
            return ["INTERVAL", f"-{amount}"], 3
        case ["INTERVAL", amount, *_] if amount.lstrip(_TEXT).lstrip("-").isdigit():
            return ["INTERVAL", amount.lstrip(_TEXT)], 2
        case [".", amount, *_] if amount.isdigit():
            return [f"0.{amount}"], 2
        case [word, "(", ")", *_] if word in _CLOCKS:
            return [word], 3
        case ["SEPARATOR", separator, *_] if separator == f"{_TEXT},":
            return [], 2
    return None


def _first_of_mysql(ahead: Words) -> tuple[Words, int] | None:
    match ahead:
        case ["DATE" | "TIME" as kind, text, *_] if text.startswith(_TEXT):
            return ["CAST", "(", text, kind, ")"], 2
        case ["TIMESTAMP", text, *_] if text.startswith(_TEXT):
            return ["TIMESTAMP", "(", text, ")"], 2
    return None


def _first_of_sqlite(ahead: Words) -> tuple[Words, int] | None:
    match ahead:
        case ["CROSS", "JOIN", *_]:
            return [","], 2
        case ["ISNULL", *after] if not after or after[0] in _ENDS:
            return ["IS", "NULL"], 1
        case ["NOTNULL", *after] if not after or after[0] in _ENDS:
            return ["IS", "NOT", "NULL"], 1
        case ["->" | "->>" as arrow, amount, *_] if amount.isdigit():
            return [arrow, f"{_TEXT}$[{amount}]"], 2
        case ["->" | "->>" as arrow, text, *_] if text.startswith(_TEXT) and _KEY.fullmatch(text[1:]):
            return [arrow, f"{_TEXT}$.{text[1:]}"], 2
    return None
