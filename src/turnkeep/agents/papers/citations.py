"""Citations in an answer: `[id]`, several in one pair of brackets, with or without `arXiv:` and a version. An id that
was not among the sources is taken out of the text; brackets that hold something else are left alone."""

import re
from collections.abc import Collection
from dataclasses import dataclass

_BRACKETS = re.compile(r"(?P<space>\s{0,4})\[(?P<inside>[^\[\]\n]{1,300})\](?!\()")
_SEPARATOR = re.compile(r"\s*[,;]\s*")
_PREFIX = re.compile(r"^arxiv:\s*", re.IGNORECASE)
_VERSION = re.compile(r"v\d+$")
_ARXIV_ID = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")


@dataclass(frozen=True)
class Checked:
    """An answer that cites only its sources."""

    text: str
    cited: tuple[str, ...]
    removed: tuple[str, ...]


def check_citations(text: str, sources: Collection[str]) -> Checked:
    """`text` without citations of anything but `sources`; kept ones are written `[id]`."""
    cited: dict[str, None] = {}
    removed: dict[str, None] = {}

    def check(found: re.Match[str]) -> str:
        ids = [_plain(part, sources) for part in _SEPARATOR.split(found["inside"].strip())]
        if not all(id_ in sources or _ARXIV_ID.fullmatch(id_) for id_ in ids):
            return found[0]
        kept = [id_ for id_ in ids if id_ in sources]
        cited.update(dict.fromkeys(kept))
        removed.update(dict.fromkeys(id_ for id_ in ids if id_ not in sources))
        return found["space"] + " ".join(f"[{id_}]" for id_ in kept) if kept else ""

    checked = _BRACKETS.sub(check, text).strip()
    return Checked(checked, tuple(cited), tuple(removed))


def cited_ids(text: str, known: Collection[str]) -> list[str]:
    """The ids in `text` that are known, in the order of their first citation."""
    return list(check_citations(text, known).cited)


def _plain(part: str, sources: Collection[str]) -> str:
    bare = _PREFIX.sub("", part.strip())
    return bare if bare in sources else _VERSION.sub("", bare)
