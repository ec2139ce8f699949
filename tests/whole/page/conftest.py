"""The chat page on one server. Each test begins without threads."""

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
from document_site import Site
from playwright.sync_api import Browser, expect

from browser import chromium
from page_site import Visit, Visits, visit

expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def url(whole_table: str, dynamodb_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    site = Site(tmp_path_factory.mktemp("page"), dynamodb_url, whole_table, "mirror")
    with site.running() as client:
        yield str(client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def visits(browser: Browser, url: str) -> Iterator[Visits]:
    """Start with no thread: a page cannot name another user."""
    for thread in httpx.post(f"{url}/threads/search", json={"limit": 100}, timeout=120).json():
        httpx.delete(f"{url}/threads/{thread['thread_id']}", timeout=120).raise_for_status()
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(visit(browser, url, **options))


@pytest.fixture
def seen(visits: Visits) -> Visit:
    """A page that talks to the agent of these tests."""
    opened = visits().open()
    opened.choose("mirror")
    return opened
