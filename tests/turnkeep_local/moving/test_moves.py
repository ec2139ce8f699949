"""Threads that the real packages wrote become threads here: whole or not at all, once, and their graphs go on."""

import asyncio
import itertools
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from new_site import ANN, REGION, NewSite, agent_of, plain
from old_site import AWS, CARD, Mood, OldSite, counter, saver_of, talk

from turnkeep.errors import NotFound, TurnkeepError
from turnkeep.records import Principal, Turn
from turnkeep.storage import codec
from turnkeep.storage.attributes import Item
from turnkeep.storage.items import Items
from turnkeep_local.moving.moves import Moves
from turnkeep_local.moving.savers import OldTable
from turnkeep_local.objects import FolderObjects

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


async def test_each_thread_is_there_message_by_message_and_its_graph_goes_on(written: OldSite, here: NewSite) -> None:
    before = time.time()
    tally = here.take(written.package, written.table)
    assert (tally.threads, tally.left) == ({"moved": 5}, 0)
    assert (tally.turns, tally.messages) == (1 + 12 + 2 + 2 + 1, sum(map(len, written.messages.values())))
    (derived,) = [line.rpartition(" ")[2] for line in here.said]
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
    assert sorted(turn.created_at for turn in turns) == [turn.created_at for turn in turns] < [before]
    assert all(turn.usage.input_tokens == 7 and turn.duration_ms >= 0 for turn in turns)
    on = await here.say("long", "and now?")
    assert (on.number, on.message, on.persisted) == (13, "and now?", True)
    assert len(here.messages("long")) == len(written.messages["long"]) + 4


async def test_what_waits_for_an_answer_is_resumed_where_it_waited(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table)
    (_, asked) = here.store.turns.newest(ANN, "waits", limit=9)
    assert (asked.message, asked.reply, asked.status) == ("second!", "Really second!", "interrupted")
    answered = await here.say("waits", "surely")
    assert answered.status == "complete"
    assert answered.reply.startswith("surely: second!, ")
    assert here.store.threads.read(ANN, "waits").status == "idle"


async def test_a_state_without_messages_is_one_turn_and_own_types_in_it_stay(written: OldSite, here: NewSite) -> None:
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


def test_a_second_run_doubles_nothing(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table)
    seqs = {
        thread.thread_id: here.store.heads.read(ANN, thread.thread_id).seq for thread in here.store.listing.search(ANN)
    }
    again = here.take(written.package, written.table)
    assert (again.threads, again.turns, again.left) == ({"here": 5}, 0, 0)
    assert seqs == {name: here.store.heads.read(ANN, name).seq for name in seqs}
    assert len(seqs) == 5


def test_a_dry_run_counts_and_writes_nothing(written: OldSite, here: NewSite) -> None:
    tally = here.take(written.package, written.table, dry_run=True)
    assert (tally.threads, tally.turns) == ({"moved": 5}, 18)
    assert list(here.store.listing.search(ANN)) == []
    assert here.arrivals.standing(ANN, "one", {"imported_from": ""})[0] == "free"


def test_each_thread_goes_to_its_owner_and_without_one_is_left(written: OldSite, here: NewSite) -> None:
    bob = Principal("acme", "bob")
    tally = here.take(written.package, written.table, owners={"one": bob, "long": ANN}, rest=None)
    assert (tally.threads, tally.left) == ({"moved": 2, "no owner": 3}, 3)
    assert here.store.threads.read(bob, "one").turn_count == 1
    with pytest.raises(NotFound):
        here.store.threads.read(ANN, "one")
    assert any(line.startswith("waits: list it in --owner") for line in here.said)


def test_an_id_that_another_thread_has_is_left_to_it(written: OldSite, here: NewSite) -> None:
    here.store.threads.create(ANN, "one", metadata={"mine": True})
    tally = here.take(written.package, written.table)
    assert (tally.threads, tally.left) == ({"moved": 4, "taken": 1}, 1)
    assert here.store.threads.read(ANN, "one").metadata == {"mine": True}


@pytest.mark.parametrize("package", [AWS, CARD])
async def test_what_changed_there_is_taken_anew_unless_it_was_gone_on_with_here(
    package: str, old_site: Callable[[str], OldSite], here: NewSite
) -> None:
    site = old_site(package)
    site.talk("both", "a")
    site.talk("there", "a", "b!")
    here.take(package, site.table)
    site.talk("both", "b")
    site.talk("there", "c")
    await here.say("both", "elsewhere")
    tally = here.take(package, site.table)
    assert (tally.threads, tally.turns) == ({"diverged": 1, "changed": 1}, 3)
    assert plain(here.messages("there")) == plain(site.messages["there"])
    assert here.store.threads.read(ANN, "there").status == "idle"
    assert here.store.turns.abandoned(ANN, "there") == []
    assert [turn.message for turn in here.store.turns.newest(ANN, "both", limit=9)] == ["a", "elsewhere"]
    assert here.take(package, site.table).threads == {"diverged": 1, "here": 1}
    assert (await here.say("there", "d")).number == 4


