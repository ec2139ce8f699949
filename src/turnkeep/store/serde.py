"""Converts values of a graph's state to their stored form and back. `Kept` and `Growing` are what a run has in memory:
the newest checkpoint of each graph and sub-graph, and the growing lists. `changed` changes each text in a value,
including values of LangGraph's and LangChain's own types."""

import copy
import dataclasses
import json
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from functools import partial
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePath
from typing import Any, TypeAlias, cast
from uuid import UUID

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, messages_from_dict
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer, _create_msgpack_ext_hook
from langgraph.types import Send
from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic_core import to_jsonable_python

from turnkeep.errors import AgentFault, StateCorrupt
from turnkeep.records import JSON
from turnkeep.store.codec import is_plain
from turnkeep.store.links import Link, Segment
from turnkeep.store.task_writes import TaskWrite
from turnkeep.texts import Change, reworded_in

CHECKPOINT_VERSION = 4  # the newest that the installed LangGraph reads; each checkpoint has its version as `v`

Place: TypeAlias = tuple[str, str]
Write: TypeAlias = tuple[str, str, Any, str]

_DATA: tuple[type, ...] = (BaseModel, Enum, SecretStr, SecretBytes, UUID, Decimal, PurePath, date, time, timedelta)
_DATA += (tzinfo, tuple, set, frozenset, deque)


class _LoadedData(set[tuple[str, ...]]):
    """Module and name of the data classes that this process has loaded. `refused` collects other types."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()

    def __contains__(self, place: object) -> bool:
        module, name = cast(tuple[str, str], place)
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and (dataclasses.is_dataclass(kind) or issubclass(kind, _DATA)):
            return True
        self.refused.add(f"{module}.{name}")
        return False


def _serialiser(loaded: _LoadedData) -> JsonPlusSerializer:
    return JsonPlusSerializer(allowed_msgpack_modules=None, __unpack_ext_hook__=_create_msgpack_ext_hook(loaded))


SERIALISER = _serialiser(_LoadedData())
"""Strict: a stored value can only name LangGraph's list of harmless types and data classes that are loaded. Reading it
imports nothing and calls no function."""

_OWN = {
    BaseMessage: ("content", "additional_kwargs", "response_metadata", "name", "artifact"),
    Document: ("page_content", "metadata"),
}
"""Their fields that contain text. Ids are excluded: they distinguish messages."""


def are_messages(elements: list[Any]) -> bool:
    return all(isinstance(each, BaseMessage) for each in elements)


def text_of(message: BaseMessage) -> str:
    """Return the text of a message, even if a node set its content to a type that LangChain does not use."""
    content: Any = message.content
    if isinstance(content, str | list):
        return str(message.text)
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)


def freeze(elements: list[Any]) -> list[JSON] | bytes:
    """Return messages as plain JSON if they read back equal and of the same class, so that a turn can be read without
    LangGraph. Return anything else as LangGraph stores it. Raises TypeError."""
    if are_messages(elements):
        dump = partial(BaseModel.model_dump, exclude_defaults=True, warnings=False)
        plain = [{"type": each.type, "data": dump(each)} for each in elements]
        with suppress(*_INVALID):
            read = messages_from_dict(plain) if is_plain(plain) else []
            if [(type(each), each) for each in read] == [(type(each), each) for each in elements]:
                return plain
    return _dumps(elements)[1]


def thaw(elements: list[JSON] | bytes) -> list[Any]:
    """Return the elements that `freeze` received. Raises StateCorrupt for messages that LangChain rejects."""
    if isinstance(elements, bytes):
        return list(SERIALISER.loads_typed(("msgpack", elements)))
    try:
        return list(messages_from_dict(elements))
    except _INVALID as error:
        raise StateCorrupt from error


_INVALID = (ValueError, TypeError, AttributeError, KeyError)


def dumped(value: Any, channels: Iterable[tuple[str, Any]]) -> tuple[str, bytes]:
    """Return the value as LangGraph stores it; `channels` are those in it, which several tasks may have written. Raises
    AgentFault if it cannot be stored or read back."""
    try:
        return _dumps(value)
    except TypeError as error:
        raise unstorable(channels) from error


def _dumps(value: Any) -> tuple[str, bytes]:
    """Serialise a value. Raises TypeError if LangGraph cannot write it or could not read its type back."""
    serialised, loaded = SERIALISER.dumps_typed(value), _LoadedData()
    _serialiser(loaded).loads_typed(serialised)
    if loaded.refused:
        raise TypeError(f"{', '.join(sorted(loaded.refused))} could not be read back; define it at the top of a module")
    return serialised


def unstorable(values: Iterable[tuple[str, Any]]) -> AgentFault:
    """Return the error for a state with a channel that cannot be stored. It names the channel and the type: "Type is
    not msgpack serializable: _thread.lock"."""
    for name, value in values:
        try:
            _dumps(value)
        except TypeError as error:
            return AgentFault(
                f"The state's `{name}` cannot be stored: {error}. Use plain values, messages, dataclasses or pydantic "
                "models. Nothing of this turn was stored."
            )
    return AgentFault()


