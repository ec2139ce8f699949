"""`papers`: a research assistant that answers questions about arXiv papers from a corpus, with citations."""

from turnkeep.entries import Entry

ENTRY = Entry(
    "Answers questions about arXiv papers, with citations",
    build="turnkeep_agents.papers.graph:build",
    settings="turnkeep_agents.papers.settings:PapersSettings",
    add_commands="turnkeep_agents.papers.commands:add_commands",
)
