"""An agent for the tests of the chat page: it says what a message asks for, slowly, with a question, or with poison."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import token
from turnkeep.records import Reply, Source
from turnkeep.settings import Settings

ENTRY = Entry("Says what a message asks for", build="mirror:build")
STEPS, PAUSE_SECONDS = 12, 0.25
SAY, UNTIL = "say ", "until "
SLOW = {"slow": "Sentence {}. ", "tall": "Paragraph {}.\n\n" + "- one of many lines\n" * 8 + "\n"}
POISON = (
    '<img src=x onerror="alert(1)"> <script>alert(2)</script> <svg onload=alert(3)></svg>\n\n'
    "[here](javascript:alert(4)) [there](data:text/html,<script>alert(5)</script>) [sic](vbscript:alert(6)) "
    "![dot](http://tracker.example/dot.png) <a href='javascript:alert(7)'>tag</a> [P-1] [P-2]\n\n"
    "\x1b]52;c;cm0gLXJmIC8=\x07 \u202egnp.exe \x00 `code <b>` \n\n"
    "| <iframe src=//tracker.example> | b |\n| --- | --- |\n| [x](javascript:alert(8)) | 2 |\n\n"
    "Fine: [site](https://example.org/a_b) and https://example.org/c, snake_case_word at $5 or $6.\n"
)
SOURCES = (
    Source("P-1", "<img src=x onerror=alert(9)>", "javascript:alert(10)", cited=True),
    Source("P-2", "Good", "https://example.org/good", cited=True),
)
POISONED_ROWS: dict[str, Any] = {
    "columns": ["<b>name</b>", "sum"],
    "rows": [["<img src=x onerror=alert(11)>", 3], ["javascript:alert(12)", 9]],
    "sql": "SELECT '<script>alert(13)</script>'",
    "chart": {
        "mark": "bar",
        "encoding": {
            "x": {"field": "<b>name</b>", "type": "nominal", "title": "<b>name</b>"},
            "y": {"field": "sum", "type": "quantitative", "title": "sum"},
        },
    },
}


async def answer(state: MessagesState) -> dict[str, Any]:
    message, id_ = str(state["messages"][-1].text), f"a-{len(state['messages'])}"
    match message:
        case "ask":
            return {"messages": [AIMessage(f"You chose {interrupt('Which one, red or blue?')}.")]}
        case "fail":
            raise RuntimeError("as the message asks")
    reply = AIMessage("", id=id_)
    for piece, pause in pieces(message):
        get_stream_writer()(token(id_, piece))
        await asyncio.sleep(pause)
        reply = AIMessage(reply.text + piece, id=id_)
    return {"messages": [reply if reply.text else AIMessage(f"You said: {message}")]}


def pieces(message: str) -> Iterator[tuple[str, float]]:
    """The reply as it is streamed, with the pause after each piece; nothing if it is not streamed."""
    if message in SLOW:
        yield from ((SLOW[message].format(step + 1), PAUSE_SECONDS) for step in range(STEPS))
    elif message.startswith(UNTIL):  # a file exists
        yield "Begun. ", PAUSE_SECONDS
        while not Path(message.removeprefix(UNTIL)).exists():
            yield ".", PAUSE_SECONDS
        yield " Done.", 0
    elif message == "poison":
        yield from ((POISON[at : at + 7], 0) for at in range(0, len(POISON), 7))
    elif message.startswith(SAY):
        yield from ((letter, 0) for letter in message.removeprefix(SAY))


def read_reply(values: Any) -> Reply:
    text = values["messages"][-1].text
    if text != POISON:
        return Reply(text)
    return Reply(text, sources=SOURCES, details={**POISONED_ROWS, "reasoning_steps": ["<script>alert(14)</script>"]})


def build(settings: Settings) -> Agent:
    graph = StateGraph(MessagesState).add_node("answer", answer)
    graph.add_edge(START, "answer")
    return Agent("mirror", graph.compile(), read_reply)
