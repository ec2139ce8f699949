"""Search over documents: lexical (SQLite FTS5 in memory) and the fusion of several retrievers.
A word repeated in a query weighs that many times: a standalone query uses this to favour the newest message."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Protocol

from turnkeep.blocks.documents import CorpusError, Document, load_documents, read_document
from turnkeep.blocks.words import STOP_WORDS, words

__all__ = [
    "CorpusError",
    "Document",
    "FusedRetriever",
    "LexicalRetriever",
    "Retriever",
    "load_documents",
    "read_document",
]

MAX_QUERY_WORDS = 256
MAX_WORD_WEIGHT = 4
FUSION_RANK = 60  # Cormack, Clarke and Buettcher 2009: dampens the first ranks, insensitive in practice


class Retriever(Protocol):
    def search(self, query: str, limit: int) -> list[Document]:
        """At most `limit` documents with their scores, best first; any text is a valid query."""


class LexicalRetriever:
    """BM25 over title and text, with FTS5's Porter stemmer for English unless `stem` is given for another language."""

    def __init__(
        self,
        documents: Iterable[Document],
        *,
        stem: Callable[[str], str] | None = None,
        stop_words: frozenset[str] = STOP_WORDS,
        title_weight: float = 2.0,
    ):
        self._documents = list(documents)
        self._stem, self._stop_words, self._title_weight = stem, stop_words, title_weight
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        tokenizer = "porter unicode61 remove_diacritics 2" if stem is None else "unicode61 remove_diacritics 2"
        self._database.execute(f"CREATE VIRTUAL TABLE document USING fts5(title, text, tokenize = '{tokenizer}')")
        rows = ((n, self._indexed(d.title), self._indexed(d.text)) for n, d in enumerate(self._documents))
        self._database.executemany("INSERT INTO document(rowid, title, text) VALUES (?, ?, ?)", rows)

    def search(self, query: str, limit: int) -> list[Document]:
        match = self._match(query)
        if not match or limit < 1:
            return []
        sql = (
            "SELECT rowid, bm25(document, ?, 1.0) AS cost FROM document WHERE document MATCH ?"
            " ORDER BY cost, rowid LIMIT ?"
        )
        with self._lock:
            rows = self._database.execute(sql, (self._title_weight, match, limit)).fetchall()
        return [replace(self._documents[row], score=-cost) for row, cost in rows]

    def _indexed(self, text: str) -> str:
        if self._stem is None:
            return text.encode(errors="replace").decode()
        return " ".join(map(self._stem, words(text)))

    def _match(self, query: str) -> str:
        """Quoted words joined by OR: nothing of the query is read as FTS5 syntax."""
        stem = self._stem or str
        weights = Counter(stem(word) for word in words(query) if word not in self._stop_words)
        chosen = list(weights.items())[:MAX_QUERY_WORDS]
        return " OR ".join(f'"{word}"' for word, count in chosen for _ in range(min(count, MAX_WORD_WEIGHT)))


class FusedRetriever:
    """Reciprocal rank fusion: what several retrievers find near the top comes first."""

    def __init__(self, retrievers: Sequence[Retriever], *, depth: int = 50):
        """`depth` is how many documents each retriever contributes at least."""
        self._retrievers, self._depth = tuple(retrievers), depth

    def search(self, query: str, limit: int) -> list[Document]:
        scores: dict[str, float] = {}
        found: dict[str, Document] = {}
        for retriever in self._retrievers:
            for rank, document in enumerate(retriever.search(query, max(limit, self._depth)), 1):
                scores[document.id] = scores.get(document.id, 0.0) + 1 / (FUSION_RANK + rank)
                found.setdefault(document.id, document)
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [replace(found[id_], score=score) for id_, score in ranked[: max(limit, 0)]]
