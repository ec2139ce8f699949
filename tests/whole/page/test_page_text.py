"""Replies as the page renders them: CommonMark's own examples, the same while they stream, right-to-left text."""

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from browser import MODULES, node
from page_site import Visit, visit

READ_EXAMPLES = f"""
const {{ tests }} = require({json.dumps(str(MODULES / "commonmark-spec"))});
console.log(JSON.stringify(tests).replaceAll("\u2192", "\\\\t"));
"""
AS_TEXT = ("HTML blocks", "Raw HTML")
"""Sections of what the page displays as text."""

TAGS = {
    *("p", "h3", "h4", "h5", "blockquote", "hr", "pre", "code", "ul", "ol", "li", "em", "strong", "s", "a", "br"),
    *("div", "table", "thead", "tbody", "tr", "th", "td", "input"),
}
SETUP = """
const of = document.querySelector("script[type=module]").src.replace("app.js", "markdown.js");
const { writer } = await import(of);
const rendered = (text) => { const root = document.createElement("div"); writer(root).end(text); return root; };
"""
# Both trees in one form: headings and images as the page has them, white space as a browser shows it.
SHAPES = """
const HEADINGS = { H1: "H3", H2: "H3", H3: "H4", H4: "H4", H5: "H5", H6: "H5" };
const BLOCKS = "P,H1,H2,H3,H4,H5,H6,UL,OL,LI,BLOCKQUOTE,PRE,HR,DIV,BR".split(",");
const decoded = (address) => { try { return decodeURI(address); } catch { return address; } };
function asText(words, address) {
    const text = words.textContent;
    return [...words.childNodes, ["", text, "mailto:" + text].includes(address) ? "" : ` (${address})`];
}
function reduce(root, isExpected) {
    for (const image of root.querySelectorAll("img")) image.replaceWith(`${image.alt} (${image.getAttribute("src")})`);
    for (const link of root.querySelectorAll("a")) {
        const address = link.getAttribute("href");
        if (!/^https?:/i.test(address)) link.replaceWith(...asText(link, decoded(address)));
    }
    root.normalize();
    return shape(root, isExpected, false);
}
function shape(node, isExpected, isCode) {
    const children = [];
    for (const child of node.childNodes) {
        const text = decoded(child.data || "");
        if (child.nodeType === 3) children.push(isCode ? text : text.replace(/[ \\t\\n]+/g, " "));
        else if (child.nodeType === 1) children.push(shape(child, isExpected, isCode || child.tagName === "PRE"));
        else children.push("<!>");
    }
    const isEdge = (child) => !child || (Array.isArray(child) && BLOCKS.includes(child[0]));
    const trimmed = children.map((child, at) => {
        if (typeof child !== "string" || isCode) return child;
        if (isEdge(children[at - 1])) child = child.replace(/^ /, "");
        return isEdge(children[at + 1]) ? child.replace(/ $/, "") : child;
    }).filter((child) => child !== "");
    if (isCode && typeof trimmed.at(-1) === "string") trimmed.push(trimmed.pop().replace(/\\n$/, ""));
    const tag = isExpected ? HEADINGS[node.tagName] || node.tagName : node.tagName;
    const facts = tag === "A" ? [decoded(node.href), node.title] : tag === "OL" ? [node.start] : [];
    return [tag, facts, trimmed.filter((child) => child !== "")];
}
"""


@pytest.fixture(scope="module")
def examples() -> list[dict[str, Any]]:
    ran = subprocess.run([node(), "-e", READ_EXAMPLES], capture_output=True, text=True, check=True)
    return list(json.loads(ran.stdout))


type Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run(browser: Browser, url: str) -> Iterator[Run]:
    """Run a script beside the page's own modules, with its policy turned off for the expected HTML alone."""
    with visit(browser, url, bypass_csp=True) as seen:
        seen.open()
        yield lambda script, given: seen.page.evaluate(f"async (given) => {{ {SETUP} {SHAPES} {script} }}", given)


def reply(seen: Visit, text: str) -> Locator:
    seen.say(f"say {text}")
    return seen.answered(1).locator(".reply")


# CommonMark

DIFFERENT = {
    **dict.fromkeys((21, 31, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536, 642, 643), "tags are text"),
    **dict.fromkeys((602, 608, 611), "addresses without brackets are links"),
    25: "rare names of characters are text",
}
"""Examples that the page renders otherwise, by their number in the specification."""


def test_the_page_renders_the_examples_of_commonmark(run: Run, examples: list[dict[str, Any]]) -> None:
    supported = [each for each in examples if each["section"] not in AS_TEXT]
    pairs = run(
        """return given.map(({ markdown, html }) => {
            const expected = new DOMParser().parseFromString(`<div>${html}</div>`, "text/html").body.firstChild;
            const plain = expected.cloneNode(true);
            return [reduce(rendered(markdown), false), reduce(plain, true)].map((each) => JSON.stringify(each));
        });""",
        supported,
    )
    different = {each["number"] for each, (ours, theirs) in zip(supported, pairs, strict=True) if ours != theirs}

    assert different == DIFFERENT.keys()


def test_no_example_makes_other_elements_or_links(run: Run, examples: list[dict[str, Any]]) -> None:
    script = """const found = given.flatMap(({ markdown }) => [...rendered(markdown).querySelectorAll("*")]);
        const links = found.filter((each) => each.hasAttribute("href")).map((each) => new URL(each.href).protocol);
        return { tags: found.map((each) => each.localName), links };"""
    found = run(script, examples)

    assert set(found["tags"]) <= TAGS
    assert set(found["links"]) <= {"http:", "https:"}


