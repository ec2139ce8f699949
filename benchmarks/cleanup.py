"""How many expired threads cleanup deletes in a second, by how many at once: over DynamoDB Local, every request 5 ms
later than it would be, S3 answering that nothing lies there; and what that makes on Lambda, on paper. Last line: JSON.

    python benchmarks/cleanup.py --threads 300
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config

from subjects import USER, Conversation, new_table, six, store
from texts import noise
from turnkeep.observability import logger
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs, S3Objects
from turnkeep.store.cleanup import Cleanup
from turnkeep.store.erasure import Eraser
from turnkeep.store.items import Items
from turnkeep.store.keys import HEAD, expiry_bucket, hour, partition

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

AT_ONCE = (1, 4, 16, 32)
DELAY_MS = 5
RUN_SECONDS = 880  # of the function's 900; what it keeps back is in functions/cleanup
VCPUS = {"512 MB": 512 / 1769, "1,769 MB": 1.0}  # what Lambda gives for the memory; Python uses one at most
NOTHING_LIES_THERE = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
ACCESS: dict[str, Any] = {"region_name": "eu-west-1", "aws_access_key_id": "b", "aws_secret_access_key": "b"}


class Requests:
    """Counts requests and holds each of them back."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def hold_back(self, **_: Any) -> None:
        self.times.append(time.time())  # which no thread gets between
        time.sleep(DELAY_MS / 1000)

    def answer_empty(self, request: Any, **_: Any) -> AWSResponse:
        self.hold_back()
        return AWSResponse(request.url, 200, HTTPHeaders(), _Body(NOTHING_LIES_THERE))


class _Body(BytesIO):
    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self.getvalue()


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--threads", type=int, default=300)
    arguments.add_argument("--data", help="ignored: every benchmark takes it")
    threads = arguments.parse_args().threads
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "1"
    logger.setLevel("CRITICAL")
    print(f"{threads} threads of one turn each; every request {DELAY_MS} ms later")
    print("| at once | threads/s | CPU ms a thread | requests a thread |")
    print("|---|---|---|---|")
    with store() as url:
        rows = [_measure(url, threads, at_once) for at_once in AT_ONCE]
    cpu_ms, requests = statistics.median(row["cpu_ms"] for row in rows), rows[0]["requests"]
    paper = {memory: _on_paper(share, cpu_ms, requests) for memory, share in VCPUS.items()}
    print(f"\non Lambda, on paper: threads/s, and in a run of {RUN_SECONDS} s")
    for memory, rates in paper.items():
        print(f"| {memory} | {' | '.join(f'{rate}: {rate * RUN_SECONDS:,.0f}' for rate in rates.values())} |")
    told = {"threads": threads, "rows": rows, "on_paper": paper, "load": round(os.getloadavg()[0], 1)}
    print(json.dumps({"benchmark": "cleanup", **told}))


def _on_paper(share: float, cpu_ms: float, requests: float) -> dict[int, float]:
    """Threads a second: each waits for its requests, one after the other, and all share the CPU."""
    own = cpu_ms / share
    return {n: round(1000 * min(n / (requests * DELAY_MS + own), 1 / own), 1) for n in AT_ONCE}


def _measure(url: str, threads: int, at_once: int) -> dict[str, float]:
    requests = Requests()
    dynamodb, s3 = _clients(url, at_once)
    name = new_table(dynamodb)
    items = Items(dynamodb, name)
    _fill(items, _written(dynamodb, name), threads)
    eraser = Eraser(items, Blobs(S3Objects(s3, "bucket")), clock=time.time)
    cleanup = Cleanup(eraser, at_once=at_once)
    cleanup.begin_at(hour(int((time.time() - 3600) * 1000)))
    dynamodb.meta.events.register("before-send.dynamodb", requests.hold_back)
    s3.meta.events.register("before-send.s3", requests.answer_empty)
    started, spent = time.perf_counter(), time.process_time()
    swept = cleanup.sweep()
    wall, cpu = time.perf_counter() - started, time.process_time() - spent
    if swept.threads != threads:
        sys.exit(f"{swept.threads} of {threads} threads were deleted")
    row = {"at_once": at_once, "threads_s": round(threads / wall, 1), "cpu_ms": round(1000 * cpu / threads, 2)}
    row["requests"] = round(len(requests.times) / threads, 2)
    print(f"| {at_once} | {row['threads_s']} | {row['cpu_ms']} | {row['requests']} |", flush=True)
    dynamodb.delete_table(TableName=name)
    return row


def _clients(url: str, at_once: int) -> tuple[Any, Any]:
    """As functions/cleanup has them."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 5}, max_pool_connections=at_once + 1)
    s3 = boto3.client("s3", config=config, **ACCESS)
    return boto3.client("dynamodb", endpoint_url=url, config=config, **ACCESS), s3


def _written(dynamodb: "DynamoDBClient", name: str) -> list[Item]:
    """The items of a thread of one turn, taken out of the table again."""
    talk = Conversation(six(noise(5)), dynamodb, name)
    asyncio.run(talk.say("What is low-rank adaptation, and when was it published?"))
    items, pk = Items(dynamodb, name), partition(USER, talk.thread_id)
    written = items.between(pk, " ", "~")
    items.write_many(deletes=[(pk, item["SK"]) for item in written])
    return written


def _fill(items: Items, written: list[Item], threads: int) -> None:
    """Copies of a thread, expired a second ago. Nobody opens what is sealed to the first one's place."""
    expires = int(time.time() * 1000) - 1000
    for _ in range(threads):
        pk = partition(USER, uuid.uuid4().hex)
        due = {"expires": expires, "xh": expiry_bucket(expires, pk)}
        items.write_many(item | {"PK": pk} | (due if item["SK"] == HEAD else {}) for item in written)


if __name__ == "__main__":
    main()
