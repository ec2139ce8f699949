"""Keys separate principals and sort the items of a turn next to each other."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.errors import InvalidId
from turnkeep.records import Principal
from turnkeep.store.keys import (
    EVERY_TURN,
    HEAD,
    begin_of,
    checkpoint_key,
    details_key,
    expiry,
    expiry_bucket,
    generation_of,
    hour,
    is_storable,
    item_ttl,
    message_key,
    number_of,
    partition,
    turn_ceiling,
    turn_floor,
    turn_key,
    user_key,
)

PARTS = ["a", "b", "#", "#U#", "%", "%23", "%25", "/", "|", ".", "é", "e\u0301", "\x00", "\U0001f600"]
NAMES = st.lists(st.sampled_from(PARTS), max_size=5).map("".join) | st.text(max_size=8)
IDS = st.text(st.sampled_from("abTU_-09"), min_size=1, max_size=8)
PLACE = st.tuples(st.integers(0, 5) | st.integers(0, 99_999_999), st.integers(0, 5) | st.integers(0, 99_999_999))
OWNER = b"\xff\x00\xff\x00\xff\x00\xff\x00\xff"


@given(NAMES, NAMES, IDS)
def test_a_partition_contains_all_names_so_no_two_threads_share_it(tenant: str, user: str, thread: str) -> None:
    principal = Principal(tenant, user)
    first, *names, second = user_key(principal).split("#")
    assert (first, unquote(names[0]), names[1], unquote(second)) == ("T", tenant, "U", user)
    assert partition(principal, thread) == f"{user_key(principal)}#{thread}"


@pytest.mark.parametrize(
    "bad", ["", "#", "a/b", "..", "a" * 65, "a" * 10_240, "é", "a\n", "a\x00b", "T#x", "\uff41", " a", "a|b"]
)
def test_an_id_that_is_not_well_formed_has_no_partition(bad: str) -> None:
    with pytest.raises(InvalidId):
        partition(Principal("t", "u"), bad)


def test_a_principal_is_storable_up_to_the_longest_key() -> None:
    longest = Principal("t", "u" * (959 - len("T#t#U#")))
    assert is_storable(longest)
    assert len(partition(longest, "x" * 64).encode()) == 1024
    assert not is_storable(Principal("t", longest.user + "u"))


@pytest.mark.parametrize("who", [("", "u"), ("t", ""), ("\ud800", "u"), ("t", "\udfff"), ("t", "\U0001f600" * 100)])
def test_a_principal_without_a_valid_name_is_not_storable(who: tuple[str, str]) -> None:
    assert not is_storable(Principal(*who))


def test_the_right_to_act_for_others_does_not_make_another_principal() -> None:
    plain, acting = Principal("t", "u"), Principal("t", "u", acts_for="any")
    assert len({plain, acting}) == len({user_key(plain), user_key(acting)}) == 1


def test_a_window_is_one_range_with_head_in_the_middle() -> None:
    aside = [message_key(b"\xff" * 6), details_key(turn_key(0, 1, 1, OWNER))]
    checkpoints = [checkpoint_key("1f1e5ffc-df39-6d1f"), checkpoint_key("1f1e5ffc-df3a-6d1f")]
    turns = [turn_key(generation, number, 500 - number, OWNER) for generation in (5, 4, 0) for number in (12, 9, 1)]
    assert [*aside, *checkpoints, HEAD, *turns, EVERY_TURN] == sorted([*turns, HEAD, *aside, EVERY_TURN, *checkpoints])


@given(PLACE, PLACE, st.integers(0, 99_999_999))
def test_a_window_contains_every_writer_of_its_turns_and_no_other_turn(
    place: tuple[int, int], bound: tuple[int, int], seq: int
) -> None:
    key = turn_key(*place, seq, OWNER)
    assert (generation_of(key), number_of(key)) == place
    assert (turn_floor(*bound) <= key) is (place <= bound)
    assert (key <= turn_ceiling(*bound)) is (place >= bound)


def test_a_thread_expires_a_day_after_its_last_turn_and_after_thirty_days() -> None:
    day = 86_400_000
    assert expiry(1000, 1000, 24) == 1000 + day
    assert expiry(1000 + 29 * day + 1, 1000, 24) == 1000 + 30 * day
    assert item_ttl(1000) * 1000 > expiry(1000 + 30 * day, 1000, 24)


def test_expired_threads_are_spread_over_sixteen_shards_an_hour() -> None:
    assert hour(begin_of("2026-12-31T23") + 3_600_000) == "2027-01-01T00"
    assert {expiry_bucket(0, f"T#a#U#b#{n}") for n in range(500)} == {f"1970-01-01T00#{n:02d}" for n in range(16)}
