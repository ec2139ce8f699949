"""Citations in an answer: `[id]`, several in one pair of brackets. An id that was not among the sources is taken out of
the text; brackets that hold something else are left alone, so the caller says what its ids look like."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from turnkeep.blocks.documents import Document
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.records import JSON

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
    """An answer that cites only its sources; ids in the order of their first citation."""

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


class Citing:
    """A Judge of blocks/wording.py for a reply from documents: it cites them only, and its figures are theirs."""

    def __init__(
        self,
        documents: Sequence[Document],
        texts: Sequence[str],
        known_ids: Collection[str],
        form: IdForm,
        said: Sources,
    ):
        """`texts` are the documents as they count, with their facts; `known_ids` those that a reply might mean, such as
        the whole collection's; `said` is what counts beside the documents."""
        self.documents, self.cited = documents, dict[str, None]()
        self._ids, self._known_ids, self._form = {one.id for one in documents}, known_ids, form
        self._material = texts
        self._figures = Verifier(replace(said, known=[*texts, *said.known]))

    def problems(self, unit: str) -> Sequence[str]:
        checked = check_citations(unit, self._known_ids, self._form)
        foreign = [id_ for id_ in (*checked.cited, *checked.removed) if id_ not in self._ids]
        allowed = ", ".join(f"[{id_}]" for id_ in sorted(self._ids)) or "nothing"
        said = [f"[{id_}] is none of the documents; you may cite {allowed}" for id_ in foreign]
        return said or self._figures.problems(unit)

    def accept(self, unit: str) -> str:
        checked = check_citations(unit, self._ids, self._form)
        self.cited |= dict.fromkeys(checked.cited)
        self._figures.accept(unit)
        return unit.replace(unit.strip(), checked.text, 1)

    def material(self) -> list[str]:
        """Return the texts whose links a reply may show."""
        return [*self._material, *(one.url for one in self.documents if one.url)]

    def sources(self) -> list[JSON]:
        return [
            {"id": one.id, "title": one.title, "url": one.url, "score": one.score, "cited": one.id in self.cited}
            for one in self.documents
        ]

    def listed(self) -> str:
        """The documents alone, in no language, for a reply of which nothing else could be shown."""
        return "\n".join(f"- {one.title} [{one.id}]" for one in self.documents)


def _plain(part: str, sources: Collection[str], form: IdForm) -> str:
    bare = part.strip()
    if bare in sources or form.dropped is None:
        return bare
    return form.dropped.sub("", bare)
