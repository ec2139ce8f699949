"""Links of a reply, compared with those that Markdown parsers with linkify find in it."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from link_forms import BROKEN, FORMS, LEFT, MADE_UP, SECRET, clickable
from turnkeep.kit.links import Links
from turnkeep.models.outgoing import redacting
from turnkeep.turns.redaction import Redactor

ITEM = "https://shop.example/a_b/Item-17?x=1&y=2"
WIKI = "https://en.wikipedia.org/wiki/A_(b)"
MATERIAL = [f"See {LEFT} and | {ITEM} |, ({WIKI}), www.foo.com/x; write to info@shop.example."]

PIECES = [*"[]()<>\"'`_\\|x/:@.\u200b\u3002\u00e9", *("](", "]:", "![", "**", "//", "?d=", "%20", "\n", " ", " ", ". ")]
PIECES += ["S3CRET", "S3CRET", "&#32;", "&lpar;", "&amp;", "evil.example", "evil.com", "www.", "https://", "HTTPS://"]
PIECES += [LEFT, ITEM, WIKI, "www.foo.com/x", "info@shop.example"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


@settings(max_examples=1500, deadline=None)
@given(TEXTS)
@example(f"[x]({LEFT}(S3CRET))")
@example(f"[x](\n{LEFT} S3CRET)")
def test_every_clickable_link_is_in_the_material(text: str) -> None:
    if not Links(MATERIAL).problems(text):
        assert [link for link in clickable(text) if "S3CRET" in link or "evil.com" in link] == []


@pytest.mark.parametrize("address", MADE_UP)
def test_an_invented_address_is_rejected_in_any_form(address: str) -> None:
    for form in FORMS:
        assert Links(MATERIAL).problems(form.format(address, address)), form


@pytest.mark.parametrize("text", [*BROKEN, "a.xxx", "a.evil.info", "a.\u0440\u0444", "evil.pro/a"])
def test_all_that_a_parser_links_counts(text: str) -> None:
    assert Links(MATERIAL).problems(text)


@pytest.mark.parametrize(
    "address", [ITEM, ITEM.replace("&", "&amp;"), ITEM.replace("https://shop", "HTTP://Shop"), WIKI]
)
def test_an_address_of_the_material_is_allowed_in_any_form(address: str) -> None:
    assert [form for form in FORMS if Links(MATERIAL).problems(form.format(address, address))] == []


@pytest.mark.parametrize(
    "cut", [ITEM[:-1], ITEM.rpartition("?")[0], ITEM.upper(), f"{ITEM}1", ITEM.replace("/a", "//a")]
)
def test_a_part_of_an_address_is_rejected(cut: str) -> None:
    assert Links(MATERIAL).problems(f"See {cut} there.")


@pytest.mark.parametrize(
    "text",
    [
        "It is 3.5, i.e. so, e.g. this; Node.js, main.py, a.b(c)[0] and f(x)[1] y; 7//2; S.p.A., art. 18, and/or.",
        "orders.id and user.name; http: and mailto: are schemes; x<y and a <b; D.Lgs. 81/2008; `np.linalg.it`.",
        "- [1]: Vaswani et al. (2017)\n\n[^2]: a paper, see [1706.03762] and [a] (b).",
        "// a comment, C:\\Users\\x, 12:30, a:b, std::vector, name@host, #tag, 1.2.3.4, v1.2/x, foo/bar.txt",
    ],
)
def test_prose_contains_no_link(text: str) -> None:
    assert Links([]).problems(text) == []


def test_a_placeholder_is_checked_as_its_original() -> None:
    redactor = Redactor.of_run(b"key")
    page, made_up = "https://example.com/u/mario", f"https://evil.example/?d={SECRET}"
    known, foreign = redactor.redact(page), redactor.redact(made_up)
    with redacting(redactor.redact, redactor.made):
        for form in FORMS:
            assert not Links([known]).problems(form.format(known, known)), "the user's own"
            assert not Links([page]).problems(form.format(known, known)), "a document's, whose text is not redacted"
            assert Links([known, page]).problems(form.format(foreign, foreign)), "the model's own"
        assert Links([known]).problems("Ask [EMAIL_00000000]."), "it stands for nothing"
    assert not Links([]).problems("Ask [EMAIL_00000000]."), "a text as any other where nothing is redacted"


@pytest.mark.parametrize(
    "unit", ["a", "a.", "a@", "http://", ")", "](", "<a:", "a.com/", "&#", "[x](", "https://a.b)("]
)
def test_time_grows_linearly_with_the_text(unit: str) -> None:
    def spent(size: int) -> float:
        start = time.process_time()
        Links(MATERIAL).problems((unit * size)[:size])
        return time.process_time() - start

    spent(100)
    assert spent(40_000) < 4 * min(spent(20_000), spent(20_000)) + 0.2
