"""The user manual: its sections as documents that can be searched and cited. The bundled one describes the invented
application that the sample database belongs to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from turnkeep_agents.database.manual.concepts import MOST_CHARACTERS, Fields, concepts_of, fields_of, score
from turnkeep_agents.database.manual.definitions import defines
from turnkeep_agents.database.manual.files import read_files
from turnkeep_agents.database.manual.outline import outline_of, page_of
from turnkeep_agents.database.manual.sections import Section, read_sections
from turnkeep_agents.database.manual.stems import stems
from turnkeep_agents.database.manual.troubles import is_trouble, speaks_of_trouble
from turnkeep.blocks.documents import CorpusError, Document
from turnkeep.blocks.rarity import Weights
from turnkeep.blocks.retrieval import open_dense, open_retriever

DEPTH = 40  # sections of which the best are taken
PAGE_SHARE = 0.15
TROUBLE = 0.15  # for a section about what does not work, where something does not
WORDS_SHARE = 0.15  # of the score that search by the very words gives its best section
NEARNESS = 1.5  # of a section as near in meaning as can be, where there is a dense retriever
VECTORS = "vectors.npz"
BUNDLED = Path(__file__).with_name("pages")


class Manual:
    """A document's id is `page#section`, its title `Page > Section`, its metadata the title of its page."""

    def __init__(self, documents: Sequence[Document], *, dense: bool = False, vectors: Path | None = None):
        """`vectors` is a file as `open_dense` takes it. Raises MissingExtra where `dense` is asked for and not
        installed."""
        self.documents = tuple(documents)
        self.by_id = {document.id: document for document in self.documents}
        self._retriever = open_retriever(self.documents)
        self._dense = open_dense([with_index(one) for one in self.documents], vectors) if dense else None

    def search(self, query: str, limit: int) -> list[Document]:
        """The sections that speak of the query, best first, with their scores: by what it is about in whatever words,
        and by its very words. A section gains from the best one of its page: what a question asks may stand beside the
        words it uses."""
        scores = self._scores(query)
        pages: dict[str, float] = {}
        for id_, merit in scores.items():
            pages[page_of(id_)] = max(merit, pages.get(page_of(id_), 0.0))
        scores = {id_: merit + PAGE_SHARE * pages[page_of(id_)] for id_, merit in scores.items()}
        ranked = sorted(scores, key=lambda id_: -scores[id_])
        telling = [id_ for id_ in ranked if defines(query, asdict(self.by_id[id_]))]
        best = list(dict.fromkeys([*telling, *ranked]))[: max(limit, 0)]
        return [replace(self.by_id[id_], score=round(scores[id_], 3)) for id_ in best]

    def _scores(self, query: str) -> dict[str, float]:
        """Of the sections that speak of it at all."""
        found = self._retriever.search(query, DEPTH)
        top = (found[0].score if found else None) or 1.0
        concepts = concepts_of(query)
        merits = {id_: score(concepts, fields, self.weights) for id_, fields in self._fields.items()}
        scores = {id_: merit for id_, merit in merits.items() if merit > 0}
        if is_trouble(query[:MOST_CHARACTERS]):
            scores = {id_: merit + TROUBLE * (id_ in self._of_trouble) for id_, merit in scores.items()}
        for document in found:
            share = WORDS_SHARE * (document.score or 0.0) / top
            scores[document.id] = scores.get(document.id, 0.0) + share
        for document in self._dense.search(query, len(self.documents)) if self._dense else ():
            scores[document.id] = scores.get(document.id, 0.0) + NEARNESS * (document.score or 0.0)
        return scores

    @cached_property
    def _of_trouble(self) -> frozenset[str]:
        return frozenset(one.id for one in self.documents if speaks_of_trouble(one.title))

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
    def outline(self) -> str:
        return outline_of(self.documents)

    def named(self, name: str, ranked: Sequence[Document]) -> list[Document]:
        """The section or, best ranked first, those of the page of that name; none where there is none."""
        sections = [one for one in self.documents if name in (one.id, page_of(one.id))]
        places = {one.id: place for place, one in enumerate(ranked)}
        return sorted(sections, key=lambda one: places.get(one.id, len(places)))

    @cached_property
    def weights(self) -> Weights:
        return Weights((f"{one.title} {one.text} {one.metadata.get('also', '')}" for one in self.documents), stems)

    def neighbours(self, id_: str) -> tuple[Document, ...]:
        """The sections right before and after, on the same page."""
        found = (second if first.id == id_ else first for first, second in self._pairs if id_ in (first.id, second.id))
        return tuple(found)

    @cached_property
    def _pairs(self) -> tuple[tuple[Document, Document], ...]:
        return tuple(pair for pair in pairwise(self.documents) if page_of(pair[0].id) == page_of(pair[1].id))


def with_index(document: Document) -> Document:
    """Its other words before its text, as a dense retriever reads it."""
    also = document.metadata.get("also")
    return replace(document, text=f"{also}. {document.text}") if also else document


def open_manual(folder: str | None, *, dense: bool = False) -> Manual:
    """The manual in `folder`, or the bundled one, with the vectors that lie in it; raises CorpusError with file and
    remedy, and MissingExtra."""
    place = Path(folder) if folder else BUNDLED
    return Manual(load_manual(place), dense=dense, vectors=place / VECTORS)


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
