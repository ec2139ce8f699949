"""State of a run and of its thread. Plain JSON types only: models are stored as their `model_dump`."""

from typing import Annotated, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.kit.memory import ThreadMemory
from turnkeep.kit.nodes import fresh
from turnkeep.records import JSON

T = TypeVar("T")


LASTING = frozenset({"messages", "memory", "last_requests", "waiting", "week"})


def gathered(kept: list[T], new: list[T] | None) -> list[T]:
    """Merge the writes of parallel nodes; None starts over."""
    return [] if new is None else [*kept, *new]


class Sent(TypedDict):
    """The input of a specialist; `at` is its place among the requests of the turn."""

    at: int
    specialist: str
    request: JSON


class CampaignsState(TypedDict):
    """Each comment ends with the nodes that write the key."""

    messages: Annotated[list[AnyMessage], add_messages]  # the last one is the user's until `respond` replies
    memory: ThreadMemory  # summaries of what left the window, with `memory="tiered"`; route
    last_requests: list[JSON]  # as the model read them; a short message changes only a part of them; route
    waiting: list[JSON]  # requests that wait until the user has settled the days of a week; route
    week: str  # the days of a week, once the user has settled them; else empty; route
    routing: JSON | None  # `{reasoning, language, kind, week, amounts, confidence}` of the reading; route
    requests: list[Sent]  # the checked request to each specialist; route
    coverage: list[str]  # the first and last day with figures; route
    standalone_query: str  # route
    clarification: str  # the reply in place of an answer: a question, a greeting; route
    gate: JSON | None  # check_gate
    findings: Annotated[list[JSON], gathered]  # one for each request, with its `at`, in any order; specialists
    diagnosis: JSON | None  # `{severity, root_causes, correlations}`; diagnose
    exit_reason: str  # why no recommendation is needed; empty if one is; diagnose
    advice: JSON | None  # `{recommendations, confidence, objections}`; diagnose, validate
    context: JSON  # how much of the history the prompts showed; route
    route: str  # clarify, smalltalk, refuse or specialists; route, respond
    confidence: float  # from 0 to 1; respond
    warnings: Annotated[list[str], gathered]  # codes that the client sees; every node


new_turn = fresh(CampaignsState, LASTING)  # each key of one turn, as it begins
