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

from turnkeep.records import JSON, Turn, Usage
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.elements import CHECKPOINT_VERSION, SERIALISER, are_messages, freeze
from turnkeep.store.links import Segment
from turnkeep.store.plans import Loaded, Saved
from turnkeep.turns.calls import plain
from turnkeep.turns.graph import question_of
from turnkeep_local.moving.savers import Unreadable

_OF_LANGGRAPH = ("source", "step", "parents", "writes", "thread_id", "run_id", "checkpoint_", "langgraph_", "ls_")
METADATA_CHARACTERS = 400  # a thread has 1 KB in all

Appended: TypeAlias = tuple[Turn, tuple[Segment, ...]]  # a turn without a number, and what it appended to the state


@dataclass(frozen=True)
class Converted:
    """`updated` is in epoch seconds."""

    saved: Saved
    turns: tuple[Appended, ...]
    messages: int
    updated: float
    metadata: JSON


def convert(spaces: Mapping[str, CheckpointTuple], agent: str) -> Converted:
    """Convert the thread whose newest checkpoints by namespace are `spaces`; raise Unreadable."""
    root = spaces[""]
    updated = datetime.fromisoformat(root.checkpoint["ts"]).timestamp()
    values = root.checkpoint["channel_values"]
    messages = values.get("messages")
    messages = messages if isinstance(messages, list) else []
    if not are_messages(messages):
        raise Unreadable("a message is of a type that LangGraph does not list, or contains one")
    asked = tuple(each for _, name, value in root.pending_writes or () if name == INTERRUPT for each in value)
    saved = replace(_saved(spaces), interrupted=bool(asked))
    others = tuple(each for each in saved.segments if (each.namespace, each.channel) != ("", "messages"))
    *turns, (last, appended) = list(_turns(messages, updated, agent)) or [_state(values, updated, agent)]
    if asked:
        last = replace(last, reply=question_of(asked), status="interrupted", route="clarify")
    turns.append((last, (*appended, *others)))
    return Converted(saved, tuple(turns), len(messages), updated, _metadata(root.metadata))


def _saved(spaces: Mapping[str, CheckpointTuple]) -> Saved:
    run = RunCheckpointer(Loaded())
    for namespace, found in spaces.items():
        checkpoint: Any = found.checkpoint
        if checkpoint["v"] > CHECKPOINT_VERSION:
            raise Unreadable(f"a newer LangGraph wrote version {checkpoint['v']} of its checkpoints")
        at: Any = {"thread_id": "", "checkpoint_ns": namespace}
        versions = _versions(checkpoint["channel_versions"])
        seen = {node: _versions(each) for node, each in checkpoint["versions_seen"].items()}
        checkpoint = {**checkpoint, "channel_versions": versions, "versions_seen": seen}
        run.put({"configurable": at}, checkpoint, found.metadata, {})
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
        yield _turn(some, updated, agent), (Segment("", "messages", begin, freeze(some)),)


def _turn(messages: list[BaseMessage], at: float, agent: str) -> Turn:
    replies = [each for each in messages if isinstance(each, AIMessage)]
    used = [each.usage_metadata for each in replies if each.usage_metadata]
    return Turn(
        thread_id=None,
        number=0,
        agent=agent,
        message=next((str(each.text) for each in messages if isinstance(each, HumanMessage)), ""),
        reply=next((str(each.text) for each in reversed(replies) if each.text), ""),
        status="complete",
        created_at=round(at, 3),
        duration_ms=0,
        provider="",
        model=next((str(each.response_metadata.get("model_name", "")) for each in reversed(replies)), ""),
        usage=Usage(sum(each["input_tokens"] for each in used), sum(each["output_tokens"] for each in used)),
    )


def _state(values: Mapping[str, Any], updated: float, agent: str) -> Appended:
    """Return a state without messages as one turn, whose reply is JSON."""
    known = SERIALISER.loads_typed(SERIALISER.dumps_typed(dict(values)))
    return replace(_turn([], updated, agent), reply=json.dumps(plain(known), ensure_ascii=False)), ()


def _metadata(given: Mapping[str, Any]) -> JSON:
    """Return the short values that the application set."""
    own = {name: value for name, value in given.items() if not name.startswith(_OF_LANGGRAPH)}
    kept: JSON = {name: value for name, value in own.items() if isinstance(value, str | int | float | bool)}
    while len(json.dumps(kept)) > METADATA_CHARACTERS:
        kept.popitem()
    return kept
