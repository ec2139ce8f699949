"""State of one run of the agent. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.kit.nodes import fresh
from turnkeep.records import JSON

LASTING = frozenset({"messages"})


class PapersState(TypedDict):
    """Only `messages` is lasting. Each comment ends with the nodes that write the key."""

    messages: Annotated[list[AnyMessage], add_messages]  # the last one is the user's until a node replies
    standalone_query: str  # the question in the user's words, understandable without history; read
    language: str  # of the reply, two letters; read
    guardrail_score: int | None  # from 0 to 100; read
    route: Literal["retrieve", "respond", "refuse"] | None  # `respond` answers from the conversation; read
    searches: list[str]  # the next searches; read, rewrite_query
    scope: JSON  # `{"limit": papers at most, "years": first and last, or none}`; read
    documents: list[JSON]  # new results of the last search, best first; retrieve
    seen: list[str]  # ids of all results so far; retrieve
    relevant: list[JSON]  # those of `documents` that help; grade_documents
    attempts: int  # searches so far; retrieve
    rewritten_queries: list[str]  # queries tried after the first; rewrite_query
    is_exhausted: bool  # another search would find nothing new; retrieve, rewrite_query
    sources: list[JSON]  # documents behind the reply: `{id, title, url, score, cited}`; the node that replies
    reply: str
    reasoning_steps: list[str]
    warnings: list[str]


new_turn = fresh(PapersState, LASTING)  # each key of one turn, as it begins
