"""The demo's answers to the inner calls of `products`: recorded calls of its tools, and the tools' results."""

import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON
from turnkeep_demo.model import Answer, Rule
from turnkeep_demo.replay import DECLINED, Recordings

RECORDED = Recordings.of("products")
SAMPLE = "The catalogue: 26 phones, 21 laptops, 21 headphones,"
"""Start of a prompt note over the bundled products. Another catalogue may lack the kinds in recorded calls."""
MOST_PIECES = 4  # of a product in a list
_CARD = re.compile(r"(?P<name>[^;:]+?)(?: \([^;()]+\))?: (?P<price>\$[\d,.]+), (?P<rest>.+)")


def rules() -> Mapping[str, Rule]:
    return {"products.read": read, "products.answer": answer}


def read(parts: JSON) -> Answer:
    """Return calls of tools, or a reply."""
    message, is_sample = parts["query"], any(note.startswith(SAMPLE) for note in parts["notes"])
    found = RECORDED.find(message, parts["conversation"]) if is_sample else None
    reply: Answer = found.calls["read"] if found else RECORDED.decline(message)
    return reply


def answer(parts: JSON) -> str:
    """Return the tools' results in their own words."""
    texts = [_worded(result["tool"], result["output"].split("\n")[1:]) for result in parts["tool_results"]]
    return "\n\n".join(texts) or DECLINED


def _worded(tool: str, lines: Sequence[str]) -> str:
    cards = [card for line in lines if (card := _CARD.match(line))]
    if tool != "search" or not cards:
        return "\n".join(lines)
    if len(lines) == 1:
        return "The {name} costs {price}: {rest}".format(**cards[0].groupdict())
    head = [line for line in lines if not _CARD.match(line)]
    return "\n".join([*head, *(_line(number, card, " ".join(head)) for number, card in enumerate(cards, 1))])


def _line(number: int, card: re.Match[str], head: str) -> str:
    """Format a card; the attributes that rank the products come first."""
    stock, *own = card["rest"].split("; ")
    pieces = sorted(own, key=lambda piece: piece.partition(" ")[0] not in f"{head} rating")[:MOST_PIECES]
    return f"{number}. {card['name']} ({card['price']}), {'; '.join([stock, *pieces])}"
