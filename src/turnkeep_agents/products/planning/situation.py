"""A message with all that decides what to do with it: what it wants, what it points at, what the thread spoke of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from turnkeep_agents.products.catalogue.product import Product
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import Filters, find, is_empty, misses, narrows
from turnkeep_agents.products.planning.plans import Search, Tool
from turnkeep_agents.products.reading.lexicon import root, roots
from turnkeep_agents.products.reading.wishes import Wishes, read_wishes
from turnkeep.blocks.referents import Referents, resolve
from turnkeep.blocks.understanding import Understood
from turnkeep.blocks.words import words

_HOW_MUCH = re.compile(r"\bhow much\b", re.IGNORECASE)
_PRICE = re.compile(r"\b(prices?|priced|costs?|costing|pricing)\b", re.IGNORECASE)
_STOCK = re.compile(
    r"\b((in|on)[\s-]stock|availab(le|ility)(?! in (?!stock|store))|sold out|out of stock|back (in|on)\b|\bback\W*$"
    r"|(come|be|coming) back|how many\b[^?]*\bleft|any left|(buy|order|get)\b[^?]*\b(today|now|yet)"
    r"|still (sell|have|make|get|buy|order)|discontinued|deliver\w*)",
    re.IGNORECASE,
)
_OF_THESE = re.compile(r"\b(any|some|all|each|none|one) of (these|those|them)\b", re.IGNORECASE)
_THE_ONE = re.compile(r"\b(the|that|this)\b(\W+[\w.$-]+){0,4}?\W+(one|model)\b", re.IGNORECASE)
_BROADENS = re.compile(r"\b(anything|something|ones|others|only|just|any)\b", re.IGNORECASE)


class Vague(TypedDict):
    """A phrase that points at several products or at none."""

    phrase: str
    ids: list[str]


class Heard(TypedDict):
    """What a message says on its own: `said` with names in place of what points at things, `query` as a model has it
    where one was asked."""

    said: str
    query: str
    points: bool
    unclear: list[Vague]
    is_follow_up: bool


@dataclass(frozen=True)
class Situation:
    """`said` is the message with names in place of what points at things, and `points` whether there was any."""

    message: str
    said: str
    wishes: Wishes
    is_follow_up: bool
    points: bool
    focus: tuple[str, ...]
    listed: tuple[str, ...]
    unclear: tuple[Vague, ...]
    search: Search
    catalogue: Catalogue

    @property
    def filters(self) -> Filters:
        return self.wishes.filters

    @cached_property
    def ids(self) -> list[str]:
        """Products by name; of a line the one that the thread speaks of, as in "the iPhone"; what a list holds of a
        description, as in "the one with 48 inches"."""
        ids = dict.fromkeys(self.wishes.ids or self._of_these or self._described)
        if not ids and not self.filters["categories"]:
            for line in self.filters["lines"]:
                around = [
                    id_ for id_ in dict.fromkeys([*self.focus, *self.listed]) if id_ in self.catalogue.names.line(line)
                ]
                ids |= dict.fromkeys(around if len(around) == 1 else [])
        ids = ids or dict.fromkeys(self._sibling)
        ids = ids or dict.fromkeys(self._only_one if self.tool_word or self.wishes.asked else ())
        return [product.id for product in self.catalogue.get(ids)]

    @property
    def _only_one(self) -> list[str]:
        """What is asked about by its brand and something that only one product of it has."""
        filters = Filters(**{**self.filters, "order": None, "words": [], "in_stock": False})
        found = find(filters, self.catalogue) if filters["brands"] or filters["lines"] else []
        return [product.id for product in found] if len(found) == 1 else []

    @property
    def _sibling(self) -> Sequence[str]:
        """The Ultra, after another of its family: the product of this brand that is nearest by name."""
        others = Filters(**{**self.filters, "words": []})
        said = {root(word) for word in self.filters["words"]}
        if len(self.focus) != 1 or not self.is_follow_up or not is_empty(others) or not said or self.wishes.strange:
            return []
        return _nearest_by_name(self.catalogue.get(self.focus), said, self.catalogue.products)

    @property
    def _of_these(self) -> Sequence[str]:
        return self.several if _OF_THESE.search(self.said) else ()

    @property
    def _described(self) -> list[str]:
        """The one of the last list that has what is asked for, if there is one."""
        filters = Filters(**{**self.filters, "order": None, "words": []})
        if not _THE_ONE.search(self.said) or not narrows(filters) or filters["lines"]:
            return []
        listed = self.catalogue.get(dict.fromkeys([*self.focus, *self.listed]))
        found = [product.id for product in listed if not misses(product, filters, self.catalogue)]
        return found if len(found) == 1 else []

    @cached_property
    def line_ids(self) -> list[str]:
        """The products of the lines that are named, those that fit the other filters if any does."""
        ids = [id_ for line in self.filters["lines"] for id_ in self.catalogue.names.line(line)]
        every = self.catalogue.get(dict.fromkeys(ids))
        filters = Filters(**{**self.filters, "in_stock": False})
        fitting = [product for product in every if not misses(product, filters, self.catalogue)]
        kinds = self.filters["categories"]
        return [product.id for product in fitting or every if not kinds or product.category in kinds]

    @property
    def uses_history(self) -> bool:
        """Whether what is named is named by means of what was spoken of."""
        return self.points or (bool(self.ids) and not self.wishes.ids)

    @property
    def several(self) -> Sequence[str]:
        """What "which of them" is about."""
        return self.focus if len(self.focus) > 1 else self.listed

    @property
    def tool_word(self) -> Tool | None:
        if _PRICE.search(self.message) or (_HOW_MUCH.search(self.message) and not self.wishes.asked):
            return "price"
        return "availability" if _STOCK.search(self.message) else None

    @property
    def broadens(self) -> bool:
        """Whether it is about others than what was spoken of."""
        return _BROADENS.search(self.message) is not None

    def says(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.said) is not None

    def is_short(self, most: int) -> bool:
        return len(words(self.message)) <= most


def _nearest_by_name(focus: Sequence[Product], said: set[str], products: Sequence[Product]) -> list[str]:
    """Of the same brand and kind, the one whose name adds these words, if one is nearest."""
    if not focus or not focus[0].brand:
        return []
    [one, *_] = focus
    name, nearness = roots(one.name), dict[str, tuple[int, int]]()
    for product in products:
        other = roots(product.name)
        is_kin = (product.brand, product.category) == (one.brand, one.category)
        if is_kin and said <= set(other) - set(name):
            nearness[product.id] = (_shared(name, other), -len(other))
    best = [id_ for id_, near in nearness.items() if near == max(nearness.values())]
    return best if len(best) == 1 else []


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two names begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def hear(message: str, found: Understood, referents: Referents) -> Heard:
    resolved = resolve(message, referents)
    return Heard(
        said=resolved.text,
        query=resolved.text,
        points=bool(resolved.replaced),
        unclear=[Vague(phrase=one.phrase, ids=[thing["id"] for thing in one.things]) for one in resolved.unclear],
        is_follow_up=found.is_follow_up,
    )


def situate(message: str, heard: Heard, referents: Referents, search: Search, catalogue: Catalogue) -> Situation:
    focus, listed = (tuple(thing["id"] for thing in referents[key]) for key in ("focus", "listed"))
    kinds = [product.category for product in catalogue.get(focus)] or search["filters"]["categories"]
    return Situation(
        message=message,
        said=heard["said"],
        wishes=read_wishes(heard["said"], catalogue, kinds),
        is_follow_up=heard["is_follow_up"],
        points=heard["points"],
        focus=focus,
        listed=listed,
        unclear=tuple(heard["unclear"]),
        search=search,
        catalogue=catalogue,
    )
