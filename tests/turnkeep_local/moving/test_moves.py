"""Threads that the real packages wrote become threads here: whole or not at all, once, and their graphs go on."""

import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from new_site import ANN, NewSite, agent_of, plain
from old_site import AWS, CARD, Mood, OldSite, counter, saver_of, talk

from turnkeep.errors import NotFound
from turnkeep.records import Principal
from turnkeep.store import codec
from turnkeep_local.moving.savers import OldTable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MAIL = "ann@example.com"


@pytest.fixture(scope="module", params=[AWS, CARD])
def written(request: pytest.FixtureRequest, old_site: Callable[[str], OldSite]) -> OldSite:
    """Not to be written to."""
    site = old_site(request.param)
    site.talk("one", "what?")
    site.talk("long", *(f"question {n}" for n in range(12)))
    site.talk("waits", "first", "second!")
    site.talk(MAIL, "who?", "me", durability="exit")
    config: Any = {"configurable": {"thread_id": "count"}}
    counter().compile(checkpointer=saver_of(site.package, site.url, site.name)).invoke({"total": 4}, config)
    return site


async def test_each_thread_arrives_message_by_message_and_its_graph_continues(written: OldSite, here: NewSite) -> None:
    before = time.time()
    tally = here.take(written.package, written.table)
    assert (tally.threads, tally.left) == ({"moved": 5}, 0)
    assert tally.turns == 1 + 12 + 2 + 2 + 1
    (derived,) = [line.rpartition(" ")[2] for line in here.reported]
    for thread_id, messages in written.messages.items():
        moved = derived if thread_id == MAIL else thread_id
        assert plain(here.messages(moved)) == plain(messages)
        thread = here.store.threads.read(ANN, moved)
        assert thread.metadata["imported_from"] == f"{written.table.table}/{thread_id}"
        assert thread.status == ("interrupted" if thread_id == "waits" else "idle")
        assert before + 23 * 3600 < thread.expires_at < time.time() + 25 * 3600
        assert thread.updated_at < before
    turns = here.store.turns.newest(ANN, "long", limit=20)
    assert [turn.message for turn in turns] == [f"question {n}" for n in range(12)]
    assert [turn.number for turn in turns] == list(range(1, 13))
    assert len({turn.run_id for turn in turns}) == 12
    assert all(turn.usage.input_tokens == 7 and turn.created_at < before for turn in turns)
    on = await here.say("long", "and now?")
    assert (on.number, on.message, on.persisted) == (13, "and now?", True)
    assert len(here.messages("long")) == len(written.messages["long"]) + 4


async def test_an_interrupted_thread_resumes_where_it_waited(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table)
    (_, asked) = here.store.turns.newest(ANN, "waits", limit=9)
    assert (asked.message, asked.reply, asked.status) == ("second!", "Really second!", "interrupted")
    answered = await here.say("waits", "surely")
    assert answered.status == "complete"
    assert answered.reply.startswith("surely: second!, ")
    assert here.store.threads.read(ANN, "waits").status == "idle"


async def test_a_state_without_messages_is_one_turn_and_keeps_its_types(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table, agent="counter")
    (turn,) = here.store.turns.newest(ANN, "count", limit=9)
    assert (turn.message, turn.reply) == ("", '{"total": 5, "mood": {"word": "calm"}}')
    kept = here.store.turns.load(here.store.heads.read(ANN, "count"), None).checkpoint
    assert kept
    serialiser = JsonPlusSerializer(allowed_msgpack_modules=[(Mood.__module__, Mood.__name__)])
    checkpoint = serialiser.loads_typed(("msgpack", kept["state"]))[""][0]
    assert checkpoint["channel_values"]["mood"] == Mood(word="calm")
    running = await here.say("count", "on")
    assert running.number == 2


def test_each_thread_gets_its_owner_and_others_are_left(written: OldSite, here: NewSite) -> None:
    bob = Principal("acme", "bob")
    tally = here.take(written.package, written.table, owners={"one": bob, "long": ANN}, rest=None)
    assert (tally.threads, tally.left) == ({"moved": 2, "no owner": 3}, 3)
    assert here.store.threads.read(bob, "one").turn_count == 1
    with pytest.raises(NotFound):
        here.store.threads.read(ANN, "one")
    assert any(line.startswith("waits: list it in --owner") for line in here.reported)


def test_an_id_of_another_thread_is_not_overwritten(written: OldSite, here: NewSite) -> None:
    here.store.threads.create(ANN, "one", metadata={"mine": True})
    tally = here.take(written.package, written.table)
    assert (tally.threads, tally.left) == ({"moved": 4, "taken": 1}, 1)
    assert here.store.threads.read(ANN, "one").metadata == {"mine": True}


