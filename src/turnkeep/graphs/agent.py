"""An agent: a graph and how to run it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnkeep.records import JSON, Reply

if TYPE_CHECKING:
    from langgraph.pregel import Pregel
    from langgraph.store.base import BaseStore

    AnyGraph = Pregel[Any, Any, Any, Any]
    Make = Callable[[JSON, BaseStore | None, Any], AbstractAsyncContextManager[AnyGraph]]


@dataclass(frozen=True)
class Agent:
    """A compiled graph and how to run it.

    `graph` has no checkpointer. If graphs are made per run by `make(config, store, context)`, it is that of an empty
    config, for drawings and states.
    `read_reply` turns the final state into the reply.
    `new_turn()` sets every per-turn key at the start of a run; they are dropped at its end.
    `window` is the number of turns of `messages` that a run loads; None loads all.
    `message` is the channel of the user's message: `messages` with `add_messages`, or a text; "" if the message is the
    whole input, None if a message alone cannot begin a run.
    `is_own`: a graph of a langgraph.json, with context, config and input as on LangGraph's server.
    """

    name: str
    graph: "AnyGraph"
    read_reply: Callable[[Mapping[str, Any]], Reply]
    new_turn: Callable[[], JSON] = dict
    window: int | None = 10
    prompt_window: int = 5
    provider: str = ""
    model: str = ""
    make: "Make | None" = None
    message: str | None = "messages"
    is_own: bool = False
