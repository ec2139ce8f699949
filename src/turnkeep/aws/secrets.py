"""Secrets that are read on first use, and again when refused: the model server's key, database URLs and logins. Errors
and logs contain AWS's code only."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from threading import Lock
from typing import Any
from urllib.parse import quote

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from turnkeep.aws.signingkey import SecretError, code_of
from turnkeep.bootstrap import CLIENT_CONFIG
from turnkeep.errors import AgentUnavailable, ModelKeyUnavailable, TurnkeepError
from turnkeep.observability import logger
from turnkeep.settings import LOCATION, AgentSettings, DataSource, LateSecret, Settings, is_location

MAX_AGE_SECONDS = 300
REREAD_SECONDS = 5  # pause after a secret was refused or could not be read
DRIVERS = {  # by the `engine` field in the secrets that AWS makes for RDS
    **dict.fromkeys(("mysql", "mariadb", "aurora", "aurora-mysql"), "mysql+pymysql"),
    **dict.fromkeys(("postgres", "postgresql", "aurora-postgresql"), "postgresql+psycopg"),
}

_PRINTABLE = re.compile(r"[!-z|~]+")  # valid in a header; without { and } a JSON object is not taken for a key


@dataclass(eq=False, repr=False)
class CurrentSecret:
    """A current secret, read again after some minutes. Called with a refused value it rereads, and falls back to the
    newest value it has. `read` raises SecretError, `setting` is for the log, `clock` gives monotonic seconds."""

    read: Callable[[], str]
    setting: str
    _: KW_ONLY
    unavailable: type[TurnkeepError] = AgentUnavailable
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._value = ""
        self._is_doubtful = False
        self._stale_at = self._rests_until = float("-inf")

    def __call__(self, refused: str = "") -> str:
        """Raise TurnkeepError while no value has ever been read."""
        with self._lock:
            self._is_doubtful = self._is_doubtful or bool(refused and refused == self._value)
            now = self.clock()
            if now >= (self._rests_until if self._is_doubtful else self._stale_at):
                self._refresh(now)
            if not self._value:
                raise self.unavailable(retry_after=REREAD_SECONDS)
            return self._value

    def _refresh(self, now: float) -> None:
        has_problem = self._is_doubtful
        try:
            self._value, self._is_doubtful = self.read(), False
        except SecretError as error:
            logger.warning("secret not read", setting=self.setting, reason=str(error), older_is_used=bool(self._value))
            self._is_doubtful = has_problem = True
        self._stale_at, self._rests_until = now + MAX_AGE_SECONDS, now + (REREAD_SECONDS if has_problem else 0)


def read_secret(location: str, usable: Callable[[object], str]) -> str:
    """Return the value at a location in AWS, as `usable` converts it; raise SecretError."""
    found = LOCATION.fullmatch(location)
    if not found:
        raise SecretError("malformed location; use ssm:<name> or secretsmanager:<name>#<field>")
    parameter, secret, field = found.group("parameter", "secret", "field")
    client: Any = Session().create_client("ssm" if parameter else "secretsmanager", config=Config(**CLIENT_CONFIG))
    try:
        if parameter:
            value = client.get_parameter(Name=parameter, WithDecryption=True)["Parameter"]["Value"]
        else:
            value = client.get_secret_value(SecretId=secret).get("SecretString")
    except (BotoCoreError, ClientError) as error:
        raise SecretError(code_of(error)) from None
    return usable(fields_of(value).get(field) if field else value)


def usable_key(found: object) -> str:
    """Reject invalid headers here: the HTTP library would quote them."""
    key = text_of(found)
    if not _PRINTABLE.fullmatch(key):
        raise SecretError("not a valid key")
    return key


def text_of(found: object) -> str:
    """Strip the line end that files and consoles add to a secret; raise SecretError."""
    text = found.strip() if isinstance(found, str) else ""
    if not text:
        raise SecretError("nothing in it")
    return text


def fields_of(found: object) -> Mapping[str, Any]:
    """Return the fields of a secret that is a JSON object; raise SecretError."""
    try:
        fields = json.loads(text_of(found))
    except ValueError:
        raise SecretError("not JSON") from None
    if not isinstance(fields, dict):
        raise SecretError("not a JSON object")
    return fields


def with_late_secrets(settings: Settings) -> Settings:
    """Return the settings with each location replaced by a secret that is read on first use."""
    if settings.model_key:
        read = partial(read_secret, settings.model_key, usable_key)
        key = LateSecret(CurrentSecret(read, "MODEL_KEY", unavailable=ModelKeyUnavailable))
        settings = settings.model_copy(update={"openai_api_key": key})
    return settings.with_agents(*map(_with_late, settings.agents))


def _with_late(own: AgentSettings) -> AgentSettings:
    url_field, login = (own.url_field, own.login) if isinstance(own, DataSource) else ("", "")
    late = {}
    for name, secret in own.secrets.items():
        text, is_url = secret.get_secret_value(), name == url_field
        if is_url and login:
            read = partial(read_secret, login, partial(with_login, text))
        elif is_location(text):
            read = partial(read_secret, text, url_of if is_url else text_of)
        else:
            continue
        late[name] = LateSecret(CurrentSecret(read, f"{own.agent}__{name}".upper()))
    return own.model_copy(update=late)


def url_of(found: object) -> str:
    """Return a URL unchanged, or build it from the fields of AWS's secrets for RDS; raise SecretError."""
    text = text_of(found)
    if not text.startswith("{"):
        return text
    fields = fields_of(text)
    engine = _field(fields, "engine")
    if engine not in DRIVERS:
        raise SecretError("its engine is neither MySQL, MariaDB nor PostgreSQL")
    port = f":{fields['port']}" if fields.get("port") else ""
    place = f"{_field(fields, 'host')}{port}/{quote(_field(fields, 'dbname'), safe='')}"
    return f"{DRIVERS[engine]}://{_login(fields)}@{place}"


def with_login(url: str, found: object) -> str:
    """Return the URL with user and password from a secret's fields; raise SecretError."""
    scheme, _, place = url.partition("://")
    host, slash, rest = place.partition("/")
    return f"{scheme}://{_login(fields_of(found))}@{host.rpartition('@')[2]}{slash}{rest}"


def _login(fields: Mapping[str, Any]) -> str:
    return ":".join(quote(_field(fields, name), safe="") for name in ("username", "password"))


def _field(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise SecretError(f"no {name} in it")
    return value
