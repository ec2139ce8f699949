"""Cleanup reads at most twice what it deletes, however many threads live beside it."""

import uuid
from base64 import b64encode
from typing import Any

import pytest

from capacity_rules import item_bytes
from hand_clock import HandClock
from metering import metered, total
from subjects import USER, Conversation, client, new_table, six
from texts import noise
from turnkeep.store.keys import hour

HOURS = 3600.0
READ_UNIT_BYTES = 4096


@pytest.mark.parametrize(("expired", "turns"), [(40, 1), (12, 10)])
async def test_cleanup_reads_at_most_twice_the_expired_data(expired: int, turns: int, dynamodb_url: str) -> None:
    """Consistently, since a listing that is behind would leave something. Looking through the shards of two hours is
    part of it, and the reason why one thread alone would cost more."""
    texts, clock, dynamodb = noise(5), HandClock(), client(dynamodb_url)
    table = new_table(dynamodb)
    living = 12
    for _ in range(expired):
        talk = Conversation(six(texts), dynamodb, table, clock=clock)
        for _ in range(turns):
            await talk.say(texts.message())
    data = sum(map(item_bytes, _items(dynamodb, table)))
    clock.now += 20 * HOURS
    for _ in range(living):
        Conversation(six(texts), dynamodb, table, clock=clock).store.threads.create(USER, uuid.uuid4().hex)
    clock.now += 5 * HOURS
    with metered(dynamodb_url) as meter:
        sweeper = Conversation(six(texts), client(meter.url), table, clock=clock)
        sweeper.cleanup.begin_at(hour(int((clock.now - HOURS) * 1000)))
        meter.take()
        swept = sweeper.cleanup.sweep()
        read = total(meter.take()).rcu
    assert swept.threads == expired
    assert read <= 2 * data / READ_UNIT_BYTES, f"{read * READ_UNIT_BYTES / data:.2f} times"


def _items(dynamodb: Any, table: str) -> list[Any]:
    pages = dynamodb.get_paginator("scan").paginate(TableName=table)
    return [_as_sent(item) for page in pages for item in page["Items"]]


def _as_sent(value: Any) -> Any:
    match value:
        case dict():
            return {name: _as_sent(each) for name, each in value.items()}
        case list():
            return [_as_sent(each) for each in value]
        case bytes():
            return b64encode(value).decode()
    return value
