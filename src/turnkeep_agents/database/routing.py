"""Where a message goes: to the database, to the manual, or to a general answer. Rules weigh signs of grammar with the
words of the schema and the manual; a low confidence says that a model should be asked."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from turnkeep_agents.database.manual.concepts import asked_stems
from turnkeep_agents.database.signs.asking import Asking, Route
from turnkeep_agents.database.signs.data import DATA_SIGNS
from turnkeep_agents.database.signs.smalltalk import small_talk
from turnkeep_agents.database.signs.talk import TALK_SIGNS
from turnkeep_agents.database.signs.usage import USAGE_SIGNS
from turnkeep_agents.database.vocabulary import Vocabulary, content_stems
from turnkeep.blocks.rarity import stems

SURE = 0.75  # below this confidence a model is worth asking
SMALL_TALK = 0.99
GOES_ON = 2.0  # how much speaks for the route that a follow-up goes on from
PLAIN = 2.6  # of a sign that says so alone
STAYS = 0.2  # and for the last route where it stands alone
_EXPLAIN = re.compile(
    r"\W*(?:explain|describe|summari[sz]e|overview of|define)\b|.*\b(?:means?|meaning|definition)\b"
    r"|\W*what(?:'s| is) an? (?!good|bad|typical|normal|usual)[a-z -]+\W*$",
    re.IGNORECASE,
)
_OF_EXPLAINING = frozenset(stems("explain describe summarise summarize overview define means meaning"))
ROUTES: tuple[Route, ...] = ("rag", "sql", "general")


class Routing(BaseModel):
    """`confidence` is from 0 to 1; `reason` is a few words for the ledger."""

    route: Route
    reason: str
    confidence: float = Field(ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Found:
    """Something in the message that speaks for a route."""

    route: Route
    weight: float
    reason: str


def route_by_rules(
    message: str, *, names: Vocabulary | None = None, last_route: str | None = None, is_follow_up: bool = False
) -> Routing:
    """The route of `message`; `names` is what the schema and the manual talk of, where that is known."""
    if small_talk(message):
        return Routing(route="general", reason="it is small talk", confidence=SMALL_TALK)
    asking = Asking(message)
    found = list(_grammar(asking))
    found += _history(last_route, is_follow_up and not (last_route == "sql" and _asks_for_help(found)))
    if names is not None:
        found += _subject(asking, names)
        found += [] if is_follow_up else _strange(asking, names)
    scores = {route: sum(one.weight for one in found if one.route == route) for route in ROUTES}
    best, second, _ = sorted(ROUTES, key=lambda route: -scores[route])
    telling = max((one for one in found if one.route == best), key=lambda one: one.weight, default=None)
    reason = telling.reason if telling else "nothing in it says what it is about"
    return Routing(route=best, reason=reason, confidence=_confidence(scores[best] - scores[second]))


def _grammar(asking: Asking) -> Iterator[Found]:
    for sign in (*DATA_SIGNS, *USAGE_SIGNS, *TALK_SIGNS):
        if sign.pattern.search(asking.request if sign.route == "sql" else asking.unquoted):
            yield Found(sign.route, sign.weight, sign.reason)


def _asks_for_help(found: Iterable[Found]) -> bool:
    """Who wants to know how something is done does not go on from rows, whatever it points at."""
    return any(one.route == "rag" and one.weight >= PLAIN for one in found)


def _history(last_route: str | None, is_follow_up: bool) -> Iterator[Found]:
    for route in ROUTES:
        if route == last_route:
            yield Found(route, GOES_ON if is_follow_up else STAYS, "it goes on from the last answer")


def _subject(asking: Asking, names: Vocabulary) -> Iterator[Found]:
    said = content_stems(asking.request)
    tables = [stem for stem in said if stem in names.tables]
    if tables:
        yield Found("sql", 1.2, "it names a table")
    if any(stem in names.columns for stem in said if stem not in names.tables):
        yield Found("sql", 0.5, "it names a column")
    if names.names_value(asking.request):
        yield Found("sql", 0.8, "it names a value of the data")
    titles = [stem for stem in said if stem in names.titles]
    if any(stem not in names.data for stem in titles):
        yield Found("rag", 0.7, "the manual speaks of it")
    if _EXPLAIN.match(asking.request) and _is_of_manual(said, names):
        yield Found("rag", 3.6, "it wants something of the manual explained")


def _strange(asking: Asking, names: Vocabulary) -> Iterator[Found]:
    asked = [stem for stem in asked_stems(asking.request) if not stem.isdigit()]
    strange = [stem for stem in asked if stem not in names.data and stem not in names.manual]
    if asked and len(strange) == len(asked):
        yield Found("general", 2.6, "neither the data nor the manual speaks of it")
    elif len(strange) > len(asked) / 2 and names.data.isdisjoint(asked):
        yield Found("general", 2.2, "the data does not speak of it, and the manual of little")


def _is_of_manual(said: Sequence[str], names: Vocabulary) -> bool:
    """Whether the manual speaks of all that is to be explained."""
    about = [stem for stem in said if stem not in _OF_EXPLAINING]
    return bool(about) and all(stem in names.manual for stem in about)


def _confidence(margin: float) -> float:
    """From the lead over the next route: a third where there is none, nearly one from five on."""
    return round(min(0.99, 1 - 2 / 3 * math.exp(-margin / 1.5)), 3)
