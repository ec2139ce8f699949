"""What one run of the agent knows. Plain JSON types only: the state is stored with strict msgpack."""

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages

from turnkeep_agents.products.planning.plans import Plan, Search
from turnkeep_agents.products.planning.situation import Heard
from turnkeep.blocks.memory import ThreadMemory
from turnkeep.blocks.referents import Referents
from turnkeep.records import JSON

LASTING = frozenset({"messages", "referents", "memory", "search"})


class ProductsState(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation; its last message is the question until `answer`, `respond` or `clarify` replies. Lasting."""

    referents: Referents
    """The products that were spoken of; absent in the first turn. By `answer` and `clarify`. Lasting."""

    memory: ThreadMemory
    """Summaries, with tiered memory; absent in the first turn. By `understand`. Lasting."""

    search: Search
    """The last search and an open question; absent in the first turn. By `answer` and `clarify`. Lasting."""

    understood: Heard
    """What the message says on its own. By `understand`, then `choose_route`."""

    plan: Plan | None
    """What to do. By `choose_route`."""

    standalone_query: str
    """The message so that it needs no history. By `understand`, then `reformulate`."""

    found: list[str]
    """Ids of the products that the answer is about, in their order. By `retrieve` or `use_tool`."""

    winners: list[str]
    """Those of `found` that are what was asked for, where a superlative was. By `retrieve`."""

    notes: list[str]
    """What the prompt says about the documents. By `retrieve`."""

    tool_results: list[JSON]
    """`{tool, output}`. By `use_tool`."""

    sources: list[JSON]
    """What the reply was written from: `{id, title, url, score, cited}`. By `answer`."""

    route: str | None
    """`retrieve`, `tool`, `respond` or `clarify`. By `choose_route`."""

    context: JSON
    """How much of the history the prompts show. By `understand`."""

    reply: str
    """The text of the reply. By `answer`, `respond` or `clarify`."""

    reasoning_steps: list[str]
    """One sentence a node, for the ledger. By every node."""

    warnings: list[str]
    """Codes that the client sees. By every node that asks a model."""


def new_turn() -> dict[str, Any]:
    """Every key that belongs to one turn, as it is when the turn begins."""
    return {
        "understood": {},
        "plan": None,
        "standalone_query": "",
        "found": [],
        "winners": [],
        "notes": [],
        "tool_results": [],
        "sources": [],
        "route": None,
        "context": {},
        "reply": "",
        "reasoning_steps": [],
        "warnings": [],
    }
