"""The forms of question that the demo knows besides searches, and the three nearest where it knows none."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from turnkeep.blocks.words import singular
from turnkeep.records import JSON
from turnkeep_demo.products.sample import bundled, plain
from turnkeep_demo.products.thread import Thread

ONE = r"<(\d+)>"
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = rf"(?:(\d|{'|'.join(COUNTS)}) (?:of )?)?"
_START = r"(?:and |so |ok |okay |please |hi |hello |can you (?:please )?|could you (?:please )?)*"
_END = r"(?: please| again| now| then| together| in total)*[. ]*"
COMPARE = (
    rf"compare {ONE} (?:with|to|and|against) {ONE}",
    rf"{ONE} (?:vs|versus|or|compared to|compared with) {ONE}",
    rf"how (?:does|do|would) {ONE} compare (?:to|with|against) {ONE}",
    rf"what(?: is|'s) the difference between {ONE} and {ONE}",
    rf"what (?:are )?the differences between {ONE} and {ONE}",
)
PRICE = (
    rf"how much (?:is|are|does|do|would|for) {_COUNT}{ONE}(?: cost| be)?",
    rf"what (?:does|do|would) {_COUNT}{ONE} cost",
    rf"(?:what(?: is|'s) )?the price (?:of|for) {_COUNT}{ONE}",
    rf"(?:price|cost) of {_COUNT}{ONE}",
)
AVAILABILITY = (
    rf"(?:is|are) {ONE} (?:still |currently |also )?(?:in stock|available|out of stock|sold out|discontinued)",
    rf"(?:do you (?:still )?have|can i (?:get|buy|order)|have you got) {ONE}(?: in stock)?",
    rf"when (?:is|will) {ONE} (?:be )?(?:back|available)(?: in stock)?",
)
DETAILS = (
    rf"(?:tell me|show me|say|i want to know|what can you tell me)(?: more| something)?(?: about)? {ONE}",
    rf"(?:what about|how about|describe|more about|details (?:of|about)|more on) {ONE}",
    rf"what (?:is|about) {ONE}(?: like)?",
    ONE,
)
SIZES = {"weigh": "weight", "heavy": "weight", "old": "year", "rated": "rating"}
GREETINGS = re.compile(r"(?:hello|hi|hey)(?: there)?|good (?:morning|evening|afternoon|day)")
THANKS = re.compile(r"(?:many |great )?thank(?:s|s a lot| you| you very much)")
ABOUT = re.compile(
    r"(?:who|what) are you|what (?:can|could) you do|help|what (?:products |kinds of products )?do you (?:sell|have)"
)
MORE = re.compile(r"(?:show me )?(?:more|others|the next)(?: please)?|any (?:others|more)")
OFFER = "I can find products, compare them, and look up prices and what is in stock."


def read_form(text: str, names: Sequence[str], thread: Thread) -> list[JSON] | None:
    """The calls of a question about products that it names; `text` has marks in their place."""
    whole = re.sub(rf"^{_START}|{_END}$", "", text)
    if found := _match(COMPARE, whole):
        both = [names[int(each)] for each in found.groups()]
        return [_call("Compare", f"compare {' and '.join(both)}", names=both)] if both[0] != both[1] else None
    if whole in ("compare them", "compare these", "compare both", "compare the two") and 1 < len(thread.spoken) < 5:
        return [_call("Compare", f"compare {' and '.join(thread.spoken)}", names=list(thread.spoken))]
    if found := _match(PRICE, whole):
        name, count = names[int(found[found.lastindex or 1])], found[1] if (found.lastindex or 1) > 1 else None
        number = COUNTS.get(count or "one") or int(count or 1)
        more = {"quantities": [number]} if number > 1 else {}
        return [_call("Price", f"price of {number} {name}" if more else f"price of {name}", names=[name], **more)]
    for tool, forms in (("Availability", AVAILABILITY), ("Search", DETAILS)):
        if found := _match(forms, whole):
            name = names[int(found[1])]
            wish = f"is {name} in stock" if tool == "Availability" else f"tell me about {name}"
            return [_call(tool, wish, names=[name])]
    return _attribute(whole, names)


def small_talk(text: str, thread: Thread) -> str | None:
    said = re.sub(r"[.' ]+$", "", text)
    if GREETINGS.fullmatch(said):
        return f"Hello! {OFFER} The catalogue: {thread.summary}."
    if THANKS.fullmatch(said):
        return "You're welcome! If there is more that you would like to know about a product, just ask."
    if ABOUT.fullmatch(said):
        return f"I am the demo of a shop's adviser. {OFFER} The catalogue: {thread.summary}."
    return None


def unknown(message: str, names: Sequence[str], thread: Thread) -> str:
    """That it is not understood, with the three nearest questions that are."""
    known = known_questions(message, names, thread)
    said = plain(message)
    nearest = sorted(known, key=lambda each: -SequenceMatcher(None, said, plain(each)).ratio())[:3]
    listed = "\n".join(f"- {each}" for each in nearest)
    return f"The demo does not understand that whole, so it does not answer. It understands, for example:\n{listed}"


def known_questions(message: str, names: Sequence[str], thread: Thread) -> list[str]:
    """About the kind or the products that the message is about, as far as that is clear."""
    last = [each["category"] for each in thread.searched if "category" in each]
    said = [each for each in thread.kinds if singular(each) in plain(message)]
    kind = next(iter([*said, *last, *thread.kinds]), "products")
    known = [
        f"Which {kind} do you have?",
        f"Which {kind} are in stock?",
        f"What is the cheapest of the {kind}?",
        f"Which {kind} are the best rated?",
    ]
    own = [*names, *thread.listed, *(name for name in bundled().names.values() if thread.is_bundled)]
    one, other = (*dict.fromkeys(own), "", "")[:2]
    if one:
        known += [f"How much is the {one}?", f"Is the {one} in stock?", f"Tell me more about the {one}"]
    return [*known, f"Compare the {one} with the {other}"] if other else known


def _attribute(text: str, names: Sequence[str]) -> list[JSON] | None:
    """ "How heavy is it", "what is the battery life of it"."""
    every = {name for kind in bundled().kinds.values() for name in kind.measured | kind.named}
    words = "|".join(sorted(map(re.escape, every), key=len, reverse=True))
    size = rf"how (?:much )?(?:does )?(?P<size>{'|'.join(SIZES)})?(?: is| are)? ?<(?P<a>\d+)>(?: (?P<verb>weigh))?"
    found = re.fullmatch(rf"(?:what(?: is|'s)|what are) the (?P<name>{words}) (?:of|for) <(?P<b>\d+)>", text)
    if found:
        attribute, name = found["name"], names[int(found["b"])]
    elif (found := re.fullmatch(size, text)) and (word := found["size"] or found["verb"]):
        attribute, name = SIZES[word], names[int(found["a"])]
    else:
        return None
    return [_call("Search", f"{attribute} of {name}", names=[name])]


def _match(forms: Sequence[str], text: str) -> re.Match[str] | None:
    return next(filter(None, (re.fullmatch(form, text) for form in forms)), None)


def _call(name: str, wish: str, **args: object) -> JSON:
    return {"name": name, "args": {"wish": wish, **args}}
