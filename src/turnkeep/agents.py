"""An agent, its settings and its building, which imports the graph: routes that run no graph never load LangGraph."""

import os
import pkgutil
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.entries import entries, graph_file
from turnkeep.errors import AgentUnavailable, UnknownAgent
from turnkeep.observability import logger
from turnkeep.records import JSON, Reply
from turnkeep.settings import Settings, UnusableFile

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


def read_settings(home: Path | None = None, **given: Any) -> Settings:
    """Read all settings, with own data in a laptop's folder `home`; raise one of UNUSABLE."""
    own = [pkgutil.resolve_name(each.settings) for each in entries().values() if each.settings]
    read = [kind.read(os.environ, kind.own_data(home) if home else {}) for kind in own]
    if graph_file() and not own:  # these graphs read MODEL themselves, in their own format
        given = {"model": "", "model_small": "", **given}
    return Settings(**given).with_agents(*read)


def build_agent(name: str, settings: Settings) -> Agent:
    """Build an agent; raise UnknownAgent, or AgentUnavailable if a file of its settings is unusable."""
    if name not in entries():
        raise UnknownAgent
    entry, file = entries()[name], graph_file()
    try:
        if entry.graph and file:
            from turnkeep.owngraphs import build_own  # noqa: PLC0415 - LangGraph loads with it

            return build_own(file, entry.graph)
        build: Callable[[Settings], Agent] = pkgutil.resolve_name(entry.build)
        return build(settings)
    except UnusableFile as error:
        log_unusable(name, error)
        raise AgentUnavailable from error


def log_unusable(name: str, error: UnusableFile) -> None:
    """Log the reason for the operator; callers only learn that the agent is unavailable."""
    logger.error("agent unavailable: a file of its settings is unusable", agent=name, reason=str(error))
