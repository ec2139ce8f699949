"""A key makes at most one turn, as long as it is remembered; a token stores a turn at most once."""

import pytest
from desk import HOURS, NOON, Desk, flipped, noise

from turnkeep.errors import (
    AgentMismatch,
    IdempotencyKeyReused,
    InvalidRetryToken,
    NotFound,
    Superseded,
    ThreadBusy,
    TurnInProgress,
)
from turnkeep.records import Principal, Turn


def again(desk: Desk, key: str, message: str = "hello", **more: object) -> object:
    return desk.table.begin(desk.who, "x", key=key, body=message.encode(), message=message, create=True, **more)  # type: ignore[arg-type]


def test_a_key_gives_its_turn_again_for_thirty_two_turns(desk: Desk) -> None:
    for number in range(1, 34):
        desk.say("x", f"message {number}", f"reply {number}", key=f"k{number}")
    for number in range(2, 34):
        turn = again(desk, f"k{number}", f"message {number}")
        assert isinstance(turn, Turn)
        assert (turn.number, turn.reply) == (number, f"reply {number}")
    assert not isinstance(again(desk, "k1", "message 1"), Turn)


def test_a_key_serves_one_body(desk: Desk) -> None:
    desk.say("x", "one", key="k")
    with pytest.raises(IdempotencyKeyReused):
        again(desk, "k", "two")
    begun = desk.begin("x", "three", key="running")
    with pytest.raises(IdempotencyKeyReused):
        again(desk, "running", "four")
    with pytest.raises(TurnInProgress) as error:
        again(desk, "running", "three")
    assert error.value.retry_after in range(1, 6)
    with pytest.raises(ThreadBusy):
        again(desk, "another")
    assert isinstance(again(desk, "k", "one"), Turn)  # a replay needs no lease
    desk.table.release(begun)


def test_a_key_is_of_its_thread_and_user(desk: Desk) -> None:
    desk.say("x", "one", key="k")
    assert desk.say("y", "two", key="k").number == 1
    desk.who = Principal("acme", "bob")
    assert desk.say("x", "three", key="k").number == 1


def test_a_released_key_is_free_again(desk: Desk) -> None:
    desk.table.release(desk.begin("x", "one", key="k"))
    assert desk.say("x", "one", key="k").number == 1
    assert isinstance(again(desk, "k", "one"), Turn)


def test_a_key_whose_writer_died_is_free_when_the_lease_has_run_out(desk: Desk) -> None:
    desk.begin("x", "one", key="k")
    with pytest.raises(TurnInProgress):
        again(desk, "k", "one")
    desk.clock.now += 31
    assert desk.say("x", "one", key="k").number == 1


def test_two_writers_with_one_key_make_one_turn(desk: Desk) -> None:
    plan, _ = desk.prepare(desk.begin("x", "one", key="k"), "by the first")
    desk.clock.now += 31
    desk.say("x", "one", "by the second", key="k")
    stored = desk.table.apply(plan)
    assert stored is not None
    assert stored.reply == "by the second"
    assert desk.texts("x") == ["by the second"]


def test_a_late_writer_never_gets_the_turn_of_another_body(desk: Desk) -> None:
    plan, _ = desk.prepare(desk.begin("x", "one", key="k"))
    desk.clock.now += 31
    desk.say("x", "two", key="k")
    with pytest.raises(Superseded):
        desk.table.apply(plan)


def test_a_replay_brings_the_details_and_survives_a_branch(desk: Desk) -> None:
    desk.say("x", "one", key="k1", details={"rows": noise(9000)})
    first = desk.head("x")["cp"]
    desk.say("x", "two", key="k2")
    desk.say("x", "three", key="k3", older=first)
    turn = again(desk, "k1", "one")
    assert isinstance(turn, Turn)
    assert turn.details == {"rows": noise(9000)}
    assert isinstance(again(desk, "k3", "three"), Turn)
    begun = again(desk, "k2", "two")
    assert not isinstance(begun, Turn)  # its turn is not part of this thread any more


def test_a_thread_keeps_to_its_agent(desk: Desk) -> None:
    desk.say("x", agent="papers")
    with pytest.raises(AgentMismatch):
        again(desk, "k", agent="products")
    desk.table.release(desk.begin("x", agent="papers"))


# retry tokens


