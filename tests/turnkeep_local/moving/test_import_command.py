"""`turnkeep import`: what it says, what it refuses, and that a kill in its middle costs nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from new_site import ANN, NewSite, plain
from old_site import AWS, CARD, OldSite

from turnkeep.records import Principal
from turnkeep.storage.blobs import S3Objects
from turnkeep.storage.items import Items
from turnkeep_local.cli import main

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module", params=[AWS, CARD])
def few(request: pytest.FixtureRequest, old_site: Callable[[str], OldSite]) -> OldSite:
    site = old_site(request.param)
    for n in range(8):
        site.talk(f"t-{n}", "a", "b!" if n == 3 else "b", durability="exit")
    return site


def line_of(few: OldSite) -> list[str]:
    """The command, up to where they go and whose they are."""
    place = few.place
    named = f"--from {few.package} --table {place.table} --writes-table {place.writes} --agent nested"
    return ["import", *named.split()]


@pytest.fixture
def said(dynamodb_url: str, s3_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs the command and gives its code and what it wrote."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_url)
    monkeypatch.setenv("SEAL_KEY", "secret")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def there(dynamodb: "DynamoDBClient", table_name: str, objects: S3Objects) -> NewSite:
    """A deployment by its table."""
    return NewSite(Items(dynamodb, table_name), objects)


def test_it_says_what_became_of_the_threads_and_how_long_they_live(
    said: Said, few: OldSite, there: NewSite, table_name: str, bucket: str
) -> None:
    to = [*line_of(few), "--to", table_name, "--to-bucket", bucket, "--tenant", "acme", "--user", "ann"]
    code, dry, progress = said(*to, "--dry-run")
    assert (code, dry.split("\n")[0].split()) == (0, ["would", "be", "moved", "8"])
    code, out, progress = said(*to)
    assert code == 0
    assert [row.split() for row in out.splitlines()[:3]] == [["moved", "8"], ["turns", "16"], ["messages", "63"]]
    assert out.endswith("They live for 24 hours from now, and as long after each turn.\n")
    assert "8 of 8 threads" in progress
    assert "no agent nested here" in progress
    assert there.table.read_thread(ANN, "t-3").status == "interrupted"
    assert said(*to)[1].startswith("here already")


@pytest.mark.parametrize("few", [AWS], indirect=True)
def test_without_a_deployment_they_go_to_this_machine(
    said: Said, few: OldSite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table_name: str
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TABLE_NAME", table_name)
    owners = tmp_path / "owners.json"
    owners.write_text(json.dumps({"t-1": {"tenant": "local", "user": "local"}}))
    code, out, err = said(*line_of(few), "--owner", str(owners))
    assert code == 1
    assert [row.split()[:3] for row in out.splitlines()[-5:-1]] == [
        ["no", "owner", "7"],
        ["moved", "1"],
        ["turns", "2"],
        ["messages", "8"],
    ]
    assert "7 of 8 threads were left" in err
    assert (tmp_path / "home" / "server.json").exists()


@pytest.mark.parametrize("few", [CARD], indirect=True)
def test_killed_in_its_middle_and_run_again_it_has_moved_each_thread_once(
    said: Said, few: OldSite, there: NewSite, table_name: str, bucket: str
) -> None:
    to = [*line_of(few), "--to", table_name, "--to-bucket", bucket, "--tenant", "acme", "--user", "ann"]
    with subprocess.Popen([sys.executable, "-m", "turnkeep_local.cli", *to], env=os.environ) as process:
        while not there.table.search_threads(ANN) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    found = there.table.search_threads(ANN, limit=50)
    assert len(found) >= 1
    assert {thread.turn_count for thread in found} == {2}
    code, out, _ = said(*to)
    assert code == 0
    counted = {row.split()[0]: row.split()[-1] for row in out.splitlines() if row.startswith(("moved", "here"))}
    assert sum(map(int, counted.values())) == 8
    assert len(there.table.search_threads(ANN, limit=50)) == 8
    for name, messages in few.messages.items():
        assert plain(there.messages(name)) == plain(messages)


@pytest.mark.parametrize("few", [AWS], indirect=True)
@pytest.mark.parametrize(
    "case",
    [
        (["--table", "nowhere"], "There is no table nowhere"),
        (["--from", AWS, "--table", "OTHER"], "langgraph-checkpoint-aws writes PK and SK. Name the package"),
        (["--from", CARD, "--table", "OTHER", "--writes-table", ""], "--writes-table NAME"),
        (["--tenant", "acme", "--user", ""], "tenant and user need a name each"),
        (["--tenant", "", "--user", ""], "Whose are the threads?"),
        (["--owner", "missing.csv"], "missing.csv cannot be read"),
        (["--agent", ""], "Which graph goes on with the threads?"),
        (["--to", "nowhere", "--to-bucket", ""], "Name the bucket of large values"),
        (["--to", "nowhere", "--to-bucket", "b"], "or none to go to"),
        (["--agent", "shy"], "Personal data is hidden from shy"),
    ],
)
def test_what_is_missing_is_told_with_what_mends_it(
    said: Said, few: OldSite, case: tuple[list[str], str], table_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, told = case
    who = ["--tenant", "acme", "--user", "ann", "--to", table_name, "--to-bucket", "b"]
    given = [f"{few.name}-checkpoints" if word == "OTHER" else word for word in words]
    monkeypatch.setenv("SHY__PII", "true")
    code, _, err = said(*line_of(few), *who, *given)
    assert code == 1
    assert told in err
    assert "Traceback" not in err


@pytest.mark.parametrize("package", [AWS, CARD])
def test_a_package_that_is_missing_is_named_with_the_line_that_installs_it(
    said: Said, package: str, monkeypatch: pytest.MonkeyPatch, table_name: str
) -> None:
    for name in ("langgraph_checkpoint_aws", "langgraph_checkpoint_dynamodb.saver"):
        monkeypatch.setitem(sys.modules, name, None)
    who = ["--tenant", "a", "--user", "b", "--agent", "nested", "--to", table_name, "--to-bucket", "b"]
    code, _, err = said("import", "--from", package, "--table", "x", "--writes-table", "y", *who)
    assert (code, 'pip install "turnkeep[import]"' in err) == (1, True)


@pytest.mark.parametrize("few", [AWS], indirect=True)
def test_rights_that_are_missing_are_listed(
    said: Said, few: OldSite, table_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from botocore.exceptions import ClientError

    from turnkeep_local.moving.savers import OldTable

    def refuse(self: OldTable) -> Any:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "Scan")

    monkeypatch.setattr(OldTable, "threads", refuse)
    who = ["--tenant", "a", "--user", "b", "--to", table_name, "--to-bucket", "b"]
    code, _, err = said(*line_of(few), *who)
    assert (code, "dynamodb:DescribeTable, Scan, Query" in err) == (1, True)


def test_owners_of_a_file_are_principals(tmp_path: Path) -> None:
    from turnkeep_local.moving.owners import read_owners

    table = tmp_path / "owners.csv"
    table.write_text('thread_id,user,tenant\none,"ann, b",acme\n', encoding="utf-8-sig")
    assert read_owners(table) == {"one": Principal("acme", "ann, b")}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("o.csv", "thread_id,tenant,owner\n1,a,b\n", "o.csv:1: the columns are thread_id, tenant, owner"),
        ("o.csv", "", "o.csv:1: the columns are"),
        ("o.csv", "thread_id,tenant,user\n1,a,b\n1,a,c\n", "o.csv:3: the thread 1 stands there twice"),
        ("o.csv", "thread_id,tenant,user\n1,a\n", "o.csv:2: tenant and user need a name"),
        ("o.csv", "thread_id,tenant,user\n1,a,b,c\n", "o.csv:2: not a tenant and a user alone"),
        ("o.csv", "thread_id,tenant,user\n1,,b\n", "o.csv:2: tenant and user need a name"),
        ("o.json", "[1]", "o.json: not an object"),
        ("o.json", "{", "o.json: Expecting"),
        ("o.json", '{"1": {"tenant": "a"}}', "o.json, 1: not a tenant and a user alone"),
        ("o.json", '{"1": {"tenant": "a", "user": 7}}', "o.json, 1: tenant and user need a name"),
    ],
)
def test_a_file_of_owners_that_cannot_be_used_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    from turnkeep_local import LocalError
    from turnkeep_local.moving.owners import read_owners

    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(LocalError) as raised:
        read_owners(file)
    assert told in str(raised.value)
