"""What `turnkeep keys` does: finds the table of a deployment, makes, lists and revokes API keys, and says in one line
what is missing. Runs with the rights of the person at the terminal."""

import secrets
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore import exceptions
from botocore.config import Config

from turnkeep.errors import NotFound, StoreUnavailable
from turnkeep.records import Principal, iso
from turnkeep.storage.apikeys import LABEL_CHARACTERS, ApiKey, ApiKeys
from turnkeep.storage.items import Items

DEFAULT_STACK = "turnkeep"
TABLE_OUTPUT, URL_OUTPUT = "TableName", "Url"
MAX_DAYS = 36_500
DAY_SECONDS = 86_400

_CONFIG: dict[str, Any] = {"retries": {"mode": "standard"}, "connect_timeout": 5, "read_timeout": 10}
_LOG_IN = "Log in (aws sso login, aws configure), or name a profile: export AWS_PROFILE=..."
_HEADINGS = ("ID", "TENANT", "USER", "ACTS FOR", "STATE", "CREATED", "EXPIRES", "LABEL")


class AwsError(Exception):
    """What is missing or in the way in the account, with the line that mends it."""


class KeyDesk:
    """The API keys of one deployment, in words for a terminal. `url` is None where only the table is known."""

    def __init__(self, keys: ApiKeys, *, url: str | None, clock: Callable[[], float]) -> None:
        self._keys = keys
        self._url = url
        self._clock = clock

    def create(
        self, tenant: str, user: str, *, acts_for: bool = False, days: int | None = None, label: str = ""
    ) -> tuple[str, str]:
        """The key, and what to say about it."""
        _check_names(tenant=tenant, user=user, label=label)
        if days is not None and not 1 <= days <= MAX_DAYS:
            raise AwsError(f"--days {days} is no time to live. Use a number from 1 to {MAX_DAYS}.")
        expires_at = None if days is None else self._clock() + days * DAY_SECONDS
        with _explained():
            record, key = self._create(Principal(tenant, user, acts_for=acts_for), label, expires_at)
        return key, self._told(record)

    def _create(self, principal: Principal, label: str, expires_at: float | None) -> tuple[ApiKey, str]:
        try:
            return self._keys.create(principal, label=label, expires_at=expires_at)
        except ValueError as error:
            raise AwsError("--tenant and --user need a name each, together under 900 bytes.") from error

    def _told(self, record: ApiKey) -> str:
        who = f"{record.principal.user} of {record.principal.tenant}"
        whom = f"{who}, and for whomever it names" if record.principal.acts_for else who
        until = "until it is revoked" if record.expires_at is None else f"until {iso(record.expires_at)}"
        url = self._url or "https://<the URL of the API>"
        body = shlex.quote('{"session_id": "new", "message": "Hello"}')
        return (
            f"That is key {record.key_id} for {whom}, valid {until}. It is not shown again. Try it:\n"
            f"  export KEY=<the key>\n"
            f'  curl -s {url.rstrip("/")}/chat -H "x-api-key: $KEY" --json {body}'
        )

    def list(self, tenant: str | None = None) -> str:
        with _explained():
            keys = self._keys.list(tenant)
        return _columns([_HEADINGS, *(_row(key, self._clock()) for key in keys)])

    def revoke(self, key_id: str) -> str:
        with _explained():
            record = self._revoke(key_id)
        assert record.revoked_at is not None  # noqa: S101 - that is what revoking sets
        return f"Key {record.key_id} is revoked since {iso(record.revoked_at)}. A minute after that nothing takes it."

    def _revoke(self, key_id: str) -> ApiKey:
        try:
            return self._keys.revoke(key_id)
        except NotFound as error:
            raise AwsError("No key has this id. List them: turnkeep keys list") from error


