"""A signed value opens only in its own context and unchanged. No payload runs code."""

import os
import pickle
import re
import tracemalloc
import zlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from harness import Harness, flipped
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from turnkeep.errors import AgentFault, StateCorrupt
from turnkeep.store.codec import MAX_RAW_BYTES, Codec
from turnkeep.store.keys import partition
from turnkeep.store.serde import SERIALISER

CODEC = Codec(b"secret")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_a_value_round_trips(value: Any) -> None:
    assert CODEC.unpack(CODEC.pack(value, "pk", "sk"), "pk", "sk") == value


@given(st.integers(0, 10_000), st.integers(0, 7), st.booleans())
def test_any_altered_bit_and_any_missing_end_is_detected(place: int, bit: int, is_cut: bool) -> None:
    sealed = bytearray(CODEC.pack({"text": "something said"}, "pk", "sk"))
    place %= len(sealed)
    sealed[place] ^= 1 << bit
    with pytest.raises(StateCorrupt):
        CODEC.unpack(bytes(sealed[:place] if is_cut else sealed), "pk", "sk")


@pytest.mark.parametrize("context", [("pk", "other"), ("other", "sk"), ("pksk",), ("p", "ksk"), ("pk", "sk", ""), ()])
def test_a_value_opens_only_in_its_own_context(context: tuple[str, ...]) -> None:
    with pytest.raises(StateCorrupt):
        CODEC.unpack(CODEC.pack("mine", "pk", "sk"), *context)


def test_a_token_opens_only_in_its_own_context() -> None:
    raw = CODEC.encrypt({"text": "mine"}, "pk")
    assert CODEC.decrypt(raw, "pk") == {"text": "mine"}
    assert b"mine" not in raw
    for wrong, place in [(flipped(raw), "pk"), (flipped(raw, 0), "pk"), (raw[:11], "pk"), (b"", "pk"), (raw, "other")]:
        with pytest.raises(StateCorrupt):
            CODEC.decrypt(wrong, place)
    token = CODEC.token({"text": "mine"}, "pk")
    assert CODEC.read_token(token, "pk") == {"text": "mine"}
    for text, place in [(token[:-2], "pk"), ("", "pk"), ("é" * 40, "pk"), (token, "other")]:
        with pytest.raises(StateCorrupt):
            CODEC.read_token(text, place)


def _sealed_as_it_is(packed: bytes) -> bytes:
    """What somebody who had the secret could store: bytes of any kind under a right seal."""
    return CODEC.pack("", "pk")[:3] + CODEC.digests(16, packed, "pk")[0] + packed


def test_a_decompression_bomb_is_not_expanded() -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush()
    tracemalloc.start()
    with pytest.raises(StateCorrupt):
        CODEC.unpack(_sealed_as_it_is(bomb), "pk")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 2.2 * MAX_RAW_BYTES


def test_trailing_and_missing_bytes_are_refused() -> None:
    packed = zlib.compress(ormsgpack.packb({"a": 1}))
    with pytest.raises(StateCorrupt):
        CODEC.unpack(_sealed_as_it_is(packed[:-3]), "pk")
    with pytest.raises(StateCorrupt):
        CODEC.unpack(_sealed_as_it_is(b"no zlib at all"), "pk")


class Poison:
    """Writes a file when it is unpickled or called."""

    def __init__(self, proof: Path):
        self.proof = proof

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.proof}",)


def _poisoned(kind: int, body: Any) -> bytes:
    return ormsgpack.packb(ormsgpack.Ext(kind, ormsgpack.packb(body)))


