"""Which specialists a request needs, by rules, and how sure that is: from what the message names, and what it may go on
from. Where nothing is to go on, a question takes their place."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from turnkeep_agents.campaigns.metrics import METRICS
from turnkeep_agents.campaigns.reading.asked import grains_of, read_asked
from turnkeep_agents.campaigns.reading.intents import intent_of, is_open_trouble, wants_advice
from turnkeep_agents.campaigns.reading.names import find_whole
from turnkeep_agents.campaigns.reading.periods import names_time
from turnkeep_agents.campaigns.reading.smalltalk import asks_for_help, is_greeting, is_thanks
from turnkeep_agents.campaigns.reading.vocabulary import (
    COMMON,
    DIMENSION_WORDS,
    METRIC_ALIASES,
    is_foreign_metric,
    plain,
    stem,
)
from turnkeep_agents.campaigns.requests import SPECIALISTS, Dimension, Grain, Request
from turnkeep.blocks.words import STOP_WORDS, words

MOST_SPECIALISTS = 8
MOST_NAMES = 6
EASY_WORDS = 3
"""So many unknown words halve the confidence."""

PERFORMANCE, BUDGET, AUDIENCE, CREATIVE, DELIVERY = SPECIALISTS

_SIGNS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"\b(?:{pattern})\b", re.I)
    for name, pattern in {
        BUDGET: r"budgets?|pac(?:e[sd]?|ing)|over-?(?:spen[dt]\w*|deliver\w*)|under-?(?:spen[dt]\w*|deliver\w*)"
        r"|run(?:ning|s)?\s+(?:out|dry)|burn\w*|exhaust\w*|on\s+(?:track|course|schedule)|remaining|left\s+to\s+spend"
        r"|spend\s+caps?|flights?|forecast\w*|projected|projections?|at\s+risk|risks?",
        AUDIENCE: r"audiences?|line\s+items?|targeting|segments?|retarget\w*|prospecting|lookalikes?|demographics?"
        r"|target\s+groups?|placements?(?!\s+mix)|channels?|ad\s+(?:groups?|sets?)",
        CREATIVE: r"creatives?|banners?|sizes?|ads|ad(?!\s+(?:spend|budget|cost|money|group|set))|adverts?|artworks?"
        r"|assets?|formats?|fatigue\w*|\d{2,4}\s*x\s*\d{2,4}",
        DELIVERY: r"deliver(?:y|ies)|optimi[sz]\w*|mix(?:es)?|combinations?|combined|reallocat\w*|pairings?",
    }.items()
}
_VAGUE = re.compile(
    r"\b(?:perform\w*|results?|reports?|figures|numbers|stats|statistics|data|metrics|kpis?|overview|summary|summar\w+"
    r"|campaigns?|insertion\s+orders?|advertisers?|brands?|doing|going|trends?|diagnos\w+|efficien\w+|compar\w+)\b",
    re.I,
)
_BESIDE = r"\b(?:performance|results|trends?|figures)"
_ALSO_PERFORMANCE = re.compile(
    rf"{_BESIDE}\s*(?:,|and|&|\+)|(?:,|\band|&|\+)\s+(?:the\s+)?(?:overall\s+)?{_BESIDE}\b", re.I
)
_EVERYTHING = re.compile(
    r"\beverything\b(?!\s+(?:ok(?:ay)?|fine|good|well|alright|in\s+order|going|under))|\ball\s+(?:five\s+|the\s+)?specialists\b"
    r"|\b(?:full|complete|whole|entire|thorough)\s+(?:report|picture|analysis|review|audit|check|story|overview)\b"
    r"|\bdeep[\s-]dive\b|\baudit\b|\ball\s+(?:aspects|areas|angles)\b",
    re.I,
)
_OURS = re.compile(r"\b(?:we|our|ours|us|my|i)\b", re.I)
_MORE = re.compile(
    r"\b(?:more|again|details?|further|continue|go\s+on|refresh|same|else|without|except|exclud\w+|leave\s+out)\b", re.I
)
_NAMED = re.compile(
    "|".join(rf"\b{name.replace('_', '[ _-]').replace('ization', 'i[sz]ation')}\b" for name in SPECIALISTS), re.I
)
_SPECIALIST = re.compile(
    r"\b(?:(?:ask|run|use|call|try|with|start)\s+(?:the\s+|an?\s+)?|(?:the|and|your|our|an?)\s+)"
    r"(?P<name>[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}?)\s+(?:specialist|agent|expert)\b",
    re.I,
)
_RUN = re.compile(
    r"\b(?:run|call|use|start|launch|ask)\s+(?:the\s+)?(?:(?P<snake>[a-z]+(?:_[a-z]+)+)\b|(?P<word>[a-z]{2,})(?=\s+(?:for|on)\s|\W*$))",
    re.I,
)
_NO_NAMES = frozenset(words("all each every which what any other right another same one best the a an this that"))
_OF_DIMENSION: Mapping[Dimension | Grain, str] = {
    "creative": CREATIVE,
    "size": CREATIVE,
    "audience": AUDIENCE,
    "line_item": AUDIENCE,
}


class Routing(BaseModel):
    """`clarification` is a question to ask in place of an answer; `agrees`: the message confirms what was asked."""

    specialists: list[str] = Field(default_factory=list, max_length=MOST_SPECIALISTS, description="best first")
    reasoning: str = ""
    confidence: float = Field(0.0, ge=0, le=1)
    clarification: str = ""
    agrees: bool = False


@dataclass(frozen=True)
class _Signs:
    """What in the message itself tells what it is about."""

    explicit: tuple[str, ...]
    subjects: tuple[str, ...]
    has_metric: bool
    is_vague: bool
    has_intent: bool
    has_names: bool
    has_time: bool
    has_more: bool

    @property
    def is_task(self) -> bool:
        return bool(self.explicit or self.subjects or self.has_metric or self.is_vague)


def speaks_of_budgets(said: str) -> bool:
    """Whether a plain text is about budgets, which have figures of their own."""
    return _SIGNS[BUDGET].search(said) is not None


def route_by_rules(request: Request, text: str, *, ran: Sequence[str] = (), advertisers: Sequence[str] = ()) -> Routing:
    """`ran` are the specialists that answered the request before this one, which a message without a subject of its
    own goes on with. `advertisers` may be named in a question."""
    said = plain(text)
    signs = _signs(request, said, bool(ran))
    question = "" if signs.explicit else _question(request, said, signs, bool(ran), advertisers)
    if question:
        return Routing(reasoning="The message does not tell what to look at.", clarification=question)
    specialists, reason = _chosen(request, said, signs, ran)
    sure = _confidence(request, said, signs, bool(ran))
    return Routing(specialists=specialists[:MOST_SPECIALISTS], reasoning=reason, confidence=sure)


def _signs(request: Request, said: str, has_history: bool) -> _Signs:
    named = _words_of_names(request)
    spoken = {stem(word) for word in words(said) if word not in STOP_WORDS}
    asked = read_asked(said)
    return _Signs(
        explicit=_explicit(said),
        subjects=_subjects(request, said),
        has_metric=bool(asked.metrics),
        is_vague=_VAGUE.search(said) is not None or _EVERYTHING.search(said) is not None,
        has_intent=intent_of(said) is not None,
        has_names=bool(named & spoken) or bool(request.filters and not has_history),
        has_time=names_time(said),
        has_more=has_history and bool(asked.limit or asked.order or grains_of(said, 0)[0] or _MORE.search(said)),
    )


def _subjects(request: Request, said: str) -> tuple[str, ...]:
    """In the order in which they are spoken of, then those whose things are named; the words of a name tell nothing."""
    named = find_whole(said, request.filters)
    found = {name: match.start() for name, pattern in _SIGNS.items() if (match := pattern.search(named.rest))}
    of_names = _of_kinds(mention.dimension for mention in named.mentions)
    chosen = _together([*sorted(found, key=lambda name: found[name]), *of_names])
    return (*chosen, PERFORMANCE) if chosen and _ALSO_PERFORMANCE.search(said) else tuple(chosen)


def _of_kinds(kinds: Iterable[Dimension | Grain]) -> list[str]:
    """Who lists what is of these kinds; nobody where that is the level that every figure has."""
    return [_OF_DIMENSION[kind] for kind in kinds if kind in _OF_DIMENSION]


def _together(chosen: Iterable[str]) -> list[str]:
    """Creatives together with audiences are one question. How to deliver comes last."""
    names = list(dict.fromkeys(chosen))
    if {AUDIENCE, CREATIVE} <= set(names):
        return [DELIVERY, *(name for name in names if name not in (AUDIENCE, CREATIVE, DELIVERY))]
    return sorted(names, key=lambda name: name == DELIVERY)


def _explicit(said: str) -> tuple[str, ...]:
    """Specialists called by name, those that do not exist as they are written."""
    found = [_canonical(match[0]) for match in _NAMED.finditer(said)]
    for match in _SPECIALIST.finditer(said):
        found += [_named(match["name"])] if not set(words(match["name"])) & _NO_NAMES else []
    for match in _RUN.finditer(said):
        name = match["snake"] or match["word"]
        if match["snake"] or name.lower() not in COMMON:
            found.append(_named(name))
    return tuple(dict.fromkeys(found))


def _canonical(name: str) -> str:
    return re.sub(r"[ -]", "_", name.lower()).replace("isation", "ization")


def _named(name: str) -> str:
    """The specialist whose name shares a word with it, or the name itself."""
    said = set(words(name.replace("optimisation", "optimization")))
    return next((known for known in SPECIALISTS if said & set(known.split("_"))), name)


def _question(request: Request, said: str, signs: _Signs, has_history: bool, advertisers: Sequence[str]) -> str:
    """What to ask in place of an answer; empty where there is something to go on."""
    foreign = [name for name in request.unknown if is_foreign_metric(name)]
    strange = [name for name in request.unknown if name not in foreign]
    if strange and not signs.has_names:
        which = f" The advertisers are {_listed(advertisers)}." if advertisers else ""
        return f"I know nothing called {_quoted(strange)}.{which} What do you mean?"
    is_trouble = is_open_trouble(said) and not _rare(said)
    is_ours = signs.has_intent and (has_history or is_trouble or _OURS.search(said) is not None)
    if signs.is_task or signs.has_names or signs.has_time or signs.has_more or is_ours:
        return ""
    if foreign:
        return f"{_quoted(foreign)} is not measured here. I know {_listed(_labels())}. Which of them do you want?"
    if request.doubts:
        return request.doubts[0]
    return f"{_opening(said)}{_offer(advertisers)}"


def _opening(said: str) -> str:
    if is_thanks(said):
        return "You are welcome! "
    if is_greeting(said):
        return "Hello! "
    return "" if asks_for_help(said) else "I did not find anything to look up in that. "


def _offer(advertisers: Sequence[str]) -> str:
    whose = f" of {_listed(advertisers)}" if advertisers else ""
    return (
        f"I can look into the performance{whose}, into budgets and their pacing, audiences and line items, creatives "
        "and their sizes, and what to change. What would you like to analyse, and for which period?"
    )


def _labels() -> list[str]:
    return [metric.label for metric in METRICS.values()]


def _chosen(request: Request, said: str, signs: _Signs, ran: Sequence[str]) -> tuple[list[str], str]:
    """The specialists, best first, and why: the first reason that applies."""
    everything = SPECIALISTS if _EVERYTHING.search(said) else ()
    own = ran if not (signs.has_metric or signs.is_vague) else ()
    is_open = signs.has_intent and not signs.has_metric and is_open_trouble(said)
    is_advice = not signs.has_metric and not request.by and wants_advice(said)
    reasons: tuple[tuple[Sequence[str], str], ...] = (
        (signs.explicit, "The message calls the specialists by name."),
        (everything, "The message asks for everything."),
        (signs.subjects, "The message speaks of the subject of these specialists."),
        ((PERFORMANCE, BUDGET, DELIVERY) if is_advice else (), "The message asks what to do, without saying where."),
        (own, "The message goes on from the last request."),
        (_together(_of_kinds((*request.by, *request.filters))), "The message asks for what these specialists list."),
        ((PERFORMANCE, BUDGET) if is_open else (), "The message asks what is wrong, without saying where."),
        ((PERFORMANCE,), "The message asks for figures, which are looked at by insertion order."),
    )
    return next((list(chosen), reason) for chosen, reason in reasons if chosen)


def _confidence(request: Request, said: str, signs: _Signs, has_history: bool) -> float:
    """From how much of the message was understood: a name or a vague word alone stays below 0.4."""
    if signs.explicit:
        return 0.9
    is_clear, is_vague = bool(signs.subjects or signs.has_metric), signs.is_vague or signs.has_intent
    sure = 0.15 + 0.3 * is_clear + (0.1 if is_clear else 0.2) * is_vague
    sure += 0.2 * signs.has_names + 0.15 * signs.has_time + 0.1 * bool(request.by and (is_clear or signs.has_names))
    sure += 0.15 * (signs.is_vague and not is_clear and request.intent == "analysis")
    sure += 0.4 * (has_history and not is_clear)
    return round(min(max(sure * _understood(request, said), 0.1), 0.95), 2)


def _understood(request: Request, said: str) -> float:
    """Of the words that are not everyday ones, the share that is a name or a word of the trade."""
    named = _words_of_names(request)
    rare = _rare(said)
    known = [word for word in rare if stem(word) in named or _is_of_trade(word)]
    return (EASY_WORDS + len(known)) / (EASY_WORDS + len(rare))


def _rare(said: str) -> list[str]:
    return [word for word in words(said) if not {word, stem(word)} & COMMON and not word.isdigit() and len(word) > 1]


def _is_of_trade(word: str) -> bool:
    return stem(word) in _TRADE or names_time(word) or any(sign.search(word) for sign in (*_SIGNS.values(), _VAGUE))


def _words_of_names(request: Request) -> set[str]:
    return {stem(word) for names in request.filters.values() for name in names for word in words(name)}


def _quoted(names: Sequence[str]) -> str:
    return _listed([f"“{name}”" for name in names])


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:MOST_NAMES], *(["others"] if names[MOST_NAMES:] else [])]
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


_TRADE = {
    stem(word)
    for key, metric in METRICS.items()
    for name in (*metric.names, *METRIC_ALIASES.get(key, ()), *DIMENSION_WORDS.values())
    for word in words(name)
}
"""Words of metrics and dimensions."""
