"""Secrets that AWS keeps: how a setting names their place, and how a value is asked for when it is needed and not
before. Reading them is the business of `turnkeep.aws`."""

import re
from collections.abc import Callable
from typing import Annotated, TypeAlias
from urllib.parse import quote

from pydantic import AfterValidator, SecretStr

LOCATION = re.compile(
    r"ssm:(?P<parameter>[\w./:-]+)|secretsmanager:(?P<secret>[\w/+=.@:-]+)(?:#(?P<field>\S+))?", re.ASCII
)
PLACES = ("ssm:", "secretsmanager:")

SecretSource: TypeAlias = Callable[[str], str]
"""A secret as of now. Its argument is the value that has just been refused, or empty. It may wait for AWS, and raises
TurnkeepError."""


class LateSecret(SecretStr):
    """A secret that is looked up whenever somebody asks for it; `source` keeps what it has found for a while."""

    def __init__(self, source: SecretSource):
        super().__init__("looked up when it is needed")
        self.source = source

    def get_secret_value(self) -> str:
        return self.source("")


def source_of(secret: SecretStr) -> SecretSource | None:
    """What knows a newer value of the secret where it was refused; None for one that stays as it is."""
    return secret.source if isinstance(secret, LateSecret) else None


def is_location(text: str) -> bool:
    """Whether it is meant as one, well-formed or not."""
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
LocatedSecret: TypeAlias = Annotated[SecretStr, AfterValidator(_checked_secret)]
"""A secret, or where AWS keeps it: a deployment puts a LateSecret in its place."""


def login_part(user: str, password: str) -> str:
    """As it stands in a URL, before the `@`."""
    return f"{quote(user, safe='')}:{quote(password, safe='')}"


def place_part(host: str, port: str, name: str) -> str:
    """As it stands in a URL, behind the `@`."""
    return f"{host}{f':{port}' if port else ''}/{quote(name, safe='')}"