def test_each_part_of_a_reply_looks_as_if_it_were_all(run: Run, examples: list[dict[str, Any]]) -> None:
    """One writer that draws after each letter; a single dash after a line waits, or the line would be a heading."""
    script = """return given.filter(({ markdown }) => {
        const root = document.createElement("div");
        const writing = writer(root);
        let text = "";
        return ![...markdown].every((letter) => {
            writing.write(letter);
            text += letter;
            writing.draw?.();
            return /(^|\\n)[ >]*-$/.test(text) || root.innerHTML === rendered(text).innerHTML;
        });
    }).map(({ number }) => number);"""

    assert run(script, examples) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[wiki](https://en.wikipedia.org/wiki/Foo_(bar))",
            '<a href="https://en.wikipedia.org/wiki/Foo_(bar)">wiki</a>',
        ),
        ("<https://e.com/a?b=1>", '<a href="https://e.com/a?b=1">https://e.com/a?b=1</a>'),
        ("See https://e.com/a_b.", 'See <a href="https://e.com/a_b">https://e.com/a_b</a>.'),
        ("[m](mailto:a@b.c)", "m (mailto:a@b.c)"),
        ("<a@b.c> or a@b.c", "a@b.c or a@b.c"),
        ("[docs](docs/page.md)", "docs (docs/page.md)"),
        ("![plot](https://e.com/p.png)", "plot (https://e.com/p.png)"),
        (r"\[x^2\] and \(a_1 + b_2\)", r"<code>\[x^2\]</code> and <code>\(a_1 + b_2\)</code>"),
        (r"\[not a link\](/foo)", "[not a link](/foo)"),
        ("`&lt;b&gt;` &lt;b&gt; &copy; &hellip; &#x41;", "<code>&amp;lt;b&amp;gt;</code> &lt;b&gt; © … A"),
        ("snake_case_name, $5 or $6 and 2*3*4", "snake_case_name, $5 or $6 and 2<em>3</em>4"),
        ("[CC-2110] ~~old~~", "[CC-2110] <s>old</s>"),
        ("a\r\nb\x1b[0m \u202ec&#x202e;d\u2066e\u2069", "a\nb\ufffd[0m \ufffdc\ufffdde"),
    ],
)
def test_a_sentence_is_rendered(run: Run, text: str, expected: str) -> None:
    script = """const root = rendered(given).firstChild;
        for (const link of root.querySelectorAll("a")) { link.removeAttribute("target"); link.removeAttribute("rel"); }
        return root.innerHTML;"""

    assert run(script, text) == expected


@pytest.mark.parametrize(
    "mark", ["> ", "- ", "1. ", "*a **b ", "[", "[a](", "~~a ", "![", "`a ", "<a ", r"\(", "_a", "|"]
)
def test_a_hostile_reply_is_rendered(run: Run, mark: str) -> None:
    """Nothing nests so deep that the browser fails, and no text is lost."""
    text = mark * 4000 + "end"

    assert run("return rendered(given).textContent;", text).endswith("end")


def test_a_table_and_tasks_are_rendered(run: Run) -> None:
    script = """const root = rendered(given);
        return [[...root.querySelectorAll("th, td")].map((cell) => [cell.textContent, cell.className]),
                [...root.querySelectorAll("input")].map((box) => [box.checked, box.disabled])];"""
    text = "| Name | Sum |\n| --- | --- |\n| a\\|b | 1,200 |\n\n- [x] done\n- [ ] open\n"

    cells, boxes = run(script, text)
    assert cells == [["Name", ""], ["Sum", "number"], ["a|b", ""], ["1,200", "number"]]
    assert boxes == [[True, True], [False, True]]


# What streams and what stays


def test_selected_text_stays_selected_while_an_answer_streams_and_ends(seen: Visit) -> None:
    """Blocks that do not change keep their elements."""
    seen.say("tall")
    expect(seen.turns.locator(".reply")).to_contain_text("Paragraph 2.")
    seen.turns.locator(".reply p").first.evaluate("each => getSelection().selectAllChildren(each)")
    expect(seen.answered(1).locator(".reply")).to_contain_text("Paragraph 12.")

    assert seen.page.evaluate("getSelection().toString()").strip() == "Paragraph 1."


# Right-to-left text

ARABIC = "\u0645\u0631\u062d\u0628\u0627 \u0628\u0643."


def direction(found: Locator) -> str:
    return str(found.evaluate("each => getComputedStyle(each).direction"))


def test_right_to_left_text_is_set_from_the_right(seen: Visit) -> None:
    field = seen.page.get_by_label("Message", exact=True)
    field.fill(ARABIC)
    assert direction(field) == "rtl"
    table = f"| {ARABIC} | 1 |\n| --- | --- |\n| {ARABIC} | 2 |"
    text = f"{ARABIC}\n\n# {ARABIC}\n\n- {ARABIC}\n- {ARABIC}\n\n  {ARABIC}\n\n> {ARABIC}\n\n{table}\n\nEnglish."
    shown = reply(seen, text)

    for block in (
        "p >> nth=0",
        "h3",
        "li >> nth=0",
        "li >> nth=1",
        "li p >> nth=2",
        "blockquote p",
        "th >> nth=0",
        "td >> nth=0",
        "table",
    ):
        assert direction(shown.locator(block)) == "rtl", block
    assert direction(shown.locator("p").last) == "ltr"
    assert direction(seen.page.locator("#threads .name").first) == "ltr"  # it begins with "say"


def test_a_message_and_its_title_are_set_from_the_right(seen: Visit) -> None:
    seen.say(ARABIC)
    shown = seen.answered(1)

    assert direction(shown.locator(".said p")) == "rtl"
    assert direction(seen.page.locator("#threads .name").first) == "rtl"
    assert direction(seen.page.locator("#title")) == "rtl"
    assert direction(shown.locator(".reply p")) == "ltr"  # "You said: ..."
