"""Placeholders, such as "[EMAIL_3f9a1c2b]": the same datum of a thread has the same one, and nobody can make up one
that stands for something, because its tag is an HMAC."""

from collections.abc import Callable
from typing import TypeAlias

from turnkeep.blocks.pii.finding import find

Tag: TypeAlias = Callable[[str, str], str]
"""The eight hexadecimal digits of a kind and a value in one thread."""


def hidden(text: str, tag: Tag, names: set[str] | None = None) -> tuple[str, dict[str, str]]:
    """The text with placeholders, and what each of them stands for, in the spelling that was met first. What looks like
    a placeholder already stays. `names` are as `find` takes them."""
    parts: list[str] = []
    values: dict[str, str] = {}
    at = 0
    for finding in find(text, names):
        placeholder = f"[{finding.kind}_{tag(finding.kind, finding.value)}]"
        values.setdefault(placeholder, text[finding.start : finding.end])
        parts += [text[at : finding.start], placeholder]
        at = finding.end
    return "".join([*parts, text[at:]]), values
