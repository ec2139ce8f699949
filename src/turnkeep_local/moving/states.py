"""Converts an old thread: a turn for each human message, and the newest state as the checkpoint from which its graph
continues. No code of that graph runs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.types import INTERRUPT

from turnkeep.records import JSON, Turn
from turnkeep.saver.turns import last_text, question_of, turn_of
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.links import Segment
from turnkeep.store.plans import Loaded, Saved
from turnkeep.store.serde import CHECKPOINT_VERSION, SERIALISER, are_messages, freeze
from turnkeep.turns.wire import plain
from turnkeep_local.moving.savers import Unreadable

_OF_LANGGRAPH = ("source", "step", "parents", "writes", "thread_id", "run_id", "checkpoint_", "langgraph_", "ls_")
METADATA_CHARACTERS = 400  # a thread has 1 KB in all

Appended: TypeAlias = tuple[Turn, tuple[Segment, ...]]  # a turn without a number, and what it appended to the state


@dataclass(frozen=True)
class Converted:
    """`updated` is in epoch seconds."""

    saved: Saved
    turns: tuple[Appended, ...]
    updated: float
    metadata: JSON


def convert(spaces: Mapping[str, CheckpointTuple], agent: str) -> Converted:
    """Convert the thread whose newest checkpoints by namespace are `spaces`; raise Unreadable."""
    root = spaces[""]
    updated = datetime.fromisoformat(root.checkpoint["ts"]).timestamp()
    values = root.checkpoint["channel_values"]
    messages = values["messages"] if isinstance(values.get("messages"), list) else []
    if not are_messages(messages):
        raise Unreadable("a message is of a type that LangGraph does not list, or contains one")
    asked = tuple(each for _, name, value in root.pending_writes or () if name == INTERRUPT for each in value)
    saved = replace(_saved(spaces), interrupted=bool(asked))
    others = tuple(each for each in saved.segments if (each.namespace, each.channel) != ("", "messages"))
    *turns, (last, appended) = list(_turns(messages, updated, agent)) or [_state(values, updated, agent)]
    if asked:
        last = replace(last, reply=question_of(asked), status="interrupted", route="clarify")
    turns.append((last, (*appended, *others)))
    return Converted(saved, tuple(turns), updated, _metadata(root.metadata))


def _saved(spaces: Mapping[str, CheckpointTuple]) -> Saved:
    run = RunCheckpointer(Loaded())
    for namespace, found in spaces.items():
        checkpoint: Any = found.checkpoint
        if checkpoint["v"] > CHECKPOINT_VERSION:
            raise Unreadable(f"a newer LangGraph wrote version {checkpoint['v']} of its checkpoints")
        at: Any = {"thread_id": "", "checkpoint_ns": namespace}
        seen = {node: _versions(each) for node, each in checkpoint["versions_seen"].items()}
        versions = {"channel_versions": _versions(checkpoint["channel_versions"]), "versions_seen": seen}
        run.put({"configurable": at}, checkpoint | versions, found.metadata, {})
        for task, channel, value in found.pending_writes or ():
            run.put_writes({"configurable": {**at, "checkpoint_id": checkpoint["id"]}}, [(channel, value)], task)
    saved = run.saved(frozenset(), interrupted=True)
    assert saved  # noqa: S101 - there is a root
    return saved


def _versions(counted: Mapping[str, Any]) -> dict[str, str]:
    """Return versions as text. Other savers use integers, or texts with a suffix behind a dot: 3, "00003.0.71"."""
    return {name: f"{int(str(version).split('.')[0]):010d}" for name, version in counted.items()}


def _turns(messages: list[BaseMessage], updated: float, agent: str) -> Iterator[Appended]:
    """Yield turns. Messages before the first human one belong to the first turn."""
    begins = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)][1:]
    for begin, end in zip([0, *begins], [*begins, len(messages)], strict=True) if messages else ():
        some = messages[begin:end]
        yield _turn(some, last_text(some, AIMessage), updated, agent), (Segment("", "messages", begin, freeze(some)),)


def _turn(messages: list[BaseMessage], reply: str, at: float, agent: str) -> Turn:
    return turn_of(messages, reply, asks=False, message=None, agent=agent, began=at, now=at)


def _state(values: Mapping[str, Any], updated: float, agent: str) -> Appended:
    """Return a state without messages as one turn, whose reply is JSON."""
    known = SERIALISER.loads_typed(SERIALISER.dumps_typed(dict(values)))
    return _turn([], json.dumps(plain(known), ensure_ascii=False), updated, agent), ()


def _metadata(given: Mapping[str, Any]) -> JSON:
    """Return the plain values that the application set; nothing if they are too long."""
    own = {name: value for name, value in given.items() if not name.startswith(_OF_LANGGRAPH)}
    kept: JSON = {name: value for name, value in own.items() if isinstance(value, str | int | float | bool)}
    return kept if len(json.dumps(kept)) <= METADATA_CHARACTERS else {}
