"""Variables under other names that deployments may have set already. Turnkeep's own name wins; empty is unset."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Aliases: TypeAlias = Mapping[str, tuple[str, Callable[[str], str]]]  # each variable's field and conversion of its value

OPENAI_MODEL = "OPENAI_MODEL"
SERVERS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
ALIASES: Aliases = {OPENAI_MODEL: ("model", "openai:{}".format), "CONVERSATION_MAX_AGE_HOURS": ("thread_hours", str)}


def read_aliases(aliases: Aliases, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the fields set by aliases. OPENAI_MODEL, which many tools read, needs a key or a server."""
    used = {alias for alias in aliases if environ.get(alias)}
    if not any(environ.get(name) for name in SERVERS):
        used.discard(OPENAI_MODEL)
    return {field: convert(environ[alias]) for alias, (field, convert) in aliases.items() if alias in used}


def variable_of(field: str, name: str, aliases: Aliases, environ: Mapping[str, str]) -> str:
    """Return the variable that sets a field: `name`, or its alias if only that is set."""
    used = (alias for alias, (meant, _) in aliases.items() if meant == field and environ.get(alias))
    return name if environ.get(name) else next(used, name)
