"""From text to a tree. Bounds are checked before parsing: the parser's time can double with each join without a
condition, and its depth grows with every bracket."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from turnkeep_agents.database.guard.languages import COMPARED, leave_out_added, read
from turnkeep_agents.database.guard.verdicts import Dialect, refuse

LONGEST_CHARACTERS = 20_000
MOST_TOKENS = 4_000
DEEPEST_BRACKETS = 24
DEEPEST_CASES = 8
MOST_BARE_JOINS = 3
MOST_JOINS = 40
LONGEST_RUN = 12  # of NOT, - or ~ before one value

_FIRST = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.TILDE, TokenType.PLUS}
_QUOTED = {TokenType.STRING, TokenType.IDENTIFIER}
_BRACKETS = {TokenType.L_PAREN: 1, TokenType.L_BRACKET: 1, TokenType.R_PAREN: -1, TokenType.R_BRACKET: -1}
_CASES = {TokenType.CASE: 1, TokenType.END: -1}
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # written inside words of several languages
_SPACES = "\t\n\r"
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_ODD_NAME = re.compile(r"\d.*[^\w$]")
_LETTER = re.compile(r"[A-Za-z_]")
_CLASS = re.compile(r"<class '[\w.]*?(\w+)'>")


def parse(sql: str, dialect: Dialect) -> exp.Query:
    """Return the one query in `sql`. Raises Refusal, and RecursionError for deep nesting. Parsing without context keeps
    SQL out of the parser's log messages."""
    tokens = tokenize(sql, dialect)
    try:
        trees = read(tokens, sql, dialect)
    except (ParseError, TokenError, ValueError, IndexError, TypeError, AttributeError, KeyError) as error:
        raise refuse("syntax", f"The SQL cannot be read: {_first_line(error)}") from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Query):
        raise refuse("not_select", "Only one SELECT statement is allowed.")
    if dialect in COMPARED:
        leave_out_added(tree)
    return tree


def tokenize(sql: str, dialect: Dialect) -> list[Token]:
    """Return the tokens of one SELECT within bounds, without trailing semicolons. Raises Refusal."""
    _check_characters(sql)
    try:
        tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(sql)
    except (TokenError, ValueError, IndexError) as error:
        raise refuse("syntax", f"The SQL cannot be read: {_first_line(error)}") from None
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        _check_comments(tokens.pop())
    _check_statement(tokens)
    _check_bounds(tokens)
    _check_neighbours(tokens)
    for token in tokens:
        _check_comments(token)
        if token.token_type not in _QUOTED and not _has_plain_letters(token.text):
            raise refuse("characters", f"The SQL holds characters that no name has: {token.text[:20]!a}.")
    return tokens


def _check_characters(sql: str) -> None:
    if not sql.strip():
        raise refuse("empty", "There is no SQL statement.")
    if len(sql) > LONGEST_CHARACTERS:
        raise refuse("too_long", f"The SQL is longer than {LONGEST_CHARACTERS} characters.")
    for character in sql if not sql.isprintable() else "":
        if unicodedata.category(character) in _INVISIBLE and character not in _SPACES + _JOINERS:
            raise refuse("characters", f"The SQL holds the invisible character U+{ord(character):04X}.")


def _has_plain_letters(text: str) -> bool:
    """Return whether no letter looks like another one."""
    return unicodedata.normalize("NFKC", text) == text and all(c.isalnum() or c.isascii() for c in text)


def _check_comments(token: Token) -> None:
    """Drop comments, but refuse those that a database would execute or obey."""
    if token.token_type == TokenType.HINT or any(c.lstrip().startswith(("!", "+", "M!")) for c in token.comments):
        raise refuse("hint", "Hints and versioned comments are not allowed.")


def _check_statement(tokens: Sequence[Token]) -> None:
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise refuse("statements", "Only one statement is allowed.")
    if not tokens:
        raise refuse("empty", "There is no SQL statement.")
    first = next((token for token in tokens if token.token_type != TokenType.L_PAREN), tokens[0])
    if tokens[0].token_type not in _FIRST or first.token_type not in _FIRST:
        raise refuse("not_select", "Only SELECT statements are allowed.")


def _check_neighbours(tokens: Sequence[Token]) -> None:
    """Refuse what the parser misreads: 1e3-1e3 is not read as a difference, 1_000 as a 1 with a name, two adjacent
    texts as one or as a text and its name."""
    for token in tokens:
        is_odd = token.token_type == TokenType.VAR and _ODD_NAME.match(token.text)
        if is_odd or (token.token_type == TokenType.NUMBER and not _NUMBER.fullmatch(token.text)):
            raise refuse("meaning", f"'{token.text[:40]}' can be read in two ways. Put blanks around its signs.")
    for before, token in pairwise(tokens):
        kinds = before.token_type, token.token_type
        if kinds == (TokenType.STRING, TokenType.STRING):
            raise refuse("meaning", "Two texts stand side by side. Join them, or write AS before a name.")
        is_run_on = before.end + 1 == token.start and _LETTER.match(token.text) and kinds[1] not in _QUOTED
        if kinds[0] == TokenType.NUMBER and is_run_on:
            raise refuse("meaning", f"Put a blank behind the number {before.text[:40]}.")


def _check_bounds(tokens: Sequence[Token]) -> None:
    if len(tokens) > MOST_TOKENS:
        raise refuse("too_long", f"The SQL has more than {MOST_TOKENS} words and signs.")
    brackets = cases = deepest_brackets = deepest_cases = joins = bare = deepest_bare = run = longest_run = 0
    for token in tokens:
        kind = token.token_type
        brackets += _BRACKETS.get(kind, 0)
        cases += _CASES.get(kind, 0)
        joins += kind == TokenType.JOIN
        bare = 0 if kind in (TokenType.ON, TokenType.USING) else bare + (kind == TokenType.JOIN)
        run = run + 1 if kind in _PREFIXES else 0
        deepest_brackets, deepest_cases = max(deepest_brackets, brackets), max(deepest_cases, cases)
        deepest_bare, longest_run = max(deepest_bare, bare), max(longest_run, run)
    if deepest_brackets > DEEPEST_BRACKETS or deepest_cases > DEEPEST_CASES or longest_run > LONGEST_RUN:
        raise refuse("too_deep", "The SQL is nested too deeply.")
    if deepest_bare > MOST_BARE_JOINS:
        raise refuse("cartesian", "Every JOIN needs its condition: write ON after each.")
    if joins > MOST_JOINS:
        raise refuse("cost", f"The SQL joins more than {MOST_JOINS} tables.")


def _first_line(error: Exception) -> str:
    text = _CLASS.sub(r"\1", str(error).split("\n", 1)[0])
    return text[:160].rstrip(". ") + "."
