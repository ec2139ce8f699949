"""SQL out of what a model wrote around it: fences, prose, curly quotes."""

import re
import unicodedata
from collections.abc import Iterator

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