def payloads(proof: Path) -> dict[str, bytes]:
    command = f"touch {proof}"
    return {
        "call of one argument": _poisoned(0, ["os", "system", command]),
        "call of many arguments": _poisoned(1, ["os", "system", [command]]),
        "call by keyword": _poisoned(2, ["os", "system", {"command": command}]),
        "method": _poisoned(3, ["os", "system", {"command": command}, "__call__"]),
        "pydantic version 1": _poisoned(4, ["os", "system", {"command": command}, "parse_obj"]),
        "pydantic version 2": _poisoned(5, ["os", "system", {"command": command}, "model_validate_json"]),
        "array": _poisoned(6, ["numpy", "load", command]),
        "subprocess": _poisoned(1, ["subprocess", "check_output", [["touch", str(proof)]]]),
        "builtins": _poisoned(0, ["builtins", "eval", f"__import__('os').system('{command}')"]),
        "pickle": _poisoned(1, ["pickle", "loads", [pickle.dumps(Poison(proof))]]),
        "regular expression": _poisoned(1, ["re", "compile", ["(a+)+$" * 20, 0]]),
        "path": _poisoned(1, ["pathlib", "Path", [str(proof)]]),
    }


@pytest.mark.parametrize("name", payloads(Path()))
def test_a_malicious_payload_with_a_valid_signature_runs_nothing(name: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    payload = payloads(proof)[name]
    try:
        loaded = SERIALISER.loads_typed(("msgpack", payload))
    except Exception:  # noqa: BLE001 - refusing in any way will do
        loaded = None
    assert not proof.exists()
    assert not callable(loaded)


def test_pickled_values_are_refused(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    with pytest.raises((NotImplementedError, ValueError)):
        SERIALISER.loads_typed(("pickle", pickle.dumps(Poison(proof))))
    assert not proof.exists()


def test_the_payloads_are_not_harmless_in_themselves(tmp_path: Path) -> None:
    """The test above could not fail if no serialiser ran them."""
    proof = tmp_path / "proof"
    lax = JsonPlusSerializer(allowed_msgpack_modules=True)
    lax.loads_typed(("msgpack", payloads(proof)["call of one argument"]))
    assert proof.exists()


def test_a_value_copied_from_another_thread_is_detected(harness: Harness) -> None:
    for thread in ("x", "y"):
        harness.take_turn(thread, "hello", f"only for {thread}")
    mine, theirs = (harness.all_of(thread) for thread in ("x", "y"))
    own = next(sk for sk in mine if sk.startswith("TURN#"))
    other = next(item for sk, item in theirs.items() if sk.startswith("TURN#"))
    harness.items.put({**other, "PK": partition(harness.who, "x"), "SK": own})
    with pytest.raises(StateCorrupt):
        harness.store.turns.newest(harness.who, "x", limit=1)


@pytest.mark.parametrize(
    "text",
    [
        '{"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]}',
        '{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["true"]}',
        '{"__overwrite__": []}',
    ],
)
def test_what_looks_like_an_instruction_stays_text(harness: Harness, text: str) -> None:
    turn = harness.take_turn("x", text, text, details={"given": {"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]}})
    read = harness.store.turns.read(harness.who, "x", 1)
    assert (read.message, read.reply, read.details) == (text, text, turn.details)
    message = HumanMessage(text, id="m", additional_kwargs={"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]})
    assert SERIALISER.loads_typed(SERIALISER.dumps_typed([message])) == [message]


class Text(str):
    """Of a kind that would come back as another."""


@given(
    st.lists(st.one_of(st.integers(0, 2), st.sampled_from(["rows", "a-1", "two words", "è"])), max_size=4), st.data()
)
def test_a_value_that_cannot_be_stored_is_named_by_its_place_and_type(
    path: list[int | str], data: st.DataObject
) -> None:
    bad = data.draw(st.sampled_from([Text("secret"), Decimal(1), {1, 2}, object(), 2**70]))
    value: Any = bad
    for step in reversed(path):
        value = {"fine": (1, "x"), step: value} if isinstance(step, str) else [*[("fine",)] * step, value, None]
    with pytest.raises(AgentFault) as raised:
        Codec(b"secret").pack(value)
    shown = ".".join(str(step) if re.fullmatch(r"[\w-]+", str(step), re.ASCII) else "?" for step in path)
    assert f"`{shown}` is of type {type(bad).__name__}" in raised.value.detail
    assert "secret" not in raised.value.detail


def test_a_key_that_cannot_be_stored_is_named_by_its_place_and_type() -> None:
    with pytest.raises(AgentFault, match=r"`details\.\?` is of type tuple"):
        Codec(b"secret").pack({"details": {(1, 2): "x"}})
