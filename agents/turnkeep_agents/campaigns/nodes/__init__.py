"""The nodes and routers of the agent. The model reads and words; code resolves, queries, computes, and checks every
sentence against the findings."""

from turnkeep_agents.campaigns.nodes.answering import Answering
from turnkeep_agents.campaigns.nodes.routing import Routing


class Nodes(Routing, Answering):
    """All nodes, with one shared base."""
