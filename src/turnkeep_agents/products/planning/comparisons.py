"""When a turn compares products: by name, or described, such as the cheapest of a kind."""

import re
from collections.abc import Sequence

from turnkeep_agents.products.filters import Filters, find, narrows, sort_key
from turnkeep_agents.products.planning.lookups import ANSWER_WORDS, MOST_COMPARED, either
from turnkeep_agents.products.planning.plans import Pending, Plan, ask, use
from turnkeep_agents.products.planning.situation import Situation
from turnkeep_agents.products.telling import describe

_COMPARE = re.compile(
    r"\b(compar(e|es|ed|ing|ison)|versus|vs|differences?|differs?|different from|side by side|stack up|better than"
    r"|worse than|(which|what)\b[^?]*\b(better|best|prefer|recommend|choose))\b",
    re.IGNORECASE,
)
_ONLY_COMPARE = re.compile(r"\b(compar\w+|differen\w+|versus|vs)\b", re.IGNORECASE)
_WITH = re.compile(r"\b(with|to|against)\b", re.IGNORECASE)
_OR = re.compile(r"\b(or|than)\b", re.IGNORECASE)


def compare_described(now: Situation) -> Plan | None:
    """With one that is named or spoken of, or the first few of an order. Where a description fits too many, which?"""
    order, filters = now.wishes.order, now.filters
    has_subject = filters["categories"] or filters["brands"]
    if not now.says(_ONLY_COMPARE) or not has_subject or filters["lines"] or not (order or len(now.ids) == 1):
        return None
    ids = now.ids or (list(now.focus) if now.says(_WITH) and len(now.focus) == 1 and now.is_follow_up else [])
    others = [id_ for id_ in _fitting(now, ids) if id_ not in ids]
    if order:
        others = others[: now.wishes.limit or (1 if ids else 2)]
    every = [*ids, *others]
    if len(every) < 2 or len(every) > MOST_COMPARED:
        return _ask_which(now, ids, others) if ids and others else None
    return use("compare", every, "it compares what it describes", uses_history=now.uses_history or not now.ids)


def _fitting(now: Situation, ids: Sequence[str]) -> list[str]:
    """What fits the description, in the order that is asked for; of the same kind where it names none."""
    kinds = now.filters["categories"] or [product.category for product in now.catalogue.get(ids[:1])]
    found = find(Filters(**{**now.filters, "categories": kinds, "order": None, "words": []}), now.catalogue)
    order = now.wishes.order
    return [product.id for product in (sorted(found, key=sort_key(order)) if order else found)]


def _ask_which(now: Situation, ids: list[str], others: Sequence[str]) -> Plan:
    [first, *_], options = now.catalogue.get(ids), now.catalogue.get(others[:MOST_COMPARED])
    kinds = describe(Filters(**{**now.filters, "words": []}))
    among = either([product.name for product in options])
    question = f"Which of {len(others)} {kinds} should I compare the {first.name} with: {among}, or another?"
    return ask(question, "the description fits several products", Pending(tool="compare", ids=ids))


def compare(now: Situation) -> Plan | None:
    is_choice = len(now.ids) > 1 and now.says(_OR)
    is_plain_choice = is_choice and now.is_short(ANSWER_WORDS + 4) and not now.wishes.asked
    if not now.says(_COMPARE) and not is_plain_choice and not (is_choice and now.wishes.order):
        return None
    ids = _comparable(now)
    if len(ids) > 1:
        return use("compare", ids[:MOST_COMPARED], "it compares products", uses_history=now.uses_history)
    if narrows(now.filters) or not now.says(_ONLY_COMPARE):
        return None
    ids = ids or (list(now.focus) if len(now.focus) == 1 and now.is_follow_up else [])
    names = [product.name for product in now.catalogue.get(ids)]
    question = f"Which product should I compare the {names[0]} with?" if names else "Which products should I compare?"
    return ask(question, "one product cannot be compared", Pending(tool="compare", ids=ids))


def _comparable(now: Situation) -> list[str]:
    """What is named; a few of a line; with one product named, the one that was spoken of."""
    line = now.line_ids if now.ids or len(now.line_ids) <= MOST_COMPARED else []
    ids = list(dict.fromkeys([*now.ids, *line]))
    focus = now.focus if len(ids) == 1 and len(now.focus) == 1 else ()
    return list(dict.fromkeys([*focus, *ids]))
