"""What a message wants of the catalogue, read by rules: filters, products by name, an order, attributes asked for.
Nothing here knows the thread; what a follow-up inherits is decided by routing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import (
    MOST_CONDITIONS,
    Condition,
    Filters,
    Op,
    Order,
    narrows,
    no_filters,
    number_of,
)
from turnkeep_agents.products.reading.lexicon import Kind, Span
from turnkeep_agents.products.reading.limits import LimitReader, Words
from turnkeep_agents.products.reading.message import Reading
from turnkeep_agents.products.reading.names import Mention, Unknown
from turnkeep_agents.products.reading.orders import OrderReader, Wanted
from turnkeep.blocks.languages import is_english
from turnkeep.blocks.words import words

MOST_LINES = 3
DENIED_CHARACTERS = 60

_DENIES = re.compile(
    r"(?:\b(?:not|no|non|without|except(?: for)?|excluding|nor|avoid|dislike|hate|skip|minus)|n['\u2019]t)[\s-]+"
    r"(?:(?:want|wants|need|like|have|has|having|be|being|look\w*|interested|for|a|an|the|any|from|by|with|made|in|too"
    r"|very|that|require|include|come|support|care|of|brand)\s+)*$",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:(?:anything|everything|any|all)\b[^?.!,]{0,30}\bbut|other than|apart from|rather than|instead of|besides)"
    r"(?: an?| the)?\W*$",
    re.IGNORECASE,
)
_JOINT = frozenset(words("or and nor"))
_OWNERS = frozenset(words("the its their his her this that whose"))
_COUNTS = words("one two three four five six seven eight nine ten")
_COUNT = rf"(\d{{1,2}}|{'|'.join(_COUNTS[1:])})"
_TOP = re.compile(rf"\b(?:top|best|first)\s+{_COUNT}\b|\b{_COUNT}\s+(?:\w+est|best|most)\b", re.IGNORECASE)
_RANKS = words("first second third fourth fifth")
_RANK = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_RANKS[1:])})|(?P<digit>[2-5])(?:nd|rd|th))[\s-]+(?=(?:\w+est|best|most|least)\b)",
    re.IGNORECASE,
)
_STOCK = re.compile(
    r"\b(?:in|on)[\s-]stock\b|\b(?:available|availability)\b(?!\s+in\b(?!\s+(?:stock|store)))"
    r"|\bready to ship\b|\bon hand\b|\bright (?:now|away)\b|\bimmediately\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wishes:
    """`ids` are products by name, `unknown` names of none. `asked` are attributes that are only named, each with others
    that its word can mean. `order` is a superlative, a plain adjective or, where `is_relative`, a comparative whose
    measure is another product. `strange` are words that no product's text holds, `misspelt` what was read otherwise."""

    filters: Filters = field(default_factory=no_filters)
    ids: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    asked: tuple[tuple[str, ...], ...] = ()
    order: Order | None = None
    is_superlative: bool = False
    is_relative: bool = False
    ignored: tuple[str, ...] = ()
    has_foreign_money: bool = False
    limit: int | None = None
    rank: int = 1
    """Which place in the order is asked for."""
    strange: tuple[str, ...] = ()
    misspelt: tuple[tuple[str, str], ...] = ()
    has_own_head: bool = False
    """Whether it is about a kind of thing that is none of the catalogue's."""
    foreign_line: tuple[str, str] | None = None
    """A brand and a name that is not of this brand, said as one."""


def read_wishes(message: str, catalogue: Catalogue, near: Sequence[str] = ()) -> Wishes:
    """`near` are the categories that the thread speaks of, for units and words with two meanings."""
    return _Wisher(Reading(message, catalogue, near)).read()


