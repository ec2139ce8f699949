"""Where a reader is: the place in a thread while answers come, and the threads that Back and Forward lead to."""

import httpx
import pytest
from playwright.sync_api import Locator, expect

from page_site import Visit, Visits

TURNS_OF_A_PAGE = 20
SETTLES = """() => {
    const main = document.querySelector("main");
    window.settled = new Promise((resolve) => main.addEventListener("scrollend", () => resolve(), { once: true }));
}"""
LOW = {"viewport": {"width": 1000, "height": 500}}


def top(seen: Visit) -> float:
    return float(seen.page.locator("main").evaluate("main => main.scrollTop"))


def shown(seen: Visit, text: str) -> None:
    expect(seen.page.locator(".said").last).to_contain_text(text)


def item(seen: Visit, title: str) -> Locator:
    return seen.page.locator("#threads a", has_text=title)


@pytest.fixture
def low(visits: Visits) -> Visit:
    """A low window with one long turn."""
    seen = visits(**LOW).open()
    seen.choose("mirror")
    seen.say("say " + "one line of many\n\n" * 40)
    seen.answered(1)
    return seen


# The place in a thread


@pytest.mark.parametrize("way", ["Home", "PageUp", "End", "script"])
def test_the_page_stays_where_the_reader_moved(low: Visit, way: str) -> None:
    low.say("tall")
    expect(low.turns.last.locator(".reply")).to_contain_text("Paragraph 3.")
    low.page.evaluate(SETTLES)
    if way == "script":  # as a scroll bar, find in page and screen readers do
        low.page.locator("main").evaluate("main => { main.scrollTop = 300; }")
    else:
        low.page.locator("main").focus()
        low.page.keyboard.press(way)
    low.page.evaluate("window.settled")
    moved = top(low)
    expect(low.answered(2)).to_contain_text("Paragraph 12.")

    assert top(low) == moved


def test_a_message_is_at_the_top_while_its_answer_grows_below(low: Visit) -> None:
    low.say("tall")
    expect(low.turns.last.locator(".reply")).to_contain_text("Paragraph 1.")
    said, main = low.turns.last.locator(".said"), low.page.locator("main")
    first, frame = said.bounding_box(), main.bounding_box()
    expect(low.answered(2)).to_contain_text("Paragraph 12.")

    assert first
    assert frame
    assert 0 <= first["y"] - frame["y"] < 40
    assert said.bounding_box() == first
    expect(low.page.locator("header")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("way", ["stays", "moves"])
def test_an_answer_from_elsewhere_leaves_the_reader_in_place(low: Visit, way: str) -> None:
    low.call("POST", f"/threads/{low.thread}/runs", json={"assistant_id": "mirror", "input": {"messages": "slow"}})
    low.page.reload()
    expect(low.turns.last.locator(".reply")).to_contain_text("Sentence 2.")
    if way == "moves":
        low.page.locator("main").evaluate("main => { main.scrollTop = 300; }")
    expect(low.answered(2)).to_contain_text("Sentence 12.")

    if way == "moves":
        assert top(low) == 300
    else:
        expect(low.turns.last).to_be_in_viewport()


def test_an_answer_in_another_thread_leaves_the_reader_in_place(low: Visit) -> None:
    thread = low.thread
    low.button("New thread").click()
    low.choose("mirror")
    low.say("slow")
    expect(low.turns.locator(".reply")).to_contain_text("Sentence 1.")
    item(low, "say one line").click()
    expect(low.answered(1)).to_contain_text("one line of many")
    assert low.thread == thread
    low.page.locator("main").evaluate("main => { main.scrollTop = 300; }")
    expect(item(low, "slow")).to_be_visible()  # listed when its answer is complete

    assert top(low) == 300


def test_earlier_turns_are_added_above_the_place(visits: Visits) -> None:
    seen = visits(**LOW)
    with httpx.Client(base_url=seen.url, timeout=120) as client:
        for number in range(TURNS_OF_A_PAGE + 5):
            body = {"session_id": "long", "message": f"hello {number}", "agent": "mirror"}
            client.post("/chat", json=body).raise_for_status()
    seen.open("long")
    seen.answered(TURNS_OF_A_PAGE)
    seen.page.locator("main").evaluate("main => { main.scrollTop = 0; }")
    first = seen.page.locator("#turn-6")
    before = first.bounding_box()
    seen.button("Earlier turns").click()
    expect(seen.turns).to_have_count(TURNS_OF_A_PAGE + 5)
    after = first.bounding_box()

    assert before
    assert after
    assert abs(before["y"] - after["y"]) < 60  # the button is gone


# Back and Forward


@pytest.fixture
def two(seen: Visit) -> Visit:
    """Two threads, opened in this order."""
    seen.say("apples")
    seen.answered(1)
    seen.button("New thread").click()
    seen.choose("mirror")
    seen.say("pears")
    seen.answered(1)
    return seen


def test_back_and_forward_lead_to_the_threads_that_were_open(two: Visit) -> None:
    item(two, "apples").click()
    shown(two, "apples")
    two.page.go_back()
    shown(two, "pears")
    two.page.go_back()
    shown(two, "apples")
    two.page.go_forward()
    shown(two, "pears")
    two.page.go_forward()
    shown(two, "apples")
    expect(item(two, "apples")).to_have_attribute("aria-current", "page")

    two.button("New thread").click()
    two.button("New thread").click()
    expect(two.page.locator("#greeting")).to_be_visible()
    two.page.go_back()
    shown(two, "apples")
    two.page.go_forward()
    expect(two.page.locator("#greeting")).to_be_visible()
    expect(two.turns).to_have_count(0)


def test_a_deleted_thread_is_not_returned_to(two: Visit) -> None:
    apples = str(item(two, "apples").get_attribute("href")).removeprefix("#")
    two.button("Delete pears").click()
    two.button("Delete").click()
    expect(two.page.locator("#greeting")).to_be_visible()
    two.page.go_back()
    shown(two, "apples")
    two.page.go_forward()
    expect(two.page.locator("#greeting")).to_be_visible()
    expect(two.page.locator("#notice")).to_be_empty()
    two.page.go_back()
    shown(two, "apples")
    two.page.go_forward()
    two.call("DELETE", f"/threads/{apples}")
    two.page.go_back()

    expect(two.page.locator("#notice")).to_contain_text("This thread does not exist, or has expired.")
    expect(two.page.locator("#title")).to_have_text("No thread")


def test_back_from_a_running_answer_and_forward_find_it_again(two: Visit) -> None:
    two.say("slow")
    expect(two.turns.last.locator(".reply")).to_contain_text("Sentence 1.")
    two.page.go_back()
    shown(two, "apples")
    two.page.go_forward()

    expect(two.answered(2)).to_contain_text("Sentence 12.")
    assert two.kept() == ["pears", "slow"]
