"""DynamoDBSaver: a LangGraph checkpointer over the API's table, for graphs that users run themselves.

Each checkpoint is a step of the thread, stored only if HEAD still leads to the step that was read before it. The last
step of a run is its turn. So neither of two writers is lost silently, and the API serves the same thread."""

import asyncio
import functools
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint import base
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME

from turnkeep.errors import NotFound
from turnkeep.records import Principal, Turn
from turnkeep.saver.cursor import FOUND_NOTHING, NO_THREAD, Cursor, Cursors
from turnkeep.saver.reading import Reader, namespace_of, thread_of
from turnkeep.saver.turns import input_text, is_over, question_of, reply_text, turn_of
from turnkeep.store.blobs import Blobs, Objects, S3Objects
from turnkeep.store.checkpoints import RunCheckpointer, config_of
from turnkeep.store.head import Head
from turnkeep.store.keys import space_key
from turnkeep.store.leases import OWNER_BYTES
from turnkeep.store.opening import make_table, open_client, open_codec, open_items
from turnkeep.store.plans import Loaded, Saved
from turnkeep.store.saver_commits import Steps
from turnkeep.store.serde import SERIALISER, dumped
from turnkeep.store.store import Store
from turnkeep.store.task_writes import Space, TaskWrite

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def _in_thread(call: Callable[..., Any]) -> Any:
    @functools.wraps(call)
    async def asynchronous(*args: Any, **kwargs: Any) -> Any:
        context = copy_context()
        given = await asyncio.to_thread(context.run, call, *args, **kwargs)
        FOUND_NOTHING.set(context.get(FOUND_NOTHING, NO_THREAD))
        return given

    return asynchronous


