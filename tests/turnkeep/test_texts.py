"""What a page of Markdown makes of a text, by a parser that trusts every link and every tag."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from turnkeep.texts import disarmed, is_web_address, printable, printable_in

PAGE = MarkdownIt("commonmark", {"html": True})
PAGE.validateLink = lambda url: True  # type: ignore[method-assign]

ACTIVE = ["![", "[", "]", "(", ")", "](", "]:", "<", ">", "</", "<!--", "-->", "!", "\\", "`", "\n", "\n> ", " ", "\t"]
ACTIVE += ["x", "[x]", "img src=x onerror=y", "a href='z'", "javascript:a", "data:text/html,b", "&#106;avascript:c"]
ACTIVE += ["http://e.example", "https://e.example/i.png", "//e.example", "\0", "\x1b]8;;", "\x07", "\u202e", "\ud800"]
TEXTS = st.lists(st.sampled_from(ACTIVE), max_size=12).map("".join)


def all_tokens(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from all_tokens(token.children or ())


@given(TEXTS)
@example("![x](https://e.example/i.png)")
@example("[x]:\n> javascript:a\n\n[x]")
@example("[x\\\\](javascript:a)")
@example("[![x](data:b)](javascript:a)")
@example("[x]: <javascript:a>\n[x]")
@example("<a href='z'>x</a>")
def test_nothing_of_a_disarmed_text_loads_by_itself_or_runs(text: str) -> None:
    said = disarmed(text)
    for token in all_tokens(PAGE.parse(said)):
        assert token.type not in ("image", "html_inline", "html_block")
        assert is_web_address(str(token.attrs.get("href", "http://e.example")))
    assert disarmed(said) == said
    assert "".join(said.split()) == "".join(printable(text).split()), "no more than blanks are added"


@pytest.mark.parametrize(
    "text",
    [
        "As [2106.09685] says, [the paper](https://arxiv.org/abs/2106.09685) is short: a < b > c!\n\n| a |\n|---|",
        "Wow! [1] is new.\n\t- see <https://e.example>\n[1]: a paper",
        "مرحبا (x) \u0645\u06cc\u200c\u062e 👩\u200d🚀 \N{COMBINING ACUTE ACCENT}",
    ],
)
def test_prose_is_left_as_it_is(text: str) -> None:
    assert disarmed(text) == printable(text) == text


def test_a_blank_stands_for_what_would_steer_a_terminal_and_nothing_for_what_would_turn_its_letters() -> None:
    assert printable("a\r\nb\tc\x1b[31m\x9b2J\x7f\u202ed\0e\ud83d\ude00\ud800") == "a\nb\tc [31m 2J d e\U0001f600\ufffd"
    assert printable("pass\u200bword\u2060 \ufeffa\u200db \u200ec\u200f \U000e0041") == "password ab c "
    assert printable_in({"a\x1b": ["\0b", {"c": "\u2066d"}, 7, None]}) == {"a ": [" b", {"c": "d"}, 7, None]}


@pytest.mark.parametrize(
    "text", ["javascript:a", "data:b", "//e.example", "ftp://e.example", "http://a b", "https://", ""]
)
def test_an_address_is_one_of_the_web(text: str) -> None:
    assert not is_web_address(text)
    assert is_web_address("HTTPS://e.example/a?b=c#d")
