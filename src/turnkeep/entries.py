"""Agents are found by entry points: whoever installs a package with the group `turnkeep.agents` has its agents, and
nothing here names one. Light to import, because a command's help and every route without a graph need no more."""

import functools
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

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


@functools.cache
def entries() -> dict[str, Entry]:
    """The agents that are installed, by name in alphabetical order."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    found = {point.name: _load(point) for point in points}
    return {name: entry for name, entry in found.items() if entry}


def _load(point: EntryPoint) -> Entry | None:
    """None for a package that is broken: the other agents work."""
    try:
        entry = point.load()
    except (ImportError, AttributeError) as error:
        from turnkeep.observability import logger  # noqa: PLC0415 - only where something is wrong

        logger.error("agent cannot be loaded", agent=point.name, reason=str(error))
        return None
    return entry if isinstance(entry, Entry) else None
