"""A key ring signs with its newest secret, verifies with all, and learns new secrets."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.signing import new_key, secrets_of
from turnkeep.store.codec import Codec
from turnkeep.store.keyring import REREAD_SECONDS, Keyring


class Source:
    """What a ring is read from; counts the reads."""

    def __init__(self, *secrets: bytes) -> None:
        self.secrets = secrets
        self.reads = 0
        self.now = 0.0

    def __call__(self) -> tuple[bytes, ...]:
        self.reads += 1
        return self.secrets

    def codec(self) -> Codec:
        return Codec(*self.secrets, refresh=self, clock=lambda: self.now)


# As text


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("\n 2026-01-02   new \r\n2026-11-22 o l d\n", (b"new", b"o l d")),
        (" of the test \n", (b"of the test",)),
        ("2026-11-22", (b"2026-11-22",)),
        ("2026-11-22-not-a-day x", (b"2026-11-22-not-a-day x",)),
        (" \n", ()),
    ],
)
def test_the_first_line_is_the_first_secret_whatever_its_day(text: str, secrets: tuple[bytes, ...]) -> None:
    assert secrets_of(text) == secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-22 canary\ncanary", "line 2"),
        ("canary\n2026-11-22 canary", "line 1"),
        ("2026-11-22 canary\n\n2026-11-22 canary2", "line 2"),
        ("2026-11-22 canary\n2026-11-21 canary", "one secret"),
    ],
)
def test_invalid_key_text_is_rejected_by_line_and_not_quoted(text: str, shown: str) -> None:
    with pytest.raises(ValueError, match=shown) as caught:
        secrets_of(text)
    assert "canary" not in str(caught.value)


def test_a_new_key_is_one_long_secret_with_its_day() -> None:
    (secret,), (other,) = secrets_of(new_key()), secrets_of(new_key())
    assert len(secret) == len(other) == 64
    assert secret != other


# In use


def test_older_secrets_verify_and_the_newest_signs() -> None:
    old, ring, new = Codec(b"old"), Codec(b"new", b"old"), Codec(b"new")
    assert ring.unpack(old.pack("x", "pk"), "pk") == "x"
    assert ring.decrypt(old.encrypt("x", "pk"), "pk") == "x"
    assert ring.is_signed(old.sign("x"), "x")
    assert ring.digests(6, "x") == (*new.digests(6, "x"), *old.digests(6, "x"))
    assert new.unpack(ring.pack("x", "pk"), "pk") == "x"
    assert new.is_signed(ring.sign("x"), "x")
    assert new.decrypt(ring.encrypt("x", "pk"), "pk") == "x"


@pytest.mark.parametrize("mark", [b"", b"x" * 16, b"x" * 17, None, "x" * 16, 7])
def test_an_invalid_signature_verifies_nothing(mark: object) -> None:
    ring = Keyring(b"k")
    assert not ring.is_signed(mark, "x")
    assert not ring.is_signed(ring.sign("x")[:2] + b"x" * 14, "x")
    assert not ring.is_signed(ring.sign("x"), "x", "")
    assert not ring.is_signed(ring.sign("xy"), "x", "y")
    assert not ring.is_signed(ring.sign("x")[:2] + ring.digests(14, "x")[0], "x")  # a digest is no signature


def test_a_key_ring_is_read_again_at_most_every_ten_seconds() -> None:
    source, foreign = Source(b"ours"), Codec(b"theirs")
    ring = source.codec()
    for _ in range(100):
        with pytest.raises(StateCorrupt, match="does not have the key that signed it"):
            ring.unpack(foreign.pack("x", "pk"), "pk")
        assert not ring.is_signed(foreign.sign("x"), "x")
    assert source.reads == 1
    source.now += REREAD_SECONDS
    source.secrets = (b"theirs", b"ours")
    assert ring.unpack(foreign.pack("x", "pk"), "pk") == "x"
    assert source.reads == 2


def test_an_unreadable_key_ring_raises_store_unavailable() -> None:
    source, other = Source(b"old"), Codec(b"new")
    ring = source.codec()
    source.secrets = ()
    for refuse in (lambda: ring.unpack(other.pack("x", "pk"), "pk"), lambda: ring.is_signed(other.sign("x"), "x")):
        with pytest.raises(StoreUnavailable) as caught:
            refuse()
        assert caught.value.retry_after == REREAD_SECONDS
    assert ring.unpack(ring.pack("x", "pk"), "pk") == "x"
    assert source.reads == 1


def test_concurrent_threads_read_a_new_secret_once() -> None:
    source = Source(b"old")
    ring = source.codec()
    source.secrets = (b"new", b"old")
    sealed = Codec(b"new").pack("x", "pk")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: ring.unpack(sealed, "pk"), range(64))) == ["x"] * 64
    assert source.reads == 1


def test_an_empty_key_ring_signs_after_its_first_secret_arrives() -> None:
    source = Source()
    ring = source.codec()
    with pytest.raises(LookupError, match="no secret to sign with"):
        ring.sign("x")
    source.now += REREAD_SECONDS
    source.secrets = (b"k",)
    assert Keyring(b"k").is_signed(ring.sign("x"), "x")
