"""LangGraph's BaseStore for each principal. Searches match InMemoryStore, but are sorted by place without a query."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, cast

from langgraph.store import base
from langgraph.store.memory import InMemoryStore

from turnkeep.errors import StateCorrupt
from turnkeep.kit.documents import Document
from turnkeep.kit.lexical import LexicalRetriever
from turnkeep.memory.search import Meaning, Vectors, fits, nearness
from turnkeep.observability import logger, measure
from turnkeep.records import Principal
from turnkeep.store.memories import Memories, Memory
from turnkeep.store.opening import make_table, open_codec, open_items

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoDBStore(base.BaseStore):
    """Memory of one principal in the table `table_name`.

    `index`: LangGraph's, to search by meaning; without it a `query` ranks by words. `ttl`: LangGraph's; minutes.
    `seal_key` and `client`: as in DynamoDBSaver.
    Raise InvalidRequest, StoreUnavailable, StateCorrupt, or ModelError if an embedding model fails."""

    supports_ttl = True

    def __init__(
        self,
        table_name: str = "turnkeep",
        *,
        client: "DynamoDBClient | None" = None,
        tenant: str = "local",
        user: str = "local",
        seal_key: str | None = None,
        index: base.IndexConfig | Meaning | None = None,
        ttl: base.TTLConfig | None = None,
        clock: Callable[[], float] = time.time,
        memories: Memories | None = None,
    ):
        """`memories`: replaces the storage that the other arguments describe."""
        if memories is None:
            client, items = open_items(table_name, client)
            who, codec = Principal(tenant, user), open_codec(seal_key)
            memories = Memories(items, codec, who, clock=clock)
        self._table, self._client = table_name, client
        self._memories = memories
        self._meaning = Meaning(index) if isinstance(index, dict) else index
        self.ttl_config = ttl

    def setup(self) -> None:
        """Create the table if it does not exist."""
        if self._client:
            make_table(self._client, self._table)

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Read first, then write the last operation of each place. This is not a transaction."""
        ops = list(ops)
        return self._run(ops, self._meaning.embed(ops) if self._meaning else Vectors())

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        ops = list(ops)
        vectors = await self._meaning.aembed(ops) if self._meaning else Vectors()
        return await asyncio.to_thread(self._run, ops, vectors)

    def _run(self, ops: Sequence[base.Op], vectors: Vectors) -> list[base.Result]:
        got = self._get([op for op in ops if isinstance(op, base.GetOp)])
        results: list[base.Result] = []
        puts: dict[tuple[tuple[str, ...], str], base.PutOp] = {}
        for op in ops:
            match op:
                case base.GetOp():
                    results.append(got.get((op.namespace, op.key)))
                case base.SearchOp():
                    results.append(self._search(op, vectors))
                case base.ListNamespacesOp():
                    results.append(self._namespaces(op))
                case base.PutOp():
                    puts[op.namespace, op.key] = op
                    results.append(None)
                case _:
                    raise ValueError(f"Unknown operation type: {type(op)}")
        for put in puts.values():
            self._put(put, vectors)
        return results

    def _get(self, ops: Sequence[base.GetOp]) -> dict[tuple[tuple[str, ...], str], base.Item]:
        found = self._memories.get((op.namespace, op.key) for op in ops)
        for place in {(op.namespace, op.key) for op in ops if op.refresh_ttl} & found.keys():
            self._memories.refresh(found[place])
        return {place: base.Item(**_facts(memory)) for place, memory in found.items()}

    def _put(self, op: base.PutOp, vectors: Vectors) -> None:
        if op.value is None:
            return self._memories.delete(op.namespace, op.key)
        texts = self._meaning.texts_of(op) if self._meaning else {}
        known = {path: vectors.texts[text] for path, text in texts.items()}
        life = None if op.ttl is None else int(op.ttl * 60_000)
        return self._memories.put(op.namespace, op.key, op.value, life=life, vectors=known)

    def _search(self, op: base.SearchOp, vectors: Vectors) -> list[base.SearchItem]:
        end = op.offset + op.limit
        page = None if op.filter or op.query else max(end, 1)
        unreadable: list[str] = []
        below = self._memories.below(op.namespace_prefix, unreadable=unreadable, page=page)
        found = (each for each in below if fits(each.value, op.filter))
        ranked = _ranked(list(found), op.query, vectors) if op.query else [(each, None) for each in islice(found, end)]
        if unreadable:
            logger.error("memories unreadable, left out of a search", memories=len(unreadable))
            measure({"StateCorrupt": len(unreadable)}, code=StateCorrupt.code)
        taken = ranked[op.offset : end]
        for memory, _ in taken if op.refresh_ttl else ():
            self._memories.refresh(memory)
        return [base.SearchItem(**_facts(memory), score=score) for memory, score in taken]

    def _namespaces(self, op: base.ListNamespacesOp) -> list[tuple[str, ...]]:
        prefixes = (each.path for each in op.match_conditions or () if each.match_type == "prefix")
        under = tuple(takewhile(lambda label: label != "*", next(prefixes, ())))
        stored = InMemoryStore()
        stored.batch([base.PutOp(namespace, "", {}) for namespace in self._memories.namespaces(under)])
        [found] = stored.batch([op])
        return cast("list[tuple[str, ...]]", found)


def _ranked(found: list[Memory], query: str, vectors: Vectors) -> list[tuple[Memory, float | None]]:
    """Return the best first, then memories that the query does not match, without a score."""
    if sought := vectors.queries.get(query):
        scores = {n: near for n, each in enumerate(found) if (near := nearness(sought, each.vectors)) is not None}
    else:
        texts = ("\n".join(base.get_text_at_path(each.value, "$")) for each in found)
        documents = [Document(str(n), found[n].key, text) for n, text in enumerate(texts)]
        best = LexicalRetriever(documents).search(query, len(documents))
        scores = {int(each.id): each.score or 0.0 for each in best}
    order = sorted(scores, key=lambda n: -scores[n])
    return [(found[n], scores[n]) for n in order] + [(each, None) for n, each in enumerate(found) if n not in scores]


def _facts(memory: Memory) -> dict[str, Any]:
    created, updated = (datetime.fromtimestamp(at / 1000, UTC) for at in (memory.created, memory.updated))
    place = {"namespace": memory.namespace, "key": memory.key, "value": memory.value}
    return {**place, "created_at": created, "updated_at": updated}
