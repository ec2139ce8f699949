"""The user manual: its sections as documents that can be searched and cited. The bundled one describes the invented
application that the sample database belongs to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from turnkeep.agents.database.manual.concepts import Fields, concepts_of, fields_of, score
from turnkeep.agents.database.manual.files import read_files
from turnkeep.agents.database.manual.sections import Section, read_sections
from turnkeep.blocks.documents import CorpusError, Document
from turnkeep.blocks.rarity import Weights
from turnkeep.blocks.retrieval import open_retriever

DEPTH = 40  # sections of which the best are taken
PAGE_SHARE = 0.15
WORDS_SHARE = 0.3  # of the score that search by the very words gives its best section
BUNDLED = Path(__file__).with_name("pages")


class Manual:
    """A document's id is `page#section`, its title `Page > Section`, its metadata the title of its page."""

    def __init__(self, documents: Sequence[Document], *, dense: bool = False):
        """Raises MissingExtra where `dense` is asked for and not installed."""
        self.documents = tuple(documents)
        self.by_id = {document.id: document for document in self.documents}
        self._retriever = open_retriever(self.documents, dense=dense)

    def search(self, query: str, limit: int) -> list[Document]:
        """The sections that speak of the query, best first, with their scores: by what it is about in whatever words,
        and by its very words. A section gains from the best one of its page: what a question asks may stand beside the
        words it uses."""
        scores = self._scores(query)
        pages: dict[str, float] = {}
        for id_, merit in scores.items():
            pages[_page(id_)] = max(merit, pages.get(_page(id_), 0.0))
        scores = {id_: merit + PAGE_SHARE * pages[_page(id_)] for id_, merit in scores.items()}
        best = sorted(scores, key=lambda id_: -scores[id_])[: max(limit, 0)]
        return [replace(self.by_id[id_], score=round(scores[id_], 3)) for id_ in best]

    def _scores(self, query: str) -> dict[str, float]:
        """Of the sections that speak of it at all."""
        found = self._retriever.search(query, DEPTH)
        top = (found[0].score if found else None) or 1.0
        concepts = concepts_of(query)
        merits = {id_: score(concepts, fields, self.weights) for id_, fields in self._fields.items()}
        scores = {id_: merit for id_, merit in merits.items() if merit > 0}
        for document in found:
            share = WORDS_SHARE * (document.score or 0.0) / top
            scores[document.id] = scores.get(document.id, 0.0) + share
        return scores

    @cached_property
    def _fields(self) -> dict[str, Fields]:
        return {document.id: fields_of(asdict(document)) for document in self.documents}

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Those of the pages; the page with the most sections first."""
        return tuple(
            title for title, _ in Counter(document.metadata["page"] for document in self.documents).most_common()
        )

    @cached_property
    def weights(self) -> Weights:
        return Weights(f"{one.title} {one.text} {one.metadata.get('also', '')}" for one in self.documents)

    def neighbours(self, id_: str) -> tuple[Document, ...]:
        """The sections right before and after, on the same page."""
        found = (second if first.id == id_ else first for first, second in self._pairs if id_ in (first.id, second.id))
        return tuple(found)

    @cached_property
    def _pairs(self) -> tuple[tuple[Document, Document], ...]:
        return tuple(pair for pair in pairwise(self.documents) if _page(pair[0].id) == _page(pair[1].id))


def open_manual(folder: str | None, *, dense: bool = False) -> Manual:
    """The manual in `folder`, or the bundled one; raises CorpusError with file and remedy, and MissingExtra."""
    return Manual(load_manual(Path(folder) if folder else BUNDLED), dense=dense)


def load_manual(folder: Path) -> list[Document]:
    """The sections of all pages in `folder`; raises CorpusError with file and remedy."""
    documents = [document for file in read_files(folder) for document in _documents(read_sections(file))]
    if not documents:
        raise CorpusError(f"{folder}: its pages hold headings only; write text below them")
    return documents


def _documents(sections: Sequence[Section]) -> Iterator[Document]:
    for section in sections:
        title = " > ".join(section.path)
        about = {"page": section.path[0], "also": section.also, "page_also": section.page_also}
        yield Document(section.id, title, section.text, metadata=about)


def _page(id_: str) -> str:
    return id_.partition("#")[0]
