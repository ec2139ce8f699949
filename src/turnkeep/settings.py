"""Deployment facts and tuning numbers, typed and read from the environment once. Environment names are the field
names in capitals; a tuning number is `GROUP__NAME`, for example `TURN__SECONDS=60`. No error quotes a value, which may
be a secret in the wrong place."""

import os
import re
from importlib.util import find_spec
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from turnkeep.aliases import name_of, read_aliases
from turnkeep.locations import LocatedSecret, Location, SecretSource, is_location

DEFAULT_OPENAI_MODEL = "openai:gpt-4.1-mini"

type Memory = Literal["window", "tiered"]
"""What a prompt shows of what was said: the newest turns, or these and summaries of the earlier ones."""

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?")
_USUAL_PORT = re.compile(r"http://.*[^:]:80|https://.*[^:]:443")
_MODEL = re.compile(r"(demo|openai:.+|bedrock:(?!arn:).+)?")


class UnusableFile(ValueError):
    """A file that the settings name cannot be used; the message names file, place and remedy."""


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


class CampaignsTuning(Tuning):
    warehouse: LocatedSecret = Field(SecretStr(""), description="SQLAlchemy URL of the metrics; empty: the sample")
    login: Location = Field("", repr=False, description="where AWS keeps user and password of a URL that has none")
    currency: str = Field("GBP", pattern="[A-Z]{3}", description="ISO 4217 code of all amounts in the warehouse")
    query_seconds: float = Field(8, gt=0, description="longest time of one specialist")
    max_rows: int = Field(500, ge=1, le=10_000, description="most rows that one query returns")
    max_specialists: int = Field(3, ge=1, le=5)
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"


