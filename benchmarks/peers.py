"""The savers that exist, on the same graph with the same texts. Each runs in a throw-away environment (`uv run
--isolated`), as this very file, and takes a turn whenever it is told to; the meter stands between it and the store.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

AWS = "langgraph-checkpoint-aws==1.2.6"
DYNAMODB = "langgraph-checkpoint-dynamodb==0.1.0"
REGION, KEY = "eu-west-1", "benchmark"


@dataclass(frozen=True)
class Peer:
    name: str
    package: str
    durability: str | None = None
    gzip: bool = False


PEERS = (
    Peer("checkpoint-aws, default", AWS),
    Peer("checkpoint-aws, exit", AWS, durability="exit"),
    Peer("checkpoint-aws, exit, gzip", AWS, durability="exit", gzip=True),
    Peer("checkpoint-dynamodb, default", DYNAMODB),
    Peer("checkpoint-dynamodb, exit", DYNAMODB, durability="exit"),
)


class PeerStopped(Exception):
    """The peer can store no more turns; the message is its own."""


class PeerRun:
    """A peer's process. `cpu_seconds` are those of its last turn."""

    def __init__(self, process: "subprocess.Popen[str]"):
        self._process = process
        self.cpu_seconds = 0.0

    def turn(self) -> float:
        """Takes one turn; gives its seconds. Raises PeerStopped."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerStopped(f"its process ended with code {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerStopped(answer["error"])
        self.cpu_seconds = float(answer["cpu_seconds"])
        return float(answer["seconds"])


def create_tables(dynamodb: "DynamoDBClient", name: str) -> None:
    """As the READMEs of both packages have them; neither has an index."""
    _create_table(dynamodb, name, "PK", "SK")
    _create_table(dynamodb, f"{name}-checkpoints", "thread_id", "checkpoint_id")
    _create_table(dynamodb, f"{name}-writes", "thread_id_checkpoint_id_checkpoint_ns", "task_id_idx")


def _create_table(dynamodb: "DynamoDBClient", name: str, hash_key: str, range_key: str) -> None:
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": hash_key, "KeyType": "HASH"},
            {"AttributeName": range_key, "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": hash_key, "AttributeType": "S"},
            {"AttributeName": range_key, "AttributeType": "S"},
        ],
    )


def hold_back(session: Any, delay_ms: float) -> None:
    """From here on, every request to DynamoDB of clients that the session makes leaves so much later."""
    if delay_ms:
        session.events.register("before-send.dynamodb", lambda **_: time.sleep(delay_ms / 1000))


@contextmanager
def started(peer: Peer, url: str, table: str, data: Path, *, delay_ms: float = 0) -> Iterator[PeerRun]:
    """The peer on a thread of its own, each of its requests held back; raises PeerStopped where its package cannot be
    had."""
    uv = shutil.which("uv")
    if uv is None:
        raise PeerStopped("uv is not on the path")
    packages = ["--with", f"langgraph=={version('langgraph')}", "--with", peer.package]
    options = ["--url", url, "--table", table, "--data", str(data), "--package", peer.package]
    options += ["--durability", peer.durability] if peer.durability else []
    options += ["--gzip"] if peer.gzip else []
    options += ["--delay-ms", str(delay_ms)]
    process = subprocess.Popen(
        [uv, "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable, *packages, __file__, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield PeerRun(process)
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """The peer's side: a turn for each line that comes in, a line of JSON for each turn."""
    arguments = argparse.ArgumentParser(description="One peer, driven by turn_cost.py.")
    for name in ("--url", "--table", "--package"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--durability")
    arguments.add_argument("--gzip", action="store_true")
    arguments.add_argument("--delay-ms", type=float, default=0)
    _serve(arguments.parse_args())


def _serve(options: argparse.Namespace) -> None:
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    import six_nodes  # noqa: PLC0415 - this side alone needs LangGraph
    from texts import prose  # noqa: PLC0415

    texts = prose(options.data)
    graph = six_nodes.build(texts).compile(checkpointer=_saver(options))
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    more = {"durability": options.durability} if options.durability else {}
    for _ in sys.stdin:
        given = {**six_nodes.new_turn(), "messages": [HumanMessage(texts.message())]}
        begun, cpu = time.perf_counter(), time.process_time()
        try:
            graph.invoke(given, config, **more)
        except Exception as error:  # noqa: BLE001 - whatever stops a peer is the finding
            print(json.dumps({"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}), flush=True)
            return
        took = {"seconds": time.perf_counter() - begun, "cpu_seconds": time.process_time() - cpu}
        print(json.dumps(took), flush=True)


def _saver(options: argparse.Namespace) -> Any:
    import boto3  # noqa: PLC0415

    boto3.setup_default_session()
    hold_back(boto3.DEFAULT_SESSION, options.delay_ms)
    if options.package == AWS:
        from langgraph_checkpoint_aws import DynamoDBSaver  # noqa: PLC0415

        session = boto3.Session(KEY, KEY, region_name=REGION)
        hold_back(session, options.delay_ms)
        return DynamoDBSaver(
            options.table, session=session, endpoint_url=options.url, enable_checkpoint_compression=options.gzip
        )
    from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver as OldSaver  # noqa: PLC0415

    client = {
        "endpoint_url": options.url,
        "region_name": REGION,
        "aws_access_key_id": KEY,
        "aws_secret_access_key": KEY,
    }
    return OldSaver(
        client_config=client,
        checkpoints_table_name=f"{options.table}-checkpoints",
        writes_table_name=f"{options.table}-writes",
    )


if __name__ == "__main__":
    main()