def token_of(desk: Desk, message: str = "hello", reply: str = "a reply", *, key: str = "k") -> str:
    """The token of a turn that could not be stored."""
    plan, _ = desk.prepare(desk.begin("x", message, key=key), reply)
    return desk.table.retry_token(plan)


def later(desk: Desk, token: str, thread: str = "x", who: Principal | None = None) -> Turn:
    return desk.table.commit_later(who or desk.who, thread, token)


def test_a_token_stores_its_turn_once(desk: Desk) -> None:
    desk.say("x")
    token = token_of(desk, "hello", "kept at last")
    for _ in range(3):
        turn = later(desk, token)
        assert (turn.number, turn.reply, turn.message) == (2, "kept at last", "hello")
    desk.say("x")
    assert later(desk, token).number == 2
    assert desk.texts("x") == ["a reply", "kept at last", "a reply"]
    assert isinstance(again(desk, "k"), Turn)


def test_a_token_is_of_its_thread_and_user(desk: Desk) -> None:
    desk.say("y")
    token = token_of(desk)
    for thread, who in (("y", desk.who), ("x", Principal("acme", "bob")), ("x", Principal("b", "ann"))):
        with pytest.raises(InvalidRetryToken):
            later(desk, token, thread, who)
    assert desk.numbers("y") == [1]
    assert later(desk, token).number == 1


@pytest.mark.parametrize("harm", ["altered", "cut", "empty", "no base64", "other letters"])
def test_an_altered_token_is_refused(desk: Desk, harm: str) -> None:
    token = token_of(desk)
    middle = len(token) // 2
    harmed = {
        "altered": token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :],
        "cut": token[:-8],
        "empty": "",
        "no base64": "é" * 40,
        "other letters": "A" * len(token),
    }
    with pytest.raises(InvalidRetryToken):
        later(desk, harmed[harm])
    assert desk.numbers("x") == []


def test_a_token_lasts_fifteen_minutes(desk: Desk) -> None:
    token = token_of(desk)
    desk.clock.now = NOON + 15 * 60 + 0.25
    with pytest.raises(InvalidRetryToken):
        later(desk, token)
    desk.clock.now = NOON + 15 * 60
    assert later(desk, token).number == 1


@pytest.mark.parametrize("size", [10, 90_000, 150_000, 700_000])
def test_a_token_is_never_long(desk: Desk, size: int) -> None:
    reply = noise(size)
    token = token_of(desk, reply=reply)
    assert len(token) < 140_000
    assert later(desk, token).reply == reply
    assert desk.texts("x") == [reply]


def test_a_token_tells_nothing(desk: Desk) -> None:
    from base64 import urlsafe_b64decode

    token = token_of(desk, "a secret message", "a secret reply")
    raw = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert b"secret" not in raw
    assert raw != flipped(raw)


def test_a_token_is_superseded_by_another_turn(desk: Desk) -> None:
    token = token_of(desk)
    desk.clock.now += 31
    desk.say("x", "other", "the other reply", key="other")
    before = desk.all_of("x")
    with pytest.raises(Superseded):
        later(desk, token)
    assert desk.all_of("x") == before
    assert desk.texts("x") == ["the other reply"]


def test_a_token_gives_the_turn_that_its_key_made_meanwhile(desk: Desk) -> None:
    token = token_of(desk, "hello", "unsaved")
    desk.clock.now += 31
    desk.say("x", "hello", "saved", key="k")
    assert later(desk, token).reply == "saved"
    assert desk.texts("x") == ["saved"]


@pytest.mark.parametrize("seconds", [0, 31])
def test_a_token_brings_nothing_into_a_deleted_thread(desk: Desk, seconds: int) -> None:
    desk.say("x")
    token = token_of(desk)
    desk.clock.now += seconds
    desk.table.delete_thread(desk.who, "x")
    before = desk.all_of("x")
    with pytest.raises(NotFound):
        later(desk, token)
    assert desk.all_of("x") == before
    desk.say("x", reply="new 1")
    desk.say("x", reply="new 2")
    with pytest.raises(Superseded):
        later(desk, token)
    assert desk.texts("x") == ["new 1", "new 2"]


def test_a_token_of_an_expired_thread_finds_nothing(desk: Desk) -> None:
    desk.say("x")
    desk.clock.now += 24 * HOURS - 60
    token = token_of(desk)
    desk.clock.now += 120
    with pytest.raises(NotFound):
        later(desk, token)
