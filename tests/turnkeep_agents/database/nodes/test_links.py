"""A model's prose as a page would show it: whatever it is made of, it links nowhere and fetches nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from turnkeep_agents.database.nodes.links import REMOVED, unlinked

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
LIVE = {"link_open", "image", "html_inline", "html_block"}
ADDRESS = re.compile(r"(?:https?|ftp)://[\w.]+|(?<!\w)(?:www\.[\w.]+|mailto:\w+)", re.IGNORECASE)
"""By what pages find an address that is no link."""
PIECES = [
    "[", "]", "(", ")", "!", "https://e.io/a", "//e.io", "<", "a href=", ">", "img src=", ":", "\n", " ", "x", "\\",
    "www.", "e.io", "mailto:", "`", "<!--", "&#58;", "\n\n", "[x]", "[x]: ", "](", "|", "\t", "<?", "HtTp", "://",
]  # fmt: skip


def is_inert(markdown: str) -> bool:
    kinds = {each.type for token in RENDERER.parse(markdown) for each in (token, *(token.children or ()))}
    return not kinds & LIVE and not ADDRESS.search(markdown)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_text_links_anywhere(text: str) -> None:
    assert is_inert(unlinked(text, []))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [the report](https://e.io/r?d=Falcon).", "See the report."),
        ("![all ![of](a) it](//e.io/x)", "all of it"),
        ("Everything: https://e.io/Falcon.", f"Everything: {REMOVED}"),
        ("[a [b] c](//e.io/x)", f"[a [b] c] ({REMOVED}"),
        ("[it][1]\n\n[1]: //e.io/x", f"[it][1]\n\n[1] : {REMOVED}"),
        ('<img src="//e.io/x">', f'&lt;img src="{REMOVED}>'),
    ],
)
def test_of_a_link_its_words_stay(text: str, shown: str) -> None:
    assert unlinked(text, []) == shown


@pytest.mark.parametrize(
    "text",
    [
        "There are 12 crews; 3 < 4, and 5 > 4.",
        "Open it [closing-work-orders#close], then choose Close (top right).",
        "- Falcon: 4\n- Heron: 5\n\n| Crew | n |\n| --- | ---: |\n| Heron | 5 |",
        "Write to ann@northlight.example; the ratio is 3:1, and/or 9:30.",
        "",
    ],
)
def test_a_text_without_links_stays_as_it_is(text: str) -> None:
    assert unlinked(text, []) == text


def test_an_address_that_was_given_stays_as_a_text_and_a_longer_one_does_not() -> None:
    known = ["My page is https://mine.example/a."]
    assert unlinked("It is HTTPS://mine.example/a, or so.", known) == "It is HTTPS://mine.example/a, or so."
    assert unlinked("![x](https://mine.example/a)", known) == "x"
    assert unlinked("https://mine.example/a?d=Falcon", known) == REMOVED
