"""The inner calls of the agent `papers`, as tests of served models play them."""

from typing import Any

from wire import calls, says
from wire_talk import MADE_UP, Inner, MadeUp, Prose

LORA = "How does LoRA change a model?"
READING: dict[str, Any] = {
    "question": LORA,
    "kind": "question",
    "searches": ["LoRA low-rank adaptation"],
    "breadth": "few",
    "years": [],
    "language": "en",
    "reason": "of the field",
    "score": 95,
}
READ = calls("Reading", READING)
GRADE = calls("Grade", {"relevant_ids": ["2106.09685"]})
REPLY = "Small matrices [2106.09685]."
WELL = [READ, GRADE, says(REPLY)]

TYPED = {
    "papers.read": Inner("papers", LORA, "Reading", READING, used=REPLY, stood_in=None, after=tuple(WELL[1:])),
    "papers.grade": Inner(
        "papers",
        LORA,
        "Grade",
        {"relevant_ids": ["2106.09685"]},
        used=REPLY,
        stood_in=None,
        before=(READ,),
        after=tuple(WELL[2:]),
    ),
    "papers.rewrite": Inner(
        "papers",
        LORA,
        "Rewrite",
        {"query": "transformer attention"},
        used="transformer attention",
        stood_in=None,
        before=(READ, calls("Grade", {"relevant_ids": []})),
        after=(calls("Grade", {"relevant_ids": ["1706.03762"]}), says("It attends [1706.03762].")),
    ),
}
WORDED = {
    "papers.answer": Prose("papers", LORA, REPLY, before=(READ, GRADE)),
    "papers.respond": Prose(
        "papers", "Hello", "Ask me about papers.", before=(calls("Reading", {**READING, "kind": "conversation"}),)
    ),
    "papers.refuse": Prose(
        "papers", "Bake me a cake", "I know papers only.", before=(calls("Reading", {**READING, "score": 3}),)
    ),
}
REPAIRED = calls("Rewritten", {"sentences": [f"It saves {MADE_UP} dollars."]})
INVENTIONS = {
    name: MadeUp(one, (*one.before, says(f"Well. It saves {MADE_UP} dollars."), REPAIRED))
    for name, one in WORDED.items()
    if name != "papers.refuse"
}
