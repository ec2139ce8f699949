"""The agent's settings from the environment, also by the names of its design document."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, SecretStr

from turnkeep.aliases import Aliases
from turnkeep.locations import LocatedSecret, login_part, place_part
from turnkeep.settings import DataSource, Memory, Retrieval

MOST_WINDOW_TURNS = 10


def _turns(messages: str) -> str:
    """Convert messages to turns of two messages each; leave anything but a number for the field to refuse."""
    return str(min(MOST_WINDOW_TURNS, max(1, int(messages) // 2))) if messages.isdecimal() else messages


ALIASES: Aliases = {
    "CONVERSATION_MEMORY_STRATEGY": ("memory", lambda strategy: "window" if strategy == "simple" else strategy),
    "MAX_CONVERSATION_MESSAGES": ("window", _turns),
    "MAX_CONTEXT_TOKENS": ("max_context_tokens", str),
    "MAX_OUTPUT_TOKENS": ("max_output_tokens", str),
    "MAX_QUERY_ROWS": ("max_rows", str),
    "OPENAI_TEMPERATURE": ("temperature", str),
    "SQL_CONFIDENCE_THRESHOLD": ("confidence_threshold", str),
    "SQL_CORRECTION_MAX_ATTEMPTS": ("max_corrections", str),
    "SQL_MAX_COLUMNS_IN_SCHEMA": ("max_columns", str),
    "SQL_MAX_COLUMNS_IN_VALIDATION": ("max_columns_in_problems", str),
    "SQL_MAX_FALLBACK_TABLES": ("max_fallback_tables", str),
    "SQL_MAX_SQL_HISTORY_LENGTH": ("max_history_characters", str),
    "SQL_MAX_TABLES_IN_CONTEXT": ("max_tables", str),
    "SQL_MAX_TABLES_IN_SELECTION_PROMPT": ("max_named_tables", str),
    "SQL_PRE_VALIDATION_ENABLED": ("checks_names", str),
    "SQL_SAMPLE_ROWS": ("sample_rows", str),
}

DRIVER = "mysql+pymysql"
LOGIN = ("DB_HOST", "DB_PORT", "DB_USER", "DB_PWD", "DB_NAME")


class DatabaseSettings(DataSource):
    agent: ClassVar[str] = "database"
    aliases: ClassVar[Aliases] = ALIASES
    url_field: ClassVar[str] = "url"

    url: LocatedSecret = Field(SecretStr(""), description="SQLAlchemy URL of a reader's login; empty: the sample")
    joins: str | None = Field(None, description="the join graph, as `turnkeep joins build` saves it; else introspected")
    access: str | None = Field(None, description="JSON of who may read which tables, through which secure views")
    seal: LocatedSecret = Field(SecretStr(""), description="secret that signs a session's tenant for secure views")
    manual: str | None = Field(None, description="folder of Markdown pages in place of the bundled manual")
    verified: str | None = Field(None, description="JSONL of questions with their SQL, shown to the model as examples")
    retrieval: Retrieval = Field("lexical", description="of the manual; hybrid needs `dense`")
    query_seconds: float = Field(5, gt=0, le=60, description="longest time of one statement")
    max_rows: int = Field(100, ge=1, le=1_000, description="rows of one page")
    max_bytes: int = Field(200_000, ge=1_000, le=1_000_000, description="of the rows of one page as JSON")
    max_corrections: int = Field(3, ge=0, le=5)
    checks_names: bool = Field(True, description="refuse unknown names before the database does; the filter stays")
    confidence_threshold: float = Field(0.7, ge=0, le=1, description="of relationships that joins may use")
    max_hops: int = Field(4, ge=1, le=8, description="joins between two tables")
    max_tables: int = Field(12, ge=1, le=40, description="tables that a statement may be written over")
    max_named_tables: int = Field(250, ge=1, le=1_000, description="tables that a message is read with, by name")
    max_fallback_tables: int = Field(5, ge=1, le=20, description="tables by words where the model named none")
    max_columns: int = Field(50, ge=5, le=500, description="columns of a table that a prompt shows")
    max_columns_in_problems: int = Field(100, ge=5, le=500, description="columns that a message about names lists")
    max_history_characters: int = Field(100, ge=50, le=4_000, description="of an earlier SQL in a correction")
    max_context_tokens: int = Field(120_000, ge=4_000, le=1_000_000, description="of one prompt")
    max_output_tokens: int = Field(4_000, ge=200, le=16_000, description="of one SQL or answer")
    sample_rows: int = Field(1, ge=0, le=10, description="0 keeps the values of the database out of schema prompts")
    temperature: float = Field(0.1, ge=0, le=2, description="of answers; SQL is written at 0")
    window: int = Field(10, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"

    @property
    def is_own(self) -> bool:
        """Return whether the database is the operator's own, so what is bundled with the sample does not apply."""
        return bool(self.url.get_secret_value())

    @classmethod
    def own_data(cls, home: Path) -> dict[str, Any]:
        manual = home / "manual"
        return {"manual": str(manual)} if manual.is_dir() else {}

    @classmethod
    def named_elsewhere(cls, environ: Mapping[str, str]) -> dict[str, Any]:
        url = _url(environ)
        return {**super().named_elsewhere(environ), **({"url": url} if url else {})}

    def check(self) -> None:
        if self.access or self.joins or self.manual or self.verified:
            from turnkeep_agents.database.files import check_files  # noqa: PLC0415 - few deployments need it

            check_files(self)


def _url(environ: Mapping[str, str]) -> str:
    """Build one URL of the five DB_ variables; host and database name are enough."""
    host, port, user, password, name = (environ.get(variable, "") for variable in LOGIN)
    if not host or not name:
        return ""
    login = f"{login_part(user, password)}@" if user else ""
    return f"{DRIVER}://{login}{place_part(host, port, name)}"
