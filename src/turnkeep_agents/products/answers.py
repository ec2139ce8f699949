"""What a reply is held against, and what is told where nothing of it could stand."""

from collections.abc import Mapping, Sequence
from datetime import date

from langchain_core.messages import AnyMessage

from turnkeep.blocks.verification import Sources
from turnkeep_agents.products.catalogue.measures import money
from turnkeep_agents.products.catalogue.names import short_names
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.state import ProductsState


def prices(catalogue: Catalogue) -> Mapping[str, float]:
    """By full name, and by the name without its brand where that is one product's."""
    full = {product.name: product.price for product in catalogue.products}
    return full | {name: product.price for name, product in short_names(catalogue).items()}


def sources(
    state: ProductsState, catalogue: Catalogue, by_name: Mapping[str, float], today: date, memory: Sequence[str]
) -> Sources:
    """`by_name` are prices. What the thread was shown earlier is known as well."""
    found = [text for result in state["results"] for text in result["texts"]]
    return Sources(
        known=[*found, *_said(state["messages"][:-1], "ai"), *memory, catalogue.summary],
        asked=_said(state["messages"], "human"),
        limits=state.get("limits") or [],
        days=[(today, today)],
        prices=by_name,
        has_counts=bool(found),
    )


def facts_of(products: Sequence[Product], catalogue: Catalogue) -> str:
    """What needs no language: names and prices, or which kinds there are."""
    return "\n".join(f"{product.name}: {money(product.price)}" for product in products) or f"{catalogue.summary}."


def thread_notes(state: ProductsState, catalogue: Catalogue) -> list[str]:
    """What the thread speaks of, for the reading."""
    listed = catalogue.get(state.get("listed") or [])
    spoken = catalogue.get(state.get("spoken") or [])
    notes = [f"Your last list: {_numbered(listed)}"] if listed else []
    if spoken and spoken != listed:
        notes.append(f"Your last reply named: {', '.join(product.name for product in spoken)}")
    return notes


def _numbered(products: Sequence[Product]) -> str:
    return ", ".join(f"{at}. {product.name} ({money(product.price)})" for at, product in enumerate(products, 1))


def _said(messages: Sequence[AnyMessage], kind: str) -> list[str]:
    return [str(message.text) for message in messages if message.type == kind]
