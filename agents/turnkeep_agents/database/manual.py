"""The sections of a user manual as documents that can be searched and cited."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from turnkeep.kit.documents import CorpusError, Document
from turnkeep.kit.pages import read_files, read_sections
from turnkeep.kit.retrieval import open_dense, open_retriever

DEPTH = 40  # sections of which the best are taken
PAGE_SHARE = 0.15  # of a page's best score, added to each of its sections: the words may stand in the section before
NEARNESS = 1.5  # score of a perfect match in meaning
VECTORS = "vectors.npz"


class Manual:
    """A document's id is `page#section`, its title `Page > Section`; its metadata has the title of its page."""

    def __init__(self, documents: Sequence[Document], *, dense: bool = False, vectors: Path | None = None):
        """`vectors` is a file for `open_dense`."""
        self.documents = tuple(documents)
        self.by_id = {document.id: document for document in self.documents}
        self._retriever = open_retriever([with_index(one) for one in self.documents])
        self._dense = open_dense([with_index(one) for one in self.documents], vectors) if dense else None

    def search(self, query: str, limit: int) -> list[Document]:
        """Return the sections about the query with their scores, best first."""
        scores = self._scores(query)
        pages: dict[str, float] = {}
        for id_, merit in scores.items():
            pages[page_of(id_)] = max(merit, pages.get(page_of(id_), 0.0))
        scores = {id_: merit + PAGE_SHARE * pages[page_of(id_)] for id_, merit in scores.items()}
        best = sorted(scores, key=lambda id_: -scores[id_])[: max(limit, 0)]
        return [replace(self.by_id[id_], score=round(scores[id_], 3)) for id_ in best]

    def _scores(self, query: str) -> dict[str, float]:
        """Score matching sections: 1 for the best by words, more for those near in meaning."""
        found = self._retriever.search(query, DEPTH)
        top = (found[0].score if found else None) or 1.0
        scores = {document.id: (document.score or 0.0) / top for document in found}
        for document in self._dense.search(query, len(self.documents)) if self._dense else ():
            scores[document.id] = scores.get(document.id, 0.0) + NEARNESS * (document.score or 0.0)
        return scores

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The titles of the pages, the page with the most sections first."""
        counts = Counter(document.metadata["page"] for document in self.documents)
        return tuple(title for title, _ in counts.most_common())

    def named(self, page: str, ranked: Sequence[Document]) -> list[Document]:
        """Return the sections of a page, best ranked first."""
        places = {one.id: place for place, one in enumerate(ranked)}
        sections = [one for one in self.documents if page_of(one.id) == page]
        return sorted(sections, key=lambda one: places.get(one.id, len(places)))


def page_of(id_: str) -> str:
    return id_.partition("#")[0]


def with_index(document: Document) -> Document:
    """Put the document's other words before its text, to be searched."""
    also = " ".join(filter(None, (document.metadata.get("also"), document.metadata.get("page_also"))))
    return replace(document, text=f"{also}. {document.text}") if also else document


def open_manual(folder: Path, *, dense: bool = False) -> Manual:
    """Open the manual in `folder` with its vectors. Raises CorpusError with file and remedy."""
    return Manual(load_manual(folder), dense=dense, vectors=folder / VECTORS)


def load_manual(folder: Path) -> list[Document]:
    """Return the sections of all pages in `folder`; raise CorpusError with file and remedy."""
    documents = []
    for section in (section for file in read_files(folder) for section in read_sections(file)):
        about = {"page": section.path[0], "also": section.also, "page_also": section.page_also}
        documents.append(Document(section.id, " > ".join(section.path), section.text, metadata=about))
    if not documents:
        raise CorpusError(f"{folder}: its pages hold headings only; write text below them")
    return documents
