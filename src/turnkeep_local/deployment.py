"""A deployment as its operator reaches it from a terminal, with their own rights: its table and its signing key. AWS's
errors become one line of advice."""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from turnkeep.aws.signingkey import QUICK, SecretError, seal_key, usable
from turnkeep.errors import StoreUnavailable
from turnkeep.observability import logger
from turnkeep.store.items import Items
from turnkeep_local import LocalError

DEFAULT_STACK = "turnkeep"
TABLE_OUTPUT, URL_OUTPUT, BUCKET_OUTPUT = "TableName", "Url", "BucketName"

FAULTS = (SecretError, StoreUnavailable, exceptions.BotoCoreError, exceptions.ClientError)
"""All errors that AWS, or a table in it, may return to a command."""
_CONFIG = Config(retries={"mode": "standard"}, connect_timeout=5, read_timeout=10)
_CHECK = "Check AWS_REGION, AWS_PROFILE and your credentials (aws sso login, aws configure)."


@dataclass(frozen=True)
class Deployment:
    """`secrets` reads the signing key, at first use. `url` and `bucket` are None if only the table is known."""

    items: Items
    secrets: Callable[[], tuple[bytes, ...]]
    url: str | None
    bucket: str | None


@contextmanager
def open_deployment(options: argparse.Namespace) -> Iterator[Deployment]:
    """Yield the table or stack that the options select. Raise LocalError, also for AWS's errors in the block."""
    handler = logger.registered_handler
    level = handler.level
    handler.setLevel("CRITICAL")  # scripts read the standard output of a command
    try:
        with explained():
            yield _open(options.table, options.stack, options.seal_key)
    finally:
        handler.setLevel(level)


def _open(table: str | None, stack: str | None, parameter: str | None) -> Deployment:
    session = boto3.Session()
    outputs, fixed = dict[str, str](), ""
    if table := table or ("" if stack else os.environ.get("TABLE_NAME")):
        fixed = "" if parameter else os.environ.get("SEAL_KEY", "")
        parameter = parameter or os.environ.get("SEAL_KEY_PARAMETER")
    else:
        stack = stack or DEFAULT_STACK
        outputs = _outputs(session.client("cloudformation", config=_CONFIG), stack)
        table, parameter = outputs[TABLE_OUTPUT], parameter or parameter_of(stack)

    def secrets() -> tuple[bytes, ...]:
        if not fixed and not parameter:
            raise LocalError("Name the SSM parameter with the signing key of this table: --seal-key NAME")
        return usable(fixed or seal_key(session.client("ssm", config=Config(**QUICK)), str(parameter)))

    items = Items(session.client("dynamodb", config=_CONFIG), table)
    return Deployment(items, secrets, outputs.get(URL_OUTPUT), outputs.get(BUCKET_OUTPUT))


def parameter_of(stack: str) -> str:
    """Return the parameter of the signing key, as template.yaml names it."""
    return f"/turnkeep/{stack}/seal-key"


def _outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    try:
        answer = cloudformation.describe_stacks(StackName=stack)
    except exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        region = cloudformation.meta.region_name
        advice = "Deploy it (sam deploy), or select another stack (--stack NAME) or a table (--table NAME)."
        raise LocalError(f"There is no stack {stack} in {region}. {advice}") from error
    outputs = {output["OutputKey"]: output["OutputValue"] for output in answer["Stacks"][0].get("Outputs", [])}
    if TABLE_OUTPUT not in outputs:
        raise LocalError(f"The stack {stack} has no output {TABLE_OUTPUT}. Select its table: --table NAME")
    return outputs


@contextmanager
def explained() -> Iterator[None]:
    """Convert AWS's errors into a LocalError with advice."""
    try:
        yield
    except FAULTS as error:
        raise LocalError(_advice(error)) from error


def _advice(error: Exception) -> str:
    cause = error.__context__ if isinstance(error, SecretError) else error.__cause__ or error
    match cause:
        case None | ValueError():
            return f"{str(error)[0].upper()}{str(error)[1:]}."
        case exceptions.BotoCoreError():
            return f"AWS cannot be used: {' '.join(str(cause).split()).rstrip('.')}. {_CHECK}"
        case exceptions.ClientError(response={"Error": {"Code": "ResourceNotFoundException"}}):
            return "There is no such table in this account and region. Select a --table NAME or a --stack NAME."
        case exceptions.ClientError() if not isinstance(error, StoreUnavailable):
            refusal = cause.response["Error"]
            return f"AWS refuses: {refusal['Code']}: {refusal.get('Message', '')}. {_CHECK}"
    return "The table did not answer in time. Try again."