def written_by(link: Link, checkpoint: JSON | None) -> JSON:
    """Return what a stored step put into the state, as JSON: the elements that it appended to lists, and the values of
    all other channels after it."""
    added = {segment.channel: thaw(segment.elements) for segment in link.segments if not segment.namespace}
    root = SERIALISER.loads_typed(("msgpack", checkpoint["state"]))[""] if checkpoint else [{"channel_values": {}}]
    found: JSON = {"values": root[0]["channel_values"], "appended": added}
    return cast(JSON, to_jsonable_python(found, fallback=str, bytes_mode="base64", inf_nan_mode="null"))


def copied(checkpoint: Checkpoint) -> Checkpoint:
    """Return a deep copy. Raises AgentFault."""
    try:
        return copy.deepcopy(checkpoint)
    except TypeError as error:  # such as a lock, which could not be stored either
        raise unstorable(checkpoint["channel_values"].items()) from error


def packed(state: Mapping[str, list[Any]]) -> bytes:
    """Serialise checkpoint, metadata, parent and pending writes by namespace. Raises AgentFault."""
    kept = (each for parts in state.values() for each in parts[0]["channel_values"].items())
    writes = ((name, value) for parts in state.values() for _, name, value, _ in parts[3])
    return dumped(state, (*kept, *writes))[1]


@dataclasses.dataclass
class Kept:
    """The newest checkpoint of a graph or sub-graph, without the channels that are stored as segments."""

    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    parent: str | None
    writes: list[Write] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Growing:
    """A list channel: its loaded elements, and the number of elements before them."""

    start: int = 0
    elements: list[Any] = dataclasses.field(default_factory=list)
    segment: Segment | None = None

    def replay(self, segment: Segment) -> None:
        self.start = min(self.start, segment.keep)
        self.elements = self.elements[: segment.keep - self.start] + thaw(segment.elements)

    def grow(self, place: Place, new: list[Any]) -> None:
        """Apply a put of this run. Several puts (a sub-graph called twice) add up to one segment from where the run
        began. Raises AgentFault."""
        old, earlier, same = self.elements, self.segment, 0
        while same < min(len(old), len(new)) and (old[same] is new[same] or old[same] == new[same]):
            same += 1
        if same < len(old) or len(new) > same or earlier:
            keep = min(self.start + same, earlier.keep) if earlier else self.start + same
            added = new[keep - self.start :]
            try:
                self.segment = Segment(*place, keep, freeze(added))
            except TypeError as error:
                raise unstorable([(place[1], added)]) from error
        self.elements = list(new)


def unpacked(writes: Sequence[TaskWrite]) -> list[Write]:
    return [(each.task_id, each.channel, SERIALISER.loads_typed((each.kind, each.data)), each.path) for each in writes]


def stored(space: Kept, dropped: frozenset[str]) -> list[Any]:
    values = {name: value for name, value in space.checkpoint["channel_values"].items() if name not in dropped}
    return [{**space.checkpoint, "channel_values": values}, space.metadata, space.parent, space.writes]


def extends(old: list[Any], new: list[Any]) -> bool:
    return len(new) >= len(old) and all(a is b or a == b for a, b in zip(old, new, strict=False))


def changed_space(stored: list[Any], change: Change) -> list[Any]:
    """Change values, pending writes and the client's metadata; the rest is LangGraph's own bookkeeping."""
    checkpoint, metadata, parent, writes = stored
    values = changed(checkpoint["channel_values"], change)
    writes = [(task, channel, changed(value, change), path) for task, channel, value, path in writes]
    return [{**checkpoint, "channel_values": values}, changed(metadata, change), parent, writes]


def changed_segment(segment: Segment, change: Change) -> Segment:
    return dataclasses.replace(segment, elements=freeze(changed(thaw(segment.elements), change)))


def changed(value: Any, change: Change) -> Any:
    """Return the value with each of its texts changed. Other types, such as dates and numbers, contain none."""
    return reworded_in(value, change, _changed_object)


def _changed_object(value: Any, change: Change) -> Any:
    if isinstance(value, PurePath | IPv4Address | IPv6Address):
        new = change(str(value))
        return value if new == str(value) else new
    if isinstance(value, Send):
        return Send(value.node, changed(value.arg, change), timeout=value.timeout)
    if isinstance(value, BaseModel):
        return _changed_model(value, change)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    names = [each.name for each in dataclasses.fields(value) if each.init and each.name != "id"]
    return dataclasses.replace(value, **{name: changed(getattr(value, name), change) for name in names})


def _changed_model(value: BaseModel, change: Change) -> BaseModel:
    names = next((names for kind, names in _OWN.items() if isinstance(value, kind)), tuple(type(value).model_fields))
    new = {name: changed(getattr(value, name), change) for name in names if hasattr(value, name)}
    for name in ("tool_calls", "invalid_tool_calls"):
        if calls := isinstance(value, BaseMessage) and getattr(value, name, None):
            new[name] = [{**call, "args": changed(call["args"], change)} for call in calls]
    return value.model_copy(update=new)
