"""Answers by rules, from the same parts that a model is given: for the demo model, and for a model whose answer cannot
be used. Figures come from documents, tool results and notes, none is written here."""

import re
from collections.abc import Sequence

from turnkeep_agents.products.prompts import DETAILS, FACTS, LIST, SAY
from turnkeep_agents.products.reading.smalltalk import small_talk
from turnkeep.blocks.languages import is_english
from turnkeep.records import JSON

ONLY_ENGLISH = "I answer in English."
MAY_MISS = "I may have missed some of your wishes."
OFFER = "I can find products, compare them, and look up prices and what is in stock."

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_HEAD = ("brand", "category", "price", "availability")
_IN_STOCK = "in stock"


def write_answer(parts: JSON) -> str:
    """From the parts of a prompt of the call `products.answer`."""
    notes, documents = parts["notes"], parts["documents"]
    said = [note.removeprefix(SAY) for note in notes if note.startswith(SAY)]
    is_list = any(note.startswith(LIST) for note in notes)
    language = [] if is_english(parts["query"]) else [ONLY_ENGLISH, *([MAY_MISS] if is_list else [])]
    paragraphs = [" ".join([*language, *said])] if language or said else []
    if parts["tool_results"]:
        paragraphs += [result["output"] for result in parts["tool_results"]]
    elif DETAILS in notes:
        paragraphs += [_describe(row) for row in documents]
    elif FACTS not in notes:
        shown = next((note.removeprefix(LIST) for note in notes if note.startswith(LIST)), "")
        paragraphs += ["\n".join(_line(at, row, shown.split(", ")) for at, row in enumerate(documents, 1))]
    return "\n\n".join(filter(None, paragraphs))


def write_response(message: str, catalogue: str) -> str:
    """To a message that asks for no product."""
    if not is_english(message):
        return f"{ONLY_ENGLISH} {OFFER} A name of a product is enough. The catalogue: {catalogue}."
    match small_talk(message):
        case "greeting":
            return f"Hello! {OFFER} The catalogue: {catalogue}."
        case "thanks":
            return "You're welcome! If there is more that you would like to know about a product, just ask."
        case "self":
            return f"I am the automatic adviser of this shop. {OFFER} The catalogue: {catalogue}."
        case "capabilities":
            return f"{OFFER} The catalogue: {catalogue}."
    return f"That is outside of what I know. {OFFER} The catalogue: {catalogue}."


def _describe(row: JSON) -> str:
    facts = row["metadata"]
    rest = "; ".join(f"{name}: {value}" for name, value in facts.items() if name not in _HEAD)
    head = f"The {row['title']} costs {facts['price']} and is {facts['availability']}."
    return "\n".join(filter(None, [" ".join(filter(None, [head, row["text"]])), rest]))


def _line(at: int, row: JSON, shown: Sequence[str]) -> str:
    facts = row["metadata"]
    told = [facts["price"]]
    told += [_fact(name, facts[name]) for name in shown if name in facts and name not in _HEAD]
    told += [facts["availability"]] if facts["availability"] != _IN_STOCK else []
    line = f"{at}. {row['title']}, {', '.join(told)}"
    return f"{line}: {_SENTENCE_END.split(row['text'])[0]}" if row["text"] else line


def _fact(name: str, value: str) -> str:
    return f"rated {value}" if name == "rating" else f"{name} {value}"
