"""`turnkeep import`: its output, its errors, and a run that was killed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from new_site import ANN, NewSite, plain
from old_site import AWS, CARD, OldSite

from turnkeep.records import Principal
from turnkeep.store.blobs import S3Objects
from turnkeep.store.items import Items
from turnkeep_local import LocalError
from turnkeep_local.cli import main
from turnkeep_local.moving.command import read_owners

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PROGRESS = "".join(f"{n} of 8 threads\r" for n in range(1, 9))
Reported = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def few(old_site: Callable[[str], OldSite]) -> OldSite:
    site = old_site(AWS)
    for n in range(8):
        site.talk(f"t-{n}", "a", "b!" if n == 3 else "b", durability="exit")
    return site


def line_of(few: OldSite) -> list[str]:
    """The command without destination and owners."""
    old = few.table
    named = f"--from {few.package} --table {old.table} --writes-table {old.writes} --agent nested"
    return ["import", *named.split()]


@pytest.fixture
def reported(
    dynamodb_url: str, s3_url: str, bucket: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Reported:
    """Runs the command and gives its code and what it wrote."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_url)
    monkeypatch.setenv("SEAL_KEY", "secret")
    monkeypatch.setenv("BUCKET_NAME", bucket)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def there(dynamodb: "DynamoDBClient", table_name: str, objects: S3Objects) -> NewSite:
    """A deployment by its table."""
    return NewSite(Items(dynamodb, table_name), objects)


def test_the_command_reports_the_outcome_of_all_threads(
    reported: Reported, few: OldSite, there: NewSite, table_name: str, bucket: str
) -> None:
    to = [*line_of(few), "--to", table_name, "--tenant", "acme", "--user", "ann"]
    assert reported(*to, "--dry-run") == (0, "       8  moved\n      16  turns\n", PROGRESS)
    assert there.store.listing.search(ANN) == []
    assert reported(*to) == (0, "       8  moved\n      16  turns\n", PROGRESS)
    assert there.store.threads.read(ANN, "t-3").status == "interrupted"
    assert reported(*to)[1].startswith("       8  here\n")


def test_threads_go_to_this_machine_by_default(
    reported: Reported, few: OldSite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table_name: str
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TABLE_NAME", table_name)
    owners = tmp_path / "owners.csv"
    owners.write_text("thread_id,tenant,user\nt-1,local,local\n")
    code, out, err = reported(*line_of(few), "--owner", str(owners))
    assert code == 1
    assert out.endswith("       7  no owner\n       1  moved\n       2  turns\n")
    assert "7 of 8 threads were not imported" in err
    assert (tmp_path / "home" / "server.json").exists()


def test_a_killed_import_that_runs_again_moves_each_thread_once(
    reported: Reported, few: OldSite, there: NewSite, table_name: str, bucket: str
) -> None:
    to = [*line_of(few), "--to", table_name, "--tenant", "acme", "--user", "ann"]
    with subprocess.Popen([sys.executable, "-m", "turnkeep_local.cli", *to], env=os.environ) as process:
        while not there.store.listing.search(ANN) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    found = there.store.listing.search(ANN, limit=50)
    assert len(found) >= 1
    assert {thread.turn_count for thread in found} == {2}
    code, out, _ = reported(*to)
    assert code == 0
    assert sum(int(row.split()[0]) for row in out.splitlines() if row.endswith(("moved", "here"))) == 8
    assert len(there.store.listing.search(ANN, limit=50)) == 8
    for name, messages in few.messages.items():
        assert plain(there.messages(name)) == plain(messages)


@pytest.mark.parametrize(
    "case",
    [
        (["--table", "nowhere"], "There is no such table"),
        (["--from", AWS, "--table", "OTHER"], "langgraph-checkpoint-aws writes PK and SK. Name the package"),
        (["--from", CARD, "--table", "OTHER", "--writes-table", ""], "--writes-table NAME"),
        (["--tenant", "acme", "--user", ""], "tenant and user must not be empty"),
        (["--tenant", "", "--user", ""], "The threads have no owner"),
        (["--owner", "missing.csv"], "missing.csv cannot be used"),
        (["--to", "nowhere"], "There is no such table"),
        (["--to", "nowhere", "--seal-key", "NO BUCKET"], "The bucket of the table is unknown. Set BUCKET_NAME"),
        (["--agent", "shy"], "shy redacts personal data"),
    ],
)
def test_missing_facts_are_reported_with_a_remedy(
    reported: Reported, few: OldSite, case: tuple[list[str], str], table_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, printed = case
    who = ["--tenant", "acme", "--user", "ann", "--to", table_name]
    if "NO BUCKET" in words:
        monkeypatch.delenv("BUCKET_NAME")
    given = [f"{few.name}-checkpoints" if word == "OTHER" else word for word in words]
    monkeypatch.setenv("SHY__PII", "true")
    code, _, err = reported(*line_of(few), *who, *given)
    assert code == 1
    assert printed in err
    assert "Traceback" not in err


@pytest.mark.parametrize("package", [AWS, CARD])
def test_a_missing_package_is_reported_with_the_command_that_installs_it(
    reported: Reported, package: str, monkeypatch: pytest.MonkeyPatch, table_name: str
) -> None:
    for name in ("langgraph_checkpoint_aws", "langgraph_checkpoint_dynamodb.saver"):
        monkeypatch.setitem(sys.modules, name, None)
    who = ["--tenant", "a", "--user", "b", "--agent", "nested", "--to", table_name]
    code, _, err = reported("import", "--from", package, "--table", "x", "--writes-table", "y", *who)
    assert (code, 'pip install "turnkeep[import]"' in err) == (1, True)


def test_owners_of_a_file_are_principals(tmp_path: Path) -> None:
    table = tmp_path / "owners.csv"
    table.write_text('thread_id,user,tenant\none,"ann, b",acme\n', encoding="utf-8-sig")
    assert read_owners(table) == {"one": Principal("acme", "ann, b")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("thread_id,tenant,owner\n1,a,b\n", "o.csv:2: each thread needs one line with the columns"),
        ("thread_id,tenant,user\n1,a,b\n1,a,c\n", "o.csv:3: each thread needs one line"),
        ("thread_id,tenant,user\n1,a,b,c\n", "o.csv:2: each thread needs one line"),
        ("thread_id,tenant,user\n1,a\n", "o.csv:2: tenant and user must not be empty"),
        ("thread_id,tenant,user\n1,,b\n", "o.csv:2: tenant and user must not be empty"),
    ],
)
def test_an_invalid_file_of_owners_is_rejected_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "o.csv"
    file.write_text(text)
    with pytest.raises(LocalError, match=re.escape(reason)):
        read_owners(file)
