"""The inner calls of the agent `products`, as tests of served models play them."""

from wire import calls, says
from wire_talk import MADE_UP, Inner, Json, MadeUp, Prose

PHONES = "What phones do you have under $500?"

TYPED = {
    "products.route": Inner(
        agent="products",
        message="Which one suits a gardener?",
        tool="RouteResult",
        result={"route": "retrieve", "text": "products for the garden"},
        used='"conditions": ["garden"]',
        stood_in="routed_by_rules",
        after=(says("Gladly."),),
    ),
    "understand.read of products": Inner(
        agent="products",
        message="And next to the one at the top?",
        tool="Reading",
        result={"depends_on_history": True, "standalone_query": "Compare the Galaxy A55 with the Google Pixel 8a"},
        used='"tool": "compare"',
        stood_in="reformulation_failed",
        said=(PHONES,),
        after=(says("They are alike."),),
    ),
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

WORDED = {
    "products.answer": Prose("products", PHONES, "The Google Pixel 8a costs $499."),
    "products.respond": Prose("products", "Hello!", "Hi, what shall it be?"),
}

A_BOUND: Json = {"depends_on_history": True, "standalone_query": f"phones under ${MADE_UP}"}
INVENTIONS = {
    "products.answer": MadeUp(WORDED["products.answer"], (says(f"The Google Pixel 8a costs ${MADE_UP}."),)),
    "products.respond": MadeUp(WORDED["products.respond"], (says(f"Hi, ${MADE_UP} off today!"),)),
    "a search of products.route": MadeUp(
        TYPED["products.route"],
        (calls("RouteResult", {"route": "retrieve", "text": f"phones under ${MADE_UP}"}), says(f"Under ${MADE_UP}.")),
    ),
    "a question of products.route": MadeUp(
        TYPED["products.route"],
        (calls("RouteResult", {"route": "clarify", "text": f"The one for ${MADE_UP}?"}),),
        warning=None,
    ),
    "understand.read of products": MadeUp(
        TYPED["understand.read of products"],
        (calls("Reading", A_BOUND), calls("RouteResult", {"route": "respond"}), says("I see.")),
    ),
    "memory.fold of products": MadeUp(
        TYPED["memory.fold of products"],
        (calls("Summaries", {"messages": f"They pay ${MADE_UP}."}), says(f"You pay ${MADE_UP}.")),
    ),
}
