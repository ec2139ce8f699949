"""The signing key of a deployment: secrets in one SSM SecureString, made by the function that starts first. Errors
contain AWS's code and never the value. boto3 is not loaded, so that every function can afford this module."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.observability import logger
from turnkeep.signing import new_key, secrets_of

QUICK: Any = {"retries": {"mode": "standard", "total_max_attempts": 4}, "connect_timeout": 1, "read_timeout": 2}
"""Options of SSM clients. A busy Parameter Store is retried for some seconds; Lambda limits a start to ten."""


class SecretError(Exception):
    """A secret is unavailable. The message is safe to log; AWS's error is its `__context__`."""


def seal_key(ssm: Any, name: str, *, generate: Callable[[], str] = new_key) -> str:
    """Return the text of the parameter `name`, made by the first caller; `ssm` is a client. Raise SecretError."""
    if text := read_key(ssm, name):
        return text
    made: dict[str, Any] = {"Value": generate(), "Type": "SecureString", "Overwrite": False}
    if _called(ssm.put_parameter, name, {"ParameterAlreadyExists", "TooManyUpdates"}, **made):
        logger.warning("signing key created", parameter=name)
        return str(made["Value"])
    if text := read_key(ssm, name):
        return text
    raise SecretError(f"the signing key {name} was just created by another function and cannot be read yet")


def read_key(ssm: Any, name: str) -> str:
    """Return the text of the parameter, empty if it does not exist. Raise SecretError."""
    answer = _called(ssm.get_parameter, name, {"ParameterNotFound"}, WithDecryption=True)
    return str(answer["Parameter"]["Value"]) if answer else ""


def _called(call: Callable[..., Any], name: str, none: set[str], **arguments: Any) -> Any:
    """Return the answer, None for the error codes in `none`."""
    try:
        return call(Name=name, **arguments)
    except (BotoCoreError, ClientError) as error:
        if (code := code_of(error)) in none:
            return None
        needed = "it needs ssm:GetParameter and ssm:PutParameter"
        raise SecretError(f"the signing key {name} cannot be read or created ({code}); {needed}") from None


def code_of(error: BaseException) -> str:
    """Return AWS's error code, else the class of the exception."""
    return str(error.response["Error"]["Code"]) if isinstance(error, ClientError) else type(error).__name__


def reread(ssm: Any, name: str) -> tuple[bytes, ...]:
    """Return the current secrets for a Keyring; log and return none if they cannot be read."""
    try:
        return usable(read_key(ssm, name))
    except SecretError as error:
        logger.error("signing key not read", reason=str(error))
        return ()


def usable(text: str) -> tuple[bytes, ...]:
    """Return the secrets in a parameter's text, for a Keyring; raise SecretError."""
    if not text:
        raise SecretError("the signing key is missing")
    try:
        return secrets_of(text)
    except ValueError as error:
        raise SecretError(f"the signing key is invalid: {error}") from None
