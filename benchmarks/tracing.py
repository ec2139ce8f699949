"""What the trace of a turn costs: turns of `papers` with the demo model over a DynamoDB Local, every other one traced
to a UDP socket of this machine. The demo model answers at once; with any other the share is smaller. Last line: JSON.

    python benchmarks/tracing.py --turns 400
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

import boto3

from turnkeep.bootstrap import build
from turnkeep.observability import logger
from turnkeep.observability.tracing import DAEMON, TRACE_ID, begin_trace
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.settings import Settings
from turnkeep.storage.opening import make_table
from turnkeep.turns import TurnRequest
from turnkeep_local.dynamodb import dynamodb_local
from turnkeep_local.emulator import JAVA_MISSING, fetch_emulator, find_emulator, find_java
from turnkeep_local.objects import FolderObjects

HEADER = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
WARM_UP = 20
MAX_SHARE = 0.05


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--turns", type=int, default=400)
    arguments.add_argument("--data", help="ignored: every benchmark takes it")
    turns = arguments.parse_args().turns
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "1"
    logger.setLevel("CRITICAL")
    java = find_java(os.environ)
    if java is None:
        sys.exit(JAVA_MISSING)
    emulator = find_emulator(os.environ) or fetch_emulator(os.environ, print)
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        with dynamodb_local(java, emulator, ["-inMemory", "-sharedDb"], log=Path(folder) / "log") as url:
            spent = asyncio.run(_measure(_services(url, Path(folder)), turns, "{}:{}".format(*daemon.getsockname())))
    plain, traced = (statistics.median(spent[is_traced]) for is_traced in (False, True))
    row = {"turns": turns, "plain_cpu_ms": round(plain, 2), "traced_cpu_ms": round(traced, 2)}
    print(f"CPU of a turn: {plain:.2f} ms, traced {traced:.2f} ms, {traced / plain - 1:+.1%}")
    print(json.dumps({"benchmark": "tracing", **row, "share": round(traced / plain - 1, 4)}))
    sys.exit(traced / plain - 1 > MAX_SHARE)


def _services(url: str, folder: Path) -> Services:
    client = boto3.client(
        "dynamodb", endpoint_url=url, region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    settings = Settings(model="demo", table_name="tracing")
    make_table(client, settings.table_name)
    return build(settings, dynamodb=client, objects=FolderObjects(folder / "objects"))


async def _measure(services: Services, turns: int, daemon: str) -> dict[bool, list[float]]:
    """CPU milliseconds of this process for each turn, without and with its trace."""
    spent: dict[bool, list[float]] = {False: [], True: []}
    for number in range(WARM_UP + turns):
        is_traced = number % 2 == 1
        begin_trace({TRACE_ID: HEADER, DAEMON: daemon} if is_traced else {})
        began = time.process_time()
        await _turn(services)
        if number >= WARM_UP:
            spent[is_traced].append((time.process_time() - began) * 1000)
    return spent


async def _turn(services: Services) -> None:
    request = TurnRequest(Principal("bench", "bench"), "What is low-rank adaptation?", uuid.uuid4().hex, create=True)
    running = await services.turns.start(request)
    await running.finish()


if __name__ == "__main__":
    main()
