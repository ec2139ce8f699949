"""What one run of the agent knows, and what lasts in its thread. Plain JSON types only: requests, findings and results
are kept as their `model_dump`."""

import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep.blocks.memory import ThreadMemory
from turnkeep.records import JSON

LASTING = frozenset({"messages", "memory", "last_requests", "waiting", "week"})


class Sent(TypedDict):
    """What a specialist is sent: `at` is the place among the requests of the turn."""

    at: int
    specialist: str
    request: JSON


class CampaignsState(TypedDict):
    """Who writes a key stands behind it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation; its last message is the user's until `respond` replies."""

    memory: ThreadMemory
    """Summaries of what left the window, with `memory="tiered"`. `route`"""

    last_requests: list[JSON]
    """What the specialists were asked last, as the model read it: a short message changes a part of it. `route`"""

    waiting: list[JSON]
    """Such requests, while the user has not said which days a week has. `route`"""

    week: str
    """Which days a week has, once the user has settled it; else empty. `route`"""

    routing: JSON | None
    """`{reasoning, language, kind, week, confidence}` of the reading. `route`"""

    requests: list[Sent]
    """What each specialist is asked, checked. `route`"""

    coverage: list[str]
    """The first and the last day that have figures. `route`"""

    standalone_query: str
    """`route`"""

    clarification: str
    """What is said in place of an answer: a question, a greeting. `route`"""

    gate: JSON | None
    """`check_gate`"""

    findings: Annotated[list[JSON], operator.add]
    """One for each request, with its `at`, in no order. The specialists"""

    diagnosis: JSON | None
    """`{severity, root_causes, correlations}`. `diagnose`"""

    exit_reason: str
    """Why no recommendation is needed; empty where one is. `diagnose`"""

    advice: JSON | None
    """`{recommendations, confidence, objections}`. `diagnose`, then `validate`"""

    context: JSON
    """How much of the history the prompts showed. `route`"""

    route: str
    """`clarify`, `smalltalk`, `refuse` or `specialists`. `route`, `respond`"""

    confidence: float
    """From 0 to 1. `respond`"""

    warnings: Annotated[list[str], operator.add]
    """Codes that the client sees. Every node"""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {
        "routing": None,
        "requests": [],
        "coverage": [],
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