@pytest.mark.parametrize("package", [AWS, CARD])
async def test_a_living_thread_is_never_overwritten(
    package: str, old_site: Callable[[str], OldSite], here: NewSite
) -> None:
    site = old_site(package)
    site.talk("changed", "a", "b!")
    here.take(package, site.table)
    site.talk("changed", "c")
    tally = here.take(package, site.table)
    assert (tally.threads, tally.turns, tally.left) == ({"changed": 1}, 0, 1)
    assert [turn.message for turn in here.store.turns.newest(ANN, "changed", limit=9)] == ["a", "b!"]
    here.store.threads.delete(ANN, "changed")
    assert here.take(package, site.table).threads == {"moved": 1}
    assert plain(here.messages("changed")) == plain(site.messages["changed"])
    assert here.store.threads.read(ANN, "changed").status == "idle"
    assert (await here.say("changed", "d")).number == 4


def test_an_unreadable_thread_is_reported_and_the_others_move(
    old_site: Callable[[str], OldSite], dynamodb: "DynamoDBClient", here: NewSite
) -> None:
    site = old_site(AWS)
    for name in ("good", "cut", "pickled", "in-s3", "gone"):
        site.talk(name, "a", durability="exit")
    items = dynamodb.scan(TableName=site.name)["Items"]
    for item in (each for each in items if each["PK"]["S"].startswith("CHECKPOINT_")):
        chunk = {"PK": item["ref_key"], "SK": {"S": "CHUNK"}}
        match item["PK"]["S"].removeprefix("CHECKPOINT_"):
            case "cut":
                put = dynamodb.get_item(TableName=site.name, Key=chunk)["Item"]
                dynamodb.put_item(TableName=site.name, Item=put | {"payload": {"B": put["payload"]["B"][:-9]}})
            case "pickled":
                dynamodb.put_item(TableName=site.name, Item=item | {"type": {"S": "pickle"}})
            case "in-s3":
                dynamodb.put_item(TableName=site.name, Item=item | {"ref_loc": {"S": "S3"}})
            case "gone":
                dynamodb.delete_item(TableName=site.name, Key=chunk)
    tally = here.take(AWS, site.table)
    assert (tally.threads, tally.left) == ({"moved": 1, "unreadable": 4}, 4)
    printed = {line.partition(":")[0]: line for line in here.reported}
    assert printed.keys() == {"cut", "pickled", "in-s3", "gone"}
    assert "pickle" in printed["pickled"]
    assert "S3 is not configured" in printed["in-s3"]
    assert "incomplete" in printed["gone"]


def test_an_expired_thread_is_not_imported(old_site: Callable[[str], OldSite], here: NewSite) -> None:
    site = old_site(AWS)
    talk(saver_of(AWS, site.url, site.name, ttl_seconds=600), "short", ["a"])
    site.talk("for-ever", "a")
    later = NewSite(here.items, here.objects, clock=lambda: time.time() + 601)
    assert later.take(AWS, site.table).threads == {"expired": 1, "moved": 1}
    assert here.take(AWS, site.table).threads == {"here": 1, "moved": 1}


def test_compressed_states_and_those_in_s3_are_read(
    old_site: Callable[[str], OldSite], s3_url: str, bucket: str, here: NewSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = old_site(AWS)
    large = {"bucket_name": bucket, "endpoint_url": s3_url, "key_prefix": "old"}
    saver = saver_of(AWS, site.url, site.name, enable_checkpoint_compression=True, s3_offload_config=large)
    messages = {
        "zipped": talk(saver, "zipped", ["word " * 1000, "more"]),
        "large": talk(saver, "large", [uuid.uuid4().hex * 12_000, "more"], durability="exit"),
    }
    saver.serializer.enable_compression = False
    messages["larger"] = talk(saver, "larger", ["word " * 90_000], durability="exit")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_url)
    tally = here.take(AWS, OldTable(AWS, site.name, site.url, bucket=bucket, prefix="old"))
    assert tally.threads == {"moved": 3}
    assert {name: plain(here.messages(name)) for name in messages} == {n: plain(m) for n, m in messages.items()}
    assert agent_of(AWS) == here.store.threads.read(ANN, "large").agent


def test_a_state_that_is_too_large_is_reported_and_the_others_move(
    old_site: Callable[[str], OldSite], here: NewSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = old_site(CARD)
    site.talk("large", "word " * 2000)
    site.talk("small", "word")
    with monkeypatch.context() as limits:
        limits.setattr(codec, "MAX_RAW_BYTES", 9000)
        assert here.take(CARD, site.table).threads == {"refused": 1, "moved": 1}
    assert here.reported == [
        "large: it cannot be stored: The agent's reply or state is too large to be stored: at most 64 MB."
    ]
    assert here.take(CARD, site.table).threads == {"moved": 1, "here": 1}


@pytest.mark.parametrize("written", [CARD], indirect=True)
def test_a_thread_under_an_unknown_signing_key_is_not_overwritten(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table)
    other = NewSite(here.items, here.objects, b"another")
    assert other.take(written.package, written.table).threads == {"refused": 5}
    assert plain(here.messages("long")) == plain(written.messages["long"])
