"""useStream of @langchain/langgraph-sdk/react in Chromium, on a page of another origin."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from pages import idle, send
from playwright.sync_api import Browser, Page, expect

PAGE, STREAMS = "chat_page.mjs", 1


@pytest.fixture
def chat(application: str, browser: Browser, api: dict[str, str]) -> Iterator[Page]:
    """Open the page without a thread; fail on any error in it."""
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{application}?{urlencode(api)}")
    yield page
    page.close()
    assert wrong == []


def expect_messages(page: Page, *messages: str) -> None:
    expect(page.locator("li span")).to_have_text(list(messages), timeout=20_000)


def test_message_and_answer_survive_a_reload(chat: Page) -> None:
    send(chat, "hello there")
    expect_messages(chat, "hello there", "you said hello there")
    expect(chat.locator("#heard")).to_have_text("hello")
    idle(chat)
    send(chat, "yes")
    expect_messages(chat, "hello there", "you said hello there", "yes", "you said yes")
    idle(chat)
    chat.reload()
    expect_messages(chat, "hello there", "you said hello there", "yes", "you said yes")


def test_a_question_is_displayed_and_answered(chat: Page) -> None:
    send(chat, "send it")
    expect(chat.locator("#approve")).to_have_text("send_parcel")
    idle(chat)
    chat.reload()
    chat.locator("#approve").click()
    expect_messages(chat, "send it", "decided: approve")
    idle(chat)
    expect(chat.locator("#approve")).to_have_count(0)


def test_an_edited_message_is_a_branch(chat: Page) -> None:
    send(chat, "one")
    expect_messages(chat, "one", "you said one")
    idle(chat)
    send(chat, "two")
    expect_messages(chat, "one", "you said one", "two", "you said two")
    idle(chat)
    chat.locator("li.human .again").nth(1).click()
    expect_messages(chat, "one", "you said one", "two anew", "you said two anew")
    idle(chat)
    chat.locator(".branch").first.click()
    expect_messages(chat, "one", "you said one", "two", "you said two")
    chat.locator("li.human .again").first.click()
    expect_messages(chat, "one anew", "you said one anew")


def test_a_reload_during_an_answer_shows_it_once(chat: Page) -> None:
    send(chat, "hello")
    expect_messages(chat, "hello", "you said hello")
    idle(chat)
    send(chat, "wait 3")
    expect(chat.locator("#heard")).to_have_text("wait")
    chat.reload()
    expect_messages(chat, "hello", "you said hello", "wait 3", "waited")
    idle(chat)
    chat.reload()
    expect_messages(chat, "hello", "you said hello", "wait 3", "waited")


def test_a_stopped_answer_leaves_the_thread_free(chat: Page) -> None:
    send(chat, "wait 30")
    expect(chat.locator("#heard")).to_have_text("wait")
    with chat.expect_response("**/cancel*") as cancelled:
        chat.locator("#stop").click()
    assert cancelled.value.ok
    idle(chat)
    chat.reload()
    send(chat, "hello")
    expect(chat.locator("li span").last).to_have_text("you said hello", timeout=20_000)


def test_a_failure_is_reported_without_internals(chat: Page) -> None:
    send(chat, "fail")
    expect(chat.locator("#error")).to_contain_text("correlation_id", timeout=20_000)
