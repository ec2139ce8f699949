"""Links in replies: how a model may write one, and what a reader may then click on."""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_thread import Thread
from turnkeep.kit.checked_replies import units
from turnkeep.kit.links import Links
from turnkeep.models.outgoing import redacting
from turnkeep.records import Reply
from turnkeep.texts import disarmed
from turnkeep.turns.redaction import Redactor

LEFT = "https://evil.example/paper?d="
"""Stands in material: an address that waits for something to be put behind it."""
SECRET = "MYSECRET"
FORMS = (
    *("See [the page]({}) there.", "See {} there.", "See <{}> there.", "See this ({}), then.", "**{}**", "> {}"),
    *("Both [a]({}), [b]({}).", "See [this][1] there.\n\n[1]: {}", "See this[^1].\n\n[^1]: {}", "- {}\n- x"),
    *("| a | b |\n|---|---|\n| {} | x |", 'It is "{}".', "见[链接]({})是。", "![x]({})"),
)
"""Of an address."""
MADE_UP = (
    *("https://evil.example/?d=MYSECRET", "HTTPS://EVIL.EXAMPLE/MYSECRET", "www.evil.example/MYSECRET"),
    *("//evil.example/MYSECRET", "https:&#47;&#47;evil.example/MYSECRET", "https:\\/\\/evil.example/MYSECRET"),
    *("https://ev\u200bil.example/MYSECRET", "https://evil%2eexample/MYSECRET", "https://MYSECRET@evil.example/paper"),
    *("ftp://evil.example/MYSECRET", "mailto:a@evil.example?body=MYSECRET", "MYSECRET@evil.example"),
    *("evil.com/MYSECRET", "MYSECRET.evil.com", "https:\\\\evil.example\\MYSECRET"),
    *(
        f"{LEFT}{around}"
        for around in ("(MYSECRET)", "[MYSECRET]", '"MYSECRET"', "<MYSECRET>", "'MYSECRET'", "`MYSECRET`")
    ),
    *(f"{LEFT}{between}MYSECRET" for between in ("&#32;", "\\(", "|", "**", ".", "\u3002", "%20", "&lpar;")),
)
BROKEN = (f"[x](<{LEFT} MYSECRET>)", f"[x]({LEFT} MYSECRET)", f'[x]({LEFT} "MYSECRET")', f"[x](\n{LEFT} MYSECRET)")
"""Links of which a parser takes more than the first word."""

PAGE = MarkdownIt("gfm-like", {"linkify": True})


def clickable(reply: str) -> Iterator[str]:
    """What a page, the chat page's parser and a terminal make links of."""
    shown = disarmed(reply)
    yield from (str(token.attrs["href"]) for token in _tokens(PAGE.parse(shown)) if "href" in token.attrs)
    yield from re.findall(r"\]\(\s*(https?://[^)]*)\)", shown, re.I)
    yield from re.findall(r"(?:https?://|(?<!\w)www\.)\S+", re.sub(r"\]\([^)]*\)", "] ", shown), re.I)


def _tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _tokens(token.children or [])


Turn = Callable[..., Awaitable[Reply]]
"""A turn of a thread in which the model answers the first text, and writes its wrong sentences again as the others."""


async def check_links(thread: Thread, turn: Turn, given: str) -> None:
    """No link that a model makes up is shown, streamed or repaired into a reply, with redaction and without; `given`, a
    link of the material, is shown however it is written."""
    redactor = Redactor.of_run(b"key")
    for text in [*(FORMS[at % len(FORMS)].format(each, each) for at, each in enumerate(MADE_UP)), *BROKEN]:
        wrong = [unit for unit in units(text) if Links([given, LEFT]).problems(unit)]
        with redacting(None):
            await _is_safe(thread, turn, text, wrong, str)
        with redacting(redactor.redact, redactor.made):
            await _is_safe(thread, turn, text, [redactor.redact(each) for each in wrong], redactor.reveal)
    for form in FORMS:
        thread.kept["messages"] = []
        text = form.format(given, given)
        assert given in (await turn(text)).text, text


async def _is_safe(
    thread: Thread, turn: Turn, text: str, repaired: Sequence[str], reveal: Callable[[str], str]
) -> None:
    thread.kept["messages"] = []
    reply = await turn(text, *repaired)
    for shown in (reply.text, "".join(thread.tokens)):
        assert [link for link in clickable(reveal(shown)) if SECRET.casefold() in link.casefold()] == [], text
