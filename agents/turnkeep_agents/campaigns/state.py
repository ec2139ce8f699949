"""State of one run of the agent, and of its thread. Plain JSON types only: requests, findings and results are stored as
their `model_dump`."""

from typing import Annotated, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.nodes import fresh
from turnkeep.records import JSON

T = TypeVar("T")


LASTING = frozenset({"messages", "memory", "last_requests", "waiting", "week"})


def gathered(kept: list[T], new: list[T] | None) -> list[T]:
    """Merge the writes of parallel nodes; None starts over."""
    return [] if new is None else [*kept, *new]


class Sent(TypedDict):
    """What a specialist is sent: `at` is the place among the requests of the turn."""

    at: int
    specialist: str
    request: JSON


class CampaignsState(TypedDict):
    """Behind each key stands who writes it."""

    messages: Annotated[list[AnyMessage], add_messages]  # the last one is the user's until `respond` replies
    memory: ThreadMemory  # `route`: summaries of what left the window, with `memory="tiered"`
    last_requests: list[
        JSON
    ]  # `route`: the last request, as the model read it; a short message changes only a part of it
    waiting: list[JSON]  # `route`: requests that wait until the user has settled which days a week has
    week: str  # `route`: which days a week has, once the user has settled it; else empty
    routing: JSON | None  # `route`: `{reasoning, language, kind, week, amounts, confidence}` of the reading
    requests: list[Sent]  # `route`: the checked request to each specialist
    coverage: list[str]  # `route`: the first and last day with figures
    standalone_query: str  # `route`
    clarification: str  # `route`: the reply in place of an answer: a question, a greeting
    gate: JSON | None  # `check_gate`
    findings: Annotated[list[JSON], gathered]  # the specialists: one for each request, with its `at`, in no order
    diagnosis: JSON | None  # `diagnose`: `{severity, root_causes, correlations}`
    exit_reason: str  # `diagnose`: why no recommendation is needed; empty if one is
    advice: JSON | None  # `diagnose`, then `validate`: `{recommendations, confidence, objections}`
    context: JSON  # `route`: how much of the history the prompts showed
    route: str  # `route`, `respond`: `clarify`, `smalltalk`, `refuse` or `specialists`
    confidence: float  # `respond`: from 0 to 1
    warnings: Annotated[list[str], gathered]  # every node: codes that the client sees


new_turn = fresh(CampaignsState, LASTING)  # each key of one turn, as it begins
