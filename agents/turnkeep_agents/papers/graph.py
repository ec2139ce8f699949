"""read -> refuse | respond | retrieve -> grade_documents -> answer | rewrite_query -> retrieve ..."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.graphs.agent import Agent
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings
from turnkeep_agents.papers.corpus import open_corpus
from turnkeep_agents.papers.nodes import Nodes
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_agents.papers.state import PapersState, new_turn

WINDOW_TURNS = 10


def build(settings: Settings) -> Agent:
    """Read the corpus once; raises CorpusError if that of the settings is unusable."""
    own = settings.of(PapersSettings)
    models = chat_models(settings, "papers")
    graph = compile_graph(Nodes(models, open_corpus(own.corpus), own))
    return Agent("papers", graph, read_reply, new_turn, WINDOW_TURNS, own.window, models.provider, models.name)


def compile_graph(nodes: Nodes) -> CompiledStateGraph[PapersState, RunContext, PapersState, PapersState]:
    builder = StateGraph(PapersState, context_schema=RunContext)
    for node in (nodes.read, nodes.retrieve, nodes.grade_documents, nodes.rewrite_query):
        builder.add_node(node.__name__, node)
    for last in (nodes.refuse, nodes.respond, nodes.answer):
        builder.add_node(last.__name__, last)
        builder.add_edge(last.__name__, END)
    builder.add_edge(START, "read")
    builder.add_conditional_edges("read", nodes.after_read)
    builder.add_conditional_edges("retrieve", nodes.after_retrieve)
    builder.add_conditional_edges("grade_documents", nodes.after_grade_documents)
    builder.add_conditional_edges("rewrite_query", nodes.after_rewrite_query)
    return builder.compile(name="papers")


def read_reply(values: Mapping[str, Any]) -> Reply:
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=values["standalone_query"],
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(values["warnings"]),
        details={name: values[name] for name in ("guardrail_score", "rewritten_queries", "reasoning_steps")}
        | {"retrieval_attempts": values["attempts"]},
    )
