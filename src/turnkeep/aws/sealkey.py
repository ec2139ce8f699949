"""The seal key of a deployment: a ring of secrets in one SSM SecureString, made by the function that starts first.
Errors contain AWS's code and never the value. boto3 is not loaded, so that every function can afford this module."""

import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.errors import StoreUnavailable
from turnkeep.observability import logger
from turnkeep.ring import Secret, read_ring, secrets_of, today, write_ring
from turnkeep.storage.items import Refused
from turnkeep.storage.sealmark import SealMark

PATIENCE_SECONDS = 8  # at start, while Parameter Store is busy; Lambda limits a start to ten seconds
REREAD_PATIENCE_SECONDS = 1  # the same while serving a request
LONGEST_PAUSE_SECONDS = 1.0
QUICK: dict[str, Any] = {"retries": {"total_max_attempts": 1}, "connect_timeout": 1, "read_timeout": 2}
"""Options of SSM clients, whose calls are retried here."""

_BUSY = {"ThrottlingException", "TooManyRequestsException", "RequestLimitExceeded", "Throttling", "TooManyUpdates"}

Mint: TypeAlias = Callable[[], str]


class SecretError(Exception):
    """A secret is unavailable. The message is safe to log; `fault` is AWS's error, for an operator at a terminal."""

    def __init__(self, reason: str, fault: Exception | None = None) -> None:
        super().__init__(reason)
        self.fault = fault


def mint_key() -> str:
    return secrets.token_urlsafe(48)


class SealParameter:
    """The parameter `name`; `ssm` is a client of boto3 or botocore. Every call raises SecretError.
    A busy Parameter Store is retried until `patience` seconds after the first call. `clock` gives monotonic
    seconds, `jitter` 0 to 1."""

    def __init__(
        self,
        ssm: Any,
        name: str,
        *,
        patience: float = PATIENCE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.name = name
        self._ssm = ssm
        self._patience = patience
        self._until: float | None = None
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter

    def read(self) -> str:
        """Return the text, empty if the parameter does not exist."""
        answer = self._ask("get_parameter", "ParameterNotFound", WithDecryption=True)
        return str(answer["Parameter"]["Value"]) if answer else ""

    def make(self, text: str) -> bool:
        """Return False if another function has made it first."""
        stored = self._ask("put_parameter", "ParameterAlreadyExists", Value=text, Type="SecureString", Overwrite=False)
        return stored is not None

    def replace(self, text: str) -> None:
        self._ask("put_parameter", "", Value=text, Type="SecureString", Overwrite=True)

    def _ask(self, call: str, none: str, **arguments: Any) -> Any:
        """Return the answer, None for AWS's code `none`."""
        pause = 0.1
        self._until = self._until or self._clock() + self._patience
        while True:
            try:
                return getattr(self._ssm, call)(Name=self.name, **arguments)
            except (BotoCoreError, ClientError) as error:
                if code_of(error) == none:
                    return None
                wait = pause * (0.5 + self._jitter() / 2)
                if not _passes(error) or self._clock() + wait > self._until:
                    raise _told(self.name, error) from None
            self._sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _passes(error: BotoCoreError | ClientError) -> bool:
    if not isinstance(error, ClientError):
        return type(error).__name__ in {"ConnectTimeoutError", "ReadTimeoutError", "ConnectionClosedError"}
    return code_of(error) in _BUSY or error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500


def code_of(error: BaseException) -> str:
    """Return AWS's error code, else the class of the exception."""
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else type(error).__name__


def _told(name: str, error: Exception) -> SecretError:
    code = code_of(error)
    if code in _BUSY:
        return SecretError(f"the seal key {name} cannot be read, Parameter Store is busy ({code}): raise its limit")
    needed = "it needs ssm:GetParameter and ssm:PutParameter"
    return SecretError(f"the seal key {name} cannot be read or made ({code}); {needed}", error)


def seal_key(parameter: SealParameter, mark: SealMark, *, mint: Mint = mint_key) -> str:
    """Return the ring's text, made by the first caller. Raise SecretError, also for a lost key: it is not replaced."""
    try:
        return parameter.read() or _found_or_made(parameter, mark, mint)
    except (StoreUnavailable, ClientError) as error:
        reason = f"cannot be read or written ({code_of(error)}); it needs dynamodb:GetItem and dynamodb:PutItem"
        raise SecretError(f"the table's mark of the seal key {parameter.name} {reason}", error) from None


def _found_or_made(parameter: SealParameter, mark: SealMark, mint: Mint) -> str:
    marked = mark.read()
    if marked.ids:
        if text := parameter.read():  # another made both just now: the mark comes after the key
            return text
        raise SecretError(
            f"the seal key {parameter.name} is lost, and threads are sealed under it (ids {', '.join(marked.ids)}): "
            "bring its value back, or give up all threads and API keys: turnkeep seal forget"
        )
    made = Secret(mint(), today())
    text = write_ring([made], today())
    if not parameter.make(text):
        text = parameter.read()
        if not text:
            raise SecretError(f"the seal key {parameter.name} was made by another just now and cannot be read yet")
    with suppress(Refused):  # another did
        mark.write(read_ring(text), marked)
    return text


def reread(ssm: Any, name: str) -> tuple[bytes, ...]:
    """Return the current secrets for a Keyring; log and return none if they cannot be read."""
    try:
        return usable(SealParameter(ssm, name, patience=REREAD_PATIENCE_SECONDS).read())
    except SecretError as error:
        logger.error("seal key not read", reason=str(error))
        return ()


def usable(text: str) -> tuple[bytes, ...]:
    """Return the secrets in a parameter's text, for a Keyring; raise SecretError."""
    if not text:
        raise SecretError("the seal key is missing")
    try:
        return secrets_of(text)
    except ValueError as error:
        raise SecretError(f"the seal key cannot be used: {error}") from None
