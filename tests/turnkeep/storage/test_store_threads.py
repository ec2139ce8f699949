"""Threads as such: small heads, long messages aside, lists and searches, and a deletion that wins."""

import json

import pytest
from desk import HOURS, Desk, item_bytes, noise

from turnkeep.errors import InvalidRequest, NotFound, ThreadBusy, ThreadExists
from turnkeep.storage.items import Items
from turnkeep.storage.keys import HEAD, partition

KILOBYTE = 1024


def test_a_typical_head_is_under_a_kilobyte_with_all_its_keys(desk: Desk) -> None:
    desk.who = type(desk.who)("3f1c2d4e-tenant", "auth0|64b7f0a1c2d3e4f5a6b7c8d9")
    for number in range(33):
        desk.say("0a1b2c3d-4e5f-6789-abcd-ef0123456789", f"A question of usual length, the {number}th of its kind?")
    desk.begin("0a1b2c3d-4e5f-6789-abcd-ef0123456789", "And another question of usual length?")
    head = desk.head("0a1b2c3d-4e5f-6789-abcd-ef0123456789")
    assert len(head["keys"]) == 32
    assert "pend" in head
    assert item_bytes(head) <= KILOBYTE


@pytest.mark.parametrize("size", [1, 500, 1024, 2048, 65_536])
def test_a_message_of_any_length_is_durable_before_its_run(desk: Desk, size: int) -> None:
    message = noise(size)
    begun = desk.begin("x", message)
    head = desk.head("x")
    assert item_bytes(head) <= 2 * KILOBYTE
    assert ("m" in head["pend"]) is (size <= 1024)
    shown = desk.store.threads.read(desk.who, "x")
    assert shown.pending is not None
    assert shown.pending.message == message
    plan, _ = desk.prepare(begun)
    desk.store.turns.commit(plan)
    assert desk.store.threads.read(desk.who, "x").pending is None
    assert desk.store.turns.read(desk.who, "x", 1).message == message


