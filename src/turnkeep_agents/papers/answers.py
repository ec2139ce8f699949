"""What a reply may say: it cites and links to its papers only, and names no figure that none of them holds."""

import re
from collections.abc import Collection, Sequence
from datetime import date

from langchain_core.messages import AnyMessage

from turnkeep.blocks.citations import ARXIV, check_citations, cited_ids
from turnkeep.blocks.documents import Document
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.records import JSON

_LINK = re.compile(r"https?://[^\s<>()\[\]\"]+")
_AROUND = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)


class Citing:
    """A Judge for a reply from `papers`."""

    def __init__(
        self,
        papers: Sequence[Document],
        known_ids: Collection[str],
        history: Sequence[AnyMessage],
        *,
        language: str,
        today: date,
    ):
        """`known_ids` are those of the whole corpus; `history` ends with the message that is answered."""
        self.papers, self.cited = papers, dict[str, None]()
        self._ids, self._known_ids = {paper.id for paper in papers}, known_ids
        replies = [message.text for message in history if message.type == "ai"]
        asked = tuple(message.text for message in history if message.type == "human")
        self._texts = [*map(_told, papers), *replies]
        self._figures = Verifier(Sources(self._texts, asked, days=[(today, today)], language=language))

    def problems(self, unit: str) -> Sequence[str]:
        checked = check_citations(unit, self._known_ids, ARXIV)
        foreign = [*(id_ for id_ in checked.cited if id_ not in self._ids), *checked.removed]
        links = [link.rstrip(".,;:!?*_") for link in _LINK.findall(unit)]
        unknown = [link for link in links if not any(link in text for text in self._texts)]
        allowed = ", ".join(f"[{id_}]" for id_ in sorted(self._ids)) or "nothing"
        said = [f"[{id_}] is none of the documents; you may cite {allowed}" for id_ in foreign]
        said += [f"{link} stands in no document" for link in unknown]
        return said or self._figures.problems(unit)

    def accept(self, unit: str) -> str:
        checked = check_citations(unit, self._ids, ARXIV)
        self.cited |= dict.fromkeys(checked.cited)
        self._figures.accept(unit)
        return _AROUND.sub(lambda found: f"{found[1]}{checked.text}{found[3]}", unit, count=1)

    def sources(self) -> list[JSON]:
        return [
            {"id": one.id, "title": one.title, "url": one.url, "score": one.score, "cited": one.id in self.cited}
            for one in self.papers
        ]

    def listed(self) -> str:
        """The papers alone, in no language, for a reply of which nothing else could be shown."""
        return "\n".join(f"- {paper.title} [{paper.id}]" for paper in self.papers)


def cited_in(history: Sequence[AnyMessage], corpus: dict[str, Document]) -> list[Document]:
    """The papers that replies have cited, those of the newest first."""
    replies = [message.text for message in reversed(history) if message.type == "ai"]
    ids = dict.fromkeys(id_ for reply in replies for id_ in cited_ids(reply, corpus, ARXIV))
    return [corpus[id_] for id_ in ids]


def _told(paper: Document) -> str:
    facts = [*paper.metadata["authors"], str(paper.metadata["year"] or ""), paper.url or ""]
    return "\n".join([f"{paper.title} [{paper.id}]", *facts, paper.text])
