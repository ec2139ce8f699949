"""The agents of this deployment, on one screen. An agent's package is imported only when the agent is built, so
that routes which run no graph never load LangGraph."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnkeep.errors import AgentUnavailable, UnknownAgent
from turnkeep.observability import logger
from turnkeep.records import JSON, Reply
from turnkeep.settings import Settings, UnusableFile

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
    provider: str = "demo"
    model: str = "demo"


@dataclass(frozen=True)
class Entry:
    """Where an agent is built: `build(settings) -> Agent`."""

    description: str
    build: str


REGISTRY: Mapping[str, Entry] = {
    "campaigns": Entry(
        "Analyses advertising campaigns by asking specialists, who query the metrics",
        "turnkeep.agents.campaigns.graph:build",
    ),
    "database": Entry(
        "Answers questions over a SQL database and its user manual",
        "turnkeep.agents.database.graph:build",
    ),
    "papers": Entry("Answers questions about arXiv papers, with citations", "turnkeep.agents.papers.graph:build"),
    "products": Entry(
        "Finds, compares and explains products of a catalogue",
        "turnkeep.agents.products.graph:build",
    ),
}


def build_agent(name: str, settings: Settings) -> Agent:
    """The agent called `name`; raises UnknownAgent, and AgentUnavailable where a file of its settings cannot be used,
    which leaves the other agents alone."""
    if name not in REGISTRY:
        raise UnknownAgent
    build: Callable[[Settings], Agent] = pkgutil.resolve_name(REGISTRY[name].build)
    try:
        return build(settings)
    except UnusableFile as error:
        tell_unusable(name, error)
        raise AgentUnavailable from error


def tell_unusable(name: str, error: UnusableFile) -> None:
    """To the operator, whose file it is; a caller is told no more than that the agent cannot work."""
    logger.error("agent cannot work, a file of its settings cannot be used", agent=name, reason=str(error))
