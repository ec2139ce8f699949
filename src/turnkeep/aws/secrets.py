"""Secrets that are read on use: the model server's key, database logins. Errors and logs contain AWS's code only."""

import re
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeAlias

from botocore.config import Config
from botocore.exceptions import BotoCoreError

from turnkeep.aws.signingkey import SecretError, code_of
from turnkeep.bootstrap import CLIENT_CONFIG
from turnkeep.errors import AgentUnavailable, TurnkeepError
from turnkeep.locations import LOCATION
from turnkeep.observability import logger

MAX_AGE_SECONDS = 300
REREAD_SECONDS = 5  # pause after a secret was refused or could not be read

_PRINTABLE = re.compile(r"[!-z|~]+")  # valid in a header; without { and } a JSON object is not taken for a key

Read: TypeAlias = Callable[[bool], str]  # the value of a secret, past its cache if True; raises SecretError


class CurrentSecret:
    """A current secret. Called with a refused value it rereads, and falls back to the newest value it has.
    `setting` names it in the log; `clock` gives monotonic seconds."""

    def __init__(
        self,
        read: Read,
        setting: str,
        *,
        unavailable: type[TurnkeepError] = AgentUnavailable,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._read, self._setting, self._unavailable = read, setting, unavailable
        self._clock = clock
        self._lock = Lock()
        self._value = ""
        self._is_doubtful = False
        self._rests_until = 0.0

    def __call__(self, refused: str = "") -> str:
        """Raise TurnkeepError while no value has ever been read."""
        with self._lock:
            self._is_doubtful = self._is_doubtful or bool(refused and refused == self._value)
            if self._clock() >= self._rests_until:
                self._refresh()
            if not self._value:
                raise self._unavailable(retry_after=REREAD_SECONDS)
            return self._value

    def _refresh(self) -> None:
        has_problem = self._is_doubtful
        try:
            self._value = self._read(self._is_doubtful)
            self._is_doubtful = False
        except SecretError as error:
            older = bool(self._value)
            logger.warning("secret not read", setting=self._setting, reason=str(error), older_is_used=older)
            self._is_doubtful = has_problem = True
        if has_problem:
            self._rests_until = self._clock() + REREAD_SECONDS


class SecretReader:
    """Reads a location through Powertools, loaded on first use. `usable` converts the value or raises SecretError."""

    def __init__(self, location: str, usable: Callable[[object], str]):
        found = LOCATION.fullmatch(location)
        if not found:
            raise SecretError("malformed location; use ssm:<name> or secretsmanager:<name>#<field>")
        self._is_parameter = bool(found["parameter"])
        self._name = found["parameter"] or found["secret"]
        self._field = found["field"]
        self._usable = usable
        self._provider: Any = None

    def __call__(self, is_fresh: bool) -> str:
        from aws_lambda_powertools.utilities import parameters  # noqa: PLC0415

        if self._provider is None:
            make = parameters.SSMProvider if self._is_parameter else parameters.SecretsProvider
            self._provider = make(boto_config=Config(**CLIENT_CONFIG))
        options: dict[str, Any] = {"decrypt": True} if self._is_parameter else {}
        if self._field:
            options["transform"] = "json"
        try:
            found = self._provider.get(self._name, max_age=MAX_AGE_SECONDS, force_fetch=is_fresh, **options)
        except parameters.TransformParameterError:
            raise SecretError("not JSON") from None
        except (parameters.GetParameterError, BotoCoreError) as error:
            raise SecretError(code_of(error.__context__ or error)) from None
        if self._field:
            found = found.get(self._field) if isinstance(found, dict) else None
        return self._usable(found)


def usable_key(found: object) -> str:
    """Strip the line end that files add to a key. Reject invalid headers here: the HTTP library would quote them."""
    key = found.strip() if isinstance(found, str) else ""
    if not _PRINTABLE.fullmatch(key):
        raise SecretError("not a valid key")
    return key
