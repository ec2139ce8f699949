"""Deployment facts and tuning numbers, read from the environment once: field names in capitals, and `GROUP__NAME` for
tuning numbers, as `TURN__SECONDS=60`. A secret may be given by its location in AWS, which is read on use. No error
quotes a value, which may be a misplaced secret."""

import os
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, PrivateAttr, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from turnkeep.graphfile import UnusableGraphFile
from turnkeep.signing import secrets_of
from turnkeep.tuning import BudgetTuning, ModelTuning, Tuning, TurnTuning

LOCATION = re.compile(
    r"ssm:(?P<parameter>[\w./:-]+)|secretsmanager:(?P<secret>[\w/+=.@:-]+)(?:#(?P<field>\S+))?", re.ASCII
)

SecretSource: TypeAlias = Callable[[str], str]  # from a refused value or "" to the current; raises TurnkeepError
S = TypeVar("S", bound="AgentSettings")

DEFAULT_OPENAI_MODEL = "openai:gpt-4.1-mini"

Memory: TypeAlias = Literal["window", "tiered"]  # prompts with the newest turns, or also with summaries of earlier ones

_MODEL = re.compile(r"(demo|openai:.+|bedrock:(?!arn:).+)?")
_ORIGIN = re.compile(  # as browsers send it, because it is compared literally
    r"(?!http://.*[^:]:80\Z|https://.*[^:]:443\Z)"
    r"[a-z][a-z0-9+.-]*://([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?"
)
_NO = {"", "0", "false", "no", "off", "f", "n"}  # any other value turns redaction on


class UnusableFile(ValueError):
    """A file named by a setting is unusable; the message names file, place and remedy."""


class UnusableSetting(ValueError):
    """A variable of an agent is unusable; the message names it and what it accepts."""


class LateSecret(SecretStr):
    """A secret that is looked up on use; `source` caches it."""

    def __init__(self, source: SecretSource):
        super().__init__("looked up when it is needed")
        self.source = source

    def get_secret_value(self) -> str:
        return self.source("")


def source_of(secret: SecretStr) -> SecretSource | None:
    """Return the source of newer values, None for a constant secret."""
    return secret.source if isinstance(secret, LateSecret) else None


def is_location(text: str) -> bool:
    """Return whether the text is meant as a location, well-formed or not."""
    return text.startswith(("ssm:", "secretsmanager:"))


def _checked(text: str) -> str:
    if not text or LOCATION.fullmatch(text):
        return text
    raise ValueError('use "ssm:<name>" or "secretsmanager:<name or arn>", with "#<field>" where it holds JSON')


def _checked_secret(value: SecretStr) -> SecretStr:
    if is_location(value.get_secret_value()):
        _checked(value.get_secret_value())
    return value


Location: TypeAlias = Annotated[str, AfterValidator(_checked)]
LocatedSecret: TypeAlias = Annotated[SecretStr, AfterValidator(_checked_secret)]  # a LateSecret in a deployment


def _installed(value: str) -> str:
    if value == "hybrid" and not find_spec("onnxruntime"):
        raise ValueError("RETRIEVAL=hybrid needs an extra: uv sync --extra dense, or EXTRAS=dense make build")
    return value


