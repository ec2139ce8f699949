"""What every test may ask for: stores on free ports of this machine, a clean environment, and no way to any other host.

TURNKEEP_NO_SKIP=1 makes a skipped test a failure, save where it needs ../shared/data and that folder is absent.
"""

import json
import logging
import os
import sys
import uuid
from collections.abc import Callable, Generator, Iterator
from io import StringIO
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.handlers import BUILTIN_HANDLERS
from hypothesis import settings as hypothesis_settings

from dev_server import NO_REGISTRY
from turnkeep.observability import logger
from turnkeep.store.direct import Direct
from turnkeep.store.opening import make_table
from turnkeep_local.dynamodb import dynamodb_local
from turnkeep_local.emulator import find_emulator, find_java
from turnkeep_local.objects import FolderObjects
from turnkeep_local.processes import free_port, spawn, wait_until_listening

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

    from mariadb import Server
    from postgres import PostgresServer
    from sample_on_servers import SampleOn
    from turnkeep.store.blobs import S3Objects
    from turnkeep.store.items import Items

ROOT = Path(__file__).parents[1]
SHARED_DATA = Path(os.environ.get("TURNKEEP_DATA") or ROOT.parent / "shared" / "data")
CREDENTIALS: dict[str, Any] = {
    "region_name": "eu-west-1",
    "aws_access_key_id": "testing",
    "aws_secret_access_key": "testing",
}
PATIENCE: dict[str, Any] = {"connect_timeout": 2, "read_timeout": 60, "retries": {"max_attempts": 1}}
OURS = ("AWS_", "OPENAI_", "MODEL", "TURN__", "PAPERS__", "CAMPAIGNS__", "PRODUCTS__", "DATABASE__", "REGULATIONS__")
OURS += ("TABLE_NAME", "BUCKET_NAME", "SEAL_KEY", "THREAD_HOURS", "DEFAULT_AGENT", "TURNKEEP_HOME", "TURNKEEP_GRAPHS")
OURS += ("PORT", "CORS_ORIGINS", "AUTH", "JWT_")
THIS_MACHINE = {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "", None}

hypothesis_settings.register_profile("quick", deadline=None)  # a busy machine is no fault
hypothesis_settings.register_profile("long", max_examples=2000, deadline=None)
hypothesis_settings.load_profile("quick")


