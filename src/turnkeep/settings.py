"""Deployment facts and tuning numbers, typed and read from the environment once. Environment names are the field
names in capitals; a tuning number is `GROUP__NAME`, for example `TURN__SECONDS=60`."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DEFAULT_OPENAI_MODEL = "openai:gpt-4.1-mini"


class Tuning(BaseModel):
    """Numbers that a deployment may turn without changing code."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TurnTuning(Tuning):
    seconds: float = Field(60, gt=3, description="longest life of a run, storing included")
    commit_seconds: float = Field(3, gt=0, description="what of it is kept back for COMMIT")
    lease_seconds: float = Field(30, gt=0, description="how long a silent writer keeps a thread")
    renew_seconds: float = Field(10, gt=0, description="how often a running writer renews its lease")
    max_steps: int = Field(25, ge=2, description="most steps of a graph in one run")
    heartbeat_seconds: float = Field(5, gt=0, description="a comment line on a quiet stream")


class PapersTuning(Tuning):
    corpus: str | None = Field(None, description="JSONL of papers in place of the bundled one")
    top_k: int = Field(3, ge=1, le=10)
    guardrail_threshold: int = Field(75, ge=0, le=100)
    max_attempts: int = Field(3, ge=1, le=5)
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")


class ModelTuning(Tuning):
    timeout_seconds: float = Field(25, gt=0, description="between two bytes of the model")
    max_retries: int = Field(1, ge=0, le=5)


class Settings(BaseSettings):
    """All facts of one deployment; `Settings()` reads the environment and raises ValidationError at start."""

    model_config = SettingsConfigDict(env_nested_delimiter="__", extra="ignore", frozen=True)

    table_name: str = "turnkeep"
    bucket_name: str = "turnkeep"
    thread_hours: float = Field(24, gt=0, le=24 * 30)
    seal_key: SecretStr = Field(SecretStr(""), description="secret that seals stored values; empty only on a laptop")
    model: str = Field("", description="demo, or openai:<name>; empty: openai with a key, else demo")
    model_small: str = Field("", description="the same for inner calls; empty: as `model`")
    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str | None = None
    default_agent: str = "papers"
    turn: TurnTuning = TurnTuning()
    models: ModelTuning = ModelTuning()
    papers: PapersTuning = PapersTuning()

    @field_validator("model", "model_small")
    @classmethod
    def _known_provider(cls, value: str) -> str:
        if value in ("", "demo") or (value.startswith("openai:") and len(value) > len("openai:")):
            return value
        raise ValueError('use "demo" or "openai:<model name>"')

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        needs_server = any(name.startswith("openai:") for name in (self.model, self.model_small))
        if needs_server and not self.openai_api_key.get_secret_value() and not self.openai_base_url:
            raise ValueError("MODEL=openai:... needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys")
        return self

    @property
    def main_model(self) -> str:
        """The model that writes what the user reads: as named, else OpenAI's with a key, else the demo model."""
        return self.model or (DEFAULT_OPENAI_MODEL if self.openai_api_key.get_secret_value() else "demo")
