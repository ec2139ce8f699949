"""route -> [respond: clarify] -> check_gate -> [respond: blocked] -> the approved specialists in parallel -> diagnose
-> [respond: early exit] -> validate -> respond."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from turnkeep.graphs.agent import Agent
from turnkeep.kit.memory import WINDOW_TURNS
from turnkeep.models.chat import chat_models
from turnkeep.records import Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.campaigns.answers import rendered
from turnkeep_agents.campaigns.nodes import Nodes
from turnkeep_agents.campaigns.nodes.answering import findings_of
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.state import CampaignsState, new_turn
from turnkeep_agents.campaigns.warehouse.sums import open_warehouses


def build(settings: Settings) -> Agent:
    models, own = chat_models(settings, "campaigns"), settings.of(CampaignsSettings)
    graph = compile_graph(Nodes(models, open_warehouses(own), own))
    return Agent("campaigns", graph, read_reply, new_turn, WINDOW_TURNS, own.window, models.provider, models.name)


def compile_graph(nodes: Nodes) -> CompiledStateGraph[CampaignsState, RunContext, CampaignsState, CampaignsState]:
    builder = StateGraph(CampaignsState, context_schema=RunContext)
    builder.add_node("route", nodes.route)
    builder.add_node("check_gate", nodes.check_gate)
    for name in SPECIALISTS:
        builder.add_node(name, nodes.specialist(name))
        builder.add_edge(name, "diagnose")
    builder.add_node("diagnose", nodes.diagnose)
    builder.add_node("validate", nodes.validate)
    builder.add_node("respond", nodes.respond)
    builder.add_edge(START, "route")
    builder.add_conditional_edges("route", nodes.after_route)
    builder.add_conditional_edges("check_gate", nodes.after_check_gate, ["respond", *SPECIALISTS])
    builder.add_conditional_edges("diagnose", nodes.after_diagnose)
    builder.add_edge("validate", "respond")
    builder.add_edge("respond", END)
    return builder.compile(name="campaigns")


def read_reply(values: Mapping[str, Any]) -> Reply:
    findings, advice = findings_of(values), values["advice"] or {}
    return Reply(
        text=values["messages"][-1].text,
        route=values["route"],
        confidence=values["confidence"],
        standalone_query=values["standalone_query"],
        warnings=tuple(dict.fromkeys(values["warnings"])),
        details={
            "specialists": [{"name": one.specialist, "status": one.status} for one in findings],
            "routing": values["routing"],
            "requests": [{"specialist": each["specialist"], **each["request"]} for each in values["requests"]],
            "gate": values["gate"],
            "findings": [{"specialist": one.specialist, "text": rendered(one)} for one in findings],
            "figures": [
                {"specialist": one.specialist, **figure.model_dump()} for one in findings for figure in one.figures
            ],
            "chart": next((one.chart for one in findings if one.chart), None),
            "issues": [issue.model_dump() for one in findings for issue in one.issues],
            "diagnosis": values["diagnosis"],
            "exit_reason": values["exit_reason"] or None,
            "recommendations": advice.get("recommendations", []),
            "objections": advice.get("objections", []),
            "clarification": values["clarification"] or None,
            "context": values["context"],
        },
    )
