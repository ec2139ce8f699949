"""A thread of an agent's graph kept by a test, as the life of a turn would: only lasting keys survive a turn."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from scripted_model import ScriptedModel, Step
from turnkeep.records import Reply, RunContext


@dataclass
class Thread:
    """`events` and `values` are those of the last turn."""

    graph: Any
    context: RunContext
    script: ScriptedModel = field(default_factory=ScriptedModel)
    kept: dict[str, Any] = field(default_factory=lambda: {"messages": []})
    values: Mapping[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0

    @property
    def messages(self) -> list[AnyMessage]:
        return list(self.kept["messages"])

    @property
    def tokens(self) -> list[str]:
        return [event["content"] for event in self.events if event["event"] == "token"]

    @property
    def told(self) -> list[dict[str, Any]]:
        """The events without the tokens."""
        return [event for event in self.events if event["event"] != "token"]

    async def say(self, message: str, *steps: Step) -> Reply:
        """A turn in which a scripted model follows these steps."""
        self.script.play(*steps)
        self.turns += 1
        state = sys.modules[self.graph.builder.state_schema.__module__]
        asked = HumanMessage(message, id=f"h{self.turns}")
        given = {**self.kept, **state.new_turn(), "messages": [*self.messages, asked]}
        self.events, modes = [], ["custom", "values"]
        async for place, mode, part in self.graph.astream(
            given, context=self.context, stream_mode=modes, subgraphs=True
        ):
            if mode == "custom":
                self.events.append(part)
            elif not place:
                self.values = part
        self.kept = {key: self.values[key] for key in state.LASTING if key in self.values}
        reply: Reply = import_module(f"{state.__package__}.graph").read_reply(self.values)
        return reply

    async def talk(self, *messages: str) -> Sequence[Reply]:
        return [await self.say(message) for message in messages]
