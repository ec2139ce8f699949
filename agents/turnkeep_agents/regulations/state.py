"""State of one run of the agent. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Literal, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.kit.nodes import fresh
from turnkeep.records import JSON

LASTING = frozenset({"messages"})

Composition: TypeAlias = Literal["pure_kb", "pure_doc", "hybrid", "chat"]
"""Sources of an answer: the knowledge base, the user's documents, both, or the conversation."""
Route: TypeAlias = Literal["faq", "cached", "retrieve", "respond", "refuse"]


class RegulationsState(TypedDict):
    """Only `messages` is lasting. Each comment ends with the nodes that write the key."""

    messages: Annotated[list[AnyMessage], add_messages]  # the last one is the user's until a node replies
    active: list[JSON]  # the thread's documents, oldest first: `{id, label, name, pages}`; match_faq
    cache_key: str  # of everything the answer depends on; empty if it may not be cached; recall
    route: Route | None  # match_faq, recall, read
    standalone_query: str  # the question in the user's words, understandable without history; read
    language: str  # of the reply, two letters; read
    reading: JSON  # `domain, action, composition, confidences, searches, needs_professional, ...`; read
    unheld: list[str]  # laws named in the message but missing from the knowledge base; read
    facts: list[JSON]  # dates, amounts and the like of the message, with canonical values; check_facts
    unread: list[str]  # spans named as facts but without a value; check_facts
    found: JSON  # `{"knowledge": [...], "documents": [...]}`, best first; retrieve
    context: list[JSON]  # the results that the answer is shown, in order; build_context
    context_metadata: JSON  # build_context
    choice: JSON  # the model that answers, the reason, and the estimated cost; choose_model
    steps: list[str]  # results of the computation; calculate
    missing: str  # what the computation lacked; calculate
    sources: list[JSON]  # documents behind the reply: `{id, title, url, score, cited}`; the node that replies
    reply: str
    reasoning_steps: list[str]
    warnings: list[str]


new_turn = fresh(RegulationsState, LASTING)  # each key of one turn, as it begins
