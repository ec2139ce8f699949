"""Citations in an answer: `[id]`, several in one pair of brackets. An id that was not among the sources is taken out of
the text; brackets that hold something else are left alone, so the caller says what its ids look like."""

import re
from collections.abc import Collection
from dataclasses import dataclass

_BRACKETS = re.compile(r"(?P<space>\s{0,4})\[(?P<inside>[^\[\]\n]{1,300})\](?!\()")
_SEPARATOR = re.compile(r"\s*[,;]\s*")


@dataclass(frozen=True)
class IdForm:
    """What the ids of some sources look like. What `dropped` matches in a cited id may be left out of it: a prefix, a
    version."""

    shape: re.Pattern[str]
    dropped: re.Pattern[str] | None = None


ARXIV = IdForm(
    re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}"), re.compile(r"^arxiv:\s*|v\d+$", re.IGNORECASE)
)


@dataclass(frozen=True)
class Checked:
    """An answer that cites only its sources."""

    text: str
    cited: tuple[str, ...]
    removed: tuple[str, ...]


def check_citations(text: str, sources: Collection[str], form: IdForm) -> Checked:
    """`text` without citations of anything but `sources`; kept ones are written `[id]`."""
    cited: dict[str, None] = {}
    removed: dict[str, None] = {}

    def check(found: re.Match[str]) -> str:
        ids = [_plain(part, sources, form) for part in _SEPARATOR.split(found["inside"].strip())]
        if not all(id_ in sources or form.shape.fullmatch(id_) for id_ in ids):
            return found[0]
        kept = [id_ for id_ in ids if id_ in sources]
        cited.update(dict.fromkeys(kept))
        removed.update(dict.fromkeys(id_ for id_ in ids if id_ not in sources))
        return found["space"] + " ".join(f"[{id_}]" for id_ in kept) if kept else ""

    checked = _BRACKETS.sub(check, text).strip()
    return Checked(checked, tuple(cited), tuple(removed))


def cited_ids(text: str, known: Collection[str], form: IdForm) -> list[str]:
    """The ids in `text` that are known, in the order of their first citation."""
    return list(check_citations(text, known, form).cited)


def _plain(part: str, sources: Collection[str], form: IdForm) -> str:
    bare = part.strip()
    if bare in sources or form.dropped is None:
        return bare
    return form.dropped.sub("", bare)
