"""useStream in Chromium, on a page of another origin: that of @langchain/langgraph-sdk/react, and that of
@langchain/react, which speaks version 2 of the protocol only."""

import itertools
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from pages import idle, send
from playwright.sync_api import Browser, BrowserContext, Page, expect

STATES = """
window.states = [];
new MutationObserver(() => states.push([...document.querySelectorAll("li span")].map((each) => each.textContent)))
  .observe(document, { childList: true, subtree: true, characterData: true });
"""
SLOWLY = "slowly one two three four five"
HEARD = f"you said {SLOWLY}"
LONG = f"slowly one{' word' * 40}"  # takes 6 s

with_sdk_react = pytest.mark.parametrize("application", ["chat_page.mjs"], indirect=True)
with_react = pytest.mark.parametrize("application", ["react_page.mjs"], indirect=True)


@pytest.fixture
def tabs(browser: Browser) -> Iterator[BrowserContext]:
    """Fail on any error in a page."""
    context = browser.new_context()
    context.add_init_script(STATES)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    yield context
    context.close()
    assert wrong == []


@pytest.fixture
def chat(application: str, tabs: BrowserContext, api: dict[str, str]) -> Page:
    """Open the page without a thread."""
    page = tabs.new_page()
    page.goto(f"{application}?{urlencode(api)}")
    return page


def expect_messages(page: Page, *messages: str) -> None:
    expect(page.locator("li span")).to_have_text(list(messages), timeout=20_000)


def ask(page: Page, text: str, *messages: str) -> None:
    send(page, text)
    expect_messages(page, *messages)
    idle(page)


def being_written(page: Page, answer: str) -> None:
    """Wait until the last message is the beginning of an answer."""
    page.wait_for_function(
        "start => document.querySelector('li:last-child')?.textContent.startsWith(start)", arg=answer
    )


def expect_growth(page: Page) -> None:
    """Fail if a message that was displayed was later shortened, displaced or repeated."""
    states = page.evaluate("states")
    for earlier, later in itertools.pairwise(states):
        assert len(earlier) <= len(later), (earlier, later)
        assert all(new.startswith(old) for old, new in zip(earlier, later, strict=False)), (earlier, later)


def test_an_answer_is_streamed_and_survives_a_reload(chat: Page) -> None:
    ask(chat, SLOWLY, SLOWLY, HEARD)
    assert len({state[1] for state in chat.evaluate("states") if len(state) > 1}) > 4
    ask(chat, "yes", SLOWLY, HEARD, "yes", "you said yes")
    expect_growth(chat)
    chat.reload()
    expect_messages(chat, SLOWLY, HEARD, "yes", "you said yes")
    ask(chat, "more", SLOWLY, HEARD, "yes", "you said yes", "more", "you said more")
    expect_growth(chat)


def test_a_question_is_displayed_and_answered(chat: Page) -> None:
    send(chat, "send it")
    expect(chat.locator("#approve")).to_have_text("send_parcel", timeout=20_000)
    idle(chat)
    chat.reload()
    chat.locator("#approve").click()
    expect_messages(chat, "send it", "decided: approve")
    idle(chat)
    expect(chat.locator("#approve")).to_have_count(0)
    send(chat, "send another")
    chat.locator("#approve").click()
    expect_messages(chat, "send it", "decided: approve", "send another", "decided: approve")
    idle(chat)


def test_a_reload_during_an_answer_shows_all_of_it_once(chat: Page) -> None:
    ask(chat, "hello", "hello", "you said hello")
    send(chat, LONG)
    being_written(chat, "you said slowly one")
    chat.reload()
    expect_messages(chat, "hello", "you said hello", LONG, f"you said {LONG}")
    idle(chat)
    states = {state[3] for state in chat.evaluate("states") if len(state) > 3}
    assert len(states) > 1 or chat.locator("#heard").count()  # an older client shows what it joins only whole
    expect_growth(chat)


def test_a_stopped_answer_leaves_the_thread_free(chat: Page) -> None:
    send(chat, LONG)
    being_written(chat, "you said slowly one")
    with chat.expect_response("**/cancel*") as cancelled:
        chat.locator("#stop").click()
    assert cancelled.value.ok
    idle(chat)
    send(chat, "hello")
    expect(chat.get_by_text("you said hello", exact=True)).to_be_visible(timeout=20_000)
    idle(chat)
    chat.reload()  # what was written is not in the state, but the message is
    expect_messages(chat, LONG, "hello", "you said hello")


def test_a_failure_is_reported_without_internals(chat: Page) -> None:
    send(chat, "fail")
    expect(chat.locator("#error")).to_contain_text("correlation", timeout=20_000)
    expect(chat.locator("#error")).not_to_contain_text("lost")
    idle(chat)


@with_sdk_react
def test_an_edited_message_is_a_branch(chat: Page) -> None:
    ask(chat, "one", "one", "you said one")
    expect(chat.locator("#heard")).to_have_text("one")
    ask(chat, "two", "one", "you said one", "two", "you said two")
    chat.locator("li.human .again").nth(1).click()
    expect_messages(chat, "one", "you said one", "two anew", "you said two anew")
    idle(chat)
    chat.locator(".branch").first.click()
    expect_messages(chat, "one", "you said one", "two", "you said two")
    chat.locator("li.human .again").first.click()
    expect_messages(chat, "one anew", "you said one anew")


@with_react
def test_the_newest_message_is_edited(chat: Page) -> None:
    ask(chat, "one", "one", "you said one")
    chat.locator("li .again").click()
    expect_messages(chat, "one anew", "you said one anew")
    idle(chat)
    ask(chat, "two", "one anew", "you said one anew", "two", "you said two")
    chat.locator("li .again").last.click()
    expect_messages(chat, "one anew", "you said one anew", "two anew", "you said two anew")
    idle(chat)
    chat.reload()
    chat.locator("li .again").last.click()
    expect_messages(chat, "one anew", "you said one anew", "two anew anew", "you said two anew anew")


@with_react
def test_a_tool_call_is_displayed_with_its_result(chat: Page) -> None:
    send(chat, "weigh it")
    expect(chat.locator(".tool")).to_have_text('scales {"parcel":1} finished 1200 g')
    expect_messages(chat, "weigh it", "", "1200 g", "you said 1200 g")
    idle(chat)


@with_react
def test_a_second_message_waits_for_the_answer(chat: Page) -> None:
    chat.goto(f"{chat.url}&when=enqueue")
    send(chat, SLOWLY)
    being_written(chat, "you said slowly one")
    ask(chat, "and then", SLOWLY, HEARD, "and then", "you said and then")
    expect_growth(chat)


@with_react
def test_two_tabs_show_one_thread(chat: Page, tabs: BrowserContext) -> None:
    send(chat, SLOWLY)
    being_written(chat, "you said slowly one")
    other = tabs.new_page()
    other.goto(f"{chat.url}&when=enqueue")
    being_written(other, "you said slowly one")
    send(other, "from the other tab")
    for page in (chat, other):
        expect_messages(page, SLOWLY, HEARD, "from the other tab", "you said from the other tab")
        idle(page)
    expect_growth(chat)


@with_react
def test_a_second_message_interrupts_the_answer(chat: Page) -> None:
    chat.goto(f"{chat.url}&when=interrupt")
    send(chat, LONG)
    being_written(chat, "you said slowly one")
    send(chat, "stop that")
    expect(chat.get_by_text("you said stop that", exact=True)).to_be_visible(timeout=20_000)
    idle(chat)
    chat.reload()
    expect_messages(chat, LONG, "stop that", "you said stop that")  # the model knows both
