"""Nodes and routers: the model reads and words; code resolves, queries, computes, and checks each sentence."""

from turnkeep_agents.campaigns.nodes.answering import Answering
from turnkeep_agents.campaigns.nodes.routing import Routing


class Nodes(Routing, Answering):
    """All nodes, with one shared base."""
