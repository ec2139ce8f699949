"""Shortened texts keep to their bytes in any script; answers cite only their sources."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.citations import ARXIV, check_citations
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


# Citations

SOURCES = {"1706.03762", "doc-7", "hep-th/9901001"}


@pytest.mark.parametrize(
    ("text", "kept", "cited", "removed"),
    [
        ("So it is [1706.03762].", "So it is [1706.03762].", ["1706.03762"], []),
        ("Both [1706.03762, doc-7].", "Both [1706.03762] [doc-7].", ["1706.03762", "doc-7"], []),
        ("No [2301.12345].", "No.", [], ["2301.12345"]),
        ("Half [1706.03762; 2301.12345].", "Half [1706.03762].", ["1706.03762"], ["2301.12345"]),
        ("A [MASK] token, see [1] and [the paper].", "A [MASK] token, see [1] and [the paper].", [], []),
        ("A [2301.12345](https://example.org) link.", "A [2301.12345](https://example.org) link.", [], []),
        ("[doc-7], [1706.03762], [doc-7].", "[doc-7], [1706.03762], [doc-7].", ["doc-7", "1706.03762"], []),
    ],
)
def test_an_answer_cites_only_its_sources(text: str, kept: str, cited: list[str], removed: list[str]) -> None:
    found = check_citations(text, SOURCES, ARXIV)
    assert (found.text, list(found.cited), list(found.removed)) == (kept, cited, removed)


SPELLINGS = ["{}", "{}v2", "arXiv:{}", "arxiv: {}v1", "{} [hep-ph]", "arXiv:{}v1 [hep-ph]"]


@pytest.mark.parametrize("held", SPELLINGS[:3])
@pytest.mark.parametrize("cited", SPELLINGS)
@pytest.mark.parametrize(
    "pair", [("0704.0009", "0704.0009"), ("math/0309136", "math.GT/0309136"), ("cs.AI/0102001", "cs/0102001")]
)
def test_every_spelling_of_an_id_is_recognised(held: str, cited: str, pair: tuple[str, str]) -> None:
    for one, other in (pair, pair[::-1]):
        source = held.format(one)
        found = check_citations(f"So [{cited.format(other)}].", {source}, ARXIV)
        assert (found.text, found.cited, found.removed) == (f"So [{source}].", (source,), ())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("See [1706.03762, p. 3].", "See [1706.03762] (p. 3)."),
        ("See \u30101706.03762\u3011.", "See [1706.03762]."),
        ("See [1706.03762 and hep-th/9901001].", "See [1706.03762] [hep-th/9901001]."),
    ],
)
def test_brackets_may_contain_a_place_or_a_conjunction(text: str, kept: str) -> None:
    assert check_citations(text, SOURCES, ARXIV).text == kept
