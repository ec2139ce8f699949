"""Cleanup reads at most twice what it deletes, however many threads live beside it."""

import uuid

import pytest

from hand_clock import HandClock
from metering import metered, total
from subjects import USER, Conversation, client, new_table, six
from texts import noise
from turnkeep.store.keys import hour

HOURS = 3600.0


@pytest.mark.parametrize(("expired", "turns"), [(40, 1), (12, 10)])
async def test_cleanup_reads_at_most_twice_the_expired_data(expired: int, turns: int, dynamodb_url: str) -> None:
    """Consistently, since a listing that is behind would leave something. Looking through the shards of two hours is
    part of it, and the reason why one thread alone would cost more."""
    texts, clock = noise(5), HandClock()
    with metered(dynamodb_url) as meter:
        dynamodb = client(meter.url)
        table = new_table(dynamodb)
        talks = [Conversation(six(texts), dynamodb, table, clock=clock) for _ in range(expired)]
        for _ in range(turns):
            for talk in talks:
                await talk.say(texts.message())
        meter.take()
        for _ in dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
            pass
        data = total(meter.take()).rcu
        clock.now += 20 * HOURS
        for _ in range(12):
            talks[0].store.threads.create(USER, uuid.uuid4().hex)
        clock.now += 5 * HOURS
        cleanup = talks[0].cleanup
        cleanup.begin_at(hour(int((clock.now - HOURS) * 1000)))
        meter.take()
        swept = cleanup.sweep()
        read = total(meter.take()).rcu
    assert swept.threads == expired
    assert read <= 2 * data, f"{read / data:.2f} times"
