"""The checkpointer of one run. It answers from LOAD's result and stores nothing before COMMIT. A put is not
success: LangGraph also puts when a node raises or a stream is closed. After the run, `turns` decides whether `saved()`
is stored. Lists of messages are stored as changes (`Segment`), so a turn costs the same at any length of thread. Other
channels are in the checkpoint. With a window of None other growing lists are stored as changes too."""

import copy
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint import base
from langgraph.checkpoint.serde.types import INTERRUPT, _DeltaSnapshot

from turnkeep.errors import StateCorrupt
from turnkeep.records import JSON
from turnkeep.store import serde
from turnkeep.store.plans import Loaded, Saved
from turnkeep.texts import Change

NO_TASK = str(UUID(int=0))  # LangGraph's task id for the writes of a command itself


class RunCheckpointer(base.BaseCheckpointSaver[str]):
    """One run's view of its thread. Use one object per run: `graph.copy({"checkpointer": run})`."""

    def __init__(self, loaded: Loaded, *, whole: bool = False):
        """`whole`: the graph declared no window, so every list may be stored as segments."""
        super().__init__(serde=serde.SERIALISER)
        self._whole = whole
        self._lock = threading.Lock()
        self._spaces: dict[str, serde.Kept] = {}
        self._lists: dict[serde.Place, serde.Growing] = {}
        self._early: dict[tuple[str, str], list[serde.Write]] = {}
        self.has_put = False
        if loaded.checkpoint:
            self._restore(loaded)

    def _restore(self, loaded: Loaded) -> None:
        content: JSON = loaded.checkpoint or {}
        state = serde.SERIALISER.loads_typed(("msgpack", content["state"]))
        for name, (checkpoint, metadata, parent, writes) in state.items():
            if checkpoint["v"] > serde.CHECKPOINT_VERSION:
                raise StateCorrupt(f"Its checkpoint was written by a newer LangGraph, as version {checkpoint['v']}.")
            self._spaces[name] = serde.Kept(checkpoint, metadata, parent, [tuple(write) for write in writes])
        for link in loaded.links:
            for segment in link.segments:
                place = (segment.namespace, segment.channel)
                self._lists.setdefault(place, serde.Growing(start=segment.keep)).replay(segment)
        for namespace, channel, total in content["lengths"]:
            growing = self._lists.setdefault((namespace, channel), serde.Growing(start=total))
            if growing.start + len(growing.elements) != total:
                raise StateCorrupt
        self._add_saver_items(loaded)
        known = {(namespace, channel) for namespace, channel, _ in content["lengths"]}
        self._lists = {place: growing for place, growing in self._lists.items() if place in known}
        self._align()

    def _add_saver_items(self, loaded: Loaded) -> None:
        """Add what a saver wrote next to the checkpoint; of sub-graphs, what is newer than in the checkpoint."""
        self._spaces[""].writes += serde.unpacked(loaded.writes)
        for space in loaded.spaces:
            older = self._spaces.get(space.namespace)
            if older is None or older.checkpoint["id"] <= space.checkpoint_id:
                self._lists = {place: each for place, each in self._lists.items() if place[0] != space.namespace}
                checkpoint, metadata, parent = serde.SERIALISER.loads_typed(("msgpack", space.content["state"]))
                writes = serde.unpacked(space.writes)
                self._spaces[space.namespace] = serde.Kept(checkpoint, metadata, parent, writes)

    def _align(self) -> None:
        """Begin a sub-graph's list no earlier than the root's, which would treat earlier messages as new."""
        for (name, channel), growing in self._lists.items():
            root = self._lists.get(("", channel))
            if name and root and root.start and root.elements:
                first = getattr(root.elements[0], "id", None)
                named = [getattr(each, "id", None) for each in growing.elements]
                before = named.index(first) if first in named else 0
                growing.start, growing.elements = growing.start + before, growing.elements[before:]

    def get_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        name = config["configurable"].get("checkpoint_ns", "")
        with self._lock:
            space = self._spaces.get(name)
            wanted = base.get_checkpoint_id(config)
            if space is None or wanted not in (None, space.checkpoint["id"]):
                return None
            # Copies: LangGraph changes versions in the result, even to read a state; nodes change values in place.
            checkpoint = serde.copied(space.checkpoint)
            checkpoint["channel_values"] |= copy.deepcopy(self._elements(name))
            return base.CheckpointTuple(
                config=config_of(config, name, space.checkpoint["id"]),
                checkpoint=checkpoint,
                metadata=copy.deepcopy(space.metadata),
                parent_config=config_of(config, name, space.parent) if space.parent else None,
                pending_writes=[copy.deepcopy(write[:3]) for write in space.writes],
            )

    def put(
        self, config: RunnableConfig, checkpoint: base.Checkpoint, metadata: base.CheckpointMetadata, new_versions: Any
    ) -> RunnableConfig:
        configurable = config["configurable"]
        name = configurable.get("checkpoint_ns", "")
        with self._lock:
            self.has_put = True
            values = self._values(name, checkpoint)
            self._lists = {place: each for place, each in self._lists.items() if place[0] != name or place[1] in values}
            for channel, value in list(values.items()):
                place = (name, channel)
                if self._is_segmented(place, value):
                    self._lists.setdefault(place, serde.Growing()).grow(place, values.pop(channel))
                else:
                    self._lists.pop(place, None)
            self._spaces[name] = serde.Kept(
                checkpoint={**checkpoint, "channel_values": values},
                metadata=base.get_serializable_checkpoint_metadata(config, metadata),
                parent=configurable.get("checkpoint_id"),
                writes=self._early.pop((name, checkpoint["id"]), []),
            )
        return config_of(config, name, checkpoint["id"])

    def _values(self, name: str, checkpoint: base.Checkpoint) -> dict[str, Any]:
        """Return all values. A put may omit a value of the stored version, as a DeltaChannel does; one changed in
        place and not returned is left as stored. A snapshot is ordinary."""
        given = checkpoint["channel_values"].items()
        values = {name: value.value if isinstance(value, _DeltaSnapshot) else value for name, value in given}
        if space := self._spaces.get(name):
            before, now = space.checkpoint["channel_versions"], checkpoint["channel_versions"]
            kept = space.checkpoint["channel_values"] | self._elements(name)
            values |= {each: value for each, value in kept.items() if before.get(each) == now.get(each)}
        return values

    def _elements(self, name: str) -> dict[str, list[Any]]:
        return {channel: each.elements for (of, channel), each in self._lists.items() if of == name}

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        name, checkpoint_id = config["configurable"].get("checkpoint_ns", ""), config["configurable"]["checkpoint_id"]
        new: list[serde.Write] = [(task_id, channel, value, task_path) for channel, value in writes]
        with self._lock:
            self.has_put = self.has_put or task_id != NO_TASK
            space = self._spaces.get(name)
            if space and space.checkpoint["id"] == checkpoint_id:
                # only the newest question and answer of a task count: it may ask twice in a row
                again = {(task_id, channel) for channel, _ in writes if channel in base.WRITES_IDX_MAP}
                space.writes = [write for write in space.writes if write[:2] not in again]
                # writes to other channels stay: a saver keeps a task's first write of each index
                kept = sum(write[0] == task_id and write[1] not in base.WRITES_IDX_MAP for write in space.writes)
                space.writes += [each for at, each in enumerate(new) if at >= kept or each[1] in base.WRITES_IDX_MAP]
            else:  # pool threads may put the writes before their checkpoint
                self._early.setdefault((name, checkpoint_id), []).extend(new)

    async def aget_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        return self.get_tuple(config)

    async def aput(self, *given: Any, **named: Any) -> RunnableConfig:
        return self.put(*given, **named)

    async def aput_writes(self, *given: Any, **named: Any) -> None:
        self.put_writes(*given, **named)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version. Versions ascend as text, so each is at least as long as the one before it, for any
        writer: "0000000007". One run has one writer, so no random part is needed, unlike in LangGraph's own saver."""
        before = str(current or 0).split(".")[0]
        return f"{int(before) + 1:0{max(10, len(before))}d}"

    def newest(self) -> base.Checkpoint | None:
        """Return the thread's newest checkpoint with its own values. Do not change them."""
        space = self._spaces.get("")
        values = space.checkpoint["channel_values"] | self._elements("") if space else {}
        return {**space.checkpoint, "channel_values": values} if space else None

    def forget(self, namespace: str) -> None:
        """Drop a sub-graph, which is stored elsewhere from now on."""
        with self._lock:
            self._spaces.pop(namespace, None)
            self._lists = {place: each for place, each in self._lists.items() if place[0] != namespace}

    def is_asking(self) -> bool:
        """Return whether a node has asked a question, even a `goto` target that the state does not name."""
        root = self._spaces.get("")
        return root is not None and any(channel == INTERRUPT for _, channel, _, _ in root.writes)

    def settle(self) -> None:
        """Mark all puts as stored; the next changes are counted from here."""
        with self._lock:
            for growing in self._lists.values():
                growing.segment = None
            self._early.clear()

    def saved(self, per_turn: frozenset[str], *, interrupted: bool, change: Change | None = None) -> Saved | None:
        """Return the outcome of the run with `change` applied to each text, or None without a put. Per-turn channels
        and checkpoints of finished sub-graphs are included only if the run waits for an answer."""
        with self._lock:
            root = self._spaces.get("")
            if root is None or not (self.has_put or interrupted):
                return None
            kept = {name: space for name, space in self._spaces.items() if interrupted or ":" not in name}
            dropped = frozenset() if interrupted else per_turn
            state = {name: serde.stored(space, frozenset() if name else dropped) for name, space in kept.items()}
            lists = {
                (name, channel): each
                for (name, channel), each in self._lists.items()
                if name in kept and not (name == "" and channel in dropped)
            }
            segments = [each.segment for each in lists.values() if each.segment]
            if change:
                state = {name: serde.changed_space(parts, change) for name, parts in state.items()}
                segments = [serde.changed_segment(segment, change) for segment in segments]
            return Saved(
                checkpoint_id=root.checkpoint["id"],
                checkpoint={
                    "state": serde.packed(state),
                    "lengths": [[*place, each.start + len(each.elements)] for place, each in lists.items()],
                },
                segments=tuple(segments),
                interrupted=interrupted,
            )

    def _is_segmented(self, place: serde.Place, value: Any) -> bool:
        """Return True for messages, and without a window for growing lists. A replaced list would fill each link."""
        if type(value) is not list:
            return False
        if known := self._lists.get(place):
            return serde.are_messages([*known.elements, *value]) or serde.extends(known.elements, value)
        if value and serde.are_messages(value):
            return True
        space = self._spaces.get(place[0])
        before = space.checkpoint["channel_values"].get(place[1]) if space else None
        return self._whole and type(before) is list and len(value) > len(before) and serde.extends(before, value)

    def list(self, config: RunnableConfig | None, **_: Any) -> Iterator[base.CheckpointTuple]:
        """Yield the newest checkpoint only; older ones are read from the table."""
        found = self.get_tuple(config) if config else None
        return iter([found] if found else [])

    async def alist(self, config: RunnableConfig | None, **_: Any) -> AsyncIterator[base.CheckpointTuple]:
        for found in self.list(config):
            yield found


def config_of(config: RunnableConfig, namespace: str, checkpoint_id: str) -> RunnableConfig:
    thread_id = config["configurable"]["thread_id"]
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}
