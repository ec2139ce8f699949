"""understand -> choose_route -> (reformulate ->) retrieve -> answer | use_tool -> answer | respond | clarify."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.agents import Agent
from turnkeep_agents.products.catalogue.products import open_catalogue
from turnkeep_agents.products.demo import demo_rules
from turnkeep_agents.products.nodes import Nodes
from turnkeep_agents.products.search import Finder
from turnkeep_agents.products.state import ProductsState, new_turn
from turnkeep_agents.products.telling import shown
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings

WINDOW_TURNS = 12  # ten that a prompt may show, and two for summaries that have to be tried again

type ProductsGraph = CompiledStateGraph[ProductsState, RunContext, ProductsState, ProductsState]


def build(settings: Settings) -> Agent:
    """Reads the catalogue once; raises CorpusError where that of the settings cannot be used, and MissingExtra."""
    tuning = settings.products
    catalogue = open_catalogue(tuning.catalogue, is_dense=tuning.retrieval == "hybrid")
    models = chat_models(settings, demo_rules(catalogue))
    return Agent(
        name="products",
        graph=compile_graph(Nodes(models, catalogue, Finder(catalogue, tuning.top_k), tuning)),
        read_reply=read_reply,
        new_turn=new_turn,
        window=WINDOW_TURNS,
        prompt_window=tuning.window,
        provider=models.provider,
        model=models.name,
    )


def compile_graph(nodes: Nodes) -> ProductsGraph:
    builder = StateGraph(ProductsState, context_schema=RunContext)
    builder.add_node("understand", nodes.understand)
    builder.add_node("choose_route", nodes.choose_route)
    builder.add_node("reformulate", nodes.reformulate)
    builder.add_node("retrieve", nodes.retrieve)
    builder.add_node("use_tool", nodes.use_tool)
    builder.add_node("answer", nodes.answer)
    builder.add_node("respond", nodes.respond)
    builder.add_node("clarify", nodes.clarify)
    builder.add_edge(START, "understand")
    builder.add_edge("understand", "choose_route")
    builder.add_conditional_edges("choose_route", nodes.after_choose_route)
    builder.add_edge("reformulate", "retrieve")
    builder.add_edge("retrieve", "answer")
    builder.add_edge("use_tool", "answer")
    builder.add_edge("answer", END)
    builder.add_edge("respond", END)
    builder.add_edge("clarify", END)
    return builder.compile(name="products")


def read_reply(values: Mapping[str, Any]) -> Reply:
    """What the client sees of the final state."""
    plan = values["plan"] or {}
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=values["standalone_query"],
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(dict.fromkeys(values["warnings"])),
        details={
            "products": values["found"],
            "filters": shown(plan["filters"]) if "filters" in plan else {},
            "tool": plan.get("tool"),
            "context": values["context"],
            "reasoning_steps": values["reasoning_steps"],
        },
    )
