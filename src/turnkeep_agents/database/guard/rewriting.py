"""Other texts that may have been meant where a text cannot be read: on words and signs, as there is no tree yet."""

import re
from collections.abc import Iterator, Sequence

from turnkeep_agents.database.guard.verdicts import Dialect

_INNER_QUOTE = re.compile(r"(?<=[A-Za-z])'(?=[A-Za-z])")
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


def _quoted(text: str, odd_names: Sequence[str], dialect: Dialect) -> str:
    """With quotes around names that cannot stand without; plain but reserved words only where a table stands."""
    quote = _QUOTES[dialect]
    for name in odd_names:
        before = _BEFORE_TABLES if name.isidentifier() else r"(?<![\w\"'`\[%$-])"
        pattern = rf"({before})({re.escape(name)})(?![\w\"'`\]%-])"
        text = re.sub(pattern, lambda found: f"{found[1]}{quote}{found[2]}{quote}", text)
    return text