class AgentSettings(Tuning):
    """Settings of one agent: `<AGENT>__<FIELD>`, for example `PAPERS__TOP_K=5`."""

    agent: ClassVar[str]  # its name, in capitals the group of its variables
    own_files: ClassVar[Mapping[str, str]] = {}  # by field: a file or folder of a laptop's folder, if it was loaded

    pii: bool = Field(False, description="redact personal data before anything is stored or sent to a model")

    @classmethod
    def read(cls, environ: Mapping[str, str], given: Mapping[str, Any] | None = None) -> Self:
        """Read the environment, with defaults from `given`; raise UnusableSetting, which names the variables."""
        prefix = f"{cls.agent.upper()}__"
        own = {name: value for name, value in environ.items() if value and name.startswith(prefix)}
        fields = {name.removeprefix(prefix).lower(): value for name, value in own.items()}
        try:
            return cls.model_validate({**(given or {}), **fields})
        except ValidationError as error:
            raise UnusableSetting(_rendered(error, prefix)) from None

    @classmethod
    def own_data(cls, home: Path) -> dict[str, Any]:
        """Return the fields for data that was loaded into a laptop's folder."""
        return {field: str(home / name) for field, name in cls.own_files.items() if (home / name).exists()}

    def check(self) -> None:
        """Read the files that the settings name; raise UnusableFile for the first unusable one."""

    @property
    def secrets(self) -> dict[str, SecretStr]:
        """Return the fields with a secret or its location in AWS."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in values.items() if isinstance(value, SecretStr)}


class DataSource(AgentSettings):
    """Settings of an agent with a database: `url_field` is the field of its URL."""

    url_field: ClassVar[str]
    login: Location = Field("", repr=False, description="where AWS keeps user and password of a URL that has none")

    @model_validator(mode="after")
    def _can_log_in(self) -> Self:
        url = self.secrets[self.url_field].get_secret_value()
        if not self.login or (url and not is_location(url)):
            return self
        raise ValueError("LOGIN completes a URL without user and password. Set both or neither.")


Retrieval: TypeAlias = Annotated[Literal["lexical", "hybrid"], AfterValidator(_installed)]  # hybrid needs `dense`


class Settings(BaseSettings):
    """All settings of a deployment; `Settings()` reads the environment and raises one of UNUSABLE."""

    model_config = SettingsConfigDict(
        env_nested_delimiter="__", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    table_name: str = "turnkeep"
    bucket_name: str = "turnkeep"
    thread_hours: float = Field(24, gt=0, le=24 * 30)
    seal_key: SecretStr = Field(
        SecretStr(""), description="signing secrets, newest first: lines of a day and a secret, or one secret"
    )
    model: str = Field("", description="demo, openai:<name> or bedrock:<id>; empty: openai with a key, else demo")
    model_small: str = Field("", description="the same for inner calls; empty: as `model`")
    openai_api_key: SecretStr = SecretStr("")
    model_key: Location = Field("", repr=False, description="its location in AWS: ssm:<name>, secretsmanager:<name>")
    openai_base_url: str | None = None
    default_agent: str = "papers"
    pii_detector: str = Field("", description="one more detector of personal data: module:function, str -> Findings")
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="pages that may call from a browser: https://app.example.com, ... by commas, or * alone"
    )
    dynamodb_direct: bool = Field(True, description="send requests to DynamoDB without the layers of botocore")
    page: bool = Field(True, description="the chat page at / and its files under /page")
    turn: TurnTuning = TurnTuning()
    models: ModelTuning = ModelTuning()
    budget: BudgetTuning = BudgetTuning()

    _agents: tuple[AgentSettings, ...] = PrivateAttr(())

    @field_validator("model", "model_small")
    @classmethod
    def _known_provider(cls, value: str) -> str:
        if _MODEL.fullmatch(value):
            return value
        raise ValueError('use "demo", "openai:<model name>" or "bedrock:<id of a model or inference profile>"')

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        names = [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value
        if [*names] != ["*"] and not all(map(_ORIGIN.fullmatch, names)):
            raise ValueError("use scheme://host or scheme://host:port in lower case, separated by commas, or * alone")
        return names

    @field_validator("seal_key")
    @classmethod
    def _has_secrets(cls, value: SecretStr) -> SecretStr:
        secrets_of(value.get_secret_value())
        return value

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        if self.model_key and self.openai_api_key.get_secret_value():
            raise ValueError("set OPENAI_API_KEY or MODEL_KEY, not both")
        providers = {name.partition(":")[0] for name in (self.model, self.model_small)}
        if "openai" in providers and not self.has_key and not self.openai_base_url:
            raise ValueError("MODEL=openai:... needs OPENAI_API_KEY, MODEL_KEY, or OPENAI_BASE_URL of a keyless server")
        if "bedrock" in providers and not find_spec("langchain_aws"):
            raise ValueError("MODEL=bedrock:... needs an extra: uv sync --extra bedrock, or EXTRAS=bedrock make build")
        return self

    @property
    def signing_secrets(self) -> tuple[bytes, ...]:
        """Return the secrets for a Codec, newest first."""
        return secrets_of(self.seal_key.get_secret_value())

    @property
    def log_salt(self) -> str:
        """Return the salt of hashes in log lines: the newest secret."""
        return next((secret.decode() for secret in self.signing_secrets), "")

    @property
    def has_key(self) -> bool:
        """Return whether the key of the model's server, or its location, is set."""
        return bool(self.model_key or self.openai_api_key.get_secret_value())

    @property
    def main_model(self) -> str:
        """Return the model that writes replies: as set, else OpenAI's if there is a key, else the demo model."""
        return self.model or (DEFAULT_OPENAI_MODEL if self.has_key else "demo")

    @property
    def key_source(self) -> SecretSource:
        """Return the source of the model key, asked at every call."""
        return source_of(self.openai_api_key) or (lambda _: self.openai_api_key.get_secret_value())

    @property
    def agents(self) -> tuple[AgentSettings, ...]:
        return self._agents

    def with_agents(self, *agents: AgentSettings) -> Self:
        """Return a copy with these settings of agents."""
        copied = self.model_copy()
        copied._agents = agents
        return copied

    def is_private(self, agent: str) -> bool:
        """Return whether personal data is redacted for an agent; without own settings, `<AGENT>__PII=true` decides."""
        own = next((each for each in self._agents if each.agent == agent), None)
        given = os.environ.get(re.sub(r"\W", "_", agent).upper() + "__PII", "")
        return own.pii if own else given.strip().lower() not in _NO

    def of(self, kind: type[S]) -> S:
        """Return the settings of one agent, as read at start, else from the environment now."""
        return next((own for own in self._agents if isinstance(own, kind)), None) or kind.read(os.environ)


UNUSABLE = (ValidationError, SettingsError, UnusableSetting, UnusableGraphFile)


def explain(error: ValidationError | SettingsError | UnusableSetting | UnusableFile | UnusableGraphFile) -> str:
    """Return in one line which variables are unusable and what they accept, without their values."""
    if isinstance(error, (UnusableSetting, UnusableFile, UnusableGraphFile)):
        return str(error)
    if isinstance(error, SettingsError):  # a variable has the name of a whole group, such as MODELS
        return f"{error}. Unset it, and set the numbers of the group one by one, as TURN__SECONDS=60"
    return _rendered(error, "")


def _rendered(error: ValidationError, prefix: str) -> str:
    """Return each fault with its variable, which begins with `prefix`."""
    faults = []
    for fault in error.errors():
        field, message = "__".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, ")
        name = f"{prefix}{field}".upper().removesuffix("__")
        faults.append(f"{name}: {message}" if name else message)
    return "; ".join(faults)
