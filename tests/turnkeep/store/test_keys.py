"""Keys separate principals and sort the items of a turn next to each other."""

import pytest
from hypothesis import given, settings
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
    object_key,
    partition,
    turn_ceiling,
    turn_floor,
    turn_key,
    user_key,
)

NAMES = st.text(st.sampled_from("ab#%/|TU23_-.é\u0130\x00\U0001f600"), min_size=0, max_size=6) | st.text(max_size=8)
IDS = st.text(st.sampled_from("abTU_-09"), min_size=1, max_size=8)
WHERE = st.tuples(NAMES, NAMES, IDS)
OWNER = b"\xff\x00\xff\x00\xff\x00\xff\x00\xff"


@settings(max_examples=60, deadline=None, database=None)
@given(st.sets(WHERE, min_size=40, max_size=60))
def test_two_threads_never_share_a_partition(places: set[tuple[str, str, str]]) -> None:
    """At least 40 * 39 / 2 pairs in each of 60 examples: 46,800."""
    partitions = {partition(Principal(tenant, user), thread) for tenant, user, thread in places}
    assert len(partitions) == len(places)
    users = {user_key(Principal(tenant, user)) for tenant, user, _ in places}
    assert len(users) == len({place[:2] for place in places})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b#U#c", "x"), ("a#U#b", "c", "x")),
        (("a", "b%23c", "x"), ("a", "b#c", "x")),
        (("a#", "b", "x"), ("a", "#b", "x")),
        (("", "a", "x"), ("a", "", "x")),
        (("é", "u", "x"), ("e\u0301", "u", "x")),
    ],
)
def test_names_made_to_collide_do_not(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert partition(Principal(*one[:2]), one[2]) != partition(Principal(*other[:2]), other[2])


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
    assert not is_storable(Principal("t", "\U0001f600" * 100))


@pytest.mark.parametrize("who", [("", "u"), ("t", ""), ("\ud800", "u"), ("t", "\udfff")])
def test_a_principal_without_a_valid_name_is_not_storable(who: tuple[str, str]) -> None:
    assert not is_storable(Principal(*who))


def test_the_right_to_act_for_others_does_not_make_another_principal() -> None:
    plain, acting = Principal("t", "u"), Principal("t", "u", acts_for="any")
    assert plain == acting
    assert len({plain, acting}) == 1
    assert user_key(plain) == user_key(acting)


def test_a_window_is_one_range_with_head_in_the_middle() -> None:
    newest, newer = checkpoint_key("1f1e5ffc-df39-6d1f"), checkpoint_key("1f1e5ffc-df3a-6d1f")
    turns = [turn_key(0, number, 500 - number, OWNER) for number in (12, 11, 10, 9, 1)]
    assert [newest, newer, HEAD, *turns] == sorted([newest, newer, HEAD, *turns])
    assert turns[-1] < turn_ceiling(0, 0) < EVERY_TURN


def test_a_window_holds_every_writer_of_its_turns_and_none_of_the_turn_before() -> None:
    low, high = turn_floor(3, 12), turn_ceiling(3, 10)
    for number, within in ((13, False), (12, True), (11, True), (10, True), (9, False)):
        for seq in (0, 7, 99_999_999):
            assert (low <= turn_key(3, number, seq, OWNER) <= high) is within


@given(st.integers(0, 99_999_999), st.integers(0, 99_000_000), st.integers(0, 99_999_999))
def test_a_turn_key_contains_its_generation_and_number(generation: int, number: int, seq: int) -> None:
    key = turn_key(generation, number, seq, OWNER)
    assert (generation_of(key), number_of(key)) == (generation, number)


def test_newer_generations_sort_before_older_ones() -> None:
    assert turn_key(5, 1, 9, OWNER) < turn_key(4, 900, 8, OWNER) < turn_key(0, 1, 1, OWNER)


def test_items_read_by_exact_key_are_outside_every_window() -> None:
    aside = [details_key(turn_key(0, 1, 1, OWNER)), message_key(b"\xff" * 6)]
    assert all(key < checkpoint_key("") for key in aside)


def test_an_object_name_depends_on_both_keys() -> None:
    names = {object_key(pk, sk) for pk in ("a", "b") for sk in ("x", "y")}
    assert len(names) == 4
    assert all(name.startswith("blobs/") and len(name) == 135 for name in names)


def test_a_thread_expires_a_day_after_its_last_turn_and_after_thirty_days() -> None:
    day = 86_400_000
    assert expiry(1000, 1000, 24) == 1000 + day
    assert expiry(1000 + 29 * day + 1, 1000, 24) == 1000 + 30 * day
    assert item_ttl(1000) * 1000 > expiry(1000 + 30 * day, 1000, 24)


def test_the_buckets_of_an_hour_are_sharded() -> None:
    assert hour(begin_of("2026-12-31T23") + 3_600_000) == "2027-01-01T00"
    assert hour(0) == "1970-01-01T00"
    assert {expiry_bucket(0, f"T#a#U#b#{n}") for n in range(500)} == {f"1970-01-01T00#{n:02d}" for n in range(16)}
