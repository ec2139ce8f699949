"""Citations in an answer: `[id]`, or several ids in one pair of brackets. An id that is not among the sources is
removed from the text. Brackets with other content stay unchanged, so the caller describes the form of its ids."""

import re
from collections.abc import Collection, Sequence
from dataclasses import InitVar, dataclass, replace
from functools import lru_cache

from turnkeep.kit.documents import Document
from turnkeep.kit.verification import Sources, Verifier
from turnkeep.records import JSON

_BRACKETS = re.compile(r"(?P<space>\s{0,4})[\[【](?P<inside>(?:[^][【】\n]|\[[\w.-]{2,20}\]){1,300})[]】](?!\()")
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+(?:and|&)\s+")
_PLACE = re.compile(r"(?:pp?|sec|section|figs?|figure|table|eqs?|ch|chapter|app)s?\b\.?\s*[\w.\u2013-]+|§.+", re.I)


@dataclass(frozen=True)
class IdForm:
    """The form of source ids. `dropped` matches parts that do not identify the source, such as a prefix or version."""

    shape: re.Pattern[str]
    dropped: re.Pattern[str] | None = None

    def plain(self, id_: str) -> str:
        return self.dropped.sub("", id_).casefold() if self.dropped else id_


ARXIV = IdForm(
    re.compile(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}"),
    re.compile(r"^arxiv:\s*|\s*\[[\w.-]+\]$|v\d+(?=$|\s*\[)|(?<=[a-z])\.[a-z-]{2,}(?=/)", re.IGNORECASE),
)


@dataclass(frozen=True)
class Checked:
    """An answer that cites only its sources; ids in the order of their first citation."""

    text: str
    cited: tuple[str, ...]
    removed: tuple[str, ...]


def check_citations(text: str, sources: Collection[str], form: IdForm) -> Checked:
    """Return `text` with only the citations of `sources`, each written `[id]`."""
    known = _spellings(frozenset(sources), form)
    cited: dict[str, None] = {}
    removed: dict[str, None] = {}

    def check(found: re.Match[str]) -> str:
        parts = _SEPARATOR.split(found["inside"].strip())
        places = [part for part in parts[1:] if _PLACE.fullmatch(part)]  # "[0704.0009, p. 3]"
        ids = [known.get(part) or known.get(form.plain(part), form.plain(part)) for part in parts if part not in places]
        if not all(id_ in sources or form.shape.fullmatch(id_) for id_ in ids):
            return found[0]
        kept = [id_ for id_ in ids if id_ in sources]
        cited.update(dict.fromkeys(kept))
        removed.update(dict.fromkeys(id_ for id_ in ids if id_ not in sources))
        citations = [*(f"[{id_}]" for id_ in kept), *([f"({', '.join(places)})"] if places else [])]
        return found["space"] + " ".join(citations) if kept else ""

    checked = _BRACKETS.sub(check, text).strip()
    return Checked(checked, tuple(cited), tuple(removed))


@dataclass(eq=False)
class Citing:
    """The Judge of a reply from documents, which may cite only these and take figures only from them and `figures`.
    `texts`: documents with their facts. `known_ids`: ids that a reply might mean, as of the whole collection."""

    documents: Sequence[Document]
    texts: Sequence[str]
    known_ids: Collection[str]
    form: IdForm
    figures: InitVar[Sources]

    def __post_init__(self, figures: Sources) -> None:
        self.cited, self._ids = dict[str, None](), {one.id for one in self.documents}
        self._figures = Verifier(replace(figures, known=[*self.texts, *figures.known]))

    def problems(self, unit: str) -> Sequence[str]:
        checked = check_citations(unit, self.known_ids, self.form)
        foreign = [id_ for id_ in (*checked.cited, *checked.removed) if id_ not in self._ids]
        allowed = ", ".join(f"[{id_}]" for id_ in sorted(self._ids)) or "nothing"
        problems = [f"[{id_}] is none of the documents; you may cite {allowed}" for id_ in foreign]
        return problems or self._figures.problems(unit)

    def accept(self, unit: str) -> str:
        checked = check_citations(unit, self._ids, self.form)
        self.cited |= dict.fromkeys(checked.cited)
        self._figures.accept(unit)
        return unit.replace(unit.strip(), checked.text, 1)

    def material(self) -> list[str]:
        return [*self.texts, *(one.url for one in self.documents if one.url)]

    def sources(self) -> list[JSON]:
        return [
            {"id": one.id, "title": one.title, "url": one.url, "score": one.score, "cited": one.id in self.cited}
            for one in self.documents
        ]

    def listed(self) -> str:
        """Return a list of the documents, in place of a reply of which no sentence is accepted."""
        return "\n".join(f"- {one.title} [{one.id}]" for one in self.documents)


@lru_cache(maxsize=8)
def _spellings(ids: frozenset[str], form: IdForm) -> dict[str, str]:
    """Return the ids by themselves and by their plain form, which stands for the latest version."""
    return {form.plain(id_): id_ for id_ in sorted(ids, key=lambda id_: (len(id_), id_))} | {id_: id_ for id_ in ids}
