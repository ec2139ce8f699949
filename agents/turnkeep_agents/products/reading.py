"""Reads a message: the tools that a model may call, typed with the terms of the catalogue, and the meaning of its
calls. Kinds, attributes and brands are matched by the nearest spelling."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, create_model, model_validator

from turnkeep.kit.words import singular, words
from turnkeep.models.calls import ToolsAnswer, ToolsCall
from turnkeep.records import JSON
from turnkeep_agents.products.catalogue.product import PRICE
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.catalogue.search import Bound, Wish, alternatives
from turnkeep_agents.products.state import Route

ALIKE = 0.75
WORD_ALIKE, LEAST_LETTERS = 0.85, 5  # of terms: "canceling" is "cancelling", but "IPS" is not "VPS"
MOST_ENUMERATED = 40
MOST_CALLS = 5
CURRENCY = "USD"

Number = Annotated[float, PlainSerializer(lambda value: int(value) if value == int(value) else value)]
"""Stored as written: 450, not 450.0."""


class Given(BaseModel):
    """A null is a field left out."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        is_object = isinstance(given, Mapping)
        return {name: value for name, value in given.items() if value is not None} if is_object else given


class Call(Given):
    wish: str


class Range(Given):
    attribute: str
    min: Number | None = None
    max: Number | None = None


class Search(Call):
    """Products of one kind, or named ones."""

    names: list[str] = Field([], description="these only")
    category: str | None = None
    price_min: Number | None = None
    price_max: Number | None = None
    ranges: list[Range] = []
    terms: list[str] = Field([], description="brands, properties, uses, in English: Sony, OLED, running")
    not_terms: list[str] = []
    in_stock: bool = False
    sort: str = Field("", description="price or attribute; -price: highest first")
    limit: int | None = None
    page: int = 1

    @property
    def limits(self) -> list[float]:
        return [each for each in (self.price_min, self.price_max) if each is not None]


class Named(Call):
    names: list[str] = Field(min_length=1)


class Compare(Named):
    """What differs."""


class Price(Named):
    """With what so many cost together."""

    quantities: list[int] = []


class Availability(Named):
    """Whether, and when."""


class Ask(Given):
    """Asks back."""

    question: str


KINDS: Mapping[str, type[Call]] = {kind.__name__.lower(): kind for kind in (Search, Compare, Price, Availability)}


def reading_call(catalogue: Catalogue) -> ToolsCall:
    """Build the call with the kinds and attributes of this catalogue; attributes include their units: "weight (g)"."""
    measured = [f"{name} ({unit})" if unit else name for name, unit in catalogue.units.items()]
    shown = Field(json_schema_extra={"enum": list(measured)}) if 0 < len(measured) <= MOST_ENUMERATED else Field()
    attribute: Any = Annotated[str, _known(measured, "attribute"), shown]
    ranged: Any = create_model("Range", __base__=Range, attribute=attribute)
    kind: Any = Annotated[str, _known(catalogue.categories, "kind")] | None
    own: Any = {"category": (kind, None), "ranges": (list[ranged], [])}
    search = create_model("Search", __base__=Search, __doc__=Search.__doc__, **own)
    return ToolsCall("products.read", (search, Compare, Price, Availability, Ask))


def read(answer: ToolsAnswer) -> tuple[Route, list[JSON], str]:
    """Return the route, in the seed's order of priority (a tool, a search, else words), the lookups as plain data, and
    the reply if there are none."""
    lookups = [call for call in answer.calls if isinstance(call, Call)][:MOST_CALLS]
    questions = [call.question for call in answer.calls if isinstance(call, Ask)]
    calls = [{"tool": type(call).__name__.lower(), **call.model_dump(exclude_defaults=True)} for call in lookups]
    if calls:
        return "retrieve" if all(isinstance(call, Search) for call in lookups) else "tool", calls, ""
    return ("clarify", [], questions[0]) if questions else ("respond", [], answer.text)


def call_of(given: JSON) -> Call:
    """Restore a call from its stored form."""
    return KINDS[given["tool"]].model_validate({name: value for name, value in given.items() if name != "tool"})


def filters_of(given: JSON) -> JSON:
    """Return its arguments without the worded wish."""
    return {name: value for name, value in given.items() if name not in ("tool", "wish")}


def wish_of(search: Search, catalogue: Catalogue) -> Wish:
    """Return a search as a wish, in the terms of the catalogue."""
    bounds = [Bound(PRICE, search.price_min, search.price_max, CURRENCY)] if search.limits else []
    for each in search.ranges:
        name = each.attribute.partition(" (")[0]
        bounds.append(Bound(name, each.min, each.max, catalogue.units.get(name, "")))
    by_name = {brand.lower(): brand for brand in catalogue.brands}
    terms = [_spelled(each, catalogue) for each in search.terms if each.lower() not in by_name]
    return Wish(
        category=search.category or "",
        brands=tuple(by_name[each.lower()] for each in search.terms if each.lower() in by_name),
        not_brands=tuple(by_name[each.lower()] for each in search.not_terms if each.lower() in by_name),
        bounds=tuple(bounds),
        terms=alternatives(terms, catalogue),
        without=tuple(_spelled(each, catalogue) for each in search.not_terms if each.lower() not in by_name),
        in_stock=search.in_stock,
        sort=nearest(search.sort.lstrip("-"), [PRICE, *catalogue.units]) or "" if search.sort else "",
        is_descending=search.sort.startswith("-"),
    )


def nearest(given: str, known: Iterable[str]) -> str | None:
    """ "Phone" and "smartphones" match phones if nothing else does."""
    by_name = {singular(each.lower()): each for each in known}
    plain = singular(given.lower())
    parts = [each for each in by_name if each in plain or plain in each]
    alike = [plain] if plain in by_name else parts if len(parts) == 1 else get_close_matches(plain, by_name, 1, ALIKE)
    return by_name[alike[0]] if alike else None


def _known(values: Sequence[str], what: str) -> AfterValidator:
    """Accept the nearest spelling; otherwise raise an error that lists the values for the model."""

    def taken(given: str) -> str:
        if found := nearest(given, values):
            return found
        raise ValueError(f"there is no {what} “{given}”; there are {', '.join(values[:MOST_ENUMERATED])}")

    return AfterValidator(taken)


def _spelled(term: str, catalogue: Catalogue) -> str:
    """Return the term with each word in the catalogue's spelling."""

    def spelled(word: str) -> str:
        is_known = word in catalogue.words or len(word) < LEAST_LETTERS or not word.isalpha()
        return word if is_known else (get_close_matches(word, catalogue.words, 1, WORD_ALIKE) or [word])[0]

    fixed = [spelled(word) for word in words(term)]
    return term if fixed == words(term) else " ".join(fixed)
