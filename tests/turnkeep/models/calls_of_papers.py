"""The inner calls of the agent `papers`, as tests of served models play them."""

from typing import Any

from wire import calls, says

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
WELL = [READ, GRADE, says("Small matrices [2106.09685].")]
