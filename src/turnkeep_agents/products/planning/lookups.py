"""When a turn uses a tool or asks back. A tool needs products, by name or pointed at: with a category alone, a word
such as "available" filters a search."""

import re
from collections.abc import Sequence

from turnkeep_agents.products.filters import narrows
from turnkeep_agents.products.planning.plans import Pending, Plan, ask, respond, use
from turnkeep_agents.products.planning.situation import Situation
from turnkeep_agents.products.reading.contradictions import find_contradiction, without_contradiction
from turnkeep_agents.products.reading.smalltalk import small_talk

MOST_COMPARED, MOST_LOOKED_UP = 4, 5
FEW_WORDS = 3
ANSWER_WORDS = 8  # of a message that only answers a question back

_THAN = re.compile(r"\bthan\b", re.IGNORECASE)


def talk(now: Situation) -> Plan | None:
    if small_talk(now.message) == "self":
        return respond("it asks who is speaking")
    has_more = now.ids or now.wishes.unknown or narrows(now.filters) or now.wishes.asked
    return respond("it is small talk") if small_talk(now.message) and not has_more else None


def question_contradiction(now: Situation) -> Plan | None:
    question = find_contradiction(now.wishes)
    if question is None:
        return None
    reason, rest = "its wishes exclude each other", without_contradiction(now.filters)
    return ask(question, reason, Pending(tool=None, ids=[]), filters=rest)


def take_answer(now: Situation) -> Plan | None:
    """A product named after a question back is what a tool has been waiting for."""
    pending = now.search["pending"]
    if not pending or not pending["tool"] or not now.ids or now.tool_word or not now.is_short(ANSWER_WORDS):
        return None
    ids = list(dict.fromkeys([*pending["ids"], *now.ids]))
    if pending["tool"] == "compare" and len(ids) < 2:
        return None
    return use(pending["tool"], ids[:MOST_COMPARED], "it answers what was asked", uses_history=True)


def question_pointer(now: Situation) -> Plan | None:
    """A phrase that points at several products, or at none."""
    is_against_named = now.wishes.is_relative and now.says(_THAN)
    for vague in now.unclear:
        products = now.catalogue.get(vague["ids"])
        if len(products) > 1 and (is_against_named or not now.wishes.ids):
            names = either([product.name for product in products])
            question, options = (
                f"Which one do you mean by “{vague['phrase']}”: {names}?",
                [product.id for product in products],
            )
            against = list(now.wishes.ids)
            pending = Pending(tool="compare" if against else now.tool_word, ids=against)
            return ask(question, "it may mean several products", pending, options=options)
        if not products and not now.wishes.ids and not narrows(now.filters):
            question = "Which product do you mean? We have not spoken of one yet that this could be."
            return ask(question, "it points at no product", Pending(tool=now.tool_word, ids=[]))
    return None


def ask_again(now: Situation) -> Plan | None:
    """A few words that answer nothing of what was asked."""
    pending = now.search["pending"]
    says_nothing = not (now.filters["words"] or now.wishes.strange or now.wishes.asked or now.wishes.order)
    if pending is None or not says_nothing or not now.is_short(FEW_WORDS):
        return None
    options = [product.id for product in now.catalogue.get(now.several[:MOST_LOOKED_UP])]
    names = [product.name for product in now.catalogue.get(options)]
    which = f": {either(names)}" if len(names) > 1 else ""
    return ask(f"Which product do you mean{which}?", "it does not answer what was asked", pending, options=options)


def look_up(now: Situation) -> Plan | None:
    tool = now.tool_word
    if tool is None or now.wishes.asked:
        return None
    ids = now.ids or ([] if now.filters["categories"] else now.line_ids[:MOST_LOOKED_UP])
    if ids:
        return None if _is_search(now) else use(tool, ids, f"it asks for the {tool}", uses_history=now.uses_history)
    if narrows(now.filters) or now.wishes.unknown or now.filters["words"] or now.wishes.order:
        return None
    if now.focus and now.is_follow_up:
        return use(tool, now.focus, f"it asks for the {tool} of what was spoken of", uses_history=True)
    return ask("Which product do you mean?", f"it asks for the {tool} of nothing", Pending(tool=tool, ids=[]))


def _is_search(now: Situation) -> bool:
    """Cheaper than this one, this one in black: the product is only the measure, or more is asked than a tool knows."""
    has_values = any(condition["op"] == "is" for condition in now.filters["conditions"])
    return has_values or (now.says(_THAN) and now.wishes.is_relative)


def either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
