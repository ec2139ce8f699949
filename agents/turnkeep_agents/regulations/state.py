"""State of one run of the agent. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Literal, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.blocks.nodes import fresh
from turnkeep.records import JSON

LASTING = frozenset({"messages"})

Composition: TypeAlias = Literal["pure_kb", "pure_doc", "hybrid", "chat"]
"""Sources of an answer: the knowledge base, the user's documents, both, or the conversation."""
Route: TypeAlias = Literal["faq", "cached", "retrieve", "respond", "refuse"]


class RegulationsState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation, the only lasting key; its last message is the user's until a node replies."""
    active: list[JSON]
    """The thread's documents: `{id, label, name, pages}`, oldest first. By `match_faq`."""
    cache_key: str
    """Of all that an answer to this message depends on; empty where none may be remembered. By `recall`."""
    route: Route | None
    """By `match_faq`, `recall`, else by `read`."""
    standalone_query: str
    """The question so that it needs no history, in the user's words. By `read`."""
    language: str
    """Of the reply, two letters. By `read`."""
    reading: JSON
    """`domain`, `action`, `composition`, `confidences`, `searches`, `needs_professional`. By `read`."""
    unheld: list[str]
    """Laws that the message names and that are not in the knowledge base. By `read`."""
    facts: list[JSON]
    """Dates, amounts and the like that the message names, with their canonical values. By `check_facts`."""
    unread: list[str]
    """Spans that were named as facts and have no value. By `check_facts`."""
    found: JSON
    """`{"knowledge": [...], "documents": [...]}`, best first. By `retrieve`."""
    context: list[JSON]
    """What of it the answer is shown, in order. By `build_context`."""
    context_metadata: JSON
    """By `build_context`."""
    choice: JSON
    """Which model answers, why, and what that is estimated to cost. By `choose_model`."""
    steps: list[str]
    """What was computed. By `calculate`."""
    missing: str
    """What a computation would have needed besides. By `calculate`."""
    sources: list[JSON]
    """What the reply was written from: `{id, title, url, score, cited}`. By the node that replies."""
    reply: str
    reasoning_steps: list[str]
    warnings: list[str]


new_turn = fresh(RegulationsState, LASTING)  # each key of one turn, as it begins
