"""The demo's answers to the inner calls of `products`: recorded calls of its tools, and what the tools found."""

import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON
from turnkeep_demo.model import Rule, Said
from turnkeep_demo.replay import DECLINED, Recordings

RECORDED = Recordings.of("products")
SAMPLE = "The catalogue: 26 phones, 21 laptops, 21 headphones,"
"""How a prompt over the bundled products begins. Another catalogue may lack the kinds that recorded calls name."""
MOST_PIECES = 4  # of a product in a list
_CARD = re.compile(r"(?P<name>[^;:]+?)(?: \([^;()]+\))?: (?P<price>\$[\d,.]+), (?P<rest>.+)")


def rules() -> Mapping[str, Rule]:
    return {"products.read": read, "products.answer": answer}


def read(parts: JSON) -> Said:
    """Calls of tools, or a reply."""
    message, is_sample = parts["query"], any(note.startswith(SAMPLE) for note in parts["notes"])
    found = RECORDED.find(message, parts["conversation"]) if is_sample else None
    said: Said = found.calls["read"] if found else RECORDED.decline(message)
    return said


def answer(parts: JSON) -> str:
    """What the tools found, as they word it."""
    told = [_told(result["tool"], result["output"].split("\n")[1:]) for result in parts["tool_results"]]
    return "\n\n".join(told) or DECLINED


def _told(tool: str, lines: Sequence[str]) -> str:
    cards = [card for line in lines if (card := _CARD.match(line))]
    if tool != "search" or not cards:
        return "\n".join(lines)
    if len(lines) == 1:
        return "The {name} costs {price}: {rest}".format(**cards[0].groupdict())
    head = [line for line in lines if not _CARD.match(line)]
    return "\n".join([*head, *(_line(number, card, " ".join(head)) for number, card in enumerate(cards, 1))])


def _line(number: int, card: re.Match[str], head: str) -> str:
    """What the products are ordered by comes first."""
    stock, *own = card["rest"].split("; ")
    pieces = sorted(own, key=lambda piece: piece.partition(" ")[0] not in f"{head} rating")[:MOST_PIECES]
    return f"{number}. {card['name']} ({card['price']}), {'; '.join([stock, *pieces])}"
