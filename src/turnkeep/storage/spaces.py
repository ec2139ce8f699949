"""What Run holds of a thread: of each graph and sub-graph its newest checkpoint, and the lists that grow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata

from turnkeep.storage.beside import TaskWrite
from turnkeep.storage.elements import SERIALISER, segment_of, thaw
from turnkeep.storage.links import Segment

CHECKPOINT_VERSION = 4
"""The newest version of LangGraph's checkpoints that its own code here reads; it is written into each as `v`."""

Place: TypeAlias = tuple[str, str]
Write: TypeAlias = tuple[str, str, Any, str]


@dataclass
class Kept:
    """The newest checkpoint of a graph or sub-graph, without the channels that are stored as segments."""

    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    parent: str | None
    writes: list[Write] = field(default_factory=list)


@dataclass
class Growing:
    """A list channel: what of it is loaded, and how many elements come before that."""

    start: int = 0
    elements: list[Any] = field(default_factory=list)
    segment: Segment | None = None

    def replay(self, segment: Segment) -> None:
        """What a stored run did to it."""
        self.start = min(self.start, segment.keep)
        self.elements = self.elements[: segment.keep - self.start] + thaw(segment.elements)

    def grow(self, place: Place, new: list[Any]) -> None:
        """What this run does to it: several puts (a sub-graph called twice) add up to one segment from where the run
        began."""
        old, earlier, same = self.elements, self.segment, 0
        while same < min(len(old), len(new)) and (old[same] is new[same] or old[same] == new[same]):
            same += 1
        if same < len(old) or len(new) > same or earlier:
            keep = min(self.start + same, earlier.keep) if earlier else self.start + same
            self.segment = segment_of(place, keep, new[keep - self.start :])
        self.elements = list(new)


def next_version(current: str | None) -> str:
    """Versions ascend as texts, so one is as long as that before it, whoever wrote that: "0000000007". Unlike in
    LangGraph's in-memory saver no random part is needed, one run has one writer."""
    before = str(current or 0).split(".")[0]
    return f"{int(before) + 1:0{max(10, len(before))}d}"


def unpacked(writes: Sequence[TaskWrite]) -> list[Write]:
    return [(each.task_id, each.channel, SERIALISER.loads_typed((each.kind, each.data)), each.path) for each in writes]


def stored(space: Kept, dropped: frozenset[str]) -> list[Any]:
    values = {name: value for name, value in space.checkpoint["channel_values"].items() if name not in dropped}
    return [{**space.checkpoint, "channel_values": values}, space.metadata, space.parent, space.writes]


def extends(old: list[Any], new: list[Any]) -> bool:
    return len(new) >= len(old) and all(a is b or a == b for a, b in zip(old, new, strict=False))