class Dies(BaseException):
    """Nothing below may catch it."""


class MortalItems(Items):
    """Dies at its write number `at`: before the request, or once it has come through."""

    at = -1
    after = False

    def _send(self, operation: str, **arguments: Any) -> Item:
        is_write = operation in ("put_item", "update_item", "batch_write_item")
        self.at -= is_write
        if is_write and self.at == -1 and not self.after:
            raise Dies
        answer = super()._send(operation, **arguments)
        if is_write and self.at == -1 and self.after:
            raise Dies
        return answer


@pytest.mark.parametrize("written", [CARD], indirect=True)
@pytest.mark.parametrize("kill", list(itertools.product(range(5), [False, True])), ids=str)
def test_wherever_it_dies_a_thread_is_there_whole_or_not_at_all_and_then_once(
    written: OldSite, dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects, kill: tuple[int, bool]
) -> None:
    write, after = kill
    mortal, here = MortalItems(dynamodb, table_name), NewSite(Items(dynamodb, table_name), folder_objects)
    mortal.at, mortal.after = write, after
    only: Any = {"owners": {"long": ANN}, "rest": None}
    try:
        NewSite(mortal, folder_objects).take(written.package, written.table, **only)
        has_died = False
    except Dies:
        has_died = True
    assert has_died == (write < 4)  # HEAD, links, the newest link with its checkpoint, the flip
    is_there = not has_died or (write == 3 and after)
    with nullcontext() if is_there else pytest.raises(NotFound):
        here.store.threads.read(ANN, "long")
    assert [thread.turn_count for thread in here.store.listing.search(ANN)] == [12] * is_there
    tally = here.take(written.package, written.table, **only)
    assert tally.threads["here" if is_there else "moved"] == 1
    assert plain(here.messages("long")) == plain(written.messages["long"])
    assert here.store.threads.read(ANN, "long").turn_count == 12


class BusyItems(Items):
    """Before its call number `at` another writer goes through whole; at its write number `dies_at` it dies."""

    at = 99
    dies_at = 99
    meanwhile: Callable[[], object] | None = None

    def _send(self, operation: str, **arguments: Any) -> Item:
        self.at -= 1
        if self.at == -1 and self.meanwhile:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        if operation in ("put_item", "update_item", "batch_write_item"):
            self.dies_at -= 1
            if self.dies_at == -1:
                raise Dies
        return super()._send(operation, **arguments)


@dataclass
class Crossing:
    """An import of one thread, and what crosses it."""

    site: OldSite
    here: NewSite
    dynamodb: "DynamoDBClient"

    def prepared(self, name: str, *, has_changed: bool) -> None:
        self.site.talk(name, "a", "b", durability="exit")
        if has_changed:
            self.take(self.here, name)
            self.site.talk(name, "c", durability="exit")

    def take(self, here: NewSite, name: str) -> set[str]:
        return {fate for fate, _ in here.take(CARD, self.site.table, owners={name: ANN}, rest=None).threads.items()}

    def cross(self, name: str, at: int, meanwhile: Callable[[], object], dies_at: int = 99) -> set[str] | None:
        """The fates, or None where the import made fewer calls."""
        busy = BusyItems(self.dynamodb, self.here.items._table)
        busy.at, busy.dies_at, busy.meanwhile = at, dies_at, meanwhile
        fates = set[str]()
        with suppress(Dies):
            fates = self.take(NewSite(busy, self.here.objects), name) - {"no owner"}
        return None if busy.meanwhile else fates


@pytest.fixture
def crossing(old_site: Callable[[str], OldSite], here: NewSite, dynamodb: "DynamoDBClient") -> Crossing:
    return Crossing(old_site(CARD), here, dynamodb)


