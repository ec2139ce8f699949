"""The tools of the agent: compare, price, availability. Each takes products and tells what the catalogue says."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from turnkeep_agents.products import facts
from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.planning.plans import Tool
from turnkeep.records import JSON

type _Run = Callable[[Sequence[Product], Catalogue, date], str]

_TOOLS: Mapping[Tool, _Run] = {
    "compare": facts.compare,
    "price": lambda products, catalogue, today: facts.price(products),
    "availability": lambda products, catalogue, today: facts.availability(products, today),
}


def run_tool(tool: Tool, ids: Sequence[str], catalogue: Catalogue, today: date) -> list[JSON]:
    """Its result as a prompt takes it; empty where none of the products is there any more."""
    products = catalogue.get(ids)
    enough = len(products) >= (2 if tool == "compare" else 1)
    return [{"tool": tool, "output": _TOOLS[tool](products, catalogue, today)}] if enough else []
