"""A wish as a search: kind, brand, limits, properties, order. Every word of a message has to be one of these or mean
nothing; else it is not understood."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from turnkeep.blocks.words import words
from turnkeep.records import JSON
from turnkeep_demo.products.sample import bundled, kinds_by_word, plain
from turnkeep_demo.products.thread import Thread

CENT = 0.01
NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
FILLERS = frozenset(
    words(
        """
        a an and any are buy by can carry could cost costs costing do find for from get give got have has hello hi i
        is it just list look looking made me my need of one ones only order our please s m d sell show some that the
        there these they to us want we what which will with would you your all ok okay so
        """
    )
)
_UNIT = r"inch\w*|gb|tb|kg|kilos?|g|grams?|hours?|h|mp|mah|w|watts?|hz|l|lit\w+"
_AMOUNT = rf"(?:\$ ?)?(\d[\d,]*+(?:\.\d+)?+)(?: ?(?:dollars|bucks|usd|\$)|(?! ?(?:{_UNIT})\b))"
_YEAR = r"(?:19|20)\d\d(?!\w| ?(?:dollars|bucks|usd|\$))"  # "from 2019" says no price
_NOT = r"(?:anything )?(?:not|no|except|without|but not|(?<=anything )but) "
_COSTING = r"(?:for |that cost |costing |priced )?"
# How a limit is said, which end it is, and what is added where it cannot be reached itself.
LIMITS = (
    (rf"{_COSTING}(?:under|below|less than|cheaper than)", "price_max", -CENT),
    (rf"{_COSTING}(?:up to|at most|no more than|not more than|max(?:imum)?|within)", "price_max", 0),
    (rf"{_COSTING}(?:at least|from(?! {_YEAR})|starting at)", "price_min", 0),
    (rf"{_COSTING}(?:over|above|more than)", "price_min", CENT),
)
# What a word orders by; "-" where the most comes first.
ORDERS = {
    "cheapest": "price",
    "least expensive": "price",
    "most affordable": "price",
    "cheap": "price",
    "affordable": "price",
    "most expensive": "-price",
    "best rated": "-rating",
    "top rated": "-rating",
    "highest rated": "-rating",
    "lightest": "weight",
    "heaviest": "-weight",
    "newest": "-year",
    "longest battery life": "-battery life",
    "biggest battery": "-battery",
    "biggest screen": "-screen",
    "largest screen": "-screen",
    "smallest screen": "screen",
    "most storage": "-storage",
    "most memory": "-memory",
}
# A unit, its attribute and how many base units it is.
UNITS = {
    "inch(?:es)?": ("screen (in)", 1.0),
    "gb (?:of )?storage": ("storage (GB)", 1.0),
    "tb (?:of )?storage": ("storage (GB)", 1000.0),
    "gb (?:of )?(?:memory|ram)": ("memory (GB)", 1.0),
    "kg": ("weight (g)", 1000.0),
    "hours (?:of )?battery(?: life)?": ("battery life (h)", 1.0),
}


@dataclass
class Search:
    """What was understood; `left` is what remains of the message."""

    left: str
    args: JSON = field(default_factory=dict)

    def take(self, pattern: str, use: Callable[[re.Match[str]], bool]) -> None:
        """Uses every place where the pattern stands and `use` says that it could be used."""
        for found in list(re.finditer(rf"(?<![\w$.]){pattern}(?!\w)", self.left)):
            if use(found):
                self.left = self.left[: found.start()] + "|" * len(found[0]) + self.left[found.end() :]

    def take_each(self, pattern: str, name: str, values: Mapping[str, str]) -> None:
        self.take(pattern, lambda match: self.add(name, values[match[1]]))

    def put(self, name: str, value: object) -> bool:
        """False for a second value: the message says more than one thing."""
        if name in self.args:
            return False
        self.args[name] = value
        return True

    def add(self, name: str, value: str) -> bool:
        self.args[name] = list(dict.fromkeys([*self.args.get(name, []), value]))
        return True


def read_search(text: str, thread: Thread) -> JSON | None:
    """The arguments of a search, or None where a word is left that means something else."""
    found = Search(re.sub(r"[.']", lambda mark: "." if mark[0] == "." else " ", plain(text)).rstrip("."))
    found.take(r"(?:i )?(?:would|d) like", lambda _: True)
    _prices(found)
    _orders(found)
    _kind(found, thread)
    if thread.is_bundled:
        _measures(found)
        _brands(found)
        _values(found)
    found.take(r"(?:in stock|available(?: now)?)", lambda _: found.put("in_stock", True))
    found.take(r"top (two|three|four|five|[2-5])", lambda m: found.put("limit", NUMBERS.get(m[1]) or int(m[1])))
    left = found.left.replace("|", " ").split()
    is_whole = all(word in FILLERS for word in left) and found.args
    return found.args if is_whole and _is_possible(found.args) else None


def _prices(found: Search) -> None:
    def amount(said: str) -> float:
        return float(said.replace(",", ""))

    between = rf"{_COSTING}(?:between|from) (?!{_YEAR} (?:and|to) {_YEAR}){_AMOUNT} (?:and|to) {_AMOUNT}"
    found.take(between, lambda m: found.put("price_min", amount(m[1])) and found.put("price_max", amount(m[2])))
    for said, name, step in LIMITS:

        def put(match: re.Match[str], name: str = name, step: float = step) -> bool:
            return found.put(name, round(amount(match[1]) + step, 2))

        found.take(rf"{said} {_AMOUNT}", put)


def _orders(found: Search) -> None:
    for said in sorted(ORDERS, key=len, reverse=True):
        found.take(rf"(?:with )?(?:the )?({said})", lambda match: found.put("sort", ORDERS[match[1]]))


def _kind(found: Search, thread: Thread) -> None:
    by_word = kinds_by_word(thread.kinds)
    for word in sorted(by_word, key=len, reverse=True):
        kind, value = by_word[word]

        def put(_: object, kind: str = kind, value: str = value) -> bool:
            return found.put("category", kind) and (not value or found.add("terms", value))

        found.take(re.escape(word), put)


def _measures(found: Search) -> None:
    for unit, (attribute, scale) in UNITS.items():
        number = rf"(\d+(?:\.\d+)?) ?{unit}"
        for said, ends, step in (
            (r"(?:at least|from) ", "min", 0),
            (r"(?:more than|over|above|bigger than|larger than|heavier than) ", "min", CENT),
            (r"(?:up to|at most) ", "max", 0),
            (r"(?:(?:that )?weigh(?:s|ing)? )?(?:less than|under|below|lighter than|smaller than) ", "max", -CENT),
            (r"(?:with )?", "" if attribute.startswith(("weight", "battery")) else "min max", 0),
        ):

            def put(match: re.Match[str], a: str = attribute, e: str = ends, s: float = step, x: float = scale) -> bool:
                value = round(float(match[1]) * x + s, 3)
                return bool(e) and found.put("ranges", [{"attribute": a, **dict.fromkeys(e.split(), value)}])

            found.take(said + number, put)


def _brands(found: Search) -> None:
    """A list as a whole: "not from Sony, LG or Bose" wants none of them, "not Sony, LG" could want one."""
    brands = "|".join(sorted(map(re.escape, bundled().brands), key=len, reverse=True))
    one = rf"(?:by |from )?(?:{brands})(?: ones?)?(?!\w)"
    listed = rf"{one}(?:(?: or| and| nor)* {one})*"

    def add(match: re.Match[str], name: str) -> bool:
        named = re.findall(rf"\b(?:{brands})\b", match[0])
        is_clear = name == "terms" or len(named) == 1 or re.search(r" (?:or|and|nor) ", match[0])
        return bool(is_clear) and all(found.add(name, bundled().brands[each]) for each in named)

    found.take(rf"{_NOT}{listed}(?! (?:or|and|nor) (?!\||{_NOT}))", lambda match: add(match, "not_terms"))
    found.take(listed, lambda match: add(match, "terms"))


def _values(found: Search) -> None:
    kind = bundled().kinds.get(found.args.get("category", ""))
    kinds = [kind] if kind else list(bundled().kinds.values())
    values = {form: value for each in kinds for form, value in each.values.items() if len(form) > 1}
    names = "|".join(sorted({re.escape(name) for each in kinds for name in each.named}, key=len, reverse=True))
    forms = sorted((form for form in values if form in found.left), key=len, reverse=True)
    alone = rf"(?! (?:and|or|nor) )(?! (?:{'|'.join(map(re.escape, forms))})(?!\w))"  # "not red 5G"?
    for name, said, after in (("not_terms", _NOT, alone), ("terms", "(?:(?:in|with|have|has) )?", "")):
        for form in forms:
            if not any(each.is_vague(values[form], is_unwanted=name == "not_terms") for each in kinds):
                written = rf"(?:an? )?(?:(?:{names}) )?({re.escape(form)})(?: (?:{names}))?s?"
                found.take_each(rf"{said}{written}{after}", name, values)


def _is_possible(args: JSON) -> bool:
    """Whether the kind has what is asked: a phone has no "battery life", so that an order by it would say nothing."""
    kind = bundled().kinds.get(args.get("category", ""))
    asked = [each["attribute"].partition(" (")[0] for each in args.get("ranges", [])]
    asked += {args.get("sort", "price").lstrip("-")} - {"price", "rating"}
    return not asked or (kind is not None and all(each in kind.measured for each in asked))
