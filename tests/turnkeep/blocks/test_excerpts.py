"""Shortened texts keep to their bytes in any script, and hold what matters."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.excerpts import cut, joined


def size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def test_a_text_that_fits_is_one_line_and_a_longer_one_ends_between_words_if_it_can() -> None:
    assert cut("  two\n lines\t", 40) == "two lines"
    assert cut("bridges and towers of iron", 20) == "bridges and…"
    assert cut("x" * 50, 20) == "x" * 17 + "…"


@given(st.text(max_size=300), st.integers(10, 200))
def test_a_cut_text_keeps_to_its_bytes(text: str, most: int) -> None:
    assert size(cut(text, most)) <= most
    assert cut(text, most).isprintable()


@given(st.lists(st.text(max_size=300) | st.just(" … "), max_size=5), st.integers(60, 400))
def test_a_joined_text_keeps_to_its_bytes(texts: list[str], most: int) -> None:
    assert size(joined(texts, most)) <= most


def test_of_what_is_too_long_beginning_and_end_are_kept_each_time() -> None:
    told = "It began with Contoso."
    for n in range(50):
        told = joined([told, f"Then came campaign number {n}."], 200)
    assert told.startswith("It began with Contoso.")
    assert told.endswith("Then came campaign number 49.")
    assert told.count("…") == 1


@pytest.mark.parametrize("text", ["你好" * 200, "x" * 900])
def test_the_end_of_a_line_without_spaces_is_kept_too(text: str) -> None:
    assert joined(["start", text], 100).endswith(text[-5:])
