"""The scheduled function as Lambda loads and calls it, on DynamoDB Local and moto's S3."""

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from turnkeep.errors import NotFound
from turnkeep.records import Principal, Turn
from turnkeep.storage.blobs import Blobs, S3Objects
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, hour, partition
from turnkeep.storage.links import Segment
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Begun, Saved, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

APP = Path(__file__).parents[3] / "functions" / "cleanup" / "app.py"
ANN = Principal("acme", "ann")
HOUR = 3600.0
IDLE = {"threads": 0, "items": 0, "moved": 0, "unreadable": 0, "failed": 0, "finished": True, "oldest_ms": 0}


class Context:
    """Lambda's, with the milliseconds left that a test says; the last of them stays."""

    aws_request_id = "request-1"

    def __init__(self, *left: int):
        self._left = chain(left, repeat(left[-1]))

    def get_remaining_time_in_millis(self) -> int:
        return next(self._left)


PLENTY = Context(300_000)


class Site:
    """A deployment's table and bucket, and threads in them that had their last turn some hours ago."""

    def __init__(self, dynamodb: "DynamoDBClient", name: str, objects: S3Objects):
        self.items = Items(dynamodb, name)
        self.now = time.time()
        self.table = Table(
            self.items, Blobs(objects), Sealer(b"secret"), clock=lambda: self.now, mint=lambda n: uuid.uuid4().bytes[:n]
        )
        eraser = Eraser(self.items, Blobs(objects), clock=time.time)
        Cleanup(self.items, eraser, clock=time.time).begin_at(hour(int((self.now - 3 * HOUR) * 1000)))

    def keep(self, thread_id: str, hours_ago: float, text: str = "hello") -> None:
        self.now = time.time() - hours_ago * HOUR
        begun = self.table.begin(ANN, thread_id, key=uuid.uuid4().hex, body=b"", message="hello", create=True)
        assert isinstance(begun, Begun)
        messages = [{"type": kind, "data": {"content": said}} for kind, said in (("human", "hello"), ("ai", text))]
        saved = Saved("1", {"lengths": [["", "messages", 2]]}, (Segment("", "messages", 0, messages),))
        facts: dict[str, Any] = {"thread_id": None, "number": 0, "agent": "papers", "status": "complete"}
        turn = Turn(
            **facts, message="hello", reply=text, created_at=self.now, duration_ms=1, provider="demo", model="demo"
        )
        plan, _ = self.table.prepare(begun, self.table.load(begun.head, 10), saved, turn)
        self.table.apply(plan)
        self.now = time.time()

    def lies(self, thread_id: str) -> bool:
        return any(page for page in self.items.pages_of(partition(ANN, thread_id), "SK"))


@pytest.fixture
def site(dynamodb: "DynamoDBClient", table_name: str, objects: S3Objects) -> Site:
    return Site(dynamodb, table_name, objects)


@pytest.fixture
def environment(dynamodb_url: str, s3_url: str, table_name: str, bucket: str) -> dict[str, str]:
    return {
        "TABLE_NAME": table_name,
        "BUCKET_NAME": bucket,
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
        "AWS_ENDPOINT_URL_S3": s3_url,
    }


@pytest.fixture
def function(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], dict[str, Any]]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    handler: Callable[[Any, Any], dict[str, Any]] = loaded().handler
    return handler


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cleanup_app", APP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def metrics_in(output: str) -> dict[str, float]:
    lines = [json.loads(line) for line in output.splitlines() if "CleanupDeleted" in line]
    return {name: lines[-1][name][0] for name in ("CleanupDeleted", "CleanupUnreadable", "OldestExpiredAge")}


def test_an_expired_thread_is_deleted_with_its_large_values(
    site: Site, function: Callable[..., Any], s3: "S3Client", bucket: str
) -> None:
    site.keep("old", 25, secrets.token_hex(400_000))
    site.keep("young", 1)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] > 0
    swept = function({}, PLENTY)
    assert (swept["threads"], swept["finished"]) == (1, True)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    assert not site.lies("old")
    assert site.table.read_thread(ANN, "young").turn_count == 1


