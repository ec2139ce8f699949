import pytest

from turnkeep.blocks.citations import ARXIV, check_citations

SOURCES = {"1706.03762", "doc-7", "hep-th/9901001"}


@pytest.mark.parametrize(
    ("text", "kept", "cited", "removed"),
    [
        ("So it is [1706.03762].", "So it is [1706.03762].", ["1706.03762"], []),
        ("So it is [arXiv:1706.03762v5].", "So it is [1706.03762].", ["1706.03762"], []),
        ("Both [1706.03762, doc-7].", "Both [1706.03762] [doc-7].", ["1706.03762", "doc-7"], []),
        ("Old [hep-th/9901001].", "Old [hep-th/9901001].", ["hep-th/9901001"], []),
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