class DynamoDBSaver(Reader, base.BaseCheckpointSaver[str]):
    """Checkpoints of the threads of one principal in one table.

    `client` is a boto3 client, by default that of the environment. Threads live for `thread_hours` after their last
    turn. A value over 300 KB is stored in `objects` or the bucket of that name, else in several items. Values are
    signed with `seal_key`, else SEAL_KEY, else the key of the folder `.turnkeep`. A run locks its thread for
    `lease_seconds` after each step; 0 disables the lock.

    Raises ThreadMoved if another writer has changed the thread, ThreadBusy if another run has locked it,
    AgentFault for a state that cannot be stored, StateCorrupt, InvalidId, StoreUnavailable."""

    def __init__(
        self,
        table_name: str = "turnkeep",
        *,
        client: "DynamoDBClient | None" = None,
        tenant: str = "local",
        user: str = "local",
        agent: str = "",
        thread_hours: float = 24,
        objects: Objects | None = None,
        bucket: str | None = None,
        seal_key: str | None = None,
        lease_seconds: float = 30,
        clock: Callable[[], float] = time.time,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ):
        base.BaseCheckpointSaver.__init__(self, serde=SERIALISER)
        self._client, items = open_items(table_name, client)
        self._table_name = table_name
        blobs = Blobs(objects or (S3Objects(open_client("s3")[0], bucket) if bucket else None), items)
        options: Mapping[str, Any] = {"clock": clock, "random_bytes": random_bytes, "thread_hours": thread_hours}
        self._store = Store(items, blobs, open_codec(seal_key), lease_seconds=lease_seconds, **options)
        self._steps = Steps(self._store)
        self._leases = lease_seconds > 0
        self._who = Principal(tenant, user)
        self._agent = agent
        self._clock, self._random_bytes = clock, random_bytes
        self._cursors = Cursors()
        self._writer = random_bytes(4).hex()

    def setup(self) -> None:
        """Create the table with its indexes and its TTL if it does not exist."""
        make_table(self._client, self._table_name)

    def put(
        self, config: RunnableConfig, checkpoint: base.Checkpoint, metadata: base.CheckpointMetadata, new_versions: Any
    ) -> RunnableConfig:
        cursor = self._cursors.of(thread_of(config))
        with cursor.lock:
            store = self._put_space if namespace_of(config) else self._put_root
            store(cursor, config, checkpoint, metadata)
        return config_of(config, namespace_of(config), checkpoint["id"])

    def _put_root(
        self, cursor: Cursor, config: RunnableConfig, checkpoint: base.Checkpoint, metadata: base.CheckpointMetadata
    ) -> None:
        source = metadata.get("source")
        loaded = self._base(cursor, config, is_fork=source == "fork")
        if "__start__" in checkpoint["channel_values"]:
            cursor.message, cursor.began = input_text(checkpoint["channel_values"]["__start__"]), self._clock()
        own, head = cursor.copied(checkpoint), self._head(cursor, thread_of(config))
        try:
            cursor.run.put(config, own, metadata, {})
            saved = cursor.run.saved(frozenset(), interrupted=False)
            assert saved  # noqa: S101 - it was put
            saved.checkpoint["spaces"] = {**cursor.spaces}
            saved = replace(saved, name=self._name(head, checkpoint["id"]))
            turn = None
            if is_over(checkpoint, source):
                turn = self._turn(cursor, reply_text(checkpoint["channel_values"], cursor.new_messages()))
            self._step(cursor, head, loaded, saved, turn)
        except BaseException:
            cursor.reset()
            raise
        cursor.run.settle()
        if checkpoint["id"] in cursor.questions:
            self._ask(cursor, config, cursor.questions.pop(checkpoint["id"]))

    def _turn(self, cursor: Cursor, reply: str, *, asks: bool = False) -> Turn:
        now, new = self._clock(), cursor.new_messages()
        began, message = cursor.began or now, cursor.message
        return turn_of(new, reply, asks=asks, message=message, agent=self._agent, began=began, now=now)

    def _step(self, cursor: Cursor, head: Head, loaded: Loaded, saved: Saved, turn: Turn | None) -> None:
        cursor.owner = cursor.owner or self._random_bytes(OWNER_BYTES)
        keep_lease = self._leases and turn is None
        cursor.head = self._steps.step(head, loaded, saved, turn, cursor.owner, keep_lease=keep_lease)
        if turn:
            cursor.end_turn()

    def _put_space(
        self, cursor: Cursor, config: RunnableConfig, checkpoint: base.Checkpoint, metadata: base.CheckpointMetadata
    ) -> None:
        name, checkpoint_id = namespace_of(config), checkpoint["id"]
        head = self._head(cursor, thread_of(config))
        metadata, parent = base.get_serializable_checkpoint_metadata(config, metadata), base.get_checkpoint_id(config)
        parts = [checkpoint, metadata, parent]
        space = Space(name, checkpoint_id, {"state": dumped(parts, checkpoint["channel_values"].items())[1]})
        root = config["configurable"].get("checkpoint_map", {}).get("")
        sk = cursor.places[name, checkpoint_id] = space_key(name, self._name(head, checkpoint_id))
        self._steps.task_writes.put_space(head, sk, space, root)
        cursor.run.forget(name)
        cursor.subgraphs.add(name)
        if ":" not in name:
            cursor.spaces[name] = checkpoint_id

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        name, checkpoint_id = namespace_of(config), str(base.get_checkpoint_id(config))
        cursor = self._cursors.of(thread_of(config))
        indexes = [base.WRITES_IDX_MAP.get(channel, n) for n, (channel, _) in enumerate(writes)]
        stored = [
            TaskWrite(task_id, task_path, index, channel, *dumped(value, [(channel, value)]))
            for index, (channel, value) in zip(indexes, writes, strict=True)
        ]
        channels = dict(writes)
        cursor.subgraphs |= {name} - {""}
        asks = INTERRUPT in channels  # with the sub-graphs of the task, and lasting ones
        spaces = sorted(each for each in cursor.subgraphs if asks and (f":{task_id}" in each or ":" not in each))
        with cursor.lock:
            head = self._head(cursor, thread_of(config))
            sk = self._write_place(cursor, head, name, checkpoint_id)
        self._steps.task_writes.put_writes(head.pk, sk, stored, spaces)
        if not name:
            with cursor.lock:
                self._after_writes(cursor, config, channels)

    def _after_writes(self, cursor: Cursor, config: RunnableConfig, channels: Mapping[str, Any]) -> None:
        if RESUME in channels and cursor.message is None:
            cursor.message, cursor.began = input_text(channels[RESUME]), self._clock()
        if INTERRUPT in channels:
            if cursor.head and cursor.head.checkpoint == base.get_checkpoint_id(config):
                self._ask(cursor, config, channels[INTERRUPT])
            else:  # pool threads may put the writes before their checkpoint
                cursor.questions.setdefault(str(base.get_checkpoint_id(config)), channels[INTERRUPT])
        elif ERROR in channels and cursor.head and cursor.owner:
            self._steps.release(cursor.head, cursor.owner)

    def _ask(self, cursor: Cursor, config: RunnableConfig, question: Any) -> None:
        """Store a question as a turn of the current checkpoint, and release the thread."""
        head = cursor.head
        is_ours = head and head.lease and head.lease.owner == cursor.owner
        if head is None or not head.checkpoint or (self._leases and not is_ours):
            return
        turn = self._turn(cursor, question_of(question), asks=True)
        of = self._steps.link_of(head)
        saved = Saved(head.checkpoint, {}, (), interrupted=True, of=of, name=head.checkpoint_name)
        try:
            self._step(cursor, head, Loaded(head.n, head.last), saved, turn)
        except BaseException:
            cursor.reset()
            raise

    def delete_thread(self, thread_id: str) -> None:
        self._cursors.forget(str(thread_id))
        with suppress(NotFound):
            self._store.threads.delete(self._who, str(thread_id))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy the newest checkpoint and all its ancestors, with writes and sub-graphs, completely or not at all.
        Raises NotFound, ThreadExists."""
        self._store.fork(self._who, str(source_thread_id), str(target_thread_id), whole=True)
        self._cursors.forget(str(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoints, keeping the turns; the strategy `delete` removes whole threads."""
        for thread_id in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread_id)
            elif head := self._store.heads.find(self._who, thread_id):
                self._steps.keep_newest(head)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of these runs in every thread of the principal. A thread with nothing else left is
        deleted. Raises ThreadBusy, and ThreadMoved if another writer has changed the thread meanwhile."""
        for thread_id in self.threads() if run_ids else ():
            head = self._store.heads.find(self._who, thread_id)
            kept, dropped = set[tuple[str, str]](), set[tuple[str, str]]()
            for found in self.list({"configurable": {"thread_id": thread_id}}):
                some = dropped if found.metadata.get("run_id") in run_ids else kept
                some.add((namespace_of(found.config), found.checkpoint["id"]))
            if not dropped or head is None:
                continue
            self._cursors.forget(thread_id)
            newest = max((checkpoint_id for name, checkpoint_id in kept if not name), default=None)
            with suppress(NotFound):  # deleted meanwhile
                if newest or (kept and not head.checkpoint):
                    self._steps.drop_checkpoints(head, newest, dropped)
                else:
                    self._store.threads.delete(self._who, thread_id, only=head)

    get_next_version = RunCheckpointer.get_next_version
    aput = _in_thread(put)
    aput_writes = _in_thread(put_writes)
    aget_tuple = _in_thread(Reader.get_tuple)
    adelete_thread = _in_thread(delete_thread)
    acopy_thread = _in_thread(copy_thread)
    aprune = _in_thread(prune)
    adelete_for_runs = _in_thread(delete_for_runs)

    async def alist(self, config: RunnableConfig | None, **options: Any) -> AsyncIterator[base.CheckpointTuple]:
        found = self.list(config, **options)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one
