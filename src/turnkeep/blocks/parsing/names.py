"""Names of files as users give them."""

import re

from turnkeep.texts import printable

NAME_CHARACTERS = 120
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def file_name(name: str) -> str:
    """Without folders, control characters and what cannot be seen, of at most NAME_CHARACTERS; an ending stays."""
    last = re.split(r"[/\\]", printable(name.replace("\0", "")).strip().rstrip("/\\"))[-1]
    clean = " ".join(_INVISIBLE.sub("", last).split()).lstrip(".") or "document"
    if len(clean) <= NAME_CHARACTERS:
        return clean
    stem, dot, ending = clean.rpartition(".")
    if not stem or len(ending) > 8:
        return clean[:NAME_CHARACTERS]
    return stem[: NAME_CHARACTERS - len(ending) - 1] + dot + ending