class _Wisher:
    def __init__(self, reading: Reading):
        self._reading, self._catalogue = reading, reading.catalogue
        self._text, self._tokens, self._spans = reading.text, reading.tokens, reading.spans

    def read(self) -> Wishes:
        """Of a message in another language only names and the words of the catalogue are read."""
        filters, reading = no_filters(), self._reading
        if not is_english(self._text):
            return self._read_names(filters)
        ids = self._name_products(filters)
        said = Words(self._text, self._tokens, self._spans, reading.hidden)
        wanted = OrderReader(said, self._catalogue).read()
        categories = self._categories(filters, ids, wanted)
        limits = LimitReader(said, self._catalogue, categories or reading.near).read()
        orders = OrderReader(said, self._catalogue, limits.taken, categories)
        wanted = orders.read()
        asked = self._add_spans(filters, categories, wanted)
        asked += [tuple(orders.asked())] if orders.asked() and not asked else []
        new = [one for at, one in enumerate(limits.conditions) if one not in limits.conditions[:at]]
        filters["conditions"] = [*filters["conditions"], *new][:MOST_CONDITIONS]
        filters["in_stock"] = bool(_STOCK.search(self._text)) and not ids
        filters["order"] = wanted.order if wanted and not wanted.is_relative else None
        places = [*limits.taken, *([reading.place(wanted.start, wanted.end)] if wanted else [])]
        places += [ranked.span() for ranked in [_RANK.search(self._text)] if ranked]
        filters["words"], strange = reading.leftover(places)
        limited = {name for condition in limits.conditions for name in condition["attributes"]}
        return Wishes(
            filters=filters,
            ids=tuple(ids),
            unknown=(*reading.unknown, *reading.strangers(places, has_wishes=narrows(filters) and not ids)),
            asked=tuple(names for names in asked if not limited & set(names)),
            order=wanted.order if wanted else None,
            is_superlative=bool(wanted and wanted.is_superlative),
            is_relative=bool(wanted and wanted.is_relative),
            ignored=limits.ignored,
            has_foreign_money=limits.has_foreign_money,
            limit=self._limit(),
            rank=self._rank(),
            strange=tuple(strange),
            misspelt=tuple(reading.misspelt),
            has_own_head=not ids and reading.has_own_head,
            foreign_line=self._foreign_line(),
        )

    def _read_names(self, filters: Filters) -> Wishes:
        ids = self._name_products(filters)
        self._add_spans(filters, self._categories(filters, ids, None), None)
        return Wishes(filters=filters, ids=tuple(ids), unknown=tuple(self._reading.unknown))

    def _name_products(self, filters: Filters) -> list[str]:
        """A name of one product names it, a name of several is a line of them."""
        mentions = self._reading.mentions
        filters["lines"] = list(dict.fromkeys(one.key for one in mentions if len(one.ids) > 1))[:MOST_LINES]
        return list(dict.fromkeys(one.ids[0] for one in mentions if len(one.ids) == 1))

    def _categories(self, filters: Filters, ids: Sequence[str], wanted: Wanted | None) -> list[str]:
        """A word for a category that is an attribute too, such as a camera, is one only where nothing else is named."""
        found = [span for span in self._spans if span.of("category")]
        sure = [span for span in found if not _is_attribute_too(span)]
        open_ = [] if ids else [span for span in found if not self._is_attribute_of_near(span, wanted)]
        for span in sure or open_:
            if not self._is_denied(span):
                filters["categories"] += [one for one in _names(span, "category") if one not in filters["categories"]]
        return filters["categories"]

    def _is_attribute_of_near(self, span: Span, wanted: Wanted | None) -> bool:
        """The better camera, its camera: of what the thread speaks of, if that has one."""
        names = [name for meaning in span.of("attribute") for name in meaning.attributes]
        near = [product for product in self._catalogue.products if product.category in self._reading.near]
        is_of_order = wanted is not None and wanted.start <= span.start < wanted.end
        before = self._tokens[span.start - 1].text.lower() if span.start else ""
        has_one = any(number_of(product, name) is not None for product in near for name in names)
        is_same = set(_names(span, "category")) & set(self._reading.near)
        return has_one and not is_same and (is_of_order or before in _OWNERS)

    def _add_spans(self, filters: Filters, categories: Sequence[str], wanted: Wanted | None) -> list[tuple[str, ...]]:
        """Brands and values become filters; gives the attributes that are only named."""
        asked: dict[tuple[str, ...], None] = {}
        was_denied = False
        for at, span in enumerate(self._spans):
            follows = at > 0 and self._is_joined(self._spans[at - 1], span)
            is_denied = self._is_denied(span) or (was_denied and follows)
            was_denied = is_denied
            is_category = bool(set(_names(span, "category")) & set(categories))
            if is_category or (span.of("category") and not _is_attribute_too(span)):
                continue
            if span.of("brand"):
                place = filters["not_brands"] if is_denied else filters["brands"]
                place += [name for name in _names(span, "brand") if name not in place]
            elif span.of("value"):
                is_or = follows and self._says_or(self._spans[at - 1], span)
                self._add_value(filters["conditions"], span, "not" if is_denied else "is", is_or=is_or)
            elif wanted is None or not wanted.start <= span.start < wanted.end:
                names = tuple(name for meaning in span.of("attribute") for name in meaning.attributes)
                asked |= {names: None} if names else {}
        return list(asked)

    def _add_value(self, conditions: list[Condition], span: Span, op: Op, *, is_or: bool) -> None:
        meanings, said = span.of("value"), self._reading.said(span.start, span.end)
        attributes = list(dict.fromkeys(name for meaning in meanings for name in meaning.attributes))
        values = list(dict.fromkeys(meaning.name for meaning in meanings))
        last = conditions[-1] if conditions else None
        if is_or and last and last["op"] == op and set(last["attributes"]) & set(attributes):
            last["values"] += values
            last["said"] += f" or {said}"
        else:
            conditions.append(Condition(attributes=attributes, op=op, values=values, number=0.0, unit="", said=said))

    def _is_denied(self, span: Span) -> bool:
        start = self._tokens[span.start].start
        before = self._text[max(0, start - DENIED_CHARACTERS) : start]
        return bool(_DENIES.search(before) or _BUT.search(before))

    def _is_joined(self, earlier: Span, span: Span) -> bool:
        between = [token.root for token in self._tokens[earlier.end : span.start]]
        return set(between) <= _JOINT and len(between) < 2

    def _says_or(self, earlier: Span, span: Span) -> bool:
        return any(token.root in ("or", "nor") for token in self._tokens[earlier.end : span.start])

    def _limit(self) -> int | None:
        """How many are wanted: a small number right before what is listed, or behind "top"."""
        found = _TOP.search(self._text)
        if found:
            said = (found[1] or found[2]).lower()
            return int(said) if said.isdigit() else _COUNTS.index(said) + 1
        starts = {span.start for span in self._spans if span.of("category")}
        counts = [at for at, token in enumerate(self._tokens) if token.text.isdigit() and at + 1 in starts]
        counts = [at for at in counts if len(self._tokens[at].text) < 3 and at not in self._reading.named]
        return int(self._tokens[counts[0]].text) if counts else None

    def _rank(self) -> int:
        found = _RANK.search(self._text)
        if found is None:
            return 1
        return int(found["digit"]) if found["digit"] else _RANKS.index(found["word"].lower()) + 1

    def _foreign_line(self) -> tuple[str, str] | None:
        named: list[Mention | Unknown] = [*self._reading.mentions, *self._reading.unknown]
        for mention in named:
            before = next((span for span in self._spans if span.end == mention.start and span.of("brand")), None)
            ids = mention.near if isinstance(mention, Unknown) else mention.ids
            makers = {product.brand for product in self._catalogue.get(ids)}
            if before and makers and not makers & set(_names(before, "brand")):
                start, end = self._reading.place(mention.start, mention.end)
                return _names(before, "brand")[0], self._text[start:end]
        return None


def _is_attribute_too(span: Span) -> bool:
    return bool(span.of("attribute") or span.of("value"))


def _names(span: Span, kind: Kind) -> list[str]:
    return [meaning.name for meaning in span.of(kind)]
