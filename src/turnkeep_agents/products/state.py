"""What one run of the agent knows. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep.blocks.memory import ThreadMemory
from turnkeep.records import JSON

type Route = Literal["retrieve", "tool", "respond", "clarify"]

LASTING = frozenset({"messages", "memory", "listed", "spoken", "searched", "limits"})


class ProductsState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation; its last message is the customer's until a reply follows. Lasting."""

    memory: ThreadMemory
    """Summaries, with tiered memory; absent in the first turn. By `read`. Lasting."""

    listed: list[str]
    """Ids of the last list that a search has shown, in the order of the reply. By `answer`. Lasting."""

    spoken: list[str]
    """Ids of the products of the last reply that named any. By `answer`. Lasting."""

    searched: list[JSON]
    """The last searches, so that a follow-up can change them. By `answer`. Lasting."""

    limits: list[float]
    """Amounts of the customer that searches were held to: a reply may name them. By `answer`. Lasting."""

    route: Route | None
    """By `read`."""

    calls: list[JSON]
    """What the model calls, `tool` and its arguments. By `read`."""

    draft: str
    """A reply that needs no catalogue, or a question back. By `read`."""

    results: list[JSON]
    """`tool`, `wish`, `texts` and `ids` of each call. By `use_tool` and `retrieve`."""

    sources: list[JSON]
    """The products that the reply was written from. By `answer`."""

    context: JSON
    """How much of the history the prompts show. By `read`."""

    warnings: list[str]
    """Codes that the client sees. By every node that asks a model."""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {"route": None, "draft": "", "context": {}} | {
        name: [] for name in ("calls", "results", "sources", "warnings")
    }
