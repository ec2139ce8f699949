"""Messages sent while an answer is written: queued, shown, withdrawn, and answered in order."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Route, expect

from page_site import PHONE, STREAM, Visit, Visits, broken_rules, problem


class Gate:
    """A message whose answer is written until the test opens the gate."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.message = f"until {path}"

    def open(self) -> None:
        self._path.touch()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "gate")


@pytest.fixture
def busy(seen: Visit, gate: Gate) -> Visit:
    """A page whose first answer is being written."""
    seen.say(gate.message)
    expect(seen.turns.locator(".reply")).to_contain_text("Begun.")
    return seen


def message(seen: Visit) -> Locator:
    return seen.page.get_by_label("Message", exact=True)


def waiting(seen: Visit) -> Locator:
    return seen.page.get_by_role("list", name="Waiting messages").get_by_role("listitem")


def queue(seen: Visit, *texts: str) -> None:
    """Queue messages, and wait until the server has them."""
    for text in texts:
        seen.say(text)
        expect(waiting(seen).last).to_contain_text(f"{text}Waiting")


def withdraw(seen: Visit, text: str) -> None:
    seen.button(f"Withdraw {text}").click()


def test_queued_messages_are_answered_in_order(busy: Visit, gate: Gate) -> None:
    queue(busy, "first", "second")
    expect(waiting(busy)).to_have_count(2)
    expect(busy.page.get_by_role("status")).to_have_text("2 messages wait until the answer is complete.")
    expect(message(busy)).to_have_value("")
    gate.open()
    for number, text in ((2, "first"), (3, "second")):
        expect(busy.answered(number).locator(".reply")).to_contain_text(f"You said: {text}")
        expect(busy.page.locator(f"#turn-{number} .said")).to_contain_text(text)

    expect(waiting(busy)).to_have_count(0)
    expect(busy.page.get_by_role("status")).to_be_empty()
    expect(busy.turns).to_have_count(3)
    assert busy.kept() == [gate.message, "first", "second"]
    assert busy.complaints == []


@pytest.mark.parametrize("typed", ["", "typed since"])
def test_a_withdrawn_message_is_not_answered(busy: Visit, gate: Gate, typed: str) -> None:
    queue(busy, "one", "two", "three")
    message(busy).fill(typed)
    withdraw(busy, "two")
    expect(waiting(busy)).to_have_count(2)
    expect(message(busy)).to_have_value(typed or "two")
    expect(message(busy)).to_be_focused()
    expect(busy.page.locator("#spoken")).to_contain_text("The message is withdrawn.")
    gate.open()
    busy.answered(3)

    assert busy.kept() == [gate.message, "one", "three"]


def test_an_active_answer_of_a_queued_message_is_stopped(busy: Visit, gate: Gate, tmp_path: Path) -> None:
    second = Gate(tmp_path / "second")
    queue(busy, second.message, "last")
    gate.open()
    expect(busy.turns.nth(1).locator(".reply")).to_contain_text("Begun.")
    busy.button("Stop").click()
    expect(busy.answered(2)).to_contain_text("You said: last")

    expect(message(busy)).to_have_value(second.message)
    assert busy.kept() == [gate.message, "last"]


@pytest.mark.parametrize("way", ["reload", "second tab"])
def test_queued_messages_are_shown_again_and_can_be_withdrawn(
    visits: Visits, busy: Visit, gate: Gate, way: str
) -> None:
    queue(busy, "keep", "drop")
    if way == "reload":
        busy.page.reload()
    other = busy if way == "reload" else visits().open(busy.thread)
    expect(waiting(other)).to_have_count(2)
    expect(other.turns.locator(".reply")).to_contain_text("Begun.")
    withdraw(other, "drop")
    expect(message(other)).to_have_value("drop")
    gate.open()
    for each in (busy, other):
        expect(each.answered(2)).to_contain_text("You said: keep")
        expect(waiting(each)).to_have_count(0)
        expect(each.turns).to_have_count(2)

    assert busy.kept() == [gate.message, "keep"]


def test_a_reload_keeps_a_message_that_was_not_queued_yet(busy: Visit, gate: Gate) -> None:
    held: list[Route] = []
    busy.page.route(STREAM, lambda route: held.append(route), times=1)  # noqa: PLW0108 - it marks what it is given
    busy.say("late")
    expect(waiting(busy)).to_contain_text("lateSending")
    busy.page.reload()
    expect(waiting(busy)).to_contain_text("lateWaiting")
    gate.open()
    expect(busy.answered(2)).to_contain_text("You said: late")

    assert busy.kept() == [gate.message, "late"]


def test_a_message_that_has_begun_is_not_withdrawn(visits: Visits, busy: Visit, gate: Gate, tmp_path: Path) -> None:
    """In a page that has not noticed it."""
    second = Gate(tmp_path / "second")
    queue(busy, second.message)
    other = visits().open(busy.thread)
    expect(waiting(other)).to_have_count(1)
    other.page.route(f"**/threads/{busy.thread}", lambda route: route.abort())
    gate.open()
    expect(busy.turns.nth(1).locator(".reply")).to_contain_text("Begun.")
    other.answered(1)
    other.page.get_by_role("button", name="Withdraw until").click()
    expect(other.page.locator("#notice")).to_have_text("This message has already begun, or was withdrawn elsewhere.")
    expect(message(other)).to_have_value("")
    second.open()
    busy.answered(2)

    assert busy.kept() == [gate.message, second.message]


