"""Settings of the agent from the environment."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from turnkeep.settings import AgentSettings


class RegulationsSettings(AgentSettings):
    agent: ClassVar[str] = "regulations"
    own_files: ClassVar[Mapping[str, str]] = {"knowledge": "regulations"}

    pii: bool = Field(True, description="hide personal data before anything is stored or asked of a model")
    knowledge: str | None = Field(None, description="folder of articles and FAQ in place of the bundled ones")
    top_k: int = Field(8, ge=1, le=10, description="articles, and as many passages of documents, that a search finds")
    faq_threshold: float = Field(0.9, gt=0.5, le=1, description="how like a question of the FAQ a message has to be")
    answer_usd: float = Field(0.05, ge=0, description="most that the call which writes an answer may cost; 0: no limit")
    cached_answers: int = Field(256, ge=0, description="answers that one process remembers until midnight; 0: none")
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
