"""State of one run of the agent. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Literal, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from turnkeep.kit.memory import ThreadMemory
from turnkeep.kit.nodes import fresh
from turnkeep.records import JSON

Route: TypeAlias = Literal["retrieve", "tool", "respond", "clarify"]

LASTING = frozenset({"messages", "memory", "listed", "spoken", "searched", "limits"})


class ProductsState(TypedDict):
    """Lasting keys are absent in the first turn; each is written by the node that is named."""

    messages: Annotated[list[AnyMessage], add_messages]  # the last is the customer's until a reply follows
    memory: ThreadMemory  # summaries, with tiered memory; read
    listed: list[str]  # ids of the last shown list of a search, in the order of the reply; answer
    spoken: list[str]  # ids of the products of the last reply that named any; answer
    searched: list[JSON]  # the last searches, so that a follow-up can change them; answer
    limits: list[float]  # amounts of the customer that searches used: a reply may name them; answer

    route: Route | None  # read
    calls: list[JSON]  # the model's calls, `tool` and its arguments; read
    draft: str  # a reply that needs no catalogue, or a question back; read
    results: list[JSON]  # `tool`, `wish`, `is_list`, `texts` and `ids` of each call; use_tool, retrieve
    sources: list[JSON]  # the products that the reply is based on; answer
    context: JSON  # how much of the history the reading was shown; read
    warnings: list[str]  # codes for the client; every node that calls a model


new_turn = fresh(ProductsState, LASTING)  # each key of one turn, as it begins
