"""Names that settings have elsewhere, such as those of the design document for agents over SQL databases, which
deployments of it have in their environment already. Turnkeep's own name wins where both are set; empty is unset."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Aliases: TypeAlias = Mapping[str, tuple[str, Callable[[str], str]]]
"""Variables, each with the field that it sets and how its value is written there."""

OPENAI_MODEL = "OPENAI_MODEL"
SERVERS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
ALIASES: Aliases = {OPENAI_MODEL: ("model", "openai:{}".format), "CONVERSATION_MAX_AGE_HOURS": ("thread_hours", str)}


def read_aliases(aliases: Aliases, environ: Mapping[str, str]) -> dict[str, str]:
    """The fields that `environ` sets by an alias. A name of a model alone, which many tools read, is no wish to use it
    without a key."""
    used = {alias for alias in aliases if environ.get(alias)}
    if not any(environ.get(name) for name in SERVERS):
        used.discard(OPENAI_MODEL)
    return {field: convert(environ[alias]) for alias, (field, convert) in aliases.items() if alias in used}


def variable_of(field: str, name: str, aliases: Aliases, environ: Mapping[str, str]) -> str:
    """The variable that `environ` sets a field by: `name`, or its alias where only that is set."""
    used = (alias for alias, (meant, _) in aliases.items() if meant == field and environ.get(alias))
    return name if environ.get(name) else next(used, name)
