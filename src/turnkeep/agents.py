"""What Turnkeep has to know of an agent, its settings, and how it is built. Its graph is imported only then, so that
routes which run no graph never load LangGraph."""

import os
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.entries import Entry, entries
from turnkeep.errors import AgentUnavailable, UnknownAgent
from turnkeep.observability import logger
from turnkeep.records import JSON, Reply
from turnkeep.settings import AgentSettings, Settings, UnusableFile

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


@dataclass(frozen=True)
class Agent:
    """A compiled graph and what Turnkeep has to know to run it.

    `graph` is compiled without a checkpointer and holds a `messages` channel with LangGraph's `add_messages`.
    `new_turn()` sets every per-turn key at the start of a run; these keys are dropped when the run has finished.
    `window` is how many turns of `messages` a run loads; None loads them all.
    `read_reply` turns the final state into what the client sees.
    """

    name: str
    graph: "CompiledStateGraph[Any, Any, Any, Any]"
    read_reply: Callable[[Mapping[str, Any]], Reply]
    new_turn: Callable[[], JSON] = dict
    window: int | None = 10
    prompt_window: int = 5
    provider: str = ""
    model: str = ""


def read_settings(home: Path | None = None, **given: Any) -> Settings:
    """The settings of the environment with those of every agent; raises one of UNUSABLE. `home` is a laptop's folder,
    where data of one's own may lie."""
    own = [_settings_of(entry) for entry in entries().values() if entry.settings]
    read = [kind.read(os.environ, kind.own_data(home) if home else {}) for kind in own]
    return Settings(**given).with_agents(*read)


def _settings_of(entry: Entry) -> type[AgentSettings]:
    kind: type[AgentSettings] = pkgutil.resolve_name(entry.settings)
    return kind


def build_agent(name: str, settings: Settings) -> Agent:
    """The agent called `name`; raises UnknownAgent, and AgentUnavailable where a file of its settings cannot be used,
    which leaves the other agents alone."""
    if name not in entries():
        raise UnknownAgent
    build: Callable[[Settings], Agent] = pkgutil.resolve_name(entries()[name].build)
    try:
        return build(settings)
    except UnusableFile as error:
        tell_unusable(name, error)
        raise AgentUnavailable from error


def tell_unusable(name: str, error: UnusableFile) -> None:
    """To the operator, whose file it is; a caller is told no more than that the agent cannot work."""
    logger.error("agent cannot work, a file of its settings cannot be used", agent=name, reason=str(error))
