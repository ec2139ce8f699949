"""Which way a turn takes: the first rule that applies. A question back where wishes exclude each other or a word points
at several products; then tools, then the catalogue, then what was spoken of; small talk only where nothing else is."""

from collections.abc import Callable, Sequence

from turnkeep_agents.products.planning import comparatives, comparisons, letting_go, lookups, searches
from turnkeep_agents.products.planning.plans import Plan
from turnkeep_agents.products.planning.situation import Situation
from turnkeep_agents.products.telling import describe

_RULES: Sequence[Callable[[Situation], Plan | None]] = (
    lookups.talk,
    letting_go.start_anew,
    letting_go.take_back,
    lookups.question_contradiction,
    lookups.take_answer,
    comparatives.pick_best,
    lookups.question_pointer,
    comparisons.compare_described,
    comparisons.compare,
    lookups.look_up,
    comparatives.similar,
    comparatives.relative,
    searches.name_product,
    searches.ask_of_focus,
    searches.go_on_listing,
    searches.filter_products,
    searches.look_for_unknown,
    searches.go_on,
    lookups.ask_again,
)


def plan_turn(now: Situation) -> Plan:
    """What to do, and whether the rules are sure of it."""
    return next((plan for plan in (rule(now) for rule in _RULES) if plan), None) or searches.guess(now)


def is_settled(plan: Plan) -> bool:
    """Whether rules need no model to decide."""
    return plan["is_sure"] and plan["route"] != "clarify"


def standalone(plan: Plan, now: Situation) -> str:
    """The message so that it needs no history: with names for what points, or the filters that add up."""
    if not plan["uses_history"]:
        return now.message
    adds_filters = plan["route"] == "retrieve" and plan["kind"] != "details" and not plan.get("among")
    if adds_filters:
        return describe(plan["filters"])
    names = [product.name for product in now.catalogue.get(plan.get("ids", plan.get("among", [])))]
    missing = [name for name in names if name not in now.said]
    return f"{now.said} ({', '.join(missing)})" if names and missing == names else now.said
