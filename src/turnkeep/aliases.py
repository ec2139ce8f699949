"""Names that settings have elsewhere: those of the design document for agents over SQL databases, which deployments
of it have in their environment already. Turnkeep's own name wins where both are set."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

OPENAI_MODEL = "OPENAI_MODEL"
SERVERS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")

Path: TypeAlias = tuple[str, ...]

ALIASES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    OPENAI_MODEL: ("model", "openai:{}".format),
    "CONVERSATION_MAX_AGE_HOURS": ("thread_hours", str),
}


def read_aliases(environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that `environment` names by an alias. Empty values count as unset."""
    return {
        name: convert(value)
        for alias, (name, convert) in ALIASES.items()
        if (value := environment.get(alias, "")) and (alias != OPENAI_MODEL or _has_server(environment))
    }


def name_of(path: Path, environment: Mapping[str, str]) -> str:
    """The variable that `environment` sets a field by: its alias, where only that is set."""
    name = "__".join(path).upper()
    if name in environment:
        return name
    return next((alias for alias, (named, _) in ALIASES.items() if (named,) == path and alias in environment), name)


def _has_server(environment: Mapping[str, str]) -> bool:
    """A name of a model alone, which many tools read, is no wish to use it without a key."""
    return any(environment.get(name) for name in SERVERS)
