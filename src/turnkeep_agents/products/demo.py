"""The agent's rules for the demo model: one for each inner call, from the parts of its prompt. They know the words of
the catalogue, and nothing of any particular question."""

from collections.abc import Mapping

from turnkeep_agents.products.answers import write_answer, write_response
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.planning.searches import are_known
from turnkeep_agents.products.reading.wishes import read_wishes
from turnkeep.blocks.languages import is_english
from turnkeep_demo.model import Rule
from turnkeep.records import JSON


def demo_rules(catalogue: Catalogue) -> Mapping[str, Rule]:
    """The rules over the words of `catalogue`."""

    def route(parts: JSON) -> JSON:
        message = parts["query"]
        is_search = are_known(message, read_wishes(message, catalogue)) and is_english(message)
        return {"route": "retrieve" if is_search else "respond", "text": ""}

    return {
        "products.route": route,
        "products.answer": write_answer,
        "products.respond": lambda parts: write_response(parts["query"], catalogue.summary),
    }
