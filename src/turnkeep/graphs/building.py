"""Builds agents and reads their settings. Building imports the graph: routes that run none never load LangGraph."""

import os
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from turnkeep.entries import entries, graph_file
from turnkeep.errors import AgentUnavailable, UnknownAgent
from turnkeep.graphs.agent import Agent
from turnkeep.observability import logger
from turnkeep.settings import Settings, UnusableFile


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
            from turnkeep.graphs.own import build_own  # noqa: PLC0415 - LangGraph loads with it

            return build_own(file, entry.graph)
        build: Callable[[Settings], Agent] = pkgutil.resolve_name(entry.build)
        return build(settings)
    except UnusableFile as error:
        log_unusable(name, error)
        raise AgentUnavailable from error


def log_unusable(name: str, error: UnusableFile) -> None:
    """Log the reason for the operator; callers only learn that the agent is unavailable."""
    logger.error("agent unavailable: a file of its settings is unusable", agent=name, reason=str(error))
