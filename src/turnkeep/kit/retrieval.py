"""Search over documents: lexical, or fused with dense search if the deployment enables it and has the extra."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from turnkeep.kit.documents import Document
from turnkeep.kit.lexical import LexicalRetriever

# Cormack, Clarke and Buettcher 2009 use 60, for runs of a thousand documents from collections of millions. For ten of a
# few thousand, the first ranks must count for more.
FUSION_RANK = 10
FUSION_DEPTH = 50  # least number of documents from each retriever
DENSE_WEIGHT = 0.5


class Retriever(Protocol):
    def search(self, query: str, limit: int) -> list[Document]:
        """Return at most `limit` documents with their scores, best first; any text is a valid query."""


class FusedRetriever:
    """Reciprocal rank fusion: documents near the top of several retrievers come first, by the retrievers' weights."""

    def __init__(self, *weighted: tuple[Retriever, float]):
        self._weighted = weighted

    def search(self, query: str, limit: int) -> list[Document]:
        scores: dict[str, float] = {}
        found: dict[str, Document] = {}
        for retriever, weight in self._weighted:
            for rank, document in enumerate(retriever.search(query, max(limit, FUSION_DEPTH)), 1):
                scores[document.id] = scores.get(document.id, 0.0) + weight / (FUSION_RANK + rank)
                found.setdefault(document.id, document)
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [replace(found[id_], score=score) for id_, score in ranked[: max(limit, 0)]]


def open_retriever(
    documents: Sequence[Document], *, language: str = "en", dense: bool = False, vectors: Path | None = None
) -> Retriever:
    """Return a lexical retriever ("en", "it") or one fused with dense search, English only."""
    lexical = LexicalRetriever(documents, language=language)
    return FusedRetriever((lexical, 1.0), (open_dense(documents, vectors), DENSE_WEIGHT)) if dense else lexical


def open_dense(documents: Sequence[Document], vectors: Path | None = None) -> Retriever:
    """Return dense search alone, with cosines as scores; it requires the extra `dense`, which settings check."""
    from turnkeep.kit.dense import open_dense_retriever  # noqa: PLC0415  NumPy, loaded on first use

    return open_dense_retriever(documents, vectors)
