"""What a client of LangGraph asks of a graph, as LangGraph takes it, and what LangGraph tells, as JSON for that client.
Thread and checkpoints are ours to name: what a client says of them in `configurable` is passed over."""

from collections.abc import Iterator
from functools import partial
from typing import Any, get_type_hints

from langchain_core.messages import BaseMessage, convert_to_messages
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send
from pydantic_core import to_jsonable_python

from turnkeep.agents import Agent
from turnkeep.errors import InvalidRequest
from turnkeep.records import JSON, RunContext
from turnkeep.texts import whole
from turnkeep.turns.request import GraphCall

MESSAGES_TUPLE = "messages-tuple"
STATE_DEPTH = 3  # `values` of a checkpoint lie in the `payload` of a `debug` event
_OURS, _FACTS = ("thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"), ("graph_id", "assistant_id")


def called_input(agent: Agent, call: GraphCall, name: str) -> Any:
    """What the run is given: a Command, an input, or None to go on from where the thread stands. Messages that have no
    id get one that begins with `name`, so that none is kept twice. Raises InvalidRequest."""
    if call.command:
        return _command(agent, call.command, name)
    if call.input is None:
        return None
    return {**given, **agent.new_turn()} if isinstance(given := named(agent, call.input, name), dict) else given


def _command(agent: Agent, said: JSON, name: str) -> "Command[Any]":
    goto = said.get("goto") or ()
    steps = [_step(each) for each in (goto if isinstance(goto, list | tuple) else [goto])]
    update = named(agent, _pairs(said.get("update")), name)
    return Command(resume=said.get("resume"), update=update, goto=steps)


def _pairs(update: Any) -> Any:
    """[["log", "x"]] as pairs of channel and value, which JSON writes as lists."""
    if isinstance(update, list) and all(isinstance(each, list) and len(each) == 2 for each in update):
        return [tuple(each) for each in update]
    return update


def _step(said: Any) -> str | Send:
    return Send(said["node"], said.get("input")) if isinstance(said, dict) else str(said)


def named(agent: Agent, given: Any, name: str) -> Any:
    """An input or an update with its messages as LangChain's, each with an id; as it is where `messages` are of a kind
    of its own. Raises InvalidRequest."""
    channel = agent.graph.channels.get("messages")
    is_usual = not agent.is_own or getattr(channel, "operator", None) is add_messages
    if not is_usual or not isinstance(given, dict) or "messages" not in given:
        return given
    said = given["messages"]
    try:
        messages = convert_to_messages(said if isinstance(said, list) else [said])
    except (ValueError, NotImplementedError, KeyError, TypeError) as error:
        raise InvalidRequest("messages: Send a list of objects with `role` (or `type`) and `content`.") from error
    for number, message in enumerate(messages):
        message.id = message.id or f"{name}-{number}"
    return {**given, "messages": messages}


def config_of(agent: Agent, call: GraphCall, run_id: str | None, *, max_steps: int) -> JSON:
    """`configurable`, `metadata`, `tags` and `recursion_limit` of the client, within ours. A graph of one's own finds
    the context in `configurable` too, and takes as many steps as it says itself: its time is bounded."""
    said = call.config
    given = {**(call.context if agent.is_own else {}), **said.get("configurable", {})}
    own = {key: value for key, value in given.items() if not _is_ours(key)}
    limit = said.get("recursion_limit")
    ids = {"run_id": run_id} if run_id else {}
    config = {
        "configurable": own | ids,
        "metadata": {**said.get("metadata", {}), **ids},
        "tags": said.get("tags", []),
    }
    if agent.is_own:
        return {**config, **({"recursion_limit": limit} if isinstance(limit, int) else {})}
    return {**config, "recursion_limit": min(limit, max_steps) if isinstance(limit, int) else max_steps}


def context_of(agent: Agent, call: GraphCall, context: RunContext) -> Any:
    """What nodes read as `runtime.context`: ours, or for a graph of one's own that does not ask for ours the client's,
    else its `configurable`, as far as its schema has the keys."""
    if not agent.is_own or agent.graph.context_schema is RunContext:
        return context
    configured = call.config.get("configurable", {})
    said = call.context or {key: v for key, v in configured.items() if not (_is_ours(key) or key in _FACTS)}
    fields = get_type_hints(agent.graph.context_schema) if agent.graph.context_schema else {}
    return {key: said[key] for key in said if key in fields} if fields else said or None


def _is_ours(key: str) -> bool:
    return key in _OURS or key.startswith("__")


def plain(value: Any) -> Any:
    """A value of a graph as JSON: messages and models by their fields, what has no form of its own as text."""
    as_json = partial(to_jsonable_python, fallback=str, bytes_mode="base64", inf_nan_mode="null")
    try:
        return as_json(value)
    except UnicodeEncodeError:  # a key with half a surrogate pair
        return as_json(whole(value))


def without(value: Any, names: frozenset[str], depth: int = STATE_DEPTH) -> Any:
    """What LangGraph tells, without the keys of this turn alone: drafts are not checked yet, and no client is told what
    may not stay."""
    if not names or not depth or not isinstance(value, dict):
        return value
    return {name: without(each, names, depth - 1) for name, each in value.items() if name not in names}


def as_chunk(content: str, message_id: str, metadata: JSON) -> list[JSON]:
    """A piece of a reply as LangGraph tells the pieces of a model's message."""
    return [{"content": content, "type": "AIMessageChunk", "id": message_id}, metadata]


def messages_in(update: Any) -> Iterator[BaseMessage]:
    """Those of a state, or of what a node returns."""
    values = update.values() if isinstance(update, dict) else ()
    for value in values:
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, BaseMessage))
