"""API keys are stored as digests, are refused once revoked or expired, and cannot be forged."""

import secrets
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from harness import ANN, HOURS, NOON, Harness
from memory_items import MemoryItems

from hand_clock import HandClock
from turnkeep.errors import Unauthorized
from turnkeep.records import Principal
from turnkeep.store.apikeys import ApiKeys, Forged, split_key
from turnkeep.store.attributes import Item
from turnkeep.store.items import Items, Refused
from turnkeep.store.keyring import Keyring
from turnkeep.store.keys import API_KEYS, hour


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def items() -> MemoryItems:
    return MemoryItems()


@pytest.fixture
def keys(items: MemoryItems, clock: HandClock) -> ApiKeys:
    return open_keys(items, clock)


def open_keys(items: Items, clock: HandClock, random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> ApiKeys:
    return ApiKeys(items, Keyring(b"of the deployment"), clock=clock, random_bytes=random_bytes)


def refusal(keys: ApiKeys, presented: str) -> str:
    with pytest.raises(Unauthorized) as caught:
        keys.find(presented)
    return caught.value.detail


def test_nothing_of_the_secret_is_stored(keys: ApiKeys, items: MemoryItems) -> None:
    _, key = keys.create(ANN)
    secret = split_key(key)[1]
    (item,) = items.stored.values()
    assert item["digest"] == sha256(secret.encode()).digest()
    for shown in (secret, secret[:16], bytes.fromhex(secret)):
        assert all(shown not in value for value in item.values() if isinstance(value, type(shown)))


@pytest.mark.parametrize(
    "change",
    [
        lambda key: "",
        lambda key: key[:-1],
        lambda key: key + "\n",
        lambda key: key.upper(),
        lambda key: key.replace("tk_", "sk_"),
        lambda key: f" {key}",
        lambda key: key[:-1] + "\u0665",
        lambda key: key * 1000,
    ],
)
def test_a_malformed_key_is_refused_without_a_read(
    keys: ApiKeys, items: MemoryItems, change: Callable[[str], str]
) -> None:
    _, key = keys.create(ANN)
    assert refusal(keys, change(key)) == "The key is malformed."
    assert items.calls["get_item"] == 0


def test_an_id_with_another_secret_is_rejected(keys: ApiKeys) -> None:
    _, key = keys.create(ANN)
    _, other = keys.create(ANN)
    (one, _), (two, secret) = split_key(key), split_key(other)
    assert refusal(keys, f"tk_{one}_{secret}") == "The key is unknown."
    assert refusal(keys, f"tk_{'f' * 16}_{secret}") == "The key is unknown."
    digest = sha256(secret.encode()).hexdigest()
    assert refusal(keys, f"tk_{two}_{digest}") == "The key is unknown."


def test_a_revoked_key_is_refused_immediately(keys: ApiKeys, clock: HandClock) -> None:
    record, key = keys.create(ANN)
    keys.find(key)
    clock.now += 5
    assert keys.revoke(record.key_id).revoked_at == NOON + 5
    assert refusal(keys, key) == "The key is revoked."
    assert refusal(keys, f"tk_{record.key_id}_{'0' * 64}") == "The key is unknown."
    clock.now += HOURS
    assert keys.revoke(record.key_id).revoked_at == NOON + 5


def test_a_key_is_refused_from_its_expiry_on(keys: ApiKeys, clock: HandClock) -> None:
    _, key = keys.create(ANN, expires_at=NOON + 60)
    clock.now = NOON + 59.999
    keys.find(key)
    clock.now = NOON + 60
    assert refusal(keys, key) == "The key is expired."


def test_keys_are_listed_by_age(keys: ApiKeys, clock: HandClock) -> None:
    made = []
    for tenant in ("b", "a", "b"):
        clock.now += 1
        made.append(keys.create(Principal(tenant, "u"))[0])
    made[0] = keys.revoke(made[0].key_id)
    assert keys.list() == (made, [])


def resigned(item: Item) -> Item:
    """Signed with the secret of another deployment."""
    theirs = ApiKeys(MemoryItems(), Keyring(b"theirs"), clock=HandClock(), random_bytes=bytes)
    return theirs._signed({name: value for name, value in item.items() if name != "sig"})


def forgeries(own: Item, other: Item) -> Iterator[Item]:
    """Each change of one attribute, and what can be copied from another key."""
    for name in own.keys() - {"PK", "SK"}:
        yield {each: value for each, value in own.items() if each != name}
        more: Any = {int: 1, bytes: b"!", str: "x"}[type(own[name])]
        yield {**own, name: own[name] + more}
        yield {**own, name: own[name].encode() if isinstance(own[name], str) else str(own[name])}
    yield {**own, "x": 1}
    yield {**own, "tenant": "acm", "user": "eann"}
    yield {**own, "digest": sha256(b"chosen").digest()}
    yield {**other, "SK": own["SK"]}
    yield {**other, "SK": own["SK"], "digest": own["digest"]}
    yield {**own, "sig": other["sig"]}
    yield {**own, "sig": own["sig"][:2]}
    yield resigned(own)
    yield {**own, "sig": own["sig"][:2] + resigned(own)["sig"][2:]}


@pytest.mark.parametrize("is_revoked", [False, True])
def test_a_forged_item_grants_no_access(keys: ApiKeys, items: MemoryItems, is_revoked: bool) -> None:
    (own, key), (other, _) = (keys.create(ANN, expires_at=NOON + 60) for _ in range(2))
    if is_revoked:
        keys.revoke(own.key_id)
    stored = items.stored
    for forged in forgeries(stored[API_KEYS, own.key_id], stored[API_KEYS, other.key_id]):
        items.put(forged)
        with pytest.raises(Forged):
            keys.find(key)
        with pytest.raises(Forged):
            keys.revoke(own.key_id)
        assert keys.list() == ([other], [own.key_id]), forged


def test_the_first_of_two_concurrent_revocations_counts(
    keys: ApiKeys, items: MemoryItems, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, key = keys.create(ANN)

    def revoke_first(*args: Any, **more: Any) -> None:
        monkeypatch.undo()
        clock.now += 1
        keys.revoke(record.key_id)
        items.put(*args, **more)

    monkeypatch.setattr(items, "put", revoke_first)
    assert keys.revoke(record.key_id).revoked_at == NOON + 1
    assert refusal(keys, key) == "The key is revoked."


def test_a_key_is_never_written_over_another(items: MemoryItems) -> None:
    keys = open_keys(items, HandClock(), bytes)
    _, key = keys.create(ANN)
    with pytest.raises(Refused):
        keys.create(Principal("acme", "bob"))
    assert keys.find(key).principal == ANN


def test_keys_are_in_no_index_and_survive_cleanup(harness: Harness) -> None:
    keys = open_keys(harness.items, harness.clock)
    record, key = keys.create(ANN, expires_at=harness.clock.now + 1)
    living, lasting = keys.create(ANN)
    harness.take_turn("x")
    assert [thread.thread_id for thread in harness.store.listing.search(ANN)] == ["x"]
    harness.cleanup.begin_at(hour(int(NOON * 1000)))
    harness.clock.now += 26 * HOURS
    swept = harness.cleanup.sweep()
    assert (swept.threads, swept.finished) == (1, True)
    assert [found.key_id for found in keys.list()[0]] == sorted([record.key_id, living.key_id])
    assert keys.find(lasting) == living
    assert {"u", "la", "xh", "ttl"} & harness.items.between(API_KEYS, "0", "g")[0].keys() == set()
    assert refusal(keys, key) == "The key is expired."
