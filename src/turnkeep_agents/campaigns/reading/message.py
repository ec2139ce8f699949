"""From a message to a `Request`, by rules. A message that goes on from the last request changes what it names and keeps
the rest; one that asks a whole question starts afresh."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from turnkeep_agents.campaigns.reading.asked import Asked, grains_of, read_asked
from turnkeep_agents.campaigns.reading.exclusions import MOST_LEFT, parted, without
from turnkeep_agents.campaigns.reading.intents import intent_of
from turnkeep_agents.campaigns.reading.misspelt import times_put_right
from turnkeep_agents.campaigns.reading.names import ORDER, Mention, Names, Owners, find_parts, find_whole
from turnkeep_agents.campaigns.reading.periods import ReadPeriods, Week, is_about_time, read_periods, usual_period
from turnkeep_agents.campaigns.reading.routing import speaks_of_budgets
from turnkeep_agents.campaigns.reading.smalltalk import is_agreement, is_foreign, is_refusal, read_week
from turnkeep_agents.campaigns.reading.strangers import strangers_in
from turnkeep_agents.campaigns.reading.vocabulary import plain
from turnkeep_agents.campaigns.requests import Dimension, Grain, Intent, Period, Request
from turnkeep.blocks.words import words

__all__ = ["Known", "Week", "is_agreement", "is_refusal", "read_request", "read_week"]

MOST_QUERY_CHARACTERS = 1_000
MOST_SAID = 6
GRAINS: tuple[Grain, ...] = ("month", "week")
ENGLISH_ONLY = (
    "I understand English only. Would you ask me again in English? You can ask for figures such as spend, clicks, "
    "conversions or revenue of an advertiser, a campaign, an audience or a creative, in a month or between two days."
)

_OPENING = r"^\W*(?:(?:ok(?:ay)?|so|well|right|thanks|great|good|hmm|please)\W+)*"
_GOES_ON = re.compile(rf"{_OPENING}(?:and|or|but|same|instead|except|without|(?:what|how)\s+about|what\s+if)\b", re.I)
_IS_PART = re.compile(rf"{_OPENING}(?:only|just|now|then|also|plus|broken?\s+down|split|by|per|for|in|not)\b", re.I)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|these|those|that|former|latter|instead|as\s+well|the\s+same|the\s+(?:other|rest)"
    r"|there)\b",
    re.I,
)
_ASKS = re.compile(
    r"\b(?:how|what|which|who|where|when|is|are|was|were|do|does|did|has|have|show|give|list|compare|tell|can|could|should"
    r"|rank|find|get|name|report|analy[sz]e|diagnose|explain|summari[sz]e|run|recommend|why)\b",
    re.I,
)
_OF_ALL = re.compile(
    r"\ball\s+(?:(?:of\s+)?(?:the|our|my)\s+)?(?:advertisers|clients|brands|campaigns|accounts|insertion\s+orders)\b"
    r"|\b(?:overall|in\s+total|across\s+the\s+board|everybody|everyone|altogether)\b",
    re.I,
)
_OVERVIEW = re.compile(
    r"\b(?:performance|results?|reports?|overview|summary|figures|numbers|stats|statistics|everything)\b", re.I
)
_LOWER: Mapping[Dimension, tuple[Dimension, ...]] = {
    "advertiser": ("insertion_order", "line_item", "creative"),
    "insertion_order": ("advertiser", "line_item"),
    "line_item": ("advertiser", "insertion_order", "audience"),
}
"""What a new name of a kind makes void: another advertiser has other insertion orders."""


@dataclass(frozen=True)
class Known:
    """What the warehouse holds; `first` and `last` are the oldest and the newest day with data. `owners` are the
    advertisers that each name belongs to, for the dimensions where that is known."""

    names: Names
    first: date
    last: date
    today: date
    owners: Owners = field(default_factory=dict)


@dataclass(frozen=True)
class _Read:
    """What the message itself says."""

    text: str
    filters: dict[Dimension, tuple[str, ...]]
    out: dict[Dimension, tuple[str, ...]]
    periods: ReadPeriods
    asked: Asked
    by: tuple[Dimension | Grain, ...]
    intent: Intent | None
    unknown: tuple[str, ...]
    remarks: tuple[str, ...]
    doubts: tuple[str, ...]

    @property
    def has_period(self) -> bool:
        return bool(self.periods.period or self.periods.compared or self.periods.doubts)


def read_request(
    text: str,
    known: Known,
    *,
    before: Request | None = None,
    week: Week | None = None,
    points_back: bool = False,
) -> Request:
    """What `text` asks for, any text. `before` is the last request of the thread, `week` what its user settled;
    `points_back`: the text was written with names in place of "it", "them" or "the second one"."""
    if is_foreign(_without_names(text, known)):
        return Request(query=text[:MOST_QUERY_CHARACTERS], doubts=(ENGLISH_ONLY,))
    said, respelled = times_put_right(plain(text), (name for names in known.names.values() for name in names))
    read = _read(said, known, before, week)
    kept = before if before and (points_back or _goes_on(read, before)) else None
    if before and not kept:
        read = _read(said, known, None, week)
    filters = without(_filters(read, kept, known), read.out, known.names, known.owners)
    period, compared, assumed = _periods(read, kept, known)
    doubts = (*read.periods.doubts, *read.doubts, *_contradictions(filters, known))
    taken = (*respelled, *read.periods.assumed, *assumed, *read.remarks, *_left_out(read), _still(read, kept))
    is_complete = _is_all_said(read) or bool(read.filters and read.asked.metrics and _ASKS.search(read.text))
    is_of_budgets = speaks_of_budgets(read.periods.rest) and not read.asked.metrics
    keeps_split = kept and not read.by and not is_complete and not is_of_budgets
    return Request(
        query=text[:MOST_QUERY_CHARACTERS],
        intent=read.intent or (kept.intent if kept else "informational"),
        metrics=read.asked.metrics or (kept.metrics if kept and not is_of_budgets else ()),
        by=_still_by(kept, read) if kept and keeps_split else read.by,
        filters=filters,
        period=period,
        compared=compared,
        limit=read.asked.limit or (kept.limit if kept and keeps_split else None),
        order=read.asked.order or (kept.order if kept and keeps_split else None),
        week_start=0 if week == "monday" else 6,
        assumed=tuple(dict.fromkeys(filter(None, taken)))[:MOST_SAID],
        unknown=read.unknown,
        doubts=doubts,
    )


def _without_names(text: str, known: Known) -> str:
    return find_whole(plain(text), known.names).rest


def _read(text: str, known: Known, before: Request | None, week: Week | None) -> _Read:
    whole = find_whole(text, known.names)
    days = before.period.days if before and before.period else 0
    grains, rest = grains_of(whole.rest, days)
    periods = read_periods(
        rest,
        first=known.first,
        last=known.last,
        today=known.today,
        week=week,
        before=before.period if before else None,
        is_series=bool(grains),
    )
    if periods.period and grains:
        grains, _ = grains_of(whole.rest, periods.period.days)
    asked = read_asked(periods.rest)
    advertisers = [name for mention in whole.mentions if mention.dimension == "advertiser" for name in mention.names]
    within = advertisers or (list(before.filters.get("advertiser", ())) if before else [])
    parts = find_parts(asked.rest, known.names, known.owners, within)
    mentions, out = parted(text, [*whole.mentions, *parts.mentions])
    filters = _named(mentions)
    strangers = strangers_in(parts.rest)
    return _Read(
        text,
        filters,
        _named(out),
        periods,
        asked,
        (*_by(asked, mentions, filters, text), *grains),
        intent_of(whole.rest),
        tuple(dict.fromkeys((*asked.foreign, *parts.strangers, *strangers))),
        (*whole.remarks, *parts.remarks, *asked.remarks),
        (*whole.doubts, *parts.doubts),
    )


def _named(mentions: Iterable[Mention]) -> dict[Dimension, tuple[str, ...]]:
    found: dict[Dimension, tuple[str, ...]] = {}
    for mention in sorted(mentions, key=lambda each: each.at):
        found[mention.dimension] = tuple(dict.fromkeys((*found.get(mention.dimension, ()), *mention.names)))
    return found


def _by(
    asked: Asked, mentions: Sequence[Mention], filters: Mapping[Dimension, Sequence[str]], text: str
) -> tuple[Dimension, ...]:
    """The dimensions that split the figures. A word for one that stands beside a name only says what that is; several
    names of a kind are shown side by side."""
    found: list[Dimension] = []
    for piece in asked.splits:
        dimension = next(each for each in ORDER if each == piece.meaning)
        beside = (mention for mention in mentions if mention.dimension == dimension)
        if piece.strength or not any(_is_beside(text, piece.at, piece.to, mention) for mention in beside):
            found.append(dimension)
    found += [] if found else [dimension for dimension, names in filters.items() if len(names) > 1]
    return tuple(dict.fromkeys(found))


def _is_beside(text: str, at: int, to: int, mention: Mention) -> bool:
    gap = text[to : mention.at] if to <= mention.at else text[mention.to : at]
    return len(words(gap)) <= 1 and len(gap) < 12


def _goes_on(read: _Read, before: Request) -> bool:
    """Whether the message changes the last request rather than asking a new one. What it points at may be what it names
    itself."""
    if _GOES_ON.search(read.text) or (_POINTS_BACK.search(read.text) and not read.filters):
        return True
    asked = read.asked
    if _is_all_said(read) and read.filters:
        return False
    is_other_name = any(set(names) - set(before.filters.get(kind, ())) for kind, names in read.filters.items())
    if is_other_name and set(asked.metrics) - set(before.metrics):
        return False
    names_something = asked.metrics or asked.splits or is_other_name or read.intent == "status"
    is_whole = names_something and _ASKS.search(read.text)
    return not (is_whole and (read.filters or read.has_period or _OF_ALL.search(read.text)))


def _is_all_said(read: _Read) -> bool:
    """Whether it says what and when, and has no word that makes it a part of the last request."""
    is_part = any(pattern.search(read.text) for pattern in (_GOES_ON, _IS_PART, _POINTS_BACK))
    return bool((read.asked.metrics or _OVERVIEW.search(read.text)) and read.has_period) and not is_part


def _filters(read: _Read, kept: Request | None, known: Known) -> dict[Dimension, tuple[str, ...]]:
    if kept is None or (_OF_ALL.search(read.text) and not read.filters):
        return read.filters
    void = {lower for kind in read.filters for lower in _LOWER.get(kind, ())}
    old = {
        kind: names for kind, names in kept.filters.items() if kind not in void or _is_owner(kind, names, read, known)
    }
    return {kind: names for kind in ORDER if (names := read.filters.get(kind) or old.get(kind))}


def _is_owner(kind: Dimension, names: Sequence[str], read: _Read, known: Known) -> bool:
    """Whether these are the advertisers of what is named now, so that naming them still is right."""
    if kind != "advertiser":
        return False
    owners = [
        _owners(each, name, known) for each, found in read.filters.items() for name in found if each in known.owners
    ]
    return bool(owners) and all(owner & set(names) for owner in owners)


def _owners(kind: Dimension, name: str, known: Known) -> set[str]:
    return set(known.owners.get(kind, {}).get(name, ()))


def _contradictions(filters: Mapping[Dimension, Sequence[str]], known: Known) -> tuple[str, ...]:
    """Names that belong to none of the advertisers that are named beside them."""
    advertisers = set(filters.get("advertiser", ()))
    found = ["That leaves nothing to look at. Which names shall stay?"] if not all(filters.values()) else []
    if any(len(names) > MOST_LEFT for names in filters.values()):
        found.append("Too many names would stay to leave one out of them. Which of them shall I look at?")
    for kind, names in filters.items():
        owners = {name: _owners(kind, name, known) for name in names}
        if advertisers and kind != "advertiser" and all(owner and not owner & advertisers for owner in owners.values()):
            name, owner = next(iter(owners.items()))
            said, own = " and ".join(sorted(advertisers)), " and ".join(sorted(owner))
            found.append(f"{name} belongs to {own}, not to {said}. Which of them do you mean?")
    return tuple(found)


def _still_by(kept: Request, read: _Read) -> tuple[Dimension | Grain, ...]:
    """Two periods are held against each other as wholes."""
    return tuple(each for each in kept.by if not read.periods.compared or each not in ("day", *GRAINS))


def _left_out(read: _Read) -> tuple[str, ...]:
    names = [name for found in read.out.values() for name in found]
    return (f"Left out: {', '.join(names[:3])}{' ...' if names[3:] else ''}.",) if names else ()


def _periods(read: _Read, kept: Request | None, known: Known) -> tuple[Period | None, Period | None, tuple[str, ...]]:
    """The period, what it is compared with, and what to say about them beyond what the message made sure."""
    found = read.periods
    if found.period or found.compared or found.doubts:
        return found.period or (kept.period if kept else None), found.compared, ()
    if kept and kept.period:
        return kept.period, kept.compared, tuple(filter(is_about_time, kept.assumed))
    grain: Grain = next((grain for grain in GRAINS if grain in read.by), "day")
    period, said = usual_period(first=known.first, last=known.last, today=known.today, grain=grain)
    return period, None, (said,)


def _still(read: _Read, kept: Request | None) -> str:
    """What is taken over from the last request without a word that asks for it."""
    is_said = any(pattern.search(read.text) for pattern in (_GOES_ON, _IS_PART, _POINTS_BACK))
    names = [name for found in kept.filters.values() for name in found] if kept else []
    if kept is None or kept.period is None or is_said or read.filters or read.has_period or not names:
        return ""
    return f"This goes on from before: {', '.join(names[:3])}{' ...' if names[3:] else ''}, {kept.period.label}."
