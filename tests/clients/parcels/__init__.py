"""The graph as an agent of Turnkeep, for a server that finds it by its entry point."""

from collections.abc import Mapping
from typing import Any

from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply
from turnkeep.settings import Settings

ENTRY = Entry("Sends parcels", build="parcels:build")


def build(_settings: Settings) -> Agent:
    from parcels.graph import graph

    return Agent("parcels", graph, read_reply, window=None)


def read_reply(values: Mapping[str, Any]) -> Reply:
    return Reply(values["messages"][-1].text)
