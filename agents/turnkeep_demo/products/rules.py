"""What the demo says in place of a model: a few forms of question become the calls that a model would make, and what
the tools found is told. What is not understood whole is said to be so."""

import re
from collections.abc import Mapping, Sequence

from turnkeep.records import JSON
from turnkeep_demo.model import Rule, Said
from turnkeep_demo.products.forms import MORE, read_form, small_talk, unknown
from turnkeep_demo.products.sample import bundled
from turnkeep_demo.products.searches import read_search
from turnkeep_demo.products.thread import Thread, thread_of, with_names

UNKNOWN, MOST_PIECES = "I do not understand that.", 4  # pieces of a card in a list
FOLLOW_UP = re.compile(
    r"^(?:and|only|just|but|what about|how about|in|with|without|not|no|under|over|below)\b|\bones?\b"
)
_CARD = re.compile(r"(?P<name>[^;:]+?)(?: \([^;()]+\))?: (?P<price>\$[\d,.]+), (?P<rest>.+)")


def rules() -> Mapping[str, Rule]:
    return {"products.read": read, "products.answer": answer}


def read(parts: JSON) -> Said:
    """Calls of tools, or a reply."""
    message, thread = str(parts["query"]), thread_of(parts)
    text, names = with_names(message, thread)
    said = small_talk(text, thread)
    if said:
        return said
    calls = _calls(message, text, names, thread)
    if not calls and not thread.spoken and read_form(re.sub(r"\b(?:it|its|that one)\b", "<0>", text), ["it"], thread):
        return [{"name": "Ask", "args": {"question": "Which product do you mean?"}}]
    return calls or unknown(message, names, thread)


def answer(parts: JSON) -> str:
    """What the tools found, as it stands there."""
    told = [_told(result["tool"], str(result["output"]).split("\n")) for result in parts["tool_results"]]
    return "\n\n".join(filter(None, told)) or UNKNOWN


def _calls(message: str, text: str, names: Sequence[str], thread: Thread) -> list[JSON] | None:
    whole = _part(message, text, names, thread)
    if whole or " and " not in text:
        return whole
    each = [_part(part, part, names, thread) for part in text.split(" and ")]
    calls = [call for part in each for call in part or []]
    searches = [set(call["args"]) for call in calls if call["name"] == "Search"]
    is_clear = all(each) and searches.count(searches[0]) == len(searches) if searches else all(each)
    return calls if is_clear else None  # "a tv and a tablet under $400" is not: which of them?


def _part(message: str, text: str, names: Sequence[str], thread: Thread) -> list[JSON] | None:
    return read_form(text, names, thread) or (None if "<" in text else _searches(message, text, thread))


def _searches(message: str, text: str, thread: Thread) -> list[JSON] | None:
    last = thread.searched[0] if len(thread.searched) == 1 else None
    if MORE.fullmatch(text.rstrip(". ")) and last:
        return [_search(message, {**last, "page": last.get("page", 1) + 1})]
    whole, goes_on = read_search(text, thread), FOLLOW_UP.search(text)
    if whole and ("category" in whole or not (last or goes_on)):
        return [_search(message, whole)] if "category" in whole or _is_brand(whole) else None
    if whole and last and goes_on:
        return [_search(f"{message} ({last.get('category', 'the same')})", _changed(last, whole))]
    return None


def _is_brand(args: JSON) -> bool:
    return bool(args.get("terms")) and set(args["terms"]) <= set(bundled().brands.values())


def _changed(last: JSON, new: JSON) -> JSON:
    """The last search with what a follow-up says; properties add up, and what is not wanted any more goes."""
    kept = {name: value for name, value in last.items() if name not in ("page", "limit")}
    for name, other in (("terms", "not_terms"), ("not_terms", "terms")):
        old = [each for each in kept.pop(name, []) if each not in new.get(other, [])]
        if values := list(dict.fromkeys([*old, *new.get(name, [])])):
            new = {**new, name: values}
    return {**kept, **new}


def _search(wish: str, args: JSON) -> JSON:
    return {"name": "Search", "args": {"wish": wish, **args}}


def _told(tool: str, lines: Sequence[str]) -> str:
    asked, *found = lines
    if tool != "search":
        return "\n".join(found)
    attribute, _, name = asked.removeprefix("Asked: ").partition(" of ")
    cards = [card for line in found if (card := _CARD.match(line))]
    if name and len(cards) == len(found) == 1 and cards[0]["name"] == name:
        return _one(cards[0], attribute)
    if len(cards) == len(found) == 1:
        return "The {name} costs {price}: {rest}".format(**cards[0].groupdict())
    numbered = iter(range(1, len(lines)))
    said = " ".join(lines[:2])
    return "\n".join(_line(next(numbered), card, said) if (card := _CARD.match(line)) else line for line in found)


def _one(card: re.Match[str], attribute: str) -> str:
    pieces = [piece for piece in card["rest"].split("; ") if piece.startswith(f"{attribute} ")]
    told = pieces[0].partition(". ")[0] if pieces else f"the catalogue does not say the {attribute}"
    return f"{card['name']}: {told}."


def _line(number: int, card: re.Match[str], said: str) -> str:
    """With the rating, and what is `said` before other attributes."""
    stock, *own = card["rest"].split("; ")
    notes = [piece for piece in own if piece.startswith(("does not", "says: "))]
    told = sorted(own, key=lambda piece: not piece.startswith("rating ") and piece.partition(" ")[0] not in said)
    first = [piece for piece in told if piece not in notes][:MOST_PIECES]
    return f"{number}. {card['name']} ({card['price']}), {stock}; {'; '.join([*first, *notes])}"
