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
from turnkeep.errors import AgentUnavailable, ModelKeyUnavailable, TurnkeepError
from turnkeep.locations import LOCATION
from turnkeep.observability import logger

MAX_AGE_SECONDS = 300
REREAD_SECONDS = 5  # pause after a secret was refused or could not be read

_PRINTABLE = re.compile(r"[!-z|~]+")  # valid in a header; without { and } a JSON object is not taken for a key

Read: TypeAlias = Callable[[bool], str]  # the value of a secret, past its cache if True; raises SecretError


class CurrentSecret:
    """A current secret. Called with a refused value it rereads, and falls back to the newest value it has.
    `setting` names it in the log; `clock` gives monotonic seconds."""

    unavailable: type[TurnkeepError] = AgentUnavailable

    def __init__(self, read: Read, setting: str, *, clock: Callable[[], float] = time.monotonic):
        self._read, self._setting = read, setting
        self._clock = clock
        self._lock = Lock()
        self._value = ""
        self._refused = ""
        self._has_failed = False
        self._rests_until = 0.0

    def __call__(self, refused: str = "") -> str:
        """Raise TurnkeepError while no value has ever been read."""
        with self._lock:
            self._refused = refused or self._refused
            if self._clock() >= self._rests_until:
                self._refresh()
            if not self._value:
                raise self.unavailable(retry_after=REREAD_SECONDS)
            return self._value

    def _refresh(self) -> None:
        is_refused = bool(self._value) and self._value == self._refused
        try:
            self._value = self._read(is_refused or self._has_failed)
        except SecretError as error:
            self._warn(str(error))
            self._has_failed = True
        else:
            self._has_failed = False
            self._refused = "" if is_refused else self._refused
        if self._has_failed or is_refused:
            self._rests_until = self._clock() + REREAD_SECONDS

    def _warn(self, reason: str) -> None:
        logger.warning("secret not read", setting=self._setting, reason=reason, older_is_used=bool(self._value))


class ModelKey(CurrentSecret):
    unavailable = ModelKeyUnavailable

    def __init__(self, read: Read, *, clock: Callable[[], float] = time.monotonic):
        super().__init__(read, "MODEL_KEY", clock=clock)

    def _warn(self, reason: str) -> None:
        logger.warning("model key not read", reason=reason, older_is_used=bool(self._value))


class SecretReader:
    """Reads a location through Powertools, loaded on first use. `usable` converts the value or raises SecretError."""

    def __init__(self, location: str, usable: Callable[[object], str]):
        found = LOCATION.fullmatch(location)
        if not found:
            raise SecretError("malformed location")
        self._is_parameter = bool(found["parameter"])
        self._name = found["parameter"] or found["secret"]
        self._field = found["field"]
        self._usable = usable
        self._provider: Any = None

    def __call__(self, is_fresh: bool) -> str:
        from aws_lambda_powertools.utilities.parameters import exceptions  # noqa: PLC0415

        options: dict[str, Any] = {"decrypt": True} if self._is_parameter else {}
        if self._field:
            options["transform"] = "json"
        try:
            found = self._open().get(self._name, max_age=MAX_AGE_SECONDS, force_fetch=is_fresh, **options)
        except exceptions.TransformParameterError:
            raise SecretError("not JSON") from None
        except (exceptions.GetParameterError, BotoCoreError) as error:
            raise SecretError(code_of(error.__context__ or error)) from None
        return self._usable(_field_of(found, self._field) if self._field else found)

    def _open(self) -> Any:
        from aws_lambda_powertools.utilities import parameters  # noqa: PLC0415

        if self._provider is None:
            make = parameters.SSMProvider if self._is_parameter else parameters.SecretsProvider
            self._provider = make(boto_config=Config(**CLIENT_CONFIG))
        return self._provider


def _field_of(found: object, field: str) -> object:
    return found.get(field) if isinstance(found, dict) else None


def usable_key(found: object) -> str:
    """Strip the line end that files add to a key. Reject invalid headers here: the HTTP library would quote them."""
    key = found.strip() if isinstance(found, str) else ""
    if not _PRINTABLE.fullmatch(key):
        raise SecretError("no key in it")
    return key
