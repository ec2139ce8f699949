"""Checkpoints as LangGraph reads them: the newest, one by its id, and all of a thread or of all threads."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, get_checkpoint_id

from turnkeep.errors import NotFound
from turnkeep.records import Principal
from turnkeep.saver.cursor import Cursor, Cursors
from turnkeep.storage.beside import Space
from turnkeep.storage.checkpoints import Run, config_of
from turnkeep.storage.elements import SERIALISER, unpacked
from turnkeep.storage.head import Head
from turnkeep.storage.listing import Found
from turnkeep.storage.plans import Loaded
from turnkeep.storage.steps import Steps


class Reader:
    _table: Steps
    _who: Principal
    _cursors: Cursors

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread_id = thread_of(config)
        cursor, name, wanted = self._cursors.of(thread_id), namespace_of(config), get_checkpoint_id(config)
        with cursor.lock:
            writes = self._refresh(cursor, thread_id)
            if cursor.head is None:
                return None
            if name:
                return self._space(cursor, cursor.head, config, name, wanted)
            if wanted and wanted != cursor.head.checkpoint:
                return self._older(cursor, cursor.head, config, wanted)
            cursor.addressed.discard(str(cursor.head.checkpoint))
            found = cursor.run.get_tuple(config)
            more = [(task, channel, value) for task, channel, value, _ in unpacked(writes)]
            return found and found._replace(pending_writes=[*(found.pending_writes or ()), *more])

    def _refresh(self, cursor: Cursor, thread_id: str) -> Any:
        """Brings the cursor to where HEAD leads; gives the writes beside its checkpoint."""
        stood = cursor.head
        if cursor.is_known and stood and stood.checkpoint:
            head, writes = self._table.peek(stood.pk, stood.checkpoint)
            if head and (head.last, head.checkpoint, head.born) == (stood.last, stood.checkpoint, stood.born):
                cursor.head = head
                return writes
        else:
            head = self._table.living(self._who, thread_id)
            if head and stood and (head.last, head.born) == (stood.last, stood.born):
                cursor.head = head
                return ()
        loaded = self._table.load(head, None) if head else Loaded()
        cursor.stand(head, loaded)
        return loaded.writes

    def _older(self, cursor: Cursor, head: Head, config: RunnableConfig, wanted: str) -> CheckpointTuple | None:
        try:
            loaded = self._table.load(head, None, wanted)
        except NotFound:
            return None
        cursor.addressed.add(wanted)
        return Run(loaded, whole=True).get_tuple(config)

    def _space(
        self, cursor: Cursor, head: Head, config: RunnableConfig, name: str, wanted: str | None
    ) -> CheckpointTuple | None:
        """Of a sub-graph, the newer of what a saver wrote and what the API's last turn holds."""
        beside, kept = self._table.beside, cursor.run.get_tuple(config)
        if wanted:
            space = beside.one(head.pk, name, wanted)
        else:
            space = beside.newest(head.pk, name, head.checkpoint, cursor.spaces.get(name))
        if kept and (space is None or space.checkpoint_id < kept.checkpoint["id"]):
            return kept
        return _tuple_of(space, config) if space else None

    # all of them

    def threads(self) -> Iterator[str]:
        return (thread.thread_id for thread in self._table.every_thread(self._who, Found()))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Newest first, those of branches that were left among them; a thread is read when its first is asked for."""
        last = get_checkpoint_id(before) if before else None
        one = get_checkpoint_id(config) if config else None

        def fits(found: CheckpointTuple) -> bool:
            checkpoint_id, wanted = found.checkpoint["id"], (filter or {}).items()
            is_meant = one in (None, checkpoint_id) and (not last or checkpoint_id < last)
            return is_meant and all(found.metadata.get(name) == value for name, value in wanted)

        threads = [thread_of(config)] if config else self.threads()
        every = (found for thread_id in threads for found in self._of_thread(thread_id, config, last))
        return islice((found for found in every if fits(found)), None if limit is None else max(limit, 0))

    def _of_thread(
        self, thread_id: str, config: RunnableConfig | None, before: str | None
    ) -> Iterator[CheckpointTuple]:
        name: str | None = config["configurable"].get("checkpoint_ns") if config else None
        head = self._table.living(self._who, thread_id)
        if head is None:
            return
        at: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        if name in (None, ""):
            for loaded in self._table.history(head, None, limit=-1, before=before):
                if found := Run(loaded, whole=True).get_tuple(at):
                    yield found
        if name != "":
            for space in self._table.beside.every(head.pk, name):
                yield _tuple_of(space, at)


def _tuple_of(space: Space, config: RunnableConfig) -> CheckpointTuple:
    checkpoint, metadata, parent = SERIALISER.loads_typed(("msgpack", space.content["state"]))
    return CheckpointTuple(
        config=config_of(config, space.namespace, space.checkpoint_id),
        checkpoint=checkpoint,
        metadata=metadata,
        parent_config=config_of(config, space.namespace, parent) if parent else None,
        pending_writes=[(task, channel, value) for task, channel, value, _ in unpacked(space.writes)],
    )


def thread_of(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def namespace_of(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns") or "")
