"""The chat page in a browser, over a real server on DynamoDB Local."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from browser import module

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 860}
PATIENCE_MS = 20_000
STREAM = "**/turns/stream"


@dataclass
class Visit:
    """A page that is read and typed into; what it asks for and complains of is noted."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def open(self, thread: str = "") -> "Visit":
        """`#` alone would not load it anew."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/{f'#{thread}' if thread else ''}")
        return self

    def choose(self, agent: str) -> None:
        self.page.locator(f".agent:has(input[value={agent}])").click()

    def say(self, message: str) -> None:
        self.page.get_by_label("Message", exact=True).fill(message)
        self.page.keyboard.press("Enter")

    def answered(self, number: int) -> Locator:
        """The turn of this number, when its answer is whole."""
        turn = self.page.locator(f"#turn-{number}")
        expect(turn.locator(".folds")).to_be_visible()
        return turn

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def turns(self) -> Locator:
        return self.page.locator("article.turn")

    @property
    def thread(self) -> str:
        return self.page.url.partition("#")[2]

    def call(self, method: str, path: str, **more: Any) -> Any:
        """What another client of the same user is answered."""
        answer = httpx.request(method, self.url + path, timeout=120, **more).raise_for_status()
        return answer.json() if answer.content else None

    def kept(self, thread: str = "") -> list[str]:
        """The messages of the turns that are kept."""
        return [turn["message"] for turn in self.call("GET", f"/threads/{thread or self.thread}/turns")["turns"]]

    def posts(self, ending: str) -> list[Request]:
        return [each for each in self.asked if each.method == "POST" and each.url.endswith(ending)]


type Visits = Callable[..., Visit]


@contextmanager
def visit(browser: Browser, url: str, **options: Any) -> Iterator[Visit]:
    options = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **options}
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    made = Visit(page, url)
    page.on("pageerror", lambda error: made.complaints.append(str(error)))
    page.on("dialog", lambda dialog: made.complaints.append(dialog.message))
    page.on("console", lambda line: made.complaints.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: made.asked.append(request))  # noqa: PLW0108 - it marks what it is given
    try:
        yield made
    finally:
        context.close()


def problem(route: Route, status: int, code: str, headers: Mapping[str, str] | None = None) -> None:
    body = {"title": f"Title of {code}", "detail": f"Detail of {code}.", "status": status, "code": code}
    route.fulfill(
        status=status, headers=dict(headers or {}), content_type="application/problem+json", body=json.dumps(body)
    )


def broken_rules(page: Page) -> list[tuple[str, list[str]]]:
    """The rules of axe that the page breaks. It needs a context with `bypass_csp`."""
    page.evaluate(module("axe-core/axe.min.js").read_text())
    broken = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})")
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in broken["violations"]]