def open_desk(environ: Mapping[str, str], *, stack: str | None = None, table: str | None = None) -> KeyDesk:
    """The keys of a table, or of the table that a stack names in its outputs; raises AwsError."""
    # boto3 itself reads AWS_DEFAULT_REGION only.
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    name, url = table or ("" if stack else environ.get("TABLE_NAME")), None
    with _explained():
        session = boto3.Session(region_name=region)
        if not name:
            name, url = _of_stack(session.client("cloudformation", config=Config(**_CONFIG)), stack or DEFAULT_STACK)
        items = Items(session.client("dynamodb", config=Config(**_CONFIG)), name)
    return KeyDesk(ApiKeys(items, clock=time.time, mint=secrets.token_bytes), url=url, clock=time.time)


def _of_stack(cloudformation: Any, stack: str) -> tuple[str, str | None]:
    """Table and URL as the outputs of a stack name them."""
    try:
        answer = cloudformation.describe_stacks(StackName=stack)
    except exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        region = cloudformation.meta.region_name
        advice = "Deploy it (sam deploy), or name another one: --stack NAME, or the table: --table NAME"
        raise AwsError(f"There is no stack {stack} in {region}. {advice}") from error
    outputs = {output["OutputKey"]: output["OutputValue"] for output in answer["Stacks"][0].get("Outputs", [])}
    if TABLE_OUTPUT not in outputs:
        raise AwsError(f"The stack {stack} has no output {TABLE_OUTPUT}. Name its table: --table NAME")
    return outputs[TABLE_OUTPUT], outputs.get(URL_OUTPUT)


@contextmanager
def _explained() -> Iterator[None]:
    """What AWS says, in words that help."""
    try:
        yield
    except StoreUnavailable as error:
        cause = error.__cause__
        slow = "The table did not answer in time. Try again."
        raise AwsError(_advice(cause) if isinstance(cause, exceptions.BotoCoreError) else slow) from error
    except (exceptions.BotoCoreError, exceptions.ClientError) as error:
        raise AwsError(_advice(error)) from error


def _advice(error: exceptions.BotoCoreError | exceptions.ClientError) -> str:
    match error:
        case exceptions.NoRegionError() | exceptions.InvalidRegionError():
            return "No AWS region is set, or none that exists. Set it: export AWS_REGION=eu-west-1"
        case exceptions.ProfileNotFound():
            return "AWS_PROFILE names no profile of this machine. List them: aws configure list-profiles"
        case exceptions.ClientError():
            return _refusal(error.response["Error"]["Code"])
        case exceptions.HTTPClientError() | exceptions.ConnectionError():
            return "AWS does not answer. Is there a network, and is the region spelt right?"
        case exceptions.NoCredentialsError() | exceptions.PartialCredentialsError():
            return f"No AWS credentials are found. {_LOG_IN}"
    return f"AWS cannot be used with these credentials ({type(error).__name__}). {_LOG_IN}"


def _refusal(code: str) -> str:
    if code == "ResourceNotFoundException":
        return "There is no such table in this account and region. Name it: --table NAME, or its stack: --stack NAME"
    if "AccessDenied" in code:
        needed = "cloudformation:DescribeStacks, dynamodb:PutItem, Query and UpdateItem"
        return f"These AWS credentials may not do that. They need {needed}."
    return f"AWS refuses: {code}. {_LOG_IN}"


def _check_names(**names: str) -> None:
    for option, name in names.items():
        if not name.isprintable() or (option == "label" and len(name) > LABEL_CHARACTERS):
            raise AwsError(f"--{option} has to be a line of text, a label of at most {LABEL_CHARACTERS} characters.")


def _row(key: ApiKey, now: float) -> tuple[str, ...]:
    state = "revoked" if key.revoked_at is not None else "expired" if key.is_expired(now) else "valid"
    return (
        key.key_id,
        key.principal.tenant,
        key.principal.user,
        "anybody" if key.principal.acts_for else "-",
        state,
        iso(key.created_at),
        iso(key.expires_at) if key.expires_at is not None else "never",
        key.label,
    )


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(map(str.rstrip, lines))
