"""What a reply may say: it cites and links to its papers only, and its figures are those of the papers."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from turnkeep.blocks.citations import ARXIV, check_citations, cited_ids
from turnkeep.blocks.documents import Document
from turnkeep.blocks.prompting import PromptBuilder
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.records import JSON

_LINK = re.compile(r"https?://[^\s<>()\[\]\"]+")
_AROUND = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)


class Citing:
    """A Judge for a reply from `papers`."""

    def __init__(self, papers: Sequence[Document], known_ids: Collection[str], said: Sources):
        """`known_ids` are those of the whole corpus; `said` is what counts beside the papers."""
        self.papers, self.cited = papers, dict[str, None]()
        self._ids, self._known_ids = {paper.id for paper in papers}, known_ids
        self._texts = [*map(_told, papers), *said.known]
        self._figures = Verifier(replace(said, known=self._texts))

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


def cited_in(prompt: PromptBuilder, corpus: Mapping[str, Document]) -> list[Document]:
    """The papers that the replies in a prompt cite, those of the newest first."""
    shown = prompt.trimmed.messages if prompt.trimmed else []
    replies = [said["content"] for said in reversed(shown) if said["role"] == "assistant"]
    ids = dict.fromkeys(id_ for reply in replies for id_ in cited_ids(reply, corpus, ARXIV))
    return [corpus[id_] for id_ in ids]


def _told(paper: Document) -> str:
    facts = [*paper.metadata["authors"], str(paper.metadata["year"] or ""), paper.url or ""]
    return "\n".join([f"{paper.title} [{paper.id}]", *facts, paper.text])
