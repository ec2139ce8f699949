"""A thread kept by a test, as the life of a turn would keep it: only lasting keys survive a turn."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from turnkeep.records import Reply, RunContext
from turnkeep_agents.products.graph import ProductsGraph, read_reply
from turnkeep_agents.products.state import LASTING, new_turn

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
        async for mode, part in self.graph.astream(state, context=self.context, stream_mode=["custom", "values"]):
            if mode == "values":
                values = part
            elif part["event"] == "token":
                self.tokens.append(part["content"])
            else:
                self.events.append(part)
        self.values = values
        self.kept = {key: values[key] for key in LASTING if key in values}
        return read_reply(values)


type Start = Callable[..., Talk]
"""Begins a thread with these tuning numbers."""


def calls(*each: tuple[str, dict[str, Any]]) -> AIMessage:
    """What a model calls in one answer; a call that names no wish of its own has a short one."""
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": args if name == "Ask" else {"wish": "as asked", **args}, "id": f"c{at}"}
            for at, (name, args) in enumerate(each)
        ],
    )
