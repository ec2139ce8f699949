"""`turnkeep keys`: only the key on standard output; one clear line for each error."""

import json
import re
import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from hand_clock import HandClock
from turnkeep.errors import Unauthorized
from turnkeep.http.schemas import Chat
from turnkeep.records import Principal
from turnkeep.signing import secrets_of
from turnkeep.store.apikeys import ApiKeys
from turnkeep.store.items import Items
from turnkeep.store.keyring import Keyring
from turnkeep.store.opening import make_table
from turnkeep_local import LocalError
from turnkeep_local.cli import main
from turnkeep_local.deployment import explained, parameter_of
from turnkeep_local.keys import table_of
from turnkeep_local.processes import free_port

CREATE = ["keys", "create", "--tenant", "acme", "--user", "ann"]
URL = "https://abc.execute-api.eu-west-1.amazonaws.com/v1"


@pytest.fixture(autouse=True)
def account(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An AWS account in which there is nothing yet."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_url)
    return s3_url


def deploy(stack: str, **outputs: str) -> str:
    """A stack with these outputs, and a table next to it."""
    make_table(boto3.client("dynamodb"), f"{stack}-table")
    template = {"Resources": {}, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}
    boto3.client("cloudformation").create_stack(StackName=stack, TemplateBody=json.dumps(template))
    return f"{stack}-table"


@pytest.fixture
def table(account: str) -> Iterator[str]:
    """The table of the stack "turnkeep"."""
    yield deploy("turnkeep", TableName="turnkeep-table", Url=URL)
    boto3.client("cloudformation").delete_stack(StackName="turnkeep")
    boto3.client("dynamodb").delete_table(TableName="turnkeep-table")
    boto3.client("ssm").delete_parameters(Names=[parameter_of("turnkeep")])


def keys_of(table: str, stack: str = "turnkeep") -> ApiKeys:
    """As the authorizer of this stack reads them."""
    found = boto3.client("ssm").get_parameter(Name=parameter_of(stack), WithDecryption=True)["Parameter"]["Value"]
    return keys_over(Items(boto3.client("dynamodb"), table), Keyring(*secrets_of(found)))


def keys_over(items: Items, keyring: Keyring, clock: Callable[[], float] = time.time) -> ApiKeys:
    return ApiKeys(items, keyring, clock=clock, random_bytes=secrets.token_bytes)


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The error of a command that fails: one line, and exit code 1."""
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("turnkeep: ")
    assert printed.err.count("\n") == 1
    return printed.err


# What the commands do


def test_a_created_key_is_printed_once_and_works(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CREATE, "--label", "the laptop"]) == 0
    printed = capsys.readouterr()
    key = printed.out.strip()
    assert re.fullmatch(r"tk_[0-9a-f]{16}_[0-9a-f]{64}", key)
    assert printed.out == f"{key}\n"
    record = keys_of(table).find(key)
    assert (record.principal, record.principal.acts_for) == (Principal("acme", "ann"), "")
    assert (record.label, record.expires_at) == ("the laptop", None)
    assert key not in printed.err
    assert key.rpartition("_")[2] not in printed.err
    assert record.key_id in printed.err
    (body,) = re.findall(rf'curl -s {URL}/chat -H "x-api-key: \$KEY" --json \'(.+)\'', printed.err)
    assert Chat.model_validate_json(body).session_id == "new"


@pytest.mark.parametrize("whom", ["tenant", "any"])
def test_a_key_may_act_for_others_and_expire(table: str, capsys: pytest.CaptureFixture[str], whom: str) -> None:
    assert main([*CREATE, "--acts-for", whom, "--days", "7"]) == 0
    record = keys_of(table).find(capsys.readouterr().out.strip())
    assert record.principal.acts_for == whom
    assert record.expires_at is not None
    assert record.expires_at - record.created_at == pytest.approx(7 * 86_400, abs=60)


def test_a_list_shows_owners_and_no_secret(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    main(CREATE)
    main(["keys", "create", "--tenant", "beta", "--user", "bob", "--acts-for", "any", "--days", "1", "--label", "b"])
    made = capsys.readouterr().out.split()
    assert main(["keys", "list"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["ID", "TENANT", "USER", "ACTS", "FOR", "STATE", "CREATED", "EXPIRES", "LABEL"]
    assert {row.split()[0] for row in rows} == {key.split("_")[1] for key in made}
    assert not any(key.rpartition("_")[2] in row for key in made for row in rows)
    assert main(["keys", "list", "--tenant", "beta"]) == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.split()[1:5] == ["beta", "bob", "anyone", "valid"]


def test_a_revoked_key_is_refused_and_listed_as_revoked(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(CREATE)
    key = capsys.readouterr().out.strip()
    key_id = key.split("_")[1]
    for _ in range(2):
        assert main(["keys", "revoke", key_id]) == 0
        assert capsys.readouterr().out.startswith(f"Key {key_id} was revoked at 20")
    with pytest.raises(Unauthorized):
        keys_of(table).find(key)
    main(["keys", "list"])
    assert capsys.readouterr().out.splitlines()[1].split()[4] == "revoked"


def test_an_expired_key_is_listed_as_expired(table: str) -> None:
    keys = keys_over(Items(boto3.client("dynamodb"), table), Keyring(b"k"), HandClock())
    record, _ = keys.create(Principal("acme", "ann"), label="", expires_at=1000)
    assert " valid " in table_of([record], 999)
    assert " expired " in table_of([record], 1000)


def test_an_unsigned_item_is_listed_as_such_and_cannot_be_revoked(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(CREATE)
    capsys.readouterr()
    forged = {"PK": "APIKEYS", "SK": "f\x1b[31m", "tenant": "acme", "user": "ann", "acts_for": "any"}
    Items(boto3.client("dynamodb"), table).put(forged)
    assert main(["keys", "list"]) == 0
    *rows, last = capsys.readouterr().out.splitlines()
    assert (len(rows), last) == (2, "Not signed by this deployment, and therefore rejected: f?[31m")
    assert "not signed by this deployment" in complaint(capsys, "keys", "revoke", "f\x1b[31m")


# Which table


def test_options_and_environment_select_a_stack_or_a_table(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = f"stack-{uuid.uuid4().hex[:8]}"
    other = deploy(stack, TableName=f"{stack}-table")
    monkeypatch.setenv("TABLE_NAME", "not-this-one")
    monkeypatch.setenv("SEAL_KEY", "of another deployment")
    named = ["--table", other, "--seal-key", parameter_of(stack)]
    for where, expected in ((["--stack", stack], other), (["--stack", "turnkeep"], table), (named, other)):
        assert main([*CREATE, *where]) == 0
        keys_of(expected, stack if expected == other else "turnkeep").find(capsys.readouterr().out.strip())
    monkeypatch.setenv("TABLE_NAME", other)
    assert main(CREATE) == 0
    printed = capsys.readouterr()
    keys_over(Items(boto3.client("dynamodb"), other), Keyring(b"of another deployment")).find(printed.out.strip())
    assert "https://<the URL of the API>/chat" in printed.err
    monkeypatch.delenv("SEAL_KEY")
    assert "Name the SSM parameter with the signing key" in complaint(capsys, *CREATE)
    monkeypatch.setenv("SEAL_KEY_PARAMETER", parameter_of(stack))
    assert main(CREATE) == 0


# What may be missing


TABLE = ["--table", "absent", "--seal-key", "/x"]
LISTED = ["keys", "list"]
NO_REGION = {"AWS_DEFAULT_REGION": None, "AWS_CONFIG_FILE": "/nowhere"}
NO_FILES = {"AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}
NO_LOGIN = NO_FILES | {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
CLOSED = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}", "AWS_MAX_ATTEMPTS": "1"}


@pytest.mark.parametrize(
    ("arguments", "environ", "printed"),
    [
        (CREATE, {}, "turnkeep: There is no stack turnkeep in eu-west-1. Deploy it"),
        ([*LISTED, "--stack", "other"], {}, "no stack other in"),
        *((each, {}, "There is no such table") for each in ([*CREATE, *TABLE], [*LISTED, *TABLE])),
        (["keys", "revoke", "0" * 16, *TABLE], {}, "There is no such table"),
        *((each, NO_REGION, "You must specify a region") for each in (CREATE, [*CREATE, "--table", "t"])),
        (CREATE, NO_REGION | {"AWS_REGION": "not a region"}, "Provided region_name 'not a region'"),
        (CREATE, NO_REGION | {"AWS_REGION": "eu-west-1"}, "There is no stack"),
        (CREATE, NO_FILES | {"AWS_SECRET_ACCESS_KEY": None}, "AWS cannot be used: Partial credentials found"),
        *((each, NO_LOGIN, "Unable to locate credentials. Check AWS_REGION") for each in (CREATE, [*CREATE, *TABLE])),
        (CREATE, NO_LOGIN | {"AWS_PROFILE": "absent"}, "The config profile (absent) could not be found"),
        *((each, CLOSED, "Could not connect to the endpoint URL") for each in (CREATE, [*CREATE, *TABLE])),
    ],
)
def test_a_missing_fact_is_reported(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environ: dict[str, str | None],
    printed: str,
) -> None:
    for name, value in environ.items():
        monkeypatch.delenv(name, raising=False)
        if value:
            monkeypatch.setenv(name, value)
    assert printed in complaint(capsys, *arguments)


def test_a_stack_of_something_else_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    deploy(stack := f"stack-{uuid.uuid4().hex[:8]}")
    assert "has no output TableName. Select its table: --table NAME" in complaint(capsys, *CREATE, "--stack", stack)


@pytest.mark.parametrize("key_id", ["0" * 16, "x", "tk_0123456789abcdef_x"])
def test_a_missing_key_is_reported(table: str, capsys: pytest.CaptureFixture[str], key_id: str) -> None:
    printed = complaint(capsys, "keys", "revoke", key_id)
    assert printed == "turnkeep: No key has this id. List them: turnkeep keys list\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--days", "0"],
        ["--days", "99999999"],
        ["--user", ""],
        ["--user", "x" * 2000],
        ["--tenant", "\x1b[31m"],
        ["--label", "x" * 101],
    ],
)
def test_an_invalid_key_is_rejected_and_nothing_stored(
    table: str, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert "\x1b" not in complaint(capsys, *CREATE, *arguments)
    assert Items(boto3.client("dynamodb"), table).between("APIKEYS", "0", "g") == []


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("AccessDeniedException", "AWS refuses: AccessDeniedException: no right to dynamodb:Query"),
        ("ExpiredTokenException", "AWS refuses: ExpiredTokenException: .* Check .* your credentials"),
        ("ThrottlingException", "did not answer in time. Try again"),
    ],
)
def test_a_refusal_of_aws_becomes_advice(code: str, advice: str) -> None:
    error: Any = {"Error": {"Code": code, "Message": "no right to dynamodb:Query"}}

    def refuse(**_: Any) -> Any:
        raise ClientError(error | {"ResponseMetadata": {"HTTPStatusCode": 400}}, "x")

    client: Any = SimpleNamespace(query=refuse, put_item=refuse)
    keys = keys_over(Items(client, "t"), Keyring(b"k"), HandClock())
    for do in (lambda: keys.create(Principal("acme", "ann"), label="", expires_at=None), keys.list):
        with pytest.raises(LocalError, match=advice), explained():
            do()
