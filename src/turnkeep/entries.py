"""Finds agents: the entry points in `turnkeep.agents`. If TURNKEEP_GRAPHS names a langgraph.json, its graphs and those
installed agents that it asks for. Light to import, for routes without a graph and a command's help."""

import functools
import os
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from turnkeep.graphfile import GraphFile, GraphSpec, read_graph_file

GROUP = "turnkeep.agents"


@dataclass(frozen=True)
class Entry:
    """The object that an entry point names, light to import. Places are written "package.module:name":
    `build(settings) -> Agent`, a subclass of AgentSettings, and `add_commands(commands)` for `turnkeep`'s parser."""

    description: str
    build: str
    settings: str = ""
    add_commands: str = ""
    graph: GraphSpec | None = None  # a graph of a langgraph.json, instead of `build`


@functools.cache
def graph_file() -> GraphFile | None:
    """Return the file that TURNKEEP_GRAPHS names; raise UnusableGraphFile."""
    named = os.environ.get("TURNKEEP_GRAPHS")
    return read_graph_file(Path(named)) if named else None


@functools.cache
def entries() -> dict[str, Entry]:
    """Return the file's graphs in order, then installed agents by name; raise UnusableGraphFile."""
    file = graph_file()
    wanted = file.agents if file else "all"
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    found = {point.name: _load(point) for point in points if wanted == "all" or point.name in wanted}
    own = {name: Entry(spec.description, "", graph=spec) for name, spec in (file.graphs if file else {}).items()}
    return own | {name: entry for name, entry in found.items() if entry and name not in own}


def default_agent(named: str) -> str:
    """Return the agent for requests that name none: `named`, else the first graph of the file."""
    return named if named in entries() or not graph_file() else next(iter(entries()))


def _load(point: EntryPoint) -> Entry | None:
    """Return None for a broken package: the other agents work."""
    try:
        entry = point.load()
    except (ImportError, AttributeError) as error:
        from turnkeep.observability import logger  # noqa: PLC0415 - only if something is wrong

        logger.error("agent cannot be loaded", agent=point.name, reason=str(error))
        return None
    return entry if isinstance(entry, Entry) else None
