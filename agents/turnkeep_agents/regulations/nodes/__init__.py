"""The nodes and routers of the agent. The model reads, plans and words. Code parses facts, searches, selects and
computes, and checks every sentence against the shown sources."""

from turnkeep_agents.regulations.nodes.answering import Answering
from turnkeep_agents.regulations.nodes.finding import Searching
from turnkeep_agents.regulations.nodes.shortcuts import Shortcuts


class Nodes(Shortcuts, Searching, Answering):
    """All nodes, with one shared base."""
