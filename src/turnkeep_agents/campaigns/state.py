"""What one run of the agent knows, and what lasts in its thread. Plain JSON types only: requests, findings and results
are kept as their `model_dump`."""

import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep_agents.campaigns.reading.periods import Week
from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.referents import Referents
from turnkeep.records import JSON

LASTING = frozenset({"messages", "referents", "memory", "last_request", "pending", "week"})


class CampaignsState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation; its last message is the user's until `respond` replies."""

    referents: Referents
    """What "the second one" can mean. By `respond`."""

    memory: ThreadMemory
    """Summaries of what left the window, with `memory="tiered"`. By `route`."""

    last_request: JSON | None
    """The last request that ran, for what a follow-up leaves unsaid. By `respond`."""

    pending: JSON | None
    """`{request, routing}` that waits for the user's agreement. By `route`."""

    week: Week | None
    """Which days a week has, once the user has settled it. By `route`."""

    request: JSON | None
    """What the message asks for. By `route`."""

    routing: JSON | None
    """`{specialists, reasoning, confidence, clarification, agrees}`. By `route`."""

    standalone_query: str
    """By `route`."""

    clarification: str
    """The question to ask in place of an answer; empty where none is needed. By `route`."""

    gate: JSON | None
    """By `check_gate`."""

    findings: Annotated[list[JSON], operator.add]
    """One for each specialist that ran, in no order. By the specialists."""

    diagnosis: JSON | None
    """`{summary, severity, root_causes, correlations}`. By `diagnose`."""

    exit_reason: str
    """Why no recommendation is needed; empty where one is. By `diagnose`."""

    advice: JSON | None
    """`{recommendations, confidence, objections}`. By `recommend`, then `validate`."""

    context: JSON
    """How much of the history the prompts showed. By `route`."""

    route: str
    """`clarify`, `refuse` or `specialists`. By `respond`."""

    confidence: float
    """From 0 to 1. By `respond`."""

    warnings: Annotated[list[str], operator.add]
    """Codes that the client sees. By every node."""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {
        "request": None,
        "routing": None,
        "standalone_query": "",
        "clarification": "",
        "gate": None,
        "findings": [],
        "diagnosis": None,
        "exit_reason": "",
        "advice": None,
        "context": {},
        "route": "",
        "confidence": 0.0,
        "warnings": [],
    }
