"""A thread kept by a test, as the life of a turn would keep it: only lasting keys survive a turn."""

import itertools
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from turnkeep_agents.products.graph import ProductsGraph, read_reply
from turnkeep_agents.products.state import LASTING, new_turn
from turnkeep.records import Reply, RunContext

WINDOW_MESSAGES = 24
_NUMBERS = itertools.count()


class Talk:
    """`events` and `tokens` are those of the last turn, `values` its final state."""

    def __init__(self, graph: ProductsGraph, context: RunContext):
        self.graph, self.context = graph, context
        self.kept: dict[str, Any] = {"messages": []}
        self.values: Mapping[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.tokens: list[str] = []

    @property
    def messages(self) -> list[AnyMessage]:
        return list(self.kept["messages"])

    async def say(self, message: str) -> Reply:
        asked = HumanMessage(message, id=f"h{next(_NUMBERS)}")
        window = self.kept["messages"][-WINDOW_MESSAGES:]
        state: Any = {**self.kept, **new_turn(), "messages": [*window, asked]}
        self.events, self.tokens, values = [], [], {}
        parts: Any = self.graph.astream(state, context=self.context, stream_mode=["custom", "messages", "values"])
        async for mode, part in parts:
            if mode == "custom":
                self.events.append(part)
            elif mode == "messages":
                self.tokens.append(part[0].text)
            else:
                values = part
        self.values = values
        self.kept = {key: values[key] for key in LASTING if key in values}
        return read_reply(values)

    async def all(self, *messages: str) -> list[Reply]:
        return [await self.say(message) for message in messages]
