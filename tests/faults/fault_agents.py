"""Agents that show what a run saw: the reply of `story` is JSON with the messages before its own, and a word that no
other run has, so that a reply was computed twice is recognised."""

import base64
import json
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fault_hooks import ACT, Faults
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from turnkeep import ActionUnknown, once
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply

LARGE = "large"
PIECES = 4


class StoryModel(BaseChatModel):
    """Replies with what it was shown. A message that begins with `large` gets an incompressible reply of 600 KB."""

    @property
    def _llm_type(self) -> str:
        return "story"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(_story(messages)))])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return self._generate(messages)

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        text = _story(messages)
        size = -(-len(text) // PIECES)
        for start in range(0, len(text), size):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text[start : start + size]))

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages):
            yield chunk


def _story(messages: list[BaseMessage]) -> str:
    asked = [message.text for message in messages if message.type == "human"]
    pad = base64.b64encode(os.urandom(450_000)).decode() if asked[-1].startswith(LARGE) else ""
    return json.dumps({"saw": asked[:-1], "run": secrets.token_hex(8), "pad": pad})


def saw(reply: str) -> list[str]:
    """The messages of earlier turns that the run of this reply was shown."""
    found: list[str] = json.loads(reply)["saw"]
    return found


def story(callbacks: list[BaseCallbackHandler], window: int | None = 10) -> Agent:
    """Calls its model twice: once to think, once to answer."""
    model = StoryModel()

    async def think(state: MessagesState) -> dict[str, Any]:
        await model.ainvoke(state["messages"])
        return {}

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState).add_node("think", think).add_node("answer", answer)
    graph = builder.add_edge(START, "think").add_edge("think", "answer").compile().with_config(callbacks=callbacks)
    return Agent("story", graph, _read_reply, window=window)


def paying(callbacks: list[BaseCallbackHandler]) -> Agent:
    """Reserves, asks and, after the answer, pays, in one node that starts again with the answer. It writes its actions
    into the file that the first message names."""
    faults: Faults | None = getattr(callbacks[0], "faults", None) if callbacks else None

    def act(book: str, what: str) -> str:
        kind = faults.choose_fault(ACT) if faults else None
        with Path(book).open("a") as lines:
            lines.write(f"{what}\n")
        if faults:
            faults.kill(kind, "after")
        return f"receipt for {what}"

    @once("reserve", key=lambda book: book)
    def reserve(book: str) -> str:
        return act(book, "reserve")

    @once("pay", key=lambda book: book)
    async def pay(book: str) -> str:
        return act(book, "pay")

    async def buy(state: MessagesState) -> dict[str, Any]:
        book = state["messages"][0].text
        receipts = reserve(book)
        interrupt("Really?")
        try:
            receipts += f", {await pay(book)}"
        except ActionUnknown as unknown:
            receipts += f", {unknown.name} unknown"
        return {"messages": [AIMessage(receipts)]}

    return one_node(buy, "paying")


def one_node(node: Callable[[MessagesState], Any], name: str = "one") -> Agent:
    graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()
    return Agent(name, graph, _read_reply)


BUILDERS: Mapping[str, Callable[[list[BaseCallbackHandler]], Agent]] = {"story": story, "paying": paying}


def _read_reply(values: Mapping[str, Any]) -> Reply:
    return Reply(values["messages"][-1].text)
