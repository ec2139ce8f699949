"""The scheduled function as Lambda loads and calls it, on DynamoDB Local and moto's S3."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from harness import ANN, Harness

from deployed_function import loaded
from turnkeep.errors import NotFound
from turnkeep.store.blobs import S3Objects
from turnkeep.store.items import Items
from turnkeep.store.keys import hour, partition

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

APP = Path(__file__).parents[3] / "functions" / "cleanup" / "app.py"
HOUR = 3600.0


def context(*left: int) -> Any:
    """Lambda's, with the milliseconds left from a list; the last of them stays."""
    times = chain(left, repeat(left[-1]))
    return SimpleNamespace(aws_request_id="request-1", get_remaining_time_in_millis=lambda: next(times))


PLENTY = context(300_000)


@pytest.fixture
def harness(dynamodb: "DynamoDBClient", table_name: str, objects: S3Objects) -> Harness:
    """The table and the bucket of a deployment that was last swept three hours ago."""
    harness = Harness(Items(dynamodb, table_name), objects)
    harness.cleanup.begin_at(hour(int((time.time() - 3 * HOUR) * 1000)))
    return harness


def keep(harness: Harness, thread_id: str, hours_ago: float, text: str = "hello") -> None:
    """A thread that had its last turn then."""
    harness.clock.now = time.time() - hours_ago * HOUR
    harness.take_turn(thread_id, reply=text)
    harness.clock.now = time.time()


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
    handler: Callable[[Any, Any], dict[str, Any]] = loaded(APP).handler
    return handler


def test_an_expired_thread_is_deleted_with_its_large_values_and_its_lateness_reported(
    harness: Harness, function: Callable[..., Any], s3: "S3Client", bucket: str, output: Callable[..., Any]
) -> None:
    keep(harness, "old", 26.5, secrets.token_hex(400_000))
    keep(harness, "young", 1)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] > 0
    output()
    swept = function({}, PLENTY)
    assert (swept["threads"], swept["finished"]) == (1, True)
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    assert harness.all_of("old") == {}
    assert harness.store.threads.read(ANN, "young").turn_count == 1
    (logged,) = [line for line in output() if "CleanupDeleted" in line]
    assert logged["CleanupDeleted"] == [1]
    assert logged["OldestExpiredAge"] == [pytest.approx(2.5 * HOUR, abs=60)]


def test_it_stops_before_its_time_ends_and_the_next_run_finishes(harness, function):
    threads = [f"many-{n}" for n in range(5)]
    for thread in threads:
        keep(harness, thread, 26)
    looks = [300_000] * 4  # at the empty hour before, and at three threads, or at four where the hour has just begun
    first = function({}, context(*looks, 19_000))
    assert not first["finished"]
    assert 0 < first["threads"] < 5
    second = function({}, PLENTY)
    assert (first["threads"] + second["threads"], second["finished"]) == (5, True)
    assert not any(map(harness.all_of, threads))


@pytest.mark.parametrize(
    "event",
    [
        {"PK": "T#acme#U#ann#alive", "thread_id": "alive", "hour": "2000-01-01T00", "TableName": "other"},
        {"now": 99_999_999_999_999, "expires": 0, "dry_run": True, "limit": 0},
        None,
    ],
)
def test_a_forged_event_changes_nothing(harness: Harness, function: Callable[..., Any], event: Any) -> None:
    keep(harness, "alive", 1)
    keep(harness, "dead", 25)
    before = harness.items.between(partition(ANN, "alive"), " ", "~")
    assert function(event, PLENTY)["threads"] == 1
    assert harness.items.between(partition(ANN, "alive"), " ", "~") == before
    with pytest.raises(NotFound):
        harness.store.threads.read(ANN, "dead")


def test_a_store_that_does_not_answer_fails_the_run(function, monkeypatch):
    """The failure is what reaches the queue and its alarm."""
    app = loaded(APP)
    monkeypatch.setattr(app.items, "table_name", "turnkeep-there-is-no-such-table")
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        app.handler({}, PLENTY)


def test_it_loads_nothing_that_only_requests_need(environment: dict[str, str]) -> None:
    unwanted = ("pydantic", "fastapi", "starlette", "cryptography", "ormsgpack", "jwt", "mangum", "langchain_core")
    code = f"import sys, app; print([name for name in {unwanted} if name in sys.modules])"
    command, place = [sys.executable, "-c", code], APP.parent
    done = subprocess.run(command, cwd=place, env=os.environ | environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