@pytest.mark.parametrize("has_changed", [False, True], ids=["first", "again"])
def test_no_acknowledged_turn_is_written_over_wherever_an_import_meets_it(
    crossing: Crossing, has_changed: bool
) -> None:
    here, at = crossing.here, 0
    while True:
        name, told = f"t-{at}", list[Turn]()

        def say(name: str = name, told: list[Turn] = told) -> None:
            with suppress(TurnkeepError):
                told.append(asyncio.run(here.say(name, "by the API")))

        crossing.prepared(name, has_changed=has_changed)
        fates = crossing.cross(name, at, say)
        if fates is None:
            break
        assert fates <= {"moved", "changed", "taken", "diverged", "busy"}
        kept = {(turn.number, turn.reply) for turn in here.store.turns.newest(ANN, name, limit=9)}
        assert {(turn.number, turn.reply) for turn in told if turn.persisted} <= kept, at
        assert crossing.take(here, name) <= {"here", "taken", "diverged", "changed", "no owner"}
        assert asyncio.run(here.say(name, "on")).number == len(here.store.turns.newest(ANN, name, limit=9))
        at += 1
    assert at >= 5


@pytest.mark.parametrize(("has_grown", "dies_at"), [(False, 99), (True, 99), (False, 1), (False, 2)])
def test_of_two_imports_at_once_one_brings_the_thread_and_neither_harms_it(
    crossing: Crossing, has_grown: bool, dies_at: int
) -> None:
    """The second one finds a turn more in the old table, or the first one dies."""
    here, at = crossing.here, 0
    while True:
        name, others = f"t-{at}", list[set[str]]()

        def other(name: str = name, others: list[set[str]] = others) -> None:
            if has_grown:
                crossing.site.talk(name, "c", durability="exit")
            others.append(crossing.take(here, name))

        crossing.prepared(name, has_changed=False)
        fates = crossing.cross(name, at, other, dies_at)
        if fates is None:
            break
        assert fates <= {"moved", "here", "busy"}, at
        assert "moved" in others[0] | fates, at
        assert crossing.take(here, name) <= {"here", "no owner"}, at
        assert plain(here.messages(name)) == plain(crossing.site.messages[name])
        assert asyncio.run(here.say(name, "on")).number == 3 + has_grown
        at += 1
    assert at >= 3


def test_a_thread_that_cannot_be_read_is_named_and_the_others_move(
    old_site: Callable[[str], OldSite], dynamodb: "DynamoDBClient", here: NewSite
) -> None:
    site = old_site(AWS)
    for name in ("good", "cut", "pickled", "in-s3", "gone"):
        site.talk(name, "a", durability="exit")
    checkpoints = [item for item in scanned(dynamodb, site.name) if item["PK"]["S"].startswith("CHECKPOINT_")]
    for item in checkpoints:
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
    told = {line.partition(":")[0]: line for line in here.said}
    assert told.keys() == {"cut", "pickled", "in-s3", "gone"}
    assert "pickle" in told["pickled"]
    assert "S3 is not configured" in told["in-s3"]
    assert "incomplete" in told["gone"]


def scanned(dynamodb: "DynamoDBClient", table: str) -> list[dict[str, Any]]:
    return list(dynamodb.scan(TableName=table)["Items"])


def test_a_thread_whose_time_is_over_is_not_brought_back(old_site: Callable[[str], OldSite], here: NewSite) -> None:
    site = old_site(AWS)
    talk(saver_of(AWS, site.url, site.name, ttl_seconds=600), "short", ["a"])
    site.talk("for-ever", "a")
    moves = Moves(
        site.table, here.arrivals, {}, ANN, "nested", report=here.said.append, clock=lambda: time.time() + 601
    )
    assert moves.run(lambda _: None).threads == {"expired": 1, "moved": 1}
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
    tally = here.take(AWS, OldTable(AWS, site.name, REGION, site.url, bucket=bucket, prefix="old"))
    assert tally.threads == {"moved": 3}
    assert {name: plain(here.messages(name)) for name in messages} == {n: plain(m) for n, m in messages.items()}
    assert agent_of(AWS) == here.store.threads.read(ANN, "large").agent


def test_a_state_that_is_too_large_is_told_and_the_others_move(
    old_site: Callable[[str], OldSite], here: NewSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = old_site(CARD)
    site.talk("large", "word " * 2000)
    site.talk("small", "word")
    with monkeypatch.context() as limits:
        limits.setattr(codec, "MAX_RAW_BYTES", 9000)
        assert here.take(CARD, site.table).threads == {"refused": 1, "moved": 1}
    assert here.said == [
        "large: it cannot be stored: The agent's reply or state is too large to be stored: at most 64 MB."
    ]
    assert here.take(CARD, site.table).threads == {"moved": 1, "here": 1}


@pytest.mark.parametrize("written", [CARD], indirect=True)
def test_a_thread_under_a_seal_key_that_is_not_held_is_not_written_over(written: OldSite, here: NewSite) -> None:
    here.take(written.package, written.table)
    other = NewSite(here.items, here.objects, b"another")
    assert other.take(written.package, written.table).threads == {"refused": 5}
    assert plain(here.messages("long")) == plain(written.messages["long"])
