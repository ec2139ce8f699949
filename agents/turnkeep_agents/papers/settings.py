"""Settings of the agent from the environment."""

from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from turnkeep.settings import AgentSettings


class PapersSettings(AgentSettings):
    agent: ClassVar[str] = "papers"

    corpus: str | None = Field(None, description="JSONL of papers in place of the bundled one")
    top_k: int = Field(3, ge=1, le=10)
    guardrail_threshold: int = Field(75, ge=0, le=100)
    max_attempts: int = Field(3, ge=1, le=5)
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")

    @classmethod
    def own_data(cls, home: Path) -> dict[str, Any]:
        corpus = home / "papers.jsonl"
        return {"corpus": str(corpus)} if corpus.is_file() else {}
