"""SQL out of what a model wrote around it, fences, prose, curly quotes; then other texts that may have been meant where
it cannot be read: on words and signs, as there is no tree yet."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from turnkeep_agents.database.guard.verdicts import Dialect

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


def candidates(text: str) -> Iterator[str]:
    """What of `text` may be the SQL, likeliest first. A second statement is never dropped: then there is none."""
    plain = _visible(text)
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


def _visible(text: str) -> str:
    straight = text.translate(_STRAIGHT)
    return "".join(c for c in straight if c in "\n\r\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


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


def _quoted(text: str, odd_names: Sequence[str], dialect: Dialect) -> str:
    """With quotes around names that cannot stand without; plain but reserved words only where a table stands."""
    quote = _QUOTES[dialect]
    for name in odd_names:
        before = _BEFORE_TABLES if name.isidentifier() else r"(?<![\w\"'`\[%$-])"
        pattern = rf"({before})({re.escape(name)})(?![\w\"'`\]%-])"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text