def test_a_long_message_for_an_unknown_thread_writes_nothing(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.begin("x", noise(5000), create=False)
    assert desk.all_of("x") == {}


def test_metadata_is_merged_key_by_key(desk: Desk) -> None:
    desk.store.threads.create(desk.who, "x", metadata={"a": 1, "b": "two"})
    assert desk.store.threads.update(desk.who, "x", {"b": 3, "c": [1, {"d": None}]}).metadata == {
        "a": 1,
        "b": 3,
        "c": [1, {"d": None}],
    }
    assert desk.store.threads.update(desk.who, "x", {"a": None}).metadata == {"b": 3, "c": [1, {"d": None}]}
    assert desk.store.threads.read(desk.who, "x").metadata == {"b": 3, "c": [1, {"d": None}]}


def test_metadata_has_a_limit_and_a_refusal_changes_nothing(desk: Desk) -> None:
    desk.store.threads.create(desk.who, "x", metadata={"a": 1})
    with pytest.raises(InvalidRequest):
        desk.store.threads.update(desk.who, "x", {"long": noise(2000)})
    with pytest.raises(InvalidRequest):
        desk.store.threads.create(desk.who, "y", metadata={"long": noise(2000)})
    assert desk.store.threads.read(desk.who, "x").metadata == {"a": 1}
    with pytest.raises(NotFound):
        desk.store.threads.read(desk.who, "y")


def test_a_change_that_met_another_is_refused(desk: Desk) -> None:
    desk.store.threads.create(desk.who, "x", metadata={"a": 1})
    stale = desk.store.heads.read(desk.who, "x")
    desk.store.threads.update(desk.who, "x", {"a": 2})
    desk.store.heads.read = lambda *_: stale  # type: ignore[method-assign]
    with pytest.raises(ThreadBusy):
        desk.store.threads.update(desk.who, "x", {"b": 1})
    del desk.store.heads.read
    assert desk.store.threads.read(desk.who, "x").metadata == {"a": 2}


def test_a_thread_is_made_once(desk: Desk) -> None:
    made = desk.store.threads.create(desk.who, "x", agent="papers", metadata={"a": 1})
    assert desk.store.threads.read(desk.who, "x") == made
    assert (made.turn_count, made.status, made.expires_at) == (0, "idle", desk.clock.now + 24 * HOURS)
    desk.clock.now += 1
    with pytest.raises(ThreadExists):
        desk.store.threads.create(desk.who, "x")
    assert desk.store.threads.create(desk.who, "x", metadata={"b": 2}, if_exists="do_nothing") == made


class Unacknowledged(Items):
    """The answer to a making is lost; before the client sends it again, somebody speaks in the thread."""

    def put(self, item, *, condition=None, values=None):  # type: ignore[no-untyped-def]
        super().put(item, condition=condition, values=values)
        Desk(Items(self._client, self._table), self.objects, clock=self.clock).begin("x")
        super().put(item, condition=condition, values=values)


def test_a_thread_whose_making_was_not_acknowledged_is_ours(desk: Desk) -> None:
    items = Unacknowledged(desk.items._client, desk.items._table)
    items.objects, items.clock = desk.objects, desk.clock
    for _ in range(2):  # where nothing stands, and where an expired thread does
        assert Desk(items, desk.objects, clock=desk.clock).store.threads.create(desk.who, "x").turn_count == 0
        desk.clock.now += 25 * HOURS


def test_a_search_finds_by_metadata_status_and_agent_newest_activity_first(desk: Desk) -> None:
    for number in range(6):
        desk.clock.now += 1
        desk.store.threads.create(desk.who, f"t{number}", metadata={"even": number % 2 == 0, "n": number})
    for number in (2, 0, 5):
        desk.clock.now += 1
        desk.say(f"t{number}", agent="papers" if number else "products")
    found = [thread.thread_id for thread in desk.store.listing.search(desk.who)]
    assert found == ["t5", "t0", "t2", "t4", "t3", "t1"]
    assert _ids(desk, metadata={"even": True}) == ["t0", "t2", "t4"]
    assert _ids(desk, metadata={"even": True, "n": 4}) == ["t4"]
    assert _ids(desk, metadata={"missing": None}) == []
    assert _ids(desk, agent="papers") == ["t5", "t2"]
    assert _ids(desk, limit=2, offset=1) == ["t0", "t2"]
    assert _ids(desk, limit=2, offset=1, metadata={"even": True}) == ["t2", "t4"]
    assert _ids(desk, offset=6) == []
    held = desk.begin("t1")
    assert _ids(desk, status="busy") == ["t1"]
    desk.store.leases.release(held)
    assert _ids(desk, status="error") == ["t1"]
    assert _ids(desk, status="idle") == ["t5", "t0", "t2", "t4", "t3"]
    desk.store.threads.delete(desk.who, "t5")
    assert _ids(desk, agent="papers") == ["t2"]
    desk.clock.now += 24 * HOURS
    assert (_ids(desk), HEAD in desk.all_of("t2")) == ([], True)


def _ids(desk: Desk, **given: object) -> list[str]:
    return [thread.thread_id for thread in desk.store.listing.search(desk.who, **given)]  # type: ignore[arg-type]


@pytest.mark.parametrize("sweep_after_minutes", [1, 20, 100])
def test_what_a_stalled_writer_leaves_in_a_deleted_thread_is_swept(desk: Desk, sweep_after_minutes: int) -> None:
    desk.cleanup.begin_at("2027-01-15T08")
    plan, _ = desk.prepare(desk.begin("x"))
    desk.store.threads.delete(desk.who, "x")
    desk.clock.now += 60 * sweep_after_minutes
    desk.cleanup.sweep()
    if sweep_after_minutes < 15:
        desk.items.write_many(puts=plan.puts)  # just before its writer finds itself superseded
    desk.clock.now += 2 * HOURS
    desk.cleanup.sweep()
    assert desk.all_of("x") == {}


def test_an_expired_id_begins_anew(desk: Desk) -> None:
    desk.store.threads.create(desk.who, "x", metadata={"of": "old"})
    desk.say("x", reply="old")
    desk.clock.now += 25 * HOURS
    begun = desk.begin("x")
    assert begun.created
    assert (begun.head.n, begun.head.metadata, begun.head.agent) == (0, None, None)
    plan, turn = desk.prepare(begun, "new")
    desk.store.turns.commit(plan)
    assert desk.texts("x") == ["new"]
    assert turn is not None
    assert turn.number == 1


def test_nothing_in_the_table_can_be_read_without_the_secret(desk: Desk) -> None:
    secret = "a sentence that nobody else may read"
    desk.store.threads.create(desk.who, "x", metadata={"note": secret})
    desk.say("x", secret + noise(3000), secret, details={"rows": [secret, noise(9000)]})
    desk.begin("x", f"{secret} {noise(3000)}")
    stored = [item for item in desk.all_of("x").values() if item["SK"] != HEAD]
    assert stored
    assert secret not in json.dumps(stored, default=repr)
    assert partition(desk.who, "x") in {item["PK"] for item in stored}
