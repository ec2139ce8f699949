"""Converts requests of LangGraph clients to LangGraph's types, and LangGraph's output to JSON for those clients. This
service names threads and checkpoints: values for them in a client's `configurable` are ignored."""

from collections.abc import Iterator
from functools import partial
from typing import Any, get_type_hints

from langchain_core.messages import BaseMessage, convert_to_messages, message_chunk_to_message, messages_from_dict
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send
from pydantic_core import to_jsonable_python

from turnkeep.errors import InvalidRequest
from turnkeep.graphs.agent import Agent
from turnkeep.records import JSON, RunContext
from turnkeep.texts import whole
from turnkeep.turns.request import GraphCall

MESSAGES_TUPLE, EVENTS = "messages-tuple", "events"
LIFECYCLE = "lifecycle"  # of inner graphs
STATE_DEPTH = 3  # `values` of a checkpoint are in the `payload` of a `debug` event
_OURS, _FACTS = ("thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"), ("graph_id", "assistant_id")


def called_input(agent: Agent, call: GraphCall, name: str) -> Any:
    """Return the input of the run: a Command, an input, or None to continue from the thread's state. Messages without
    an id get one that begins with `name`, so that none is stored twice. Raises InvalidRequest."""
    if call.command:
        return _command(agent, call.command, name)
    if call.input is None:
        return None
    return {**given, **agent.new_turn()} if isinstance(given := named(agent, call.input, name), dict) else given


def _command(agent: Agent, command: JSON, name: str) -> "Command[Any]":
    goto = command.get("goto") or ()
    steps = [_step(each) for each in (goto if isinstance(goto, list | tuple) else [goto])]
    update = named(agent, _pairs(command.get("update")), name)
    return Command(resume=command.get("resume"), update=update, goto=steps)


def _pairs(update: Any) -> Any:
    """Return [["log", "x"]] as pairs of channel and value, which JSON can only write as lists."""
    if isinstance(update, list) and all(isinstance(each, list) and len(each) == 2 for each in update):
        return [tuple(each) for each in update]
    return update


def _step(goto: Any) -> str | Send:
    return Send(goto["node"], goto.get("input")) if isinstance(goto, dict) else str(goto)


def named(agent: Agent, given: Any, name: str) -> Any:
    """Return an input or update with LangChain's messages, each with an id; unchanged if `messages` is a custom
    channel. Raises InvalidRequest."""
    channel = agent.graph.channels.get("messages")
    is_usual = not agent.is_own or getattr(channel, "operator", None) is add_messages
    if not is_usual or not isinstance(given, dict) or "messages" not in given:
        return given
    sent = given["messages"]
    try:
        messages = convert_to_messages(sent if isinstance(sent, list) else [sent])
    except (ValueError, NotImplementedError, KeyError, TypeError) as error:
        raise InvalidRequest("messages: Send a list of objects with `role` (or `type`) and `content`.") from error
    for number, message in enumerate(messages):
        message.id = message.id or f"{name}-{number}"
    return {**given, "messages": messages}


def config_of(agent: Agent, call: GraphCall, run_id: str | None, *, max_steps: int) -> JSON:
    """Return `configurable`, `metadata`, `tags` and `recursion_limit` of the client within our limits. Custom graphs
    also find the context in `configurable` and use their own step limit, as their time is bounded."""
    given = {**(call.context if agent.is_own else {}), **call.config.get("configurable", {})}
    own = {key: value for key, value in given.items() if not _is_ours(key)}
    limit = call.config.get("recursion_limit")
    ids = {"run_id": run_id} if run_id else {}
    config = {
        "configurable": own | ids,
        "metadata": {**call.config.get("metadata", {}), **ids},
        "tags": call.config.get("tags", []),
    }
    if agent.is_own:
        return {**config, **({"recursion_limit": limit} if isinstance(limit, int) else {})}
    return {**config, "recursion_limit": min(limit, max_steps) if isinstance(limit, int) else max_steps}


def context_of(agent: Agent, call: GraphCall, context: RunContext) -> Any:
    """Return `runtime.context` for nodes: ours, or for a custom graph that does not declare ours the client's context,
    else its `configurable`. Keys that are not in the graph's schema are dropped."""
    if not agent.is_own or agent.graph.context_schema is RunContext:
        return context
    configured = call.config.get("configurable", {})
    given = call.context or {key: v for key, v in configured.items() if not (_is_ours(key) or key in _FACTS)}
    fields = get_type_hints(agent.graph.context_schema) if agent.graph.context_schema else {}
    return {key: given[key] for key in given if key in fields} if fields else given or None


def _is_ours(key: str) -> bool:
    return key in _OURS or key.startswith("__")


def plain(value: Any) -> Any:
    """Return a graph's value as JSON: messages and models by their fields, types without a JSON form as text."""
    as_json = partial(to_jsonable_python, fallback=str, bytes_mode="base64", inf_nan_mode="null")
    try:
        return as_json(value)
    except UnicodeEncodeError:  # a key with half a surrogate pair
        return as_json(whole(value))


def without(value: Any, names: frozenset[str], depth: int = STATE_DEPTH) -> Any:
    """Return LangGraph's output without per-turn keys: drafts are not checked yet, and clients do not receive what may
    be discarded."""
    if not names or not depth or not isinstance(value, dict):
        return value
    return {name: without(each, names, depth - 1) for name, each in value.items() if name not in names}


def grown(before: Any, piece: JSON) -> tuple[Any, JSON]:
    """Add a piece to what is written of a message. Return that for the next piece, and as JSON of a message."""
    [more] = messages_from_dict([{"type": piece["type"], "data": piece}])
    written: Any = before + more if before else more
    return written, plain(message_chunk_to_message(written))


def messages_in(update: Any) -> Iterator[BaseMessage]:
    """Yield the messages of a state, or of a node's update."""
    values = update.values() if isinstance(update, dict) else ()
    for value in values:
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, BaseMessage))
