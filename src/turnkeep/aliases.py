"""Names that settings have elsewhere: those of the design document for agents over SQL databases, which deployments
of it have in their environment already. Turnkeep's own name wins where both are set."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

type Path = tuple[str, ...]

MOST_WINDOW_TURNS = 10
OPENAI_MODEL = "OPENAI_MODEL"
SERVERS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")


def _as_it_is(value: str) -> str:
    return value


def _turns(messages: str) -> str:
    """A window of messages as one of turns, of two messages each. What is no number stays, to be refused."""
    return str(min(MOST_WINDOW_TURNS, max(1, int(messages) // 2))) if messages.isdecimal() else messages


def _memory(strategy: str) -> str:
    return "window" if strategy == "simple" else strategy


ALIASES: Mapping[str, tuple[Path, Callable[[str], str]]] = {
    OPENAI_MODEL: (("model",), "openai:{}".format),
    "CONVERSATION_MAX_AGE_HOURS": (("thread_hours",), _as_it_is),
    "CONVERSATION_MEMORY_STRATEGY": (("database", "memory"), _memory),
    "MAX_CONVERSATION_MESSAGES": (("database", "window"), _turns),
    "MAX_CONTEXT_TOKENS": (("database", "max_context_tokens"), _as_it_is),
    "MAX_OUTPUT_TOKENS": (("database", "max_output_tokens"), _as_it_is),
    "MAX_QUERY_ROWS": (("database", "max_rows"), _as_it_is),
    "OPENAI_TEMPERATURE": (("database", "temperature"), _as_it_is),
    "SQL_AGENT_MAX_ITERATIONS": (("database", "max_steps"), _as_it_is),
    "SQL_CONFIDENCE_THRESHOLD": (("database", "confidence_threshold"), _as_it_is),
    "SQL_CORRECTION_MAX_ATTEMPTS": (("database", "max_corrections"), _as_it_is),
    "SQL_MAX_COLUMNS_IN_CORRECTION": (("database", "max_columns_in_correction"), _as_it_is),
    "SQL_MAX_COLUMNS_IN_SCHEMA": (("database", "max_columns"), _as_it_is),
    "SQL_MAX_COLUMNS_IN_VALIDATION": (("database", "max_columns_in_problems"), _as_it_is),
    "SQL_MAX_FALLBACK_TABLES": (("database", "max_fallback_tables"), _as_it_is),
    "SQL_MAX_RELATIONSHIPS_IN_PROMPT": (("database", "max_relationships"), _as_it_is),
    "SQL_MAX_SQL_HISTORY_LENGTH": (("database", "max_history_characters"), _as_it_is),
    "SQL_MAX_SUGGESTED_PATHS": (("database", "max_suggested_paths"), _as_it_is),
    "SQL_MAX_TABLES_IN_CONTEXT": (("database", "max_context_tables"), _as_it_is),
    "SQL_MAX_TABLES_IN_SELECTION_PROMPT": (("database", "max_named_tables"), _as_it_is),
    "SQL_PRE_VALIDATION_ENABLED": (("database", "checks_names"), _as_it_is),
    "SQL_SAMPLE_ROWS": (("database", "sample_rows"), _as_it_is),
}

DRIVER = "mysql+pymysql"
LOGIN = ("DB_HOST", "DB_PORT", "DB_USER", "DB_PWD", "DB_NAME")


def read_aliases(environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that `environment` names by an alias, as nested fields. Empty values count as unset."""
    found: dict[str, Any] = {}
    for alias, (path, convert) in ALIASES.items():
        if (value := environment.get(alias, "")) and (alias != OPENAI_MODEL or _has_server(environment)):
            _put(found, path, convert(value))
    if url := _url(environment):
        _put(found, ("database", "url"), url)
    return found


def name_of(path: Path, environment: Mapping[str, str]) -> str:
    """The variable that `environment` sets a field by: its alias, where only that is set."""
    name = "__".join(path).upper()
    if name in environment:
        return name
    return next((alias for alias, (named, _) in ALIASES.items() if named == path and alias in environment), name)


def _has_server(environment: Mapping[str, str]) -> bool:
    """A name of a model alone, which many tools read, is no wish to use it without a key."""
    return any(environment.get(name) for name in SERVERS)


def _put(found: dict[str, Any], path: Path, value: str) -> None:
    *groups, name = path
    for group in groups:
        found = found.setdefault(group, {})
    found[name] = value


def _url(environment: Mapping[str, str]) -> str:
    """The five DB_ variables as one URL; the host and the name of the database are enough."""
    host, port, user, password, name = (environment.get(variable, "") for variable in LOGIN)
    if not host or not name:
        return ""
    login = f"{login_part(user, password)}@" if user else ""
    return f"{DRIVER}://{login}{place_part(host, port, name)}"


def login_part(user: str, password: str) -> str:
    """As it stands in a URL, before the `@`."""
    return f"{quote(user, safe='')}:{quote(password, safe='')}"


def place_part(host: str, port: str, name: str) -> str:
    """As it stands in a URL, behind the `@`."""
    return f"{host}{f':{port}' if port else ''}/{quote(name, safe='')}"
