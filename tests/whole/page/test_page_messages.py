"""Messages of the chat page: composed with an input method, typed on a phone, stopped, refused, and never lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from page_site import PHONE, STREAM, Visit, Visits, problem

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
FORBID_STORAGE = """Object.defineProperty(window, "sessionStorage", {get() {
    throw new DOMException("Access is denied for this document.", "SecurityError");
}});"""
COMPOSED = """(element, [key, isComposing]) => {
    if (!isComposing) element.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true}));
    const options = {key, isComposing, keyCode: 229, bubbles: true, cancelable: true};
    element.dispatchEvent(new KeyboardEvent("keydown", options));
}"""


def message(seen: Visit) -> Locator:
    return seen.page.get_by_label("Message", exact=True)


# Keys


@pytest.mark.parametrize("is_composing", [False, True], ids=["webkit", "chromium"])
def test_a_key_of_a_composition_does_nothing_else(visits: Visits, is_composing: bool) -> None:
    """WebKit ends the composition before the key that ended it; only its key code says so."""

    def guard(route: Route) -> None:
        is_known = route.request.headers.get("x-api-key") == "whole"
        route.continue_() if is_known else problem(route, 401, "unauthorized")

    seen = visits(viewport=PHONE)
    seen.page.route("**/agents", guard)
    seen.open()
    field = seen.page.get_by_label("API key").last
    field.fill("wh")
    field.evaluate(COMPOSED, ["Enter", is_composing])
    field.press_sequentially("ole")
    seen.page.keyboard.press("Enter")
    seen.choose("mirror")
    assert [each.headers.get("x-api-key") for each in seen.asked if each.url.endswith("/agents")] == [None, "whole"]

    seen.button("Threads").click()
    search = seen.page.get_by_label("Search threads")
    search.evaluate(COMPOSED, ["Escape", is_composing])
    expect(seen.button("New thread")).to_be_visible()
    search.press("Escape")
    expect(seen.button("New thread")).to_be_hidden()

    message(seen).fill("first")
    message(seen).evaluate(COMPOSED, ["Enter", is_composing])
    message(seen).press_sequentially(" second")
    seen.page.keyboard.press("Enter")
    seen.answered(1)
    assert seen.kept() == ["first second"]


def test_enter_breaks_a_line_on_a_touch_screen_and_control_and_enter_send(visits: Visits) -> None:
    seen = visits(**TOUCH).open()
    seen.choose("mirror")
    message(seen).fill("one")
    message(seen).press("Enter")
    message(seen).press_sequentially("two")
    expect(message(seen)).to_have_value("one\ntwo")
    expect(message(seen)).to_have_attribute("enterkeyhint", "enter")
    message(seen).press("Control+Enter")
    seen.answered(1)
    assert seen.kept() == ["one\ntwo"]


# Stopped, refused, failed


def test_a_stopped_message_is_put_before_the_next_one(seen: Visit) -> None:
    seen.say("slow")
    expect(seen.turns.locator(".reply")).to_contain_text("Sentence 1.")
    message(seen).fill("and then")
    seen.button("Stop").click()
    expect(message(seen)).to_have_value("slow\nand then")
    seen.page.reload()
    expect(message(seen)).to_have_value("slow\nand then")


@pytest.mark.parametrize(("status", "code"), [(400, "invalid_request"), (413, "too_large"), (422, "invalid_request")])
def test_a_refused_message_is_given_back_to_edit(seen: Visit, status: int, code: str) -> None:
    seen.page.route(STREAM, lambda route: problem(route, status, code), times=1)
    seen.say("refused")
    expect(seen.page.get_by_role("alert").get_by_text(f"Detail of {code}.")).to_be_visible()
    expect(message(seen)).to_have_value("refused")
    expect(seen.turns).to_have_count(0)
    seen.button("New thread").click()
    expect(message(seen)).to_have_value("refused")
    seen.page.reload()
    seen.choose("mirror")
    message(seen).press("End")
    message(seen).press_sequentially(", edited")
    message(seen).press("Enter")

    expect(seen.answered(1)).to_contain_text("You said: refused, edited")


@pytest.mark.parametrize(
    ("status", "code", "way"),
    [(429, "too_many_turns", "stay"), (502, "model_error", "leave"), (409, "thread_busy", "reload")],
)
def test_a_message_that_failed_can_be_sent_again(seen: Visit, status: int, code: str, way: str) -> None:
    seen.page.route(STREAM, lambda route: problem(route, status, code), times=1)
    seen.say("once more")
    expect(seen.turns).to_contain_text(f"Detail of {code}.")
    if way == "leave":
        seen.button("New thread").click()
        seen.page.go_back()
    if way == "reload":
        seen.page.reload()
    expect(seen.turns).to_contain_text(f"Detail of {code}.")
    seen.button("Try again").click()
    expect(seen.answered(1)).to_contain_text("You said: once more")

    assert len({each.headers["idempotency-key"] for each in seen.posts("/turns/stream")}) == 1


def test_a_message_that_failed_in_another_thread_is_offered_and_edited_there(seen: Visit) -> None:
    seen.say("first")
    seen.answered(1)
    held: list[Route] = []
    seen.page.route(STREAM, lambda route: held.append(route), times=1)  # noqa: PLW0108 - it marks what it is given
    seen.say("second")
    expect(seen.button("Stop")).to_be_visible()
    thread = seen.thread
    seen.button("New thread").click()
    with seen.page.expect_response(STREAM):
        problem(held[0], 413, "too_large")
    expect(message(seen)).to_have_value("")
    seen.page.locator(f'#threads a[href="#{thread}"]').click()
    expect(seen.turns.last).to_contain_text("Detail of too_large.")
    message(seen).fill("later")
    seen.button("Edit").click()
    expect(message(seen)).to_have_value("second\nlater")
    expect(seen.turns).to_have_count(1)
    message(seen).press("Enter")
    expect(seen.answered(2)).to_contain_text("You said: second")

    assert len({each.headers["idempotency-key"] for each in seen.posts("/turns/stream")}) == 3


def test_sending_a_failed_message_again_leaves_the_next_one_alone(seen: Visit) -> None:
    seen.say("fail")
    expect(seen.turns).to_contain_text("Try again")
    seen.page.evaluate("sessionStorage.clear()")
    seen.page.reload()
    message(seen).fill("typed meanwhile")
    seen.button("Send it again").click()
    expect(seen.turns).to_contain_text("Try again")

    expect(message(seen)).to_have_value("typed meanwhile")


def test_an_example_leaves_a_typed_message_alone(visits: Visits) -> None:
    seen = visits().open()
    seen.choose("products")
    message(seen).fill("typed")
    seen.page.locator(".example").first.click()
    seen.answered(1)

    expect(message(seen)).to_have_value("typed")


@pytest.mark.parametrize("options", [{}, TOUCH], ids=["desk", "phone"])
def test_the_page_works_without_storage(visits: Visits, options: dict[str, Any]) -> None:
    seen = visits(**options)
    seen.page.add_init_script(FORBID_STORAGE)
    seen.open()
    seen.choose("mirror")
    message(seen).fill("hello")
    seen.button("Send").click()

    expect(seen.answered(1)).to_contain_text("You said: hello")
    assert seen.complaints == []


def test_the_link_to_the_message_stays_in_the_thread(seen: Visit) -> None:
    seen.say("hello")
    seen.answered(1)
    thread = seen.thread
    seen.page.get_by_text("Skip to the message").focus()
    seen.page.keyboard.press("Enter")
    expect(message(seen)).to_be_focused()
    expect(seen.turns).to_have_count(1)
    assert seen.thread == thread
    assert not [each for each in seen.asked if re.search("/threads/message$", each.url)]


# Written elsewhere, or before a reload


@pytest.mark.parametrize("way", ["reload", "second tab"])
def test_a_running_answer_is_joined_without_losing_or_repeating_text(visits: Visits, seen: Visit, way: str) -> None:
    seen.say("slow")
    expect(seen.turns.locator(".reply")).to_contain_text("Sentence 3.")
    if way == "reload":
        seen.page.reload()
    other = seen if way == "reload" else visits().open(seen.thread)
    reply = other.turns.last.locator(".reply")
    expect(reply).to_contain_text("Sentence 5.")
    written = [line for line in reply.inner_text().split(". ") if line.startswith("Sentence")]
    assert [each.rstrip(".") for each in written] == [f"Sentence {n}" for n in range(1, len(written) + 1)]
    expect(other.answered(1)).to_contain_text("Sentence 12.")
    expect(seen.answered(1)).to_contain_text("Sentence 12.")

    assert seen.kept() == ["slow"]
    assert len({(each.headers["idempotency-key"], each.post_data) for each in seen.posts("/turns/stream")}) == 1
    seen.page.reload()
    expect(seen.turns).to_have_count(1)
