"""A deployment as its operator reaches it from a terminal, with their own rights: its table and signing key. AWS's
errors become one line of advice."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from turnkeep.aws.loading import LateClient
from turnkeep.aws.signingkey import QUICK, SecretError, seal_key, usable
from turnkeep.errors import StoreUnavailable
from turnkeep.storage.codec import Codec
from turnkeep.storage.items import Items
from turnkeep.storage.keyring import Keyring
from turnkeep_local import LocalError

DEFAULT_STACK = "turnkeep"
TABLE_OUTPUT, URL_OUTPUT, BUCKET_OUTPUT = "TableName", "Url", "BucketName"

FAULTS = (SecretError, StoreUnavailable, exceptions.BotoCoreError, exceptions.ClientError)
"""All errors that AWS, or a table in it, may return to a command."""
_CONFIG: dict[str, Any] = {"retries": {"mode": "standard"}, "connect_timeout": 5, "read_timeout": 10}
_LOG_IN = "Log in (aws sso login, aws configure), or name a profile: export AWS_PROFILE=..."


@dataclass(frozen=True)
class Deployment:
    """`parameter` names the signing key in `ssm`, empty if unknown; `fixed` is the key itself, from the environment.
    `url` and `bucket` are known for a stack."""

    items: Items
    ssm: Any
    parameter: str
    url: str | None = None
    fixed: str = ""
    bucket: str | None = None

    @property
    def keyring(self) -> Keyring:
        """Read the signing key at first use."""
        return Keyring(refresh=self._secrets)

    @property
    def codec(self) -> Codec:
        """Read the signing key at first use, for the contents of threads."""
        return Codec(refresh=self._secrets)

    def _secrets(self) -> tuple[bytes, ...]:
        if not self.fixed and not self.parameter:
            raise LocalError("Name the parameter with the seal key of this table: --seal-key NAME")
        return usable(self.fixed or seal_key(self.ssm, self.parameter))


def open_deployment(
    environ: Mapping[str, str], *, stack: str | None = None, table: str | None = None, seal: str | None = None
) -> Deployment:
    """Open a table, or a stack by its outputs; raise LocalError, and the errors that `explained` converts."""
    # boto3 itself reads AWS_DEFAULT_REGION only.
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    name, url, bucket = table or ("" if stack else environ.get("TABLE_NAME")), None, None
    stack = stack or DEFAULT_STACK
    fixed = environ.get("SEAL_KEY", "") if name and not seal else ""
    seal = seal or (environ.get("SEAL_KEY_PARAMETER") if name else parameter_of(stack))
    session = boto3.Session(region_name=region)
    if not name:
        name, url, bucket = _of_stack(session.client("cloudformation", config=Config(**_CONFIG)), stack)
    items = Items(session.client("dynamodb", config=Config(**_CONFIG)), name)
    ssm = LateClient(partial(session.client, "ssm", config=Config(**QUICK)))
    return Deployment(items, ssm, seal or "", url, fixed, bucket)


def parameter_of(stack: str) -> str:
    """Return the parameter of the signing key, as template.yaml names it."""
    return f"/turnkeep/{stack}/seal-key"


def _of_stack(cloudformation: Any, stack: str) -> tuple[str, str | None, str | None]:
    """Return table, URL and bucket from the outputs of a stack."""
    try:
        answer = cloudformation.describe_stacks(StackName=stack)
    except exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        region = cloudformation.meta.region_name
        advice = "Deploy it (sam deploy), or name another one: --stack NAME, or the table: --table NAME"
        raise LocalError(f"There is no stack {stack} in {region}. {advice}") from error
    outputs = {output["OutputKey"]: output["OutputValue"] for output in answer["Stacks"][0].get("Outputs", [])}
    if TABLE_OUTPUT not in outputs:
        raise LocalError(f"The stack {stack} has no output {TABLE_OUTPUT}. Name its table: --table NAME")
    return outputs[TABLE_OUTPUT], outputs.get(URL_OUTPUT), outputs.get(BUCKET_OUTPUT)


@contextmanager
def explained() -> Iterator[None]:
    """Convert AWS's errors into a LocalError with advice."""
    try:
        yield
    except FAULTS as error:
        raise LocalError(words(error)) from error


def words(error: BaseException | None) -> str:
    match error:
        case SecretError(fault=None):
            return f"{str(error)[0].upper()}{str(error)[1:]}."
        case SecretError():
            return words(error.fault)
        case StoreUnavailable(__cause__=exceptions.BotoCoreError()):
            return words(error.__cause__)
        case exceptions.BotoCoreError() | exceptions.ClientError():
            return _advice(error)
    return "The table did not answer in time. Try again."


def _advice(error: exceptions.BotoCoreError | exceptions.ClientError) -> str:
    match error:
        case exceptions.NoRegionError() | exceptions.InvalidRegionError():
            return "No AWS region is set, or none that exists. Set it: export AWS_REGION=eu-west-1"
        case exceptions.ProfileNotFound():
            return "AWS_PROFILE names no profile of this machine. List them: aws configure list-profiles"
        case exceptions.ClientError():
            return _refusal(**error.response["Error"])
        case exceptions.HTTPClientError() | exceptions.ConnectionError():
            return "AWS does not answer. Is there a network, and is the region spelt right?"
        case exceptions.NoCredentialsError() | exceptions.PartialCredentialsError():
            return f"No AWS credentials are found. {_LOG_IN}"
    return f"AWS cannot be used with these credentials ({type(error).__name__}). {_LOG_IN}"


def _refusal(Code: str, Message: str = "", **_: str) -> str:  # noqa: N803 - as boto3 names them
    if Code == "ResourceNotFoundException":
        return "There is no such table in this account and region. Name it: --table NAME, or its stack: --stack NAME"
    if "AccessDenied" in Code:
        return f"These AWS credentials may not do that: {Message}"
    return f"AWS refuses: {Code}. {_LOG_IN}"
