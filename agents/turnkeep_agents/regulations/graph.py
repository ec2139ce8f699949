"""match_faq -> recall -> read -> check_facts -> retrieve -> build_context -> calculate? -> choose_model -> answer.
Short paths: the FAQ, a cached answer, talk, and questions outside the field."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.graphs.agent import Agent
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext, Source
from turnkeep.settings import Settings
from turnkeep_agents.caches import Newest
from turnkeep_agents.regulations.knowledge.folder import open_knowledge
from turnkeep_agents.regulations.nodes import Nodes
from turnkeep_agents.regulations.settings import RegulationsSettings
from turnkeep_agents.regulations.state import RegulationsState, new_turn

WINDOW_TURNS = 10


def build(settings: Settings) -> Agent:
    """Read the knowledge base once; raises CorpusError if that of the settings is unusable."""
    own = settings.of(RegulationsSettings)
    models = chat_models(settings, "regulations")
    knowledge = open_knowledge(own.knowledge)
    graph = compile_graph(Nodes(models, knowledge, own, Newest(own.cached_answers)))
    return Agent("regulations", graph, read_reply, new_turn, WINDOW_TURNS, own.window, models.provider, models.name)


def compile_graph(
    nodes: Nodes,
) -> CompiledStateGraph[RegulationsState, RunContext, RegulationsState, RegulationsState]:
    builder = StateGraph(RegulationsState, context_schema=RunContext)
    steps = (nodes.match_faq, nodes.recall, nodes.read, nodes.check_facts, nodes.retrieve, nodes.build_context)
    for node in (*steps, nodes.calculate, nodes.choose_model):
        builder.add_node(node.__name__, node)
    for last in (nodes.answer, nodes.respond, nodes.refuse):
        builder.add_node(last.__name__, last)
        builder.add_edge(last.__name__, END)
    builder.add_edge(START, "match_faq")
    builder.add_conditional_edges("match_faq", nodes.after_match_faq)
    builder.add_conditional_edges("recall", nodes.after_recall)
    builder.add_conditional_edges("read", nodes.after_read)
    builder.add_edge("check_facts", "retrieve")
    builder.add_edge("retrieve", "build_context")
    builder.add_conditional_edges("build_context", nodes.after_build_context)
    builder.add_edge("calculate", "choose_model")
    builder.add_edge("choose_model", "answer")
    return builder.compile(name="regulations")


def read_reply(values: Mapping[str, Any]) -> Reply:
    reading, choice = values["reading"], values["choice"]
    return Reply(
        text=values["reply"],
        route=values["route"],
        standalone_query=values["standalone_query"] or None,
        sources=tuple(Source(**source) for source in values["sources"]),
        warnings=tuple(values["warnings"]),
        provider=choice.get("provider"),
        model=choice.get("model"),
        details={name: values[name] for name in ("facts", "context_metadata", "reasoning_steps")}
        | {name: reading.get(name) for name in ("domain", "action", "confidences")}
        | {"query_composition": reading.get("composition"), "choice": choice, "computed": values["steps"]},
    )
