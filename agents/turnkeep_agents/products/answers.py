"""Facts that a reply is checked against, and notes on the thread."""

from collections.abc import Sequence
from datetime import date

from turnkeep.kit.verification import Sources
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.state import ProductsState

MOST_PRICED = 1_000  # products whose prices a reply is checked against; of more, only those in the thread


def sources(state: ProductsState, catalogue: Catalogue, today: date, memory: Sequence[str]) -> Sources:
    """Return the facts for the check, including those shown earlier in the thread."""
    found = [text for result in state["results"] for text in result["texts"]]
    ids = [id_ for result in state["results"] for id_ in result["ids"]]
    near = catalogue.get([*ids, *(state.get("listed") or []), *(state.get("spoken") or [])])
    priced = catalogue.by_name if len(catalogue.products) <= MOST_PRICED else {each.name: each for each in near}
    replies = [str(message.text) for message in state["messages"][:-1] if message.type == "ai"]
    return Sources(
        known=[*found, *replies, *memory, catalogue.summary],
        asked=[str(message.text) for message in state["messages"] if message.type == "human"],
        limits=state.get("limits") or [],
        days=[(today, today)],
        prices={name: product.price for name, product in priced.items()},
        has_counts=bool(found),
    )


def thread_notes(state: ProductsState, catalogue: Catalogue) -> list[str]:
    """Return notes on the products of the thread, for the reading."""
    listed = catalogue.get(state.get("listed") or [])
    spoken = catalogue.get(state.get("spoken") or [])
    numbered = ", ".join(f"{at}. {product.name} ({money(product.price)})" for at, product in enumerate(listed, 1))
    notes = [f"Last list: {numbered}"] if listed else []
    if spoken and spoken != listed:
        notes.append(f"Named last: {', '.join(product.name for product in spoken)}")
    return notes
