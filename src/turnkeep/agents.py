"""What Turnkeep has to know of an agent, its settings, and how it is built. Its graph is imported only then, so that
routes which run no graph never load LangGraph."""

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
    """A compiled graph and what Turnkeep has to know to run it.

    `graph` is compiled without a checkpointer. Where graphs are made for each run, `make(config, store, context)` does,
    and `graph` is what an empty config gives, for drawings and states.
    `message` is the channel that takes a user's message: `messages` with LangGraph's `add_messages`, or one of text;
    empty where the message is all of the input, None where a message alone cannot begin a run.
    `is_own`: a graph of a langgraph.json, which gets context, config and input as LangGraph's server gives them.
    `new_turn()` sets every per-turn key at the start of a run; these keys are dropped when the run has finished.
    `window` is how many turns of `messages` a run loads; None loads them all.
    `read_reply` turns the final state into what the client sees.
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
    """The settings of the environment with those of every agent; raises one of UNUSABLE. `home` is a laptop's folder,
    where data of one's own may lie."""
    own = [pkgutil.resolve_name(each.settings) for each in entries().values() if each.settings]
    read = [kind.read(os.environ, kind.own_data(home) if home else {}) for kind in own]
    if graph_file() and not own:  # MODEL is read by none of ours, and by these graphs in words of their own
        given = {"model": "", "model_small": "", **given}
    return Settings(**given).with_agents(*read)


def build_agent(name: str, settings: Settings) -> Agent:
    """The agent called `name`; raises UnknownAgent, and AgentUnavailable where a file of its settings cannot be used,
    which leaves the other agents alone."""
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
        tell_unusable(name, error)
        raise AgentUnavailable from error


def tell_unusable(name: str, error: UnusableFile) -> None:
    """To the operator, whose file it is; a caller is told no more than that the agent cannot work."""
    logger.error("agent cannot work, a file of its settings cannot be used", agent=name, reason=str(error))