@pytest.mark.parametrize("lost", ["request", "answer"])
def test_a_connection_lost_while_queueing_doubles_nothing(busy: Visit, gate: Gate, lost: str) -> None:
    cut: list[Route] = []

    def cut_twice(route: Route) -> None:
        cut.append(route)
        if len(cut) > 2:
            route.continue_()
            return
        if lost == "answer":
            deliver(route)
        route.abort("connectionreset")

    busy.page.route(STREAM, cut_twice)
    busy.say("first")
    expect(waiting(busy)).to_contain_text("trying again")
    busy.say("second")
    expect(waiting(busy).last).to_contain_text("secondWaiting")
    gate.open()
    busy.answered(3)

    assert busy.kept() == [gate.message, "first", "second"]
    keys = [each.headers["idempotency-key"] for each in busy.posts("/turns/stream")]
    assert (len(keys), len(set(keys))) == (5, 3)


def deliver(route: Route) -> None:
    """Let the server accept the request, without the page."""
    request = route.request
    headers = {"Content-Type": "application/json", "Idempotency-Key": request.headers["idempotency-key"]}
    with httpx.stream("POST", request.url, content=request.post_data or "", headers=headers) as answer:
        assert "queued" in next(answer.iter_text())


@pytest.mark.parametrize("way", ["stay", "reload"])
def test_a_connection_lost_while_a_message_waits_loses_nothing(busy: Visit, gate: Gate, way: str) -> None:
    queue(busy, "next")
    busy.page.context.set_offline(True)
    gate.open()
    until(lambda: busy.kept() == [gate.message, "next"])
    busy.page.context.set_offline(False)
    if way == "reload":
        busy.page.reload()

    expect(busy.answered(2)).to_contain_text("You said: next")
    expect(waiting(busy)).to_have_count(0)


def until(is_true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < ends
        time.sleep(0.1)


@pytest.mark.parametrize(("status", "code"), [(429, "over_limit"), (409, "thread_busy")])
def test_a_message_that_cannot_be_queued_is_offered_again(busy: Visit, gate: Gate, status: int, code: str) -> None:
    busy.page.route(STREAM, lambda route: problem(route, status, code), times=1)
    busy.say("once more")
    expect(busy.turns.last).to_contain_text(f"Detail of {code}.")
    expect(waiting(busy)).to_have_count(0)
    busy.button("Try again").click()
    expect(waiting(busy)).to_contain_text("once moreWaiting")
    gate.open()
    expect(busy.answered(2)).to_contain_text("You said: once more")

    assert busy.kept() == [gate.message, "once more"]


def test_a_queued_message_that_fails_is_offered_and_the_next_one_runs(busy: Visit, gate: Gate) -> None:
    queue(busy, "fail", "next")
    gate.open()
    expect(busy.answered(2)).to_contain_text("You said: next")
    failed = busy.turns.filter(has_text="Try again")
    expect(failed).to_have_count(1)
    busy.page.reload()
    expect(failed.locator(".said")).to_contain_text("fail")
    busy.button("Edit").click()

    expect(message(busy)).to_have_value("fail")


def test_a_queued_message_answers_no_question(busy: Visit, gate: Gate) -> None:
    queue(busy, "ask", "next")
    gate.open()
    expect(busy.answered(2)).to_contain_text("Which one, red or blue?")
    status = busy.page.get_by_role("status")
    expect(status).to_have_text("1 message waits until you have answered the question.")
    busy.page.reload()
    expect(status).to_have_text("1 message waits until you have answered the question.")
    busy.say("red")
    expect(busy.answered(3)).to_contain_text("You chose red.")
    expect(busy.answered(4)).to_contain_text("You said: next")

    assert busy.kept() == [gate.message, "ask", "red", "next"]


def test_messages_are_queued_and_withdrawn_with_the_keyboard_alone(busy: Visit, gate: Gate) -> None:
    press = busy.page.keyboard.press
    for text in ("one", "two"):
        busy.page.keyboard.type(text)
        press("Enter")
        expect(waiting(busy).last).to_contain_text(f"{text}Waiting")
    expect(message(busy)).to_be_focused()
    for _ in range(9):
        press("Shift+Tab")
        if busy.button("Withdraw one").and_(busy.page.locator(":focus")).count():
            break
    press("Enter")
    expect(message(busy)).to_be_focused()
    expect(message(busy)).to_have_value("one")
    press("Escape")
    expect(busy.answered(1)).to_contain_text("You said: two")

    assert busy.kept() == ["two"]


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}], ids=["light", "dark phone"])
def test_no_rule_of_axe_is_broken_by_waiting_messages(visits: Visits, gate: Gate, options: dict[str, Any]) -> None:
    seen = visits(bypass_csp=True, **options).open()
    seen.choose("mirror")
    seen.say(gate.message)
    expect(seen.turns.locator(".reply")).to_contain_text("Begun.")
    queue(seen, "one", "a long message" * 40)
    message(seen).fill("typed")

    assert broken_rules(seen.page) == []
    wide = seen.page.locator("#composer").bounding_box()
    assert wide
    assert wide["x"] + wide["width"] <= (options.get("viewport") or {"width": 1280})["width"]
