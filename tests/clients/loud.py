"""An agent that logs its input in every way that a library can, fails, asks, or writes a large reply, by the first word
of the message."""

import logging
import random
import threading
import warnings
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply
from turnkeep.settings import Settings

ENTRY = Entry("Emits what it was sent", build="loud:build")
LETTERS = 800_000
"""More than fits into an item, even compressed."""


def build(settings: Settings) -> Agent:
    builder = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END)
    return Agent("loud", builder.compile(), lambda values: Reply(values["messages"][-1].text))


def answer(state: MessagesState) -> dict[str, Any]:
    text = state["messages"][-1].text
    match text.split(" ")[0]:
        case "ask":
            interrupt({"question": f"Did you mean {text}?"})
        case "write":
            letters = random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=LETTERS)
            return {"messages": [AIMessage(f"{text} {''.join(letters)}")]}
    warnings.warn(text, stacklevel=1)
    logging.getLogger("a.dependency").critical("received: %s", text)
    logging.getLogger("a.dependency").error("%d", text)  # cannot be formatted
    thread = threading.Thread(target=fail, args=(text,), name=text)
    thread.start()
    thread.join()
    raise RuntimeError(text) from KeyError(text)


def fail(text: str) -> None:
    raise LookupError(text)