def _refuse_other_hosts(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: sees every connection and every name that is looked up, whoever asks for it."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name not in THIS_MACHINE:
        raise RuntimeError(f"a test tried to reach {name}")


sys.addaudithook(_refuse_other_hosts)
os.environ |= NO_REGISTRY


def _fail_unless_allowed() -> Generator[None, Any, Any]:
    report = yield
    needs_data = "shared/data" in str(report.longrepr) and not SHARED_DATA.is_dir()
    is_skipped = report.skipped and not hasattr(report, "wasxfail")
    if is_skipped and os.environ.get("TURNKEEP_NO_SKIP") == "1" and not needs_data:
        report.outcome = "failed"
        report.longrepr = f"skipped, and here every test has to run: {report.longrepr}"
    return report


pytest_runtest_makereport = pytest_make_collect_report = pytest.hookimpl(wrapper=True)(_fail_unless_allowed)


SERVERS = {"mariadb_server", "postgres_server", "sample_server", "sample_on_postgres", "mariadb", "postgresql"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-servers", action="store_true", help="leave out tests that start MariaDB or PostgreSQL")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--no-servers"):
        left_out = [item for item in items if SERVERS & _asked_for(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _asked_for(item: pytest.Item) -> set[str]:
    """The fixtures of a test, and the names that a parameter gives it to look up."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return {*getattr(item, "fixturenames", ()), *(value for value in parameters.values() if isinstance(value, str))}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> "Iterator[None]":
    """Also of what a graph's file set: it is used in the process that reads it."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture
def own_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """New clients are without the handler that moto adds to all of its process."""
    monkeypatch.setattr("botocore.handlers.BUILTIN_HANDLERS", [*filterfalse(_is_motos, BUILTIN_HANDLERS)])


def _is_motos(handler: tuple[Any, ...]) -> bool:
    return str(handler[1].__module__).startswith("moto.")


@pytest.fixture(scope="session")
def mariadb_server() -> "Iterator[Server]":
    """One MariaDB for the whole session of this worker."""
    import mariadb

    with mariadb.mariadb(mariadb.find() or pytest.skip(mariadb.MISSING)) as server:
        yield server


@pytest.fixture(scope="session")
def sample_server(mariadb_server: "Server") -> "SampleOn":
    """The sample of the agent `database` in it."""
    from sample_on_servers import load_on_mariadb

    return load_on_mariadb(mariadb_server)


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[PostgresServer]":
    """One PostgreSQL for the whole session of this worker."""
    import postgres

    with postgres.postgres(postgres.find() or pytest.skip(postgres.MISSING)) as server:
        yield server


@pytest.fixture(scope="session")
def sample_on_postgres(postgres_server: "PostgresServer") -> "SampleOn":
    """The sample of the agent `database` in it."""
    from sample_on_servers import load_on_postgres

    return load_on_postgres(postgres_server)


@pytest.fixture
def long_thread(request: pytest.FixtureRequest) -> int:
    """How many turns a thread has where a test is about its length: past every window and summary, and more of them
    in `make long`."""
    return 200 if request.config.getoption("--hypothesis-profile") == "long" else 45


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What the project's logger writes, line by line as in production."""
    output = StringIO()
    handler = logging.StreamHandler(output)
    handler.setFormatter(logger.registered_formatter)
    logging.getLogger("turnkeep").addHandler(handler)
    yield output
    logging.getLogger("turnkeep").removeHandler(handler)


class _Stdout(StringIO):
    """Standard output as it is at each write: pytest exchanges it between the setting up of a test and its call."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """The log lines and metrics that were really written to standard output since the last call."""
    handler = logging.getLogger("turnkeep").handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    before, handler.stream = handler.stream, _Stdout()  # not by setStream: it flushes what may be closed
    yield lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    handler.stream = before


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; the test is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs ../shared/data")
    return SHARED_DATA


@pytest.fixture(scope="session")
def java() -> Path:
    found = find_java(os.environ)
    assert found is not None, "Java is missing. Run `make ready`."
    return found


@pytest.fixture(scope="session")
def emulator() -> Path:
    """The folder of DynamoDB Local."""
    found = find_emulator(os.environ)
    assert found is not None, "DynamoDB Local is missing. Run `make ready`."
    return found


@pytest.fixture(scope="session")
def dynamodb_url(java: Path, emulator: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One DynamoDB Local in memory for the whole session of this worker."""
    log = tmp_path_factory.mktemp("dynamodb") / "log"
    with dynamodb_local(java, emulator, ["-inMemory", "-sharedDb"], log=log) as url:
        yield url


@pytest.fixture(scope="session")
def dynamodb(dynamodb_url: str) -> "DynamoDBClient":
    return boto3.client("dynamodb", endpoint_url=dynamodb_url, config=Config(**PATIENCE), **CREDENTIALS)


@pytest.fixture(scope="session")
def direct(dynamodb_url: str) -> Direct:
    """Sends requests as a deployment does, without botocore's layers."""
    client = boto3.client("dynamodb", endpoint_url=dynamodb_url, config=Config(**PATIENCE), **CREDENTIALS)
    for event, handler, *_ in filter(_is_motos, BUILTIN_HANDLERS):
        client.meta.events.unregister(event, handler)
    return Direct(client, Credentials("testing", "testing"))


@pytest.fixture
def items(request: pytest.FixtureRequest) -> "Items":
    """In memory, and in `make check` on DynamoDB Local."""
    from memory_items import MemoryItems

    from turnkeep.store.items import Items

    if request.config.getoption("--no-servers"):
        return MemoryItems()
    dynamodb: DynamoDBClient = request.getfixturevalue("dynamodb")
    return Items(dynamodb, request.getfixturevalue("table_name"), direct=request.getfixturevalue("direct"))


@pytest.fixture
def table_name(dynamodb: "DynamoDBClient") -> Iterator[str]:
    """A fresh table as template.yaml has it."""
    name = f"turnkeep-{uuid.uuid4().hex}"
    make_table(dynamodb, name)
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="session")
def s3_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """moto's S3 in a process of its own, so that a test may fork and kill."""
    port, log = free_port(), tmp_path_factory.mktemp("moto") / "log"
    server = spawn([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], log=log)
    try:
        wait_until_listening(port, server, log=log, name="moto", seconds=120)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="session")
def s3(s3_url: str) -> "S3Client":
    return boto3.client("s3", endpoint_url=s3_url, config=Config(**PATIENCE), **CREDENTIALS)


@pytest.fixture
def bucket(s3: "S3Client") -> str:
    """A fresh bucket; it goes with the server."""
    name = f"turnkeep-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


@pytest.fixture
def objects(s3: "S3Client", bucket: str) -> "S3Objects":
    """The S3 store of large values in a fresh bucket of moto's."""
    from turnkeep.store.blobs import S3Objects

    return S3Objects(s3, bucket)


@pytest.fixture
def folder_objects(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path / "objects")
