"""The nodes and routers of the agent. The model reads, plans and words; code gives facts their values, finds, fits and
computes, and holds every sentence against what was shown."""

from turnkeep_agents.regulations.nodes.answering import Answering
from turnkeep_agents.regulations.nodes.finding import Finding
from turnkeep_agents.regulations.nodes.shortcuts import Shortcuts


class Nodes(Shortcuts, Finding, Answering):
    """All of them, over one desk."""
