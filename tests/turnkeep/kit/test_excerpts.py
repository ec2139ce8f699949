"""Shortened texts keep to their bytes in any script."""

import json

from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.excerpts import cut, pieces


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


@given(st.text("ab. \n\u3002", max_size=300) | st.text(max_size=300), st.integers(1, 60))
def test_pieces_are_within_their_size_and_lose_blanks_only(text: str, most: int) -> None:
    found = list(pieces(text, most))
    assert all(0 < len(piece) <= most for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_pieces_end_between_sentences_if_possible() -> None:
    assert [*pieces("One sentence. " * 5, 30)] == ["One sentence. One sentence."] * 2 + ["One sentence."]