def test_it_tells_how_many_and_how_late(
    site: Site, function: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    site.keep("late", 26)
    site.keep("later", 26.5)
    function({}, PLENTY)
    told = metrics_in(capsys.readouterr().out)
    assert told["CleanupDeleted"] == 2
    assert told["OldestExpiredAge"] == pytest.approx(2.5 * HOUR, abs=60)


def test_an_idle_hour_is_told_too(function: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert function({}, PLENTY) == IDLE
    assert metrics_in(capsys.readouterr().out) == {"CleanupDeleted": 0, "CleanupUnreadable": 0, "OldestExpiredAge": 0}


def test_many_threads_go_side_by_side_and_what_nobody_can_read_is_told(
    site: Site, function: Callable[..., Any], output: Callable[[], list[dict[str, Any]]]
) -> None:
    site.now -= 26 * HOUR
    for number in range(40):
        site.table.create_thread(ANN, f"many-{number}")
    head = site.items.get(partition(ANN, "many-7"), HEAD) or {}
    site.items.put(head | {"expires": "soon"})
    output()
    swept = function({}, PLENTY)
    assert (swept["threads"], swept["unreadable"]) == (39, 1)
    lines = output()
    told = [line for line in lines if line.get("level") in ("WARNING", "ERROR")]  # no pool of connections too small
    assert [(line["message"], line["bucket"]) for line in told] == [("thread passed over, unreadable", head["xh"])]
    assert [line["CleanupUnreadable"] for line in lines if "_aws" in line] == [[1]]


def test_it_stops_before_its_time_ends_and_the_next_run_finishes(site: Site, function: Callable[..., Any]) -> None:
    threads = [f"many-{n}" for n in range(5)]
    for thread in threads:
        site.keep(thread, 26)
    looks = [300_000] * 4  # at the empty hour before, and at three threads, or at four where the hour has just begun
    first = function({}, Context(*looks, 19_000))
    assert not first["finished"]
    assert 0 < first["threads"] < 5
    second = function({}, PLENTY)
    assert (first["threads"] + second["threads"], second["finished"]) == (5, True)
    assert not any(map(site.lies, threads))


@pytest.mark.parametrize(
    "event",
    [
        {"PK": "T#acme#U#ann#alive", "thread_id": "alive", "hour": "2000-01-01T00", "TableName": "other"},
        {"Records": [{"body": json.dumps({"delete": ["alive"]})}]},
        {"now": 99_999_999_999_999, "expires": 0, "dry_run": True, "limit": 0},
        ["alive"],
        "alive",
        None,
    ],
)
def test_a_forged_event_changes_nothing(site: Site, function: Callable[..., Any], event: Any) -> None:
    site.keep("alive", 1)
    site.keep("dead", 25)
    before = site.items.between(partition(ANN, "alive"), " ", "~")
    assert function(event, PLENTY)["threads"] == 1
    assert site.items.between(partition(ANN, "alive"), " ", "~") == before
    with pytest.raises(NotFound):
        site.table.read_thread(ANN, "dead")


def test_a_store_that_does_not_answer_fails_the_run(
    function: Callable[..., Any], dynamodb: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody would be told: the failure is what reaches the queue and its alarm."""
    app = loaded()
    monkeypatch.setattr(app.items, "_table", "turnkeep-there-is-no-such-table")
    with pytest.raises(dynamodb.exceptions.ResourceNotFoundException):
        app.handler({}, PLENTY)


def test_it_loads_nothing_that_only_requests_need(environment: dict[str, str]) -> None:
    unwanted = ("pydantic", "fastapi", "starlette", "cryptography", "ormsgpack", "jwt", "mangum", "langchain_core")
    code = f"import sys, app; print([name for name in {unwanted} if name in sys.modules])"
    command, place = [sys.executable, "-c", code], APP.parent
    done = subprocess.run(command, cwd=place, env=os.environ | environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
