"""A process that runs a bare graph and dies before any of its requests, which is after the one before it; and several
that write at once."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import boto3
from saver_graphs import KEY, LOCAL, Open, echo, on, saying

from turnkeep import DynamoDBSaver
from turnkeep.errors import Conflict
from turnkeep.storage.table import Table

fork = get_context("fork")
CREDENTIALS: Any = {
    "region_name": "eu-west-1",
    "aws_access_key_id": "testing",
    "aws_secret_access_key": "testing",
}


def run_in_child(work: Callable[[Any], None], url: str) -> int:
    """Its exit code; a death by signal is negative."""

    def begin() -> None:
        work(boto3.client("dynamodb", endpoint_url=url, **CREDENTIALS))

    child = fork.Process(target=begin)
    child.start()
    child.join(60)
    return child.exitcode or 0


def dying(at: int, url: str, table_name: str) -> int:
    """One turn, whose process is killed at its request number `at`."""
    seen = Counter[str]()

    def strike(**_: Any) -> None:
        seen["requests"] += 1
        if seen["requests"] == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def work(client: Any) -> None:
        client.meta.events.register("before-send.dynamodb", strike)
        echo(DynamoDBSaver(table_name, client=client, seal_key=KEY)).invoke(saying("two"), on("t"), durability="sync")

    return run_in_child(work, url)


def test_wherever_a_run_dies_the_thread_is_whole_and_goes_on(
    open_saver: Open, table: Table, table_name: str, dynamodb_url: str
) -> None:
    deaths = 0
    for at in range(1, 20):
        graph = echo(open_saver())
        graph.checkpointer.delete_thread("t")
        graph.invoke(saying("one"), on("t"))
        deaths += dying(at, dynamodb_url, table_name) == -signal.SIGKILL
        survivor = echo(open_saver(clock=lambda: time.time() + 31))  # its lease has run out
        state = survivor.get_state(on("t"))
        if state.tasks:
            survivor.invoke(None, on("t"))
        texts = [message.text for message in survivor.get_state(on("t")).values["messages"]]
        assert texts in (["one", "saw 1"], ["one", "saw 1", "two", "saw 3"])
        turns = [turn.message for turn in table.read_turns(LOCAL, "t", limit=9)]
        assert turns[:1] == ["one"]
        assert len(turns) == len(texts) // 2
    assert 8 < deaths < 19  # every request of the run, and none was left


def insist(table_name: str, url: str, name: str, turns: int, told: Connection) -> None:
    graph = echo(
        DynamoDBSaver(
            table_name,
            client=boto3.client("dynamodb", endpoint_url=url, **CREDENTIALS),
            seal_key=KEY,
            lease_seconds=2,
        )
    )
    refused = number = 0
    while number < turns:
        try:
            graph.invoke(saying(f"{name}-{number}"), on("t"), durability="exit")
            number += 1
        except Conflict:
            refused += 1
    told.send(refused)


def test_of_several_writers_no_turn_is_lost(open_saver: Open, table: Table, table_name: str, dynamodb_url: str) -> None:
    ours, theirs = fork.Pipe()
    writers = [fork.Process(target=insist, args=(table_name, dynamodb_url, f"w{n}", 5, theirs)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert ours.recv() >= 0
    said = [turn.message for turn in table.read_turns(LOCAL, "t", limit=100)]
    assert sorted(said) == sorted(f"w{n}-{number}" for n in range(4) for number in range(5))
    assert len(echo(open_saver()).get_state(on("t")).values["messages"]) == 40
