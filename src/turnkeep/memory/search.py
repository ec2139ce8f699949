"""Search of memories: filters with the semantics of LangGraph's InMemoryStore, and semantic search. Vectors of a
value's fields are stored with it, and each is compared with the query's."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import eq, ge, gt, le, lt, mul, ne
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, Op, PutOp, SearchOp, ensure_embeddings, get_text_at_path, tokenize_path

from turnkeep.errors import InvalidRequest, ModelError, TurnkeepError
from turnkeep.graphfile import GraphFile
from turnkeep.settings import UnusableFile

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {"$eq": eq, "$ne": ne}
_ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_OPENAI = "openai:"
_INDEX = '"index": {"embed": "openai:text-embedding-3-small", "dims": 1536}'


@dataclass(frozen=True)
class Vectors:
    """Vectors of length 1; some models encode texts and queries differently."""

    texts: Mapping[str, bytes] = field(default_factory=dict)
    queries: Mapping[str, bytes] = field(default_factory=dict)


class Meaning:
    """Embeds by LangGraph's `index`: `dims`, `fields`, `embed` (model, function or "openai:text-embedding-3-small")."""

    def __init__(self, index: IndexConfig):
        self._dims = index.get("dims")
        self._model = _model_of(index["embed"])
        self._fields = index.get("fields") or ["$"]

    def embed(self, ops: Sequence[Op]) -> Vectors:
        """Return the vectors that the operations need. Raise ModelError."""
        texts, queries = self._wanted(ops)
        with _as_model_error():
            found = self._model.embed_documents(texts) if texts else []
            return self._vectors(texts, found, queries, [self._model.embed_query(query) for query in queries])

    async def aembed(self, ops: Sequence[Op]) -> Vectors:
        texts, queries = self._wanted(ops)
        with _as_model_error():
            found = await self._model.aembed_documents(texts) if texts else []
            return self._vectors(texts, found, queries, [await self._model.aembed_query(query) for query in queries])

    def texts_of(self, op: PutOp) -> dict[str, str]:
        """Return texts by path of field: "notes", or "notes.0", "notes.1" if there are several."""
        if op.value is None or op.index is False:
            return {}
        found: dict[str, str] = {}
        for path in op.index or self._fields:
            texts = get_text_at_path(op.value, path if path == "$" else tokenize_path(path))
            found |= {path if len(texts) == 1 else f"{path}.{n}": text for n, text in enumerate(texts)}
        return found

    def _wanted(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        texts = [text for op in ops if isinstance(op, PutOp) for text in self.texts_of(op).values()]
        queries = [op.query for op in ops if isinstance(op, SearchOp) and op.query]
        return list(dict.fromkeys(texts)), list(dict.fromkeys(queries))

    def _vectors(self, texts: list[str], of_texts: Any, queries: list[str], of_queries: Any) -> Vectors:
        for vector in (*of_texts, *of_queries):
            if self._dims and len(vector) != self._dims:
                raise ModelError(f"The embedding model returns {len(vector)} numbers, `dims` is {self._dims}.")
        by_text = zip(texts, map(_packed, of_texts), strict=True)
        return Vectors(dict(by_text), dict(zip(queries, map(_packed, of_queries), strict=True)))


def options_of(file: GraphFile, load: Callable[[str, str], Any]) -> dict[str, Any]:
    """Return DynamoDBStore's options from `store` of a langgraph.json; `load` imports a name. Raise UnusableFile."""
    index, ttl = file.store.get("index"), file.store.get("ttl")
    if index is None:
        return {"ttl": ttl}
    if not isinstance(index, Mapping) or not isinstance(index.get("embed"), str):
        raise UnusableFile(f"{file.path}: `store.index` has no `embed`. Write {_INDEX}")
    source, _, name = index["embed"].rpartition(":")
    own = load(source, name) if source.endswith(".py") or "/" in source else None
    try:
        return {"index": Meaning({**index, "embed": own or index["embed"]}), "ttl": ttl}  # type: ignore[typeddict-item]
    except Exception as error:  # the model's package may raise anything if a key is missing or it is not installed
        why = f"{type(error).__name__}: {error}"
        raise UnusableFile(f"{file.path}: `store.index.embed` {index['embed']!r} cannot be used: {why}") from error


def nearness(query: bytes, vectors: Mapping[str, bytes]) -> float | None:
    """Return the cosine similarity of a memory's nearest vector, or None if it has none of this model."""
    numbers = memoryview(query).cast("f")
    found = [sum(map(mul, numbers, memoryview(each).cast("f"))) for each in vectors.values() if len(each) == len(query)]
    return max(found, default=None)


def _model_of(embed: Any) -> Embeddings:
    """Return the model. Send texts to OpenAI: tokens need a download, and compatible servers reject them."""
    if isinstance(embed, str) and embed.startswith(_OPENAI):
        from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415 - only if it is named

        return OpenAIEmbeddings(model=embed.removeprefix(_OPENAI), check_embedding_ctx_length=False)
    return ensure_embeddings(embed)


def _packed(vector: Sequence[float]) -> bytes:
    length = math.sqrt(math.fsum(each * each for each in vector)) or 1.0
    return array("f", [each / length for each in vector]).tobytes()


@contextmanager
def _as_model_error() -> Iterator[None]:
    """Convert any exception to ModelError: users choose the model, so it may raise anything."""
    try:
        yield
    except TurnkeepError:
        raise
    except Exception as error:
        name = type(error).__name__
        raise ModelError(f"The embedding model failed: {name}. Try again, or search without `query`.") from error


def fits(value: Any, wanted: Mapping[str, Any] | None) -> bool:
    """Return whether a value matches: `{"age": {"$gte": 18}, "home": {"town": "Pisa"}}`. Raise InvalidRequest."""
    found = value if isinstance(value, Mapping) else {}
    return all(_fits(found.get(name), each) for name, each in (wanted or {}).items())


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, list | tuple):
        is_list = isinstance(value, list | tuple) and len(value) == len(wanted)
        return is_list and all(map(_fits, value, wanted))
    return bool(value == wanted)


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator in _COMPARED:
        return _COMPARED[operator](value, other)
    if operator not in _ORDERED:
        raise InvalidRequest(f"`filter` has an unknown operator. Use {', '.join([*_COMPARED, *_ORDERED])}.")
    try:
        return _ORDERED[operator](float(value), float(other))
    except (TypeError, ValueError):  # dates such as "2026-11-23" are ordered too; unordered values do not match
        return isinstance(value, str) and isinstance(other, str) and _ORDERED[operator](value, other)
