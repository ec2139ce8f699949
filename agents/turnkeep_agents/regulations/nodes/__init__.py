"""Nodes and routers: the model reads, plans and words; code parses, searches, computes, and checks each sentence."""

from turnkeep_agents.regulations.nodes.answering import Answering
from turnkeep_agents.regulations.nodes.finding import Searching
from turnkeep_agents.regulations.nodes.shortcuts import Shortcuts


class Nodes(Shortcuts, Searching, Answering):
    """All nodes, with one shared base."""
