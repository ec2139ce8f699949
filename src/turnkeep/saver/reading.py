"""Reads checkpoints for LangGraph: the newest, one by its id, all of a thread or of all threads."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, get_checkpoint_id

from turnkeep.errors import NotFound, Superseded, ThreadMoved
from turnkeep.records import Principal
from turnkeep.saver.cursor import FOUND_NOTHING, NO_THREAD, Cursor, Cursors
from turnkeep.store.checkpoints import RunCheckpointer, config_of
from turnkeep.store.head import Head
from turnkeep.store.keys import checkpoint_key, checkpoint_name, space_key
from turnkeep.store.listing import Found
from turnkeep.store.plans import Loaded
from turnkeep.store.saver_commits import MOVED, Steps
from turnkeep.store.serde import SERIALISER, unpacked
from turnkeep.store.store import Store
from turnkeep.store.task_writes import Space

_POSITION = attrgetter("last", "checkpoint_name", "incarnation")


class Reader:
    _store: Store
    _steps: Steps
    _who: Principal
    _cursors: Cursors
    _writer: str

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread_id = thread_of(config)
        cursor, name, wanted = self._cursors.of(thread_id), namespace_of(config), get_checkpoint_id(config)
        with cursor.lock:
            writes = self._refresh(cursor, thread_id)
            if name:
                return self._space(cursor, cursor.head, config, name, wanted) if cursor.head else None
            newest = cursor.head.checkpoint if cursor.head else None
            if cursor.head and wanted not in (None, newest):
                return self._older(cursor, cursor.head, config, str(wanted))
            cursor.addressed.discard(str(newest))
            cursor.found_nothing |= newest is None
            FOUND_NOTHING.set(NO_THREAD if newest else (thread_id, cursor.head.incarnation if cursor.head else b""))
            found = cursor.run.get_tuple(config) if newest else None
            more = [(task, channel, value) for task, channel, value, _ in unpacked(writes)]
            return found and found._replace(pending_writes=[*(found.pending_writes or ()), *more])

    def _refresh(self, cursor: Cursor, thread_id: str) -> Any:
        """Move the cursor to HEAD; return the writes of its checkpoint."""
        before = cursor.head
        if cursor.is_known and before and before.checkpoint_name:
            head, writes = self._steps.peek(before.pk, before.checkpoint_name)
        else:
            head, writes = self._store.heads.find(self._who, thread_id), ()
        if head and before and _POSITION(head) == _POSITION(before):
            cursor.head = head
            return writes
        try:
            loaded = self._store.turns.load(head, None) if head else Loaded()
        except Superseded:  # deleted or continued while it was read
            cursor.is_known = False
            return self._refresh(cursor, thread_id)
        cursor.move_to(head, loaded)
        return loaded.writes

    def _older(self, cursor: Cursor, head: Head, config: RunnableConfig, wanted: str) -> CheckpointTuple | None:
        try:
            loaded = self._store.turns.load(head, None, wanted)
        except (NotFound, Superseded):
            return None
        cursor.addressed.add(wanted)
        return RunCheckpointer(loaded, whole=True).get_tuple(config)

    def _space(
        self, cursor: Cursor, head: Head, config: RunnableConfig, name: str, wanted: str | None
    ) -> CheckpointTuple | None:
        """Return the newer checkpoint of a sub-graph: the saver's, or the one of the API's last turn."""
        kept, writes = cursor.run.get_tuple(config), self._steps.task_writes
        if wanted:
            space = writes.one(head, name, wanted)
        else:
            space = writes.newest(head, name, head.checkpoint, cursor.spaces.get(name))
        if kept and (space is None or space.checkpoint_id < kept.checkpoint["id"]):
            return kept
        return _tuple_of(space, config) if space else None

    def _base(self, cursor: Cursor, config: RunnableConfig, *, is_fork: bool) -> Loaded:
        """Move the cursor to the step's parent and return it; an older parent that was read by id begins a branch.
        Raise ThreadMoved, also if a run that found nothing now finds a checkpoint or another thread."""
        parent, thread_id = get_checkpoint_id(config), thread_of(config)
        if not cursor.is_known or (cursor.head.checkpoint if cursor.head else None) != parent:
            self._refresh(cursor, thread_id)
        head, newest = cursor.head, cursor.head.checkpoint if cursor.head else None
        found, incarnation = FOUND_NOTHING.get()
        found_nothing = found == thread_id or cursor.found_nothing
        known = (b"", head.incarnation if head else None)
        is_another = parent is None and found == thread_id and incarnation not in known
        if not is_another and (parent == newest or (parent is None and not found_nothing)):
            return Loaded(head.n, head.last) if head else Loaded()
        if head is None or parent is None or not (is_fork or parent in cursor.addressed):
            raise ThreadMoved(MOVED)
        loaded = self._store.turns.load(head, None, parent)
        cursor.move_to(head, loaded)
        return loaded

    def _head(self, cursor: Cursor, thread_id: str) -> Head:
        """Return HEAD, created if missing, as the first write of a run. Raise ThreadMoved, ThreadBusy."""
        if not cursor.is_known:
            self._refresh(cursor, thread_id)
        if cursor.head is None:
            head, _ = self._store.heads.make(self._who, thread_id, {})
            if head.checkpoint:
                raise ThreadMoved(MOVED)
            cursor.head = head
        return cursor.head

    def _name(self, head: Head, checkpoint_id: str) -> str:
        return checkpoint_name(checkpoint_id, head.incarnation.hex() + self._writer)

    def _write_place(self, cursor: Cursor, head: Head, name: str, checkpoint_id: str) -> str:
        """Return the present or future key of a checkpoint: pool threads may put its writes first."""
        key_of = partial(space_key, name) if name else checkpoint_key
        if not name and checkpoint_id == head.checkpoint:
            return checkpoint_key(str(head.checkpoint_name))
        if (name, checkpoint_id) not in cursor.places:
            is_new = not name and checkpoint_id > (head.checkpoint or "")
            known = None if is_new else self._steps.find(head.pk, key_of(checkpoint_id))
            cursor.places[name, checkpoint_id] = known or key_of(self._name(head, checkpoint_id))
        return cursor.places[name, checkpoint_id]

    def threads(self) -> Iterator[str]:
        return (thread.thread_id for thread in self._store.listing.all(self._who, Found()))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the newest first, including abandoned branches; a thread is read on demand."""
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
        at: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        with suppress(NotFound):
            head = self._store.heads.read(self._who, thread_id)
            for loaded in self._store.turns.history(head, None, before) if not name else ():
                if found := RunCheckpointer(loaded, whole=True).get_tuple(at):
                    yield found
            if name != "":
                yield from (_tuple_of(space, at) for space in self._steps.task_writes.every(head, name))


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
