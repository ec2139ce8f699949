"""Placeholders, such as "[EMAIL_3f9a1c2b]": the same datum of a thread has the same one, and nobody can make up one
that stands for something, because its tag is an HMAC."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from turnkeep.blocks.pii.finding import found_in
from turnkeep.blocks.pii.persons import parts_of
from turnkeep.blocks.pii.stretches import stretches

Tag: TypeAlias = Callable[[str, str], str]
"""The eight hexadecimal digits of a kind and a value in one thread."""


def hidden(
    text: str, tag: Tag, known: Mapping[str, str] | None = None, names: set[str] | None = None
) -> tuple[str, dict[str, str]]:
    """The text with placeholders, and what each of them stands for, in the spelling that was met first. `known` is what
    the thread's placeholders stand for so far: a word of a name that is among them is found by itself. What looks like
    a placeholder already stays. `names`, words of names that are known, are added to: for who hides many texts, which
    would have to read `known` each time."""
    names = set() if names is None else names
    names |= {
        part
        for placeholder, value in (known or {}).items()
        if placeholder[1:8] == "PERSON_"
        for part in parts_of(value)
    }
    parts: list[str] = []
    values: dict[str, str] = {}
    for stretch in stretches(text):
        at = 0
        for finding in found_in(stretch, names):
            placeholder = f"[{finding.kind}_{tag(finding.kind, finding.value)}]"
            spelling = stretch[finding.start : finding.end]
            values.setdefault(placeholder, spelling)
            parts += [stretch[at : finding.start], placeholder]
            at = finding.end
            if finding.kind == "PERSON":
                names |= parts_of(spelling)
        parts.append(stretch[at:])
    return "".join(parts), values
