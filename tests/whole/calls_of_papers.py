"""The inner calls of the agent `papers`, as tests of served models play them."""

from typing import Any

from wire import calls, says
from wire_talk import Prose

LORA = "How does LoRA change a model?"
READING: dict[str, Any] = {
    "question": LORA,
    "kind": "question",
    "searches": ["LoRA low-rank adaptation"],
    "language": "en",
    "reason": "of the field",
    "score": 95,
}
READ = calls("Reading", READING)
GRADE = calls("Grade", {"relevant_ids": ["2106.09685"]})
REPLY = "Small matrices [2106.09685]."
WELL = [READ, GRADE, says(REPLY)]

WORDED = {
    "papers.answer": Prose("papers", LORA, REPLY, before=(READ, GRADE)),
    "papers.respond": Prose(
        "papers", "Hello", "Ask me about papers.", before=(calls("Reading", {**READING, "kind": "conversation"}),)
    ),
    "papers.refuse": Prose(
        "papers", "Bake me a cake", "I know papers only.", before=(calls("Reading", {**READING, "score": 3}),)
    ),
}
