"""What one run of the agent knows. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep.records import JSON

LASTING = frozenset({"messages"})


class PapersState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation, the only lasting key; its last message is the question until `refuse` or `answer` replies."""

    topic: list[str]
    """Earlier questions and cited titles that the question leans on; empty if it stands alone. By `understand`."""

    standalone_query: str
    """The question so that it needs no history. By `understand`."""

    search_query: str
    """What to search for next. By `understand`, then `rewrite_query`."""

    guardrail: JSON | None
    """`{"score": 0..100, "reason": str}`. By `check_scope`."""

    documents: list[JSON]
    """What the last search found, best first. By `retrieve`."""

    relevant: list[JSON]
    """Those of `documents` that bear on the question. By `grade_documents`."""

    attempts: int
    """Searches so far. By `retrieve`."""

    rewritten_queries: list[str]
    """Queries that were tried after the first. By `rewrite_query`."""

    sources: list[JSON]
    """What the reply was written from: `{id, title, url, score, cited}`. By `answer`."""

    route: str | None
    """`retrieve` or `refuse`. By `check_scope`."""

    reply: str
    """The text of the reply. By `refuse` or `answer`."""

    reasoning_steps: list[str]
    """One sentence a node, for the ledger. By every node."""

    warnings: list[str]
    """Codes that the client sees. By `refuse` and `answer`."""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {
        "topic": [],
        "standalone_query": "",
        "search_query": "",
        "guardrail": None,
        "documents": [],
        "relevant": [],
        "attempts": 0,
        "rewritten_queries": [],
        "sources": [],
        "route": None,
        "reply": "",
        "reasoning_steps": [],
        "warnings": [],
    }
