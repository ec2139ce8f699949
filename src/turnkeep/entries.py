"""Agents are found by entry points: whoever installs a package with the group `turnkeep.agents` has its agents, and
nothing here names one. Where TURNKEEP_GRAPHS names a langgraph.json its graphs are agents too, and of the others those
that it asks for. Light to import, because a command's help and every route without a graph need no more."""

import functools
import os
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from turnkeep.graphfile import GraphFile, GraphSpec, read_graph_file

GROUP = "turnkeep.agents"


@dataclass(frozen=True)
class Entry:
    """What an entry point names, light to import. Each place is written "package.module:name".

    `build(settings) -> Agent`; `settings` is a subclass of AgentSettings; `add_commands(commands)` adds to the parser
    of `turnkeep`.
    """

    description: str
    build: str
    settings: str = ""
    add_commands: str = ""
    graph: GraphSpec | None = None
    """In place of `build`, for a graph of a langgraph.json."""


@functools.cache
def graph_file() -> GraphFile | None:
    """What TURNKEEP_GRAPHS names. Raises UnusableGraphFile."""
    named = os.environ.get("TURNKEEP_GRAPHS")
    return read_graph_file(Path(named)) if named else None


@functools.cache
def entries() -> dict[str, Entry]:
    """The graphs of the file in its order, then the agents that are installed, by name. Raises UnusableGraphFile."""
    file = graph_file()
    wanted = file.agents if file else "all"
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    found = {point.name: _load(point) for point in points if wanted == "all" or point.name in wanted}
    own = {name: Entry(spec.description, "", graph=spec) for name, spec in (file.graphs if file else {}).items()}
    return own | {name: entry for name, entry in found.items() if entry and name not in own}


def default_agent(named: str) -> str:
    """The agent that answers where a request names none: `named`, else the first graph of the file."""
    return named if named in entries() or not graph_file() else next(iter(entries()))


def _load(point: EntryPoint) -> Entry | None:
    """None for a package that is broken: the other agents work."""
    try:
        entry = point.load()
    except (ImportError, AttributeError) as error:
        from turnkeep.observability import logger  # noqa: PLC0415 - only where something is wrong

        logger.error("agent cannot be loaded", agent=point.name, reason=str(error))
        return None
    return entry if isinstance(entry, Entry) else None
