"""Settings that AWS stores as secrets, such as database logins. They are read on first use and again when refused."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from turnkeep.aws.secrets import CurrentSecret, SecretReader, usable_key
from turnkeep.aws.signingkey import SecretError
from turnkeep.errors import ModelKeyUnavailable
from turnkeep.locations import LateSecret, is_location, login_part, place_part
from turnkeep.settings import AgentSettings, DataSource, Settings

DRIVERS = {  # by the `engine` field in the secrets that AWS makes for RDS
    **dict.fromkeys(("mysql", "mariadb", "aurora", "aurora-mysql"), "mysql+pymysql"),
    **dict.fromkeys(("postgres", "postgresql", "aurora-postgresql"), "postgresql+psycopg"),
}


def with_late_secrets(settings: Settings) -> Settings:
    """Return the settings with each location replaced by a secret that is read on first use."""
    if settings.model_key:
        read = SecretReader(settings.model_key, usable_key)
        key = LateSecret(CurrentSecret(read, "MODEL_KEY", unavailable=ModelKeyUnavailable))
        settings = settings.model_copy(update={"openai_api_key": key})
    return settings.with_agents(*map(_with_late, settings.agents))


def _with_late(own: AgentSettings) -> AgentSettings:
    url_field, login = (own.url_field, own.login) if isinstance(own, DataSource) else ("", "")
    late = {}
    for name, secret in own.secrets.items():
        text, is_url = secret.get_secret_value(), name == url_field
        if is_url and login:
            read = SecretReader(login, partial(with_login, text))
        elif is_location(text):
            read = SecretReader(text, url_of if is_url else text_of)
        else:
            continue
        late[name] = LateSecret(CurrentSecret(read, f"{own.agent}__{name}".upper()))
    return own.model_copy(update=late)


def text_of(found: object) -> str:
    """Strip the line end that files and consoles add to a secret; raise SecretError."""
    text = found.strip() if isinstance(found, str) else ""
    if not text:
        raise SecretError("nothing in it")
    return text


def url_of(found: object) -> str:
    """Return a URL unchanged, or build it from the fields of AWS's secrets for RDS; raise SecretError."""
    text = text_of(found)
    if not text.startswith("{"):
        return text
    fields = _fields(text)
    engine = _field(fields, "engine")
    if engine not in DRIVERS:
        raise SecretError("its engine is neither MySQL, MariaDB nor PostgreSQL")
    place = place_part(_field(fields, "host"), str(fields.get("port") or ""), _field(fields, "dbname"))
    return f"{DRIVERS[engine]}://{_login(fields)}@{place}"


def with_login(url: str, found: object) -> str:
    """Return the URL with user and password from a secret's fields; raise SecretError."""
    scheme, _, place = url.partition("://")
    host, slash, rest = place.partition("/")
    return f"{scheme}://{_login(_fields(text_of(found)))}@{host.rpartition('@')[2]}{slash}{rest}"


def _fields(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise SecretError("not JSON") from None
    if not isinstance(found, dict):
        raise SecretError("not a JSON object")
    return found


def _login(fields: Mapping[str, Any]) -> str:
    return login_part(_field(fields, "username"), _field(fields, "password"))


def _field(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise SecretError(f"no {name} in it")
    return value
