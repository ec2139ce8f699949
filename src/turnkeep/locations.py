"""Secrets in AWS: the location in a setting, and values looked up on use. `turnkeep.aws` reads them."""

import re
from collections.abc import Callable
from typing import Annotated, TypeAlias
from urllib.parse import quote

from pydantic import AfterValidator, SecretStr

LOCATION = re.compile(
    r"ssm:(?P<parameter>[\w./:-]+)|secretsmanager:(?P<secret>[\w/+=.@:-]+)(?:#(?P<field>\S+))?", re.ASCII
)
PLACES = ("ssm:", "secretsmanager:")

SecretSource: TypeAlias = Callable[[str], str]  # from a refused value or "" to the current; raises TurnkeepError


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
    return text.startswith(PLACES)


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


def login_part(user: str, password: str) -> str:
    """Return the part of a URL before the `@`."""
    return f"{quote(user, safe='')}:{quote(password, safe='')}"


def place_part(host: str, port: str, name: str) -> str:
    """Return the part of a URL after the `@`."""
    return f"{host}{f':{port}' if port else ''}/{quote(name, safe='')}"
