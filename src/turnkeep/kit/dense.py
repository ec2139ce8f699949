"""Dense search: the cosine of a query with every passage; requires the extra `dense`. A document scores as its nearest
passage. A file of vectors next to the documents saves encoding them at startup. The digest of a text is its key, so an
edited document is encoded again and a stale file is harmless."""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias
from zipfile import BadZipFile

import numpy
from numpy.typing import NDArray

from turnkeep.kit.documents import Document
from turnkeep.models.minilm import SentenceEncoder, Vectors
from turnkeep.observability import logger

PASSAGE_WORDS = 96  # about 128 tokens, the length that MiniLM was trained with
PASSAGE_STEP = 72
LEAST_NEARNESS = 0.2  # a cosine; unrelated texts score below it

_DAMAGED = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, BadZipFile, zlib.error)

Row: TypeAlias = NDArray[numpy.float16]
Encode: TypeAlias = Callable[[Sequence[str]], Vectors]  # texts to rows of length 1


class DenseRetriever:
    """Compares exact cosines. A line that the query repeats counts twice: a standalone query repeats the message."""

    def __init__(self, documents: Iterable[Document], encode: Encode, *, known: Mapping[str, Row] | None = None):
        """`known` maps the digest of a text to its vector from an earlier start; missing vectors are encoded now."""
        self._documents, self._encode = list(documents), encode
        passages = [passages_of(document) for document in self._documents]
        texts = {digest(text): text for group in passages for text in group}
        vectors = {key: row for key, row in (known or {}).items() if key in texts}
        missing = [key for key in texts if key not in vectors]
        if missing:
            rows = encode([texts[key] for key in missing]).astype(numpy.float16)
            vectors |= dict(zip(missing, rows, strict=True))
        self.vectors: Mapping[str, Row] = vectors
        self.encoded = len(missing)
        self._starts = list(accumulate(map(len, passages[:-1]), initial=0))
        rows_of_all = [vectors[digest(text)] for group in passages for text in group]
        self._rows = numpy.array(rows_of_all, numpy.float32)

    def search(self, query: str, limit: int) -> list[Document]:
        if not self._documents or not query.strip() or limit < 1:
            return []
        # Not `@`: for such a small product, waiting for BLAS threads takes a hundred times longer than computing.
        nearness = numpy.maximum.reduceat(numpy.vecdot(self._rows, self._vector(query)), self._starts)
        best = numpy.argsort(-nearness, kind="stable")[:limit]
        return [replace(self._documents[n], score=float(nearness[n])) for n in best if nearness[n] >= LEAST_NEARNESS]

    def _vector(self, query: str) -> Vectors:
        counts = Counter(query.splitlines())
        (line, count), *_ = counts.most_common(1)
        total: Vectors = self._encode(["\n".join(counts), line] if count > 1 else [query]).sum(axis=0)
        return total / numpy.linalg.norm(total)


def open_dense_retriever(documents: Iterable[Document], vectors: Path | None = None) -> DenseRetriever:
    """Return a retriever with MiniLM and the vectors in the file `vectors`, which is rewritten if any were missing."""
    encoder = SentenceEncoder()
    known = load_vectors(vectors, encoder.name, encoder.dimensions) if vectors else {}
    retriever = DenseRetriever(documents, encoder.encode, known=known)
    if retriever.encoded:
        logger.info("passages encoded", passages=retriever.encoded, of=len(retriever.vectors))
    if vectors and retriever.encoded:
        save_vectors(vectors, encoder.name, retriever.vectors)
    return retriever


def passages_of(document: Document) -> list[str]:
    """Return overlapping windows of the text, each after the title; a title that begins the text is not repeated."""
    title, words = document.title.split(), document.text.split()
    words = words[len(title) :] if words[: len(title)] == title else words
    starts = range(0, max(len(words) - PASSAGE_WORDS + PASSAGE_STEP, 1), PASSAGE_STEP)
    return [" ".join([*title, *words[at : at + PASSAGE_WORDS]]) for at in starts]


def digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:32]


def load_vectors(path: Path, model: str, dimensions: int) -> dict[str, Row]:
    """Return vectors by the digest of their text; none if the file is absent, unreadable or of another model."""
    if not path.exists():
        return {}
    try:
        with numpy.load(path, allow_pickle=False) as file:
            of, digests, vectors = str(file["model"]), file["digests"].astype("U"), file["vectors"]
        is_sound = vectors.shape == (len(digests), dimensions) and bool(numpy.isfinite(vectors).all())
    except _DAMAGED as error:
        logger.warning("vectors not used", reason=type(error).__name__)
        return {}
    return dict(zip(digests.tolist(), vectors, strict=True)) if of == model and is_sound else {}


def save_vectors(path: Path, model: str, vectors: Mapping[str, Row]) -> None:
    """Replace the file atomically. If the folder is read-only, as on Lambda, each start encodes the missing vectors."""
    draft = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    digests, rows = numpy.array(list(vectors), "S"), numpy.stack(list(vectors.values()))
    try:
        numpy.savez(draft, model=numpy.array(model), digests=digests, vectors=rows)
        draft.replace(path)
    except OSError as error:
        logger.warning("vectors not kept", passages=len(vectors), reason=type(error).__name__)
        with suppress(OSError):
            draft.unlink()
