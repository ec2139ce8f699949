"""The inner calls of the agent `products`, as tests of served models play them."""

from typing import Any

from wire import Answer, calls, says
from wire_talk import MADE_UP, Inner, MadeUp, Prose

PHONES = "What phones do you have under $500?"


def search(**args: Any) -> Answer:
    return calls("Search", {"wish": PHONES, **args})


SEARCH = search(category="phones", price_max=500)

TYPED = {
    "memory.fold of products": Inner(
        agent="products",
        message="Good morning!",
        tool="Summaries",
        result={"messages": "The user is polite."},
        used="The user is polite.",
        stood_in="memory_by_rules",
        said=("Good morning!",) * 10,
        after=(says("Hello again."),),
    ),
}

WORDED = {"products.answer": Prose("products", PHONES, "The Google Pixel 8a costs $499.", before=(SEARCH,))}

FORGED = f"The Google Pixel 8a costs ${MADE_UP}."
AGAIN = calls("Rewritten", {"sentences": [FORGED]})
INVENTIONS = {
    "products.answer": MadeUp(WORDED["products.answer"], (SEARCH, says(FORGED), AGAIN)),
    "small talk of products.read": MadeUp(
        WORDED["products.answer"], (says(FORGED), says(FORGED), AGAIN), warning="sentence_removed"
    ),
    "memory.fold of products": MadeUp(
        TYPED["memory.fold of products"],
        (
            calls("Summaries", {"messages": "They like red."}),
            says(f"You pay ${MADE_UP}."),
            says(f"You pay ${MADE_UP}."),
            calls("Rewritten", {"sentences": [f"It is ${MADE_UP}."]}),
        ),
    ),
}
