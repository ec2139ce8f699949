"""What a turn leaves for the next: the products that it spoke of, its search, and the question that it asked."""

from collections.abc import Sequence

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.planning.plans import Pending, Plan, Search
from turnkeep.blocks.referents import Referents, Thing, remember
from turnkeep.blocks.words import singular

MOST_SHOWN = 40


def thing_of(product: Product) -> Thing:
    hints = [product.brand, *product.attributes.get("type", ())]
    return Thing(id=product.id, name=product.name, kind=singular(product.category), hints=list(filter(None, hints)))


def spoken_of(referents: Referents, plan: Plan, products: Sequence[Product], winners: Sequence[str]) -> Referents:
    """A list is listed, and its winner in focus where there is one; what is told of alone is in focus."""
    things = [thing_of(product) for product in products]
    if not things:
        return referents
    best = [thing for thing in things if thing["id"] in winners]
    is_list = plan["route"] == "retrieve" and plan["kind"] != "details"
    focus = best if len(best) == 1 else things
    return remember(referents, focus=focus, listed=things) if is_list else remember(referents, focus=things)


def asked_about(referents: Referents, options: Sequence[Product]) -> Referents:
    """What a question back lets one choose from."""
    things = [thing_of(product) for product in options]
    return remember(referents, focus=things, listed=things) if things else referents


def searched(search: Search, plan: Plan, shown: Sequence[str]) -> Search:
    """The search to go on from; picking from a list and telling about a product are none."""
    if plan["route"] != "retrieve" or plan["kind"] == "details" or plan.get("among"):
        return Search(**{**search, "pending": None})
    goes_on = bool(plan.get("left_out")) and not plan.get("reference")
    before = search["shown"] if goes_on else []
    return Search(filters=plan["filters"], shown=[*before, *shown][-MOST_SHOWN:], pending=None)


def asking(search: Search, plan: Plan) -> Search:
    pending = plan.get("pending")
    filters = plan.get("filters", search["filters"])
    return Search(filters=filters, shown=search["shown"], pending=Pending(**pending) if pending else None)
