"""The chat page as people meet it: with a mouse, a keyboard alone, a phone; with connections that break and answers
that mean harm."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from page_site import PHONE, Visit, Visits, broken_rules, problem

AGENTS = ("campaigns", "database", "papers", "products", "regulations")
EXAMPLES = json.loads((Path(__file__).parents[3] / "src/turnkeep/http/page/static/examples.json").read_text())


# Each agent


@pytest.mark.parametrize(
    ("agent", "options"),
    [*((agent, {}) for agent in AGENTS), ("database", {"viewport": PHONE, "color_scheme": "dark"})],
    ids=[*AGENTS, "phone"],
)
def test_each_agent_answers_its_examples_and_shows_what_it_rests_on(
    visits: Visits, agent: str, options: dict[str, Any]
) -> None:
    seen = visits(**options).open()
    seen.choose(agent)
    seen.page.locator(".example").first.click()
    turn = seen.answered(1)

    for fold in turn.locator(".folds > details > summary").all():
        fold.click()
    expect(turn.locator(".said")).to_contain_text(EXAMPLES[agent][0])
    expect(turn.locator("dl")).to_contain_text(agent)
    expect(turn.locator("dl")).to_contain_text("0.00 USD")
    expect(turn.locator(".folds ol li").first).to_be_visible()
    assert turn.locator("a.cited, .sources li, table, .reply li").count() > 0
    for link in turn.locator("a").all():
        assert re.match("https?://", link.get_attribute("href") or "")
        assert link.get_attribute("rel") == "noopener noreferrer"
    wide = seen.page.locator("body").bounding_box()
    assert wide
    assert wide["width"] <= (options.get("viewport") or {"width": 1280})["width"]
    seen.button("Graph").click()
    expect(seen.page.get_by_role("dialog").locator("svg .node")).not_to_have_count(0)
    seen.page.keyboard.press("Escape")
    expect(seen.page.get_by_role("dialog")).to_have_count(0)
    assert seen.complaints == []


def test_rows_are_paged_and_plotted_also_after_a_reload(visits: Visits) -> None:
    seen = visits(permissions=["clipboard-read", "clipboard-write"]).open()
    seen.choose("database")
    seen.say(EXAMPLES["database"][1])
    paged = seen.answered(1)
    expect(paged.locator("table")).to_have_count(1)  # in the place of the reply's own
    expect(paged.locator(".pager span")).to_have_text("1\u201310 of 40")
    first = paged.locator("tbody tr").first.inner_text()
    seen.button("Next").click()
    expect(paged.locator(".pager span")).to_have_text("11\u201320 of 40")
    assert paged.locator("tbody tr").first.inner_text() != first
    paged.get_by_text("SQL", exact=True).click()
    seen.button("Copy SQL").click()
    expect(seen.button("Copied")).to_be_visible()

    seen.say(EXAMPLES["database"][0])
    plot = seen.answered(2).locator(".plot")
    told = re.compile(r"A bar chart of work orders: 10 values from \d+ \(.+\) to \d+ \(.+\), by customer\.")
    expect(plot).to_have_attribute("aria-label", told)
    expect(plot.locator("canvas")).to_have_count(1)
    seen.page.reload()
    expect(seen.page.locator("#turn-2 .plot canvas")).to_have_count(1)
    seen.page.locator("#turn-1 .said").scroll_into_view_if_needed()
    expect(seen.page.locator("#turn-1 .pager span")).to_have_text("1\u201310 of 40")
    assert seen.complaints == []


# One thread and its turns


def test_threads_are_found_by_their_titles_opened_and_deleted_after_a_question(visits: Visits) -> None:
    seen = visits().open()
    items = seen.page.locator("#threads a")
    for message in ("First apples", "Then pears"):
        seen.button("New thread").click()
        seen.choose("mirror")
        seen.say(message)
        seen.answered(1)
    expect(items).to_have_text([re.compile("Then pears"), re.compile("First apples")])
    seen.page.get_by_label("Search threads").fill("APPLE")
    expect(items).to_have_count(1)
    items.first.click()
    expect(seen.page.locator("#turn-1 .said")).to_contain_text("First apples")
    seen.button("Delete First apples").click()
    seen.button("Keep it").click()
    expect(items).to_have_count(1)
    seen.button("Delete First apples").click()
    seen.button("Delete").click()
    expect(items).to_have_count(0)
    expect(seen.page.locator("#greeting")).to_be_visible()
    seen.page.get_by_label("Search threads").fill("")
    expect(items).to_have_text([re.compile("Then pears")])


# What breaks


def test_a_key_is_asked_for_once_and_sent_with_every_request(visits: Visits) -> None:
    def guard(route: Route) -> None:
        is_asked = route.request.resource_type == "fetch" and "/page/" not in route.request.url
        is_known = route.request.headers.get("x-api-key") == "k-right"
        problem(route, 401, "unauthorized") if is_asked and not is_known else route.continue_()

    seen = visits()
    seen.page.route("**/*", guard)
    seen.open()
    for key, told in (("k-wrong", "This server asks who calls."), ("k-right", "The server did not accept that key.")):
        expect(seen.page.get_by_role("dialog")).to_contain_text(told)
        seen.page.get_by_label("API key").last.fill(key)
        seen.page.keyboard.press("Enter")
    seen.choose("mirror")
    seen.say("hello")
    expect(seen.answered(1)).to_contain_text("You said: hello")
    seen.page.reload()
    expect(seen.answered(1)).to_contain_text("You said: hello")
    expect(seen.page.get_by_role("dialog")).to_have_count(0)


def test_a_document_is_sent_read_listed_and_removed(visits: Visits) -> None:
    seen = visits().open()
    file = {"name": "<i>leave.md", "mimeType": "text/markdown", "buffer": b"# Leave\n\nEverybody has 26 days."}
    seen.page.locator("#file").set_input_files([file])
    listed = seen.page.locator("#documents li")
    expect(listed).to_contain_text("ready")
    seen.page.reload()
    expect(listed).to_contain_text("leave")
    listed.get_by_role("button").click()
    expect(listed).to_have_count(0)
    assert seen.complaints == []


# Harm, and who reads by other means


def test_a_poisoned_answer_runs_loads_and_links_nothing(seen: Visit, url: str) -> None:
    seen.say("poison")
    turn = seen.answered(1)
    for fold in turn.locator("summary").all():
        fold.click()
    seen.page.wait_for_timeout(500)

    assert turn.locator("img, script, svg, iframe, style, object, [onerror], [style*=url]").count() == 0
    assert [link.get_attribute("href") for link in turn.locator("a").all()] == [
        *("https://example.org/good", "https://example.org/a_b", "https://example.org/c", "https://example.org/good"),
    ]
    expect(turn.locator(".reply")).to_contain_text('<img src=x onerror="alert(1)">')
    expect(turn.locator(".reply")).to_contain_text("snake_case_word at $5 or $6.")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", turn.inner_text())
    assert {each.url.split("/")[2] for each in seen.asked} == {url.split("/")[2], ""} - {""}
    assert seen.complaints == []


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}], ids=["desk", "phone"])
def test_the_page_works_with_the_keyboard_alone(visits: Visits, options: dict[str, Any]) -> None:
    seen = visits(**options).open()
    page, press = seen.page, seen.page.keyboard.press
    message = page.get_by_label("Message", exact=True)
    expect(message).to_be_focused()

    def go_to(target: Locator, key: str = "Tab") -> None:
        expect(target).to_be_visible()
        for _ in range(60):
            press(key)
            if target.and_(page.locator(":focus")).count():
                return
        raise AssertionError(f"{target} is not reached")

    go_to(page.locator("input[name=agent]:checked"), "Shift+Tab")
    go_to(page.locator("input[value=mirror]"), "ArrowDown")
    go_to(message)
    page.keyboard.type("one")
    press("Shift+Enter")
    page.keyboard.type("two")
    press("Enter")
    expect(seen.answered(1).locator(".said p")).to_have_text(re.compile("one\ntwo"), use_inner_text=True)
    why = page.get_by_text("Why this answer")
    go_to(why, "Shift+Tab")
    press("Enter")
    expect(page.locator("dl")).to_be_visible()
    go_to(seen.button("Graph"), "Shift+Tab")
    press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    press("Escape")
    expect(seen.button("Graph")).to_be_focused()
    if options:
        go_to(seen.button("Threads"), "Shift+Tab")
        press("Enter")
        expect(seen.button("New thread")).to_be_focused()
    go_to(page.get_by_role("button", name="Delete one"), "Tab" if options else "Shift+Tab")
    press("Enter")
    go_to(seen.button("Delete"))
    press("Enter")
    expect(page.locator("#threads a")).to_have_count(0)
    expect(page.locator("#greeting")).to_be_visible()
    expect(message).to_be_focused()


def test_a_screen_reader_gets_each_whole_sentence_once(seen: Visit) -> None:
    seen.say("slow")
    seen.answered(1)

    spoken = seen.page.locator("#spoken[aria-live=polite] > span").all_inner_texts()
    assert len(spoken) > 3
    assert all(part.strip().endswith(".") for part in spoken)
    seen.page.reload()
    expect(seen.answered(1)).to_contain_text("Sentence 12.")
    expect(seen.page.locator("#spoken")).to_be_empty()  # what was read before is not read out again
    assert "".join(spoken).split() == "".join(f"Sentence {number}. " for number in range(1, 13)).split()


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}, {"color_scheme": "dark"}], ids=["light", "phone", "dark"])
def test_no_rule_of_axe_is_broken(visits: Visits, options: dict[str, Any]) -> None:
    seen = visits(bypass_csp=True, **options).open()  # for axe alone, which is put into the page

    def check() -> None:
        assert broken_rules(seen.page) == []

    seen.choose("database")
    expect(seen.page.locator(".example").first).to_be_visible()
    check()
    for number in (1, 2):
        seen.say(EXAMPLES["database"][number - 1])
        for fold in seen.answered(number).locator("summary").all():
            fold.click()
    expect(seen.page.locator(".plot canvas")).to_have_count(1)
    check()
    seen.button("Graph").click()
    expect(seen.page.get_by_role("dialog").locator("svg").first).to_be_visible()
    check()
    seen.page.keyboard.press("Escape")
    if "viewport" in options:
        seen.button("Threads").click()
        check()
    seen.page.get_by_role("button", name="Delete", exact=False).first.click()
    check()
