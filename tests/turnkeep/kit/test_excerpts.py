"""Shortened texts keep to their bytes in any script, and hold what matters."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.excerpts import cut, joined


def size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def test_a_long_text_is_cut_between_words() -> None:
    assert cut("  two\n lines\t", 40) == "two lines"
    assert cut("bridges and towers of iron", 20) == "bridges and…"
    assert cut("x" * 50, 20) == "x" * 17 + "…"


@given(st.text(max_size=300), st.integers(10, 200))
def test_a_cut_text_is_within_its_bytes(text: str, most: int) -> None:
    assert size(cut(text, most)) <= most
    assert cut(text, most).isprintable()


@given(st.lists(st.text(max_size=300) | st.just(" … "), max_size=5), st.integers(60, 400))
def test_a_joined_text_is_within_its_bytes(texts: list[str], most: int) -> None:
    assert size(joined(texts, most)) <= most


def test_a_joined_text_keeps_beginning_and_end() -> None:
    text = "It began with Contoso."
    for n in range(50):
        text = joined([text, f"Then came campaign number {n}."], 200)
    assert text.startswith("It began with Contoso.")
    assert text.endswith("Then came campaign number 49.")
    assert text.count("…") == 1


@pytest.mark.parametrize("text", ["你好" * 200, "x" * 900])
def test_the_end_of_text_without_spaces_is_kept(text: str) -> None:
    assert joined(["start", text], 100).endswith(text[-5:])
