"""read -> (use_tool ->) (retrieve ->) answer | respond | clarify."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.graphs.agent import Agent
from turnkeep.kit.memory import WINDOW_TURNS
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings
from turnkeep_agents.products.catalogue.products import open_catalogue
from turnkeep_agents.products.nodes import SEARCH, Nodes
from turnkeep_agents.products.reading import filters_of, reading_call
from turnkeep_agents.products.settings import ProductsSettings
from turnkeep_agents.products.state import ProductsState, new_turn


def build(settings: Settings) -> Agent:
    """Read the catalogue once; raises CorpusError if that of the settings is unusable."""
    own = settings.of(ProductsSettings)
    catalogue = open_catalogue(own.catalogue, is_dense=own.retrieval == "hybrid")
    models = chat_models(settings, "products")
    graph = compile_graph(Nodes(models, catalogue, reading_call(catalogue), own))
    return Agent("products", graph, read_reply, new_turn, WINDOW_TURNS, own.window, models.provider, models.name)


def compile_graph(nodes: Nodes) -> CompiledStateGraph[ProductsState, RunContext, ProductsState, ProductsState]:
    builder = StateGraph(ProductsState, context_schema=RunContext)
    for name in ("read", "use_tool", "retrieve", "answer", "respond", "clarify"):
        builder.add_node(name, getattr(nodes, name))
    builder.add_edge(START, "read")
    builder.add_conditional_edges("read", nodes.after_read)
    builder.add_conditional_edges("use_tool", nodes.after_use_tool)
    builder.add_edge("retrieve", "answer")
    for last in ("answer", "respond", "clarify"):
        builder.add_edge(last, END)
    return builder.compile(name="products")


def read_reply(values: Mapping[str, Any]) -> Reply:
    message = next((str(each.text) for each in reversed(values["messages"]) if each.type == "human"), "")
    return Reply(
        text=str(values["messages"][-1].text),
        route=values["route"],
        standalone_query="; ".join(dict.fromkeys(call["wish"] for call in values["calls"])) or message,
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(dict.fromkeys(values["warnings"])),
        details={
            "products": [source["id"] for source in values["sources"]],
            "filters": [filters_of(call) for call in values["calls"] if call["tool"] == SEARCH],
            "tool": next((call["tool"] for call in values["calls"] if call["tool"] != SEARCH), None),
            "context": values["context"],
        },
    )
