"""The chat page of an emulated deployment asks for the key once."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from deployed_site import KEY, deployed
from playwright.sync_api import expect

from browser import chromium
from page_site import Visit, visit

QUESTION = "What is contrastive language-image pre-training?"


@pytest.fixture
def seen(facts: dict[str, str], tmp_path: Path) -> Iterator[Visit]:
    with deployed(tmp_path, facts) as url, chromium() as browser, visit(browser, url) as made:
        yield made


def test_a_deployed_page_asks_for_the_key_and_uses_both_functions(seen: Visit) -> None:
    expect.set_options(timeout=60_000)
    seen.open()
    expect(seen.page.get_by_role("dialog")).to_contain_text("asks who calls")
    seen.page.get_by_label("API key").last.fill(KEY)
    seen.page.keyboard.press("Enter")
    seen.choose("papers")
    seen.say(QUESTION)
    expect(seen.answered(1)).to_contain_text(re.compile(r"\w"))
    seen.page.reload()
    expect(seen.answered(1).locator(".said")).to_contain_text(QUESTION)

    assert {each.headers.get("x-api-key") for each in seen.asked if "/page/" in each.url} == {None}
    assert [each.headers.get("x-api-key") for each in seen.posts("/turns/stream")] == [KEY]
