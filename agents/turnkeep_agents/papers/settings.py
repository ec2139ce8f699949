"""Settings of the agent from the environment."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from turnkeep.settings import AgentSettings


class PapersSettings(AgentSettings):
    agent: ClassVar[str] = "papers"
    own_files: ClassVar[Mapping[str, str]] = {"corpus": "papers.jsonl"}

    corpus: str | None = Field(None, description="JSONL of papers in place of the bundled one")
    top_k: int = Field(3, ge=1, le=10)
    guardrail_threshold: int = Field(75, ge=0, le=100)
    max_attempts: int = Field(3, ge=1, le=5)
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
