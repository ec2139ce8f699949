"""State of one run of the agent. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.blocks.nodes import fresh
from turnkeep.records import JSON

LASTING = frozenset({"messages"})


class PapersState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation, the only lasting key; its last message is the user's until a node replies."""
    standalone_query: str
    """The question so that it needs no history, in the user's words. By `read`."""
    language: str
    """Of the reply, two letters. By `read`."""
    guardrail_score: int | None
    """From 0 to 100. By `read`."""
    route: Literal["retrieve", "respond", "refuse"] | None
    """The node that follows; `respond` answers from the conversation. By `read`."""
    searches: list[str]
    """What to search for next. By `read`, then `rewrite_query`."""
    scope: JSON
    """What a search may find: `{"limit": papers at most, "years": first and last, or none}`. By `read`."""
    documents: list[JSON]
    """What the last search found that no search before it had, best first. By `retrieve`."""
    seen: list[str]
    """The ids of all that was found. By `retrieve`."""
    relevant: list[JSON]
    """Those of `documents` that help. By `grade_documents`."""
    attempts: int
    """Searches so far. By `retrieve`."""
    rewritten_queries: list[str]
    """Queries that were tried after the first. By `rewrite_query`."""
    is_exhausted: bool
    """Another search would find nothing else. By `retrieve` and `rewrite_query`."""
    sources: list[JSON]
    """What the reply was written from: `{id, title, url, score, cited}`. By the node that replies."""
    reply: str
    reasoning_steps: list[str]
    warnings: list[str]


new_turn = fresh(PapersState, LASTING)  # each key of one turn, as it begins
