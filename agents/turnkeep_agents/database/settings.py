"""The agent's settings from the environment."""

from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import ClassVar

from pydantic import Field, SecretStr

from turnkeep.settings import DataSource, LocatedSecret, Memory, Retrieval

READERS = {
    "access": "turnkeep_agents.database.access:load_access",
    "joins": "turnkeep_agents.database.joins.files:load_graph",
    "manual": "turnkeep.kit.pages:read_files",
    "verified": "turnkeep_agents.database.verified:load_verified",
}
"""Each file's reader. A function checks files at its start, so none may load LangGraph, SQLAlchemy or sqlglot."""


class DatabaseSettings(DataSource):
    agent: ClassVar[str] = "database"
    url_field: ClassVar[str] = "url"
    own_files: ClassVar[Mapping[str, str]] = {"manual": "manual"}

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

    def check(self) -> None:
        for field, reader in READERS.items():
            if path := getattr(self, field):
                resolve_name(reader)(Path(path))
