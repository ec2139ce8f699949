"""Real deaths: the writing process is killed under load, its database with it. What was acknowledged is there."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from turnkeep_local.clients import dynamodb_client
from turnkeep_local.dynamodb import open_store
from turnkeep_local.home import Home
from turnkeep_local.processes import is_listening, kill_leftover

WRITER = Path(__file__).with_name("writer.py")
RUNS = int(os.environ.get("DURABILITY_RUNS", "2"))


def _write_until_killed(home: Home, first: int, seconds: float) -> tuple[list[int], dict[str, int]]:
    """Kills the writer after so many seconds of writing; gives what was acknowledged and the database's process."""
    command = [sys.executable, str(WRITER), str(home.path), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        process = json.loads(writer.stdout.readline().removeprefix("process "))
        time.sleep(seconds)
        writer.send_signal(signal.SIGKILL)
        lines = writer.stdout.read().split("\n")
    return [int(line) for line in lines[:-1]], process


def _falls_silent(port: int) -> bool:
    """Whether a database ends with the process that started it."""
    deadline = time.monotonic() + 120
    while is_listening(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_listening(port)


def _stored(home: Home) -> list[int]:
    with open_store(home, os.environ, print) as store:
        client = dynamodb_client(store, os.environ)
        pages = client.get_paginator("query").paginate(
            TableName="durable",
            KeyConditionExpression="PK = :t",
            ExpressionAttributeValues={":t": {"S": "t"}},
            ProjectionExpression="SK",
        )
        return [int(item["SK"]["S"]) for page in pages for item in page["Items"]]


@pytest.mark.usefixtures("java", "emulator")
def test_what_was_acknowledged_survives_sigkill_and_the_next_start_works_at_once(tmp_path: Path) -> None:
    home, acknowledged, moments = Home(tmp_path), [], random.Random(7)

    for _ in range(RUNS):
        first = acknowledged[-1] + 2 if acknowledged else 0
        written, process = _write_until_killed(home, first, moments.uniform(0.02, 1.0))
        assert written
        acknowledged += written

        assert sys.platform != "linux" or _falls_silent(process["port"])
        stored = _stored(home)

        assert set(acknowledged) <= set(stored)
        # Besides, at most the one write of each run whose acknowledgement was on its way.
        assert len(stored) <= len(acknowledged) + RUNS


@pytest.mark.usefixtures("java", "emulator")
def test_the_database_of_a_stopped_store_is_gone_and_its_record_too(tmp_path: Path) -> None:
    home = Home(tmp_path)

    with open_store(home, os.environ, print):
        port = json.loads(home.process.read_bytes())["port"]
        assert is_listening(port)

    assert not is_listening(port)
    assert not home.process.exists()


def test_a_leftover_is_killed_and_a_stranger_that_got_its_number_is_not(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)]
    with subprocess.Popen(sleeper) as child:
        kill_leftover(child.pid, "a folder that it does not serve")
        assert child.poll() is None

        kill_leftover(child.pid, str(tmp_path))

        assert child.wait(120) == -signal.SIGKILL