class ProductsTuning(Tuning):
    catalogue: str | None = Field(None, description="JSONL or CSV of products in place of the bundled ones")
    top_k: int = Field(5, ge=1, le=10)
    retrieval: Literal["lexical", "hybrid"] = Field("lexical", description="hybrid needs the extra `dense`")
    window: int = Field(5, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"


class DatabaseTuning(Tuning):
    url: LocatedSecret = Field(SecretStr(""), description="SQLAlchemy URL of a reader's login; empty: the sample")
    login: Location = Field("", repr=False, description="where AWS keeps user and password of a URL that has none")
    joins: str | None = Field(None, description="the join graph, as `turnkeep joins build` saves it; else introspected")
    access: str | None = Field(None, description="JSON of who may read which tables, through which secure views")
    seal: LocatedSecret = Field(SecretStr(""), description="secret that signs a session's tenant for secure views")
    manual: str | None = Field(None, description="folder of Markdown pages in place of the bundled manual")
    retrieval: Literal["lexical", "hybrid"] = Field("lexical", description="of the manual; hybrid needs `dense`")
    query_seconds: float = Field(5, gt=0, le=60, description="longest time of one statement")
    max_rows: int = Field(100, ge=1, le=1_000, description="rows of one page")
    max_bytes: int = Field(200_000, ge=1_000, le=1_000_000, description="of the rows of one page as JSON")
    max_corrections: int = Field(3, ge=0, le=5)
    max_steps: int = Field(15, ge=6, le=25, description="most steps of the SQL graph in one turn")
    checks_names: bool = Field(True, description="refuse unknown names before the database does; the filter stays")
    confidence_threshold: float = Field(0.7, ge=0, le=1, description="of relationships that joins may use")
    max_hops: int = Field(4, ge=1, le=8, description="joins between two tables")
    max_suggested_paths: int = Field(5, ge=1, le=20, description="links that a clarification offers")
    max_tables: int = Field(8, ge=1, le=20, description="tables of one question")
    max_context_tables: int = Field(20, ge=1, le=100, description="tables that the selection sees with their columns")
    max_named_tables: int = Field(250, ge=0, le=1_000, description="further tables that it sees by name")
    max_fallback_tables: int = Field(5, ge=1, le=20, description="tables taken where the model's choice is unusable")
    max_columns: int = Field(50, ge=5, le=500, description="columns of a table that a prompt shows")
    max_columns_in_problems: int = Field(100, ge=5, le=500, description="columns that a message about names lists")
    max_columns_in_correction: int = Field(100, ge=5, le=500, description="the same as max_columns, in corrections")
    max_relationships: int = Field(20, ge=1, le=200, description="joins that a prompt shows")
    max_history_characters: int = Field(100, ge=50, le=4_000, description="of each earlier SQL in a correction")
    max_context_tokens: int = Field(120_000, ge=4_000, le=1_000_000, description="of one prompt")
    max_output_tokens: int = Field(4_000, ge=200, le=16_000, description="of one SQL or answer")
    sample_rows: int = Field(1, ge=0, le=10, description="0 keeps the values of the database out of schema prompts")
    temperature: float = Field(0.1, ge=0, le=2, description="of answers; SQL is written at 0")
    window: int = Field(10, ge=1, le=10, description="turns that a prompt shows when the request names none")
    memory: Memory = "window"


class ModelTuning(Tuning):
    timeout_seconds: float = Field(25, gt=0, description="between two bytes of the model")
    max_retries: int = Field(1, ge=0, le=5)


class _Aliases(PydanticBaseSettingsSource):
    """What the environment names by an alias."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return read_aliases(os.environ).get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return read_aliases(os.environ)


class Settings(BaseSettings):
    """All facts of one deployment; `Settings()` reads the environment and raises one of UNUSABLE at start."""

    model_config = SettingsConfigDict(
        env_nested_delimiter="__", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    table_name: str = "turnkeep"
    bucket_name: str = "turnkeep"
    thread_hours: float = Field(24, gt=0, le=24 * 30)
    seal_key: SecretStr = Field(SecretStr(""), description="secret that seals stored values; empty only on a laptop")
    model: str = Field("", description="demo, openai:<name> or bedrock:<id>; empty: openai with a key, else demo")
    model_small: str = Field("", description="the same for inner calls; empty: as `model`")
    openai_api_key: SecretStr = SecretStr("")
    model_key: Location = Field(
        "", repr=False, description="where AWS keeps that key: ssm:<name>, secretsmanager:<name>"
    )
    openai_base_url: str | None = None
    default_agent: str = "papers"
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="pages that may call from a browser: https://app.example.com, ... by commas, or * alone"
    )
    turn: TurnTuning = TurnTuning()
    models: ModelTuning = ModelTuning()
    papers: PapersTuning = PapersTuning()
    campaigns: CampaignsTuning = CampaignsTuning()
    products: ProductsTuning = ProductsTuning()
    database: DatabaseTuning = DatabaseTuning()

    _key_source: SecretSource | None = PrivateAttr(None)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, _Aliases(settings_cls)

    @field_validator("model", "model_small")
    @classmethod
    def _known_provider(cls, value: str) -> str:
        if _MODEL.fullmatch(value):
            return value
        raise ValueError('use "demo", "openai:<model name>" or "bedrock:<id of a model or inference profile>"')

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """As a browser sends them, because they are compared to the letter."""
        if value == ("*",) or all(_ORIGIN.fullmatch(name) and not _USUAL_PORT.fullmatch(name) for name in value):
            return value
        raise ValueError('use scheme://host or scheme://host:port in lower case without a path, or "*" alone')

    @field_validator("products", "database")
    @classmethod
    def _has_what_hybrid_needs[T: ProductsTuning | DatabaseTuning](cls, value: T) -> T:
        if value.retrieval == "lexical" or find_spec("onnxruntime"):
            return value
        raise ValueError("RETRIEVAL=hybrid needs the extra: uv sync --extra dense, or EXTRAS=dense make build")

    @field_validator("database", "campaigns")
    @classmethod
    def _can_log_in[T: DatabaseTuning | CampaignsTuning](cls, value: T) -> T:
        url = value.url if isinstance(value, DatabaseTuning) else value.warehouse
        if not value.login or (url.get_secret_value() and not is_location(url.get_secret_value())):
            return value
        raise ValueError("LOGIN completes a URL that is set beside it, without user and password; set both or none")

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        if self.model_key and self.openai_api_key.get_secret_value():
            raise ValueError("set OPENAI_API_KEY or MODEL_KEY, not both")
        if self._uses("openai:") and not self.has_key and not self.openai_base_url:
            raise ValueError(
                "MODEL=openai:... needs OPENAI_API_KEY, MODEL_KEY, or OPENAI_BASE_URL of a server without keys"
            )
        if self._uses("bedrock:") and not find_spec("langchain_aws"):
            raise ValueError(
                "MODEL=bedrock:... needs langchain-aws: uv sync --extra bedrock, or EXTRAS=bedrock make build"
            )
        return self

    def _uses(self, provider: str) -> bool:
        return any(name.startswith(provider) for name in (self.model, self.model_small))

    @property
    def has_key(self) -> bool:
        """Whether there is a key for the model's server, or a place where one is said to be."""
        return bool(self.model_key or self.openai_api_key.get_secret_value())

    @property
    def main_model(self) -> str:
        """The model that writes what the user reads: as named, else OpenAI's with a key, else the demo model."""
        return self.model or (DEFAULT_OPENAI_MODEL if self.has_key else "demo")

    @property
    def key_source(self) -> SecretSource:
        """What says the key of the model's server, to be asked at every call of it."""
        return self._key_source or (lambda _: self.openai_api_key.get_secret_value())

    def with_key_source(self, source: SecretSource) -> Self:
        """The same settings, with a key that is looked up when it is needed."""
        copied = self.model_copy()
        copied._key_source = source
        return copied


UNUSABLE = (ValidationError, SettingsError)


def explain(error: ValidationError | SettingsError) -> str:
    """Which variables cannot be used and what they should hold, in one line without their values."""
    if isinstance(error, SettingsError):  # a variable has the name of a whole group, such as MODELS
        return f"{error}. Unset it: the numbers of a group are set one by one, as TURN__SECONDS=60"
    faults = [(name_of(tuple(map(str, fault["loc"])), os.environ), fault["msg"]) for fault in error.errors()]
    told = [(name, message.removeprefix("Value error, ")) for name, message in faults]
    return "; ".join(f"{name}: {message}" if name else message for name, message in told)
