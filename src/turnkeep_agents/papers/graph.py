"""understand -> check_scope -> refuse | retrieve -> grade_documents -> rewrite_query (and retrieve again) | answer."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.agents import Agent
from turnkeep_agents.papers.corpus import open_corpus
from turnkeep_agents.papers.demo import demo_rules
from turnkeep_agents.papers.nodes import Nodes
from turnkeep_agents.papers.state import PapersState, new_turn
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings

WINDOW_TURNS = 10

type PapersGraph = CompiledStateGraph[PapersState, RunContext, PapersState, PapersState]


def build(settings: Settings) -> Agent:
    """Reads the corpus once; raises CorpusError where that of the settings cannot be used."""
    corpus = open_corpus(settings.of(PapersSettings).corpus)
    models = chat_models(settings, demo_rules(corpus))
    return Agent(
        name="papers",
        graph=compile_graph(Nodes(models, corpus, settings.papers)),
        read_reply=read_reply,
        new_turn=new_turn,
        window=WINDOW_TURNS,
        prompt_window=settings.of(PapersSettings).window,
        provider=models.provider,
        model=models.name,
    )


def compile_graph(nodes: Nodes) -> PapersGraph:
    builder = StateGraph(PapersState, context_schema=RunContext)
    builder.add_node("understand", nodes.understand)
    builder.add_node("check_scope", nodes.check_scope)
    builder.add_node("refuse", nodes.refuse)
    builder.add_node("retrieve", nodes.retrieve)
    builder.add_node("grade_documents", nodes.grade_documents)
    builder.add_node("rewrite_query", nodes.rewrite_query)
    builder.add_node("answer", nodes.answer)
    builder.add_edge(START, "understand")
    builder.add_edge("understand", "check_scope")
    builder.add_conditional_edges("check_scope", nodes.after_check_scope)
    builder.add_edge("retrieve", "grade_documents")
    builder.add_conditional_edges("grade_documents", nodes.after_grade_documents)
    builder.add_edge("rewrite_query", "retrieve")
    builder.add_edge("refuse", END)
    builder.add_edge("answer", END)
    return builder.compile(name="papers")


def read_reply(values: Mapping[str, Any]) -> Reply:
    """What the client sees of the final state."""
    guardrail = values["guardrail"] or {}
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=values["standalone_query"],
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(values["warnings"]),
        details={
            "guardrail_score": guardrail.get("score"),
            "retrieval_attempts": values["attempts"],
            "rewritten_queries": values["rewritten_queries"],
            "reasoning_steps": values["reasoning_steps"],
        },
    )
