"""The six nodes as an agent of `turnkeep dev`, found by an entry point that servers.py makes."""

import os
from dataclasses import replace
from pathlib import Path

from subjects import six
from texts import prose
from turnkeep.entries import Entry
from turnkeep.graphs.agent import Agent
from turnkeep.settings import Settings

DATA = "SIX_NODES_DATA"
"""The folder of real text."""

ENTRY = Entry("Six nodes without a model", build="six_agent:build")


def build(_: Settings) -> Agent:
    return replace(six(prose(Path(os.environ[DATA]))), name="six")
