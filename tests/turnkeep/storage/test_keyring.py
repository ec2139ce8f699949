"""A ring signs with its newest secret and knows what the older ones signed; it learns of a new one when it meets it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.ring import Secret, read_ring, secrets_of, with_new, write_ring
from turnkeep.storage.keyring import MAX_AGE_SECONDS, REREAD_SECONDS, Keyring
from turnkeep.storage.sealing import Sealer

DAY = date(2026, 11, 22)


class Source:
    """What a ring is read from; counts the reads."""

    def __init__(self, *secrets: bytes) -> None:
        self.secrets = secrets
        self.reads = 0
        self.now = 0.0

    def __call__(self) -> tuple[bytes, ...]:
        self.reads += 1
        return self.secrets

    def sealer(self) -> Sealer:
        return Sealer(*self.secrets, refresh=self, clock=lambda: self.now)


# As text


def test_a_ring_of_several_comes_back_as_it_was_written() -> None:
    ring = (Secret("new", DAY), Secret("o l d", date(2026, 1, 2)))
    assert read_ring(write_ring(ring, DAY)) == ring
    assert write_ring(ring, DAY) == "2026-11-22 new\n2026-01-02 o l d"
    assert secrets_of("\n 2026-11-22   new \r\n2026-01-02 old\n") == (b"new", b"old")


@pytest.mark.parametrize("text", ["bare", " of the test \n", "2026-11-22", "2026-11-22-not-a-day x"])
def test_one_line_without_a_day_is_a_ring_of_one(text: str) -> None:
    assert read_ring(text) == (Secret(text.strip()),)


def test_nothing_is_no_ring() -> None:
    assert read_ring(" \n") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-22 canary\ncanary", "line 2"),
        ("canary\n2026-11-22 canary", "line 1"),
        ("2026-11-22 canary\n\n2026-11-22 canary2", "line 2"),
        ("2026-02-30 canary", "line 1"),
        ("2026-11-22 canary\n2026-11-21 canary", "one secret"),
    ],
)
def test_what_is_no_ring_is_refused_by_its_line_and_not_quoted(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_ring(text)
    assert "canary" not in str(caught.value)


def test_a_new_secret_has_an_id_of_its_own() -> None:
    minted = iter(["same", "same", "other"])
    ring = with_new(with_new((), minted.__next__, DAY), minted.__next__, DAY)
    assert [secret.value for secret in ring] == ["other", "same"]


# In use


def test_what_an_older_secret_made_counts_and_the_newest_makes_what_is_new() -> None:
    old, ring, new = Sealer(b"old"), Sealer(b"new", b"old"), Sealer(b"new")
    assert ring.open(old.seal("x", "pk"), "pk") == "x"
    assert ring.decrypt(old.encrypt("x", "pk"), "pk") == "x"
    assert ring.is_signed(old.sign("x"), "x")
    assert ring.digests(6, "x") == (*new.digests(6, "x"), *old.digests(6, "x"))
    assert new.open(ring.seal("x", "pk"), "pk") == "x"
    assert new.is_signed(ring.sign("x"), "x")
    assert new.decrypt(ring.encrypt("x", "pk"), "pk") == "x"


@pytest.mark.parametrize("mark", [b"", b"x" * 16, b"x" * 17, None, "x" * 16, 7])
def test_what_is_no_signature_signs_nothing(mark: object) -> None:
    ring = Keyring(b"k")
    assert not ring.is_signed(mark, "x")
    assert not ring.is_signed(ring.sign("x")[:2] + b"x" * 14, "x")
    assert not ring.is_signed(ring.sign("x"), "x", "")
    assert not ring.is_signed(ring.sign("xy"), "x", "y")


def test_a_digest_is_no_signature() -> None:
    ring = Keyring(b"k")
    assert not ring.is_signed(ring.sign("x")[:2] + ring.digests(14, "x")[0], "x")


def test_a_ring_is_read_anew_when_something_names_a_secret_that_it_does_not_hold() -> None:
    source = Source(b"old")
    stale = source.sealer()
    source.secrets = (b"new", b"old")
    sealed = source.sealer().seal("x", "pk")
    assert stale.open(sealed, "pk") == "x"
    assert stale.seal("x", "pk")[:3] == sealed[:3]
    assert source.reads == 1


def test_it_is_read_anew_at_most_once_in_ten_seconds_whatever_it_finds() -> None:
    source, foreign = Source(b"ours"), Sealer(b"theirs")
    ring = source.sealer()
    for _ in range(100):
        with pytest.raises(StateCorrupt, match="under a key that this deployment does not hold"):
            ring.open(foreign.seal("x", "pk"), "pk")
        assert not ring.is_signed(foreign.sign("x"), "x")
    assert source.reads == 1
    source.now += REREAD_SECONDS
    source.secrets = (b"theirs", b"ours")
    assert ring.open(foreign.seal("x", "pk"), "pk") == "x"
    assert source.reads == 2


def test_where_it_cannot_be_read_nobody_is_told_that_something_is_corrupt() -> None:
    source, other = Source(b"old"), Sealer(b"new")
    ring = source.sealer()
    source.secrets = ()
    for refuse in (lambda: ring.open(other.seal("x", "pk"), "pk"), lambda: ring.is_signed(other.sign("x"), "x")):
        with pytest.raises(StoreUnavailable) as caught:
            refuse()
        assert caught.value.retry_after == REREAD_SECONDS
    assert ring.open(ring.seal("x", "pk"), "pk") == "x"
    assert source.reads == 1


def test_nobody_goes_on_sealing_for_long_with_a_secret_that_was_replaced() -> None:
    source = Source(b"old")
    ring = source.sealer()
    source.secrets = (b"new", b"old")
    ring.sign("x")
    source.now += MAX_AGE_SECONDS
    assert Keyring(b"new").is_signed(ring.sign("x"), "x")
    ring.sign("x")
    assert source.reads == 1


def test_threads_that_meet_a_new_secret_together_read_it_once() -> None:
    source = Source(b"old")
    ring = source.sealer()
    source.secrets = (b"new", b"old")
    sealed = Sealer(b"new").seal("x", "pk")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: ring.open(sealed, "pk"), range(64))) == ["x"] * 64
    assert source.reads == 1


def test_a_ring_of_none_signs_nothing_and_learns_of_its_first_secret() -> None:
    source = Source()
    ring = source.sealer()
    with pytest.raises(LookupError, match="no secret to sign with"):
        ring.sign("x")
    source.now += REREAD_SECONDS
    source.secrets = (b"k",)
    assert Keyring(b"k").is_signed(ring.sign("x"), "x")
