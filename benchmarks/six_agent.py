"""The six nodes as an agent of `turnkeep dev`, found by an entry point that servers.py makes."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.graph import END, START

import six_nodes
from subjects import six
from texts import Texts, prose
from turnkeep.agents import Agent
from turnkeep.entries import Entry
from turnkeep.settings import Settings

DATA = "SIX_NODES_DATA"
"""The folder of real text."""
MODEL_SECONDS = "SIX_NODES_MODEL_SECONDS"
"""How long a model would be waited for; nobody is, where it is not set."""

ENTRY = Entry("Six nodes without a model", build="six_agent:build")


def build(_: Settings) -> Agent:
    texts = prose(Path(os.environ[DATA]))
    agent = replace(six(texts), name="six")
    seconds = float(os.environ.get(MODEL_SECONDS) or 0)
    return replace(agent, graph=_waiting(texts, seconds)) if seconds else agent


def _waiting(texts: Texts, seconds: float) -> Any:
    """The graph beside a node that waits as for a model."""

    async def ask_model(_: Any) -> dict[str, Any]:
        await asyncio.sleep(seconds)
        return {}

    graph: Any = six_nodes.build(texts)
    graph.add_node("ask_model", ask_model, input_schema=six_nodes.SixState)
    return graph.add_edge(START, "ask_model").add_edge("ask_model", END).compile()
