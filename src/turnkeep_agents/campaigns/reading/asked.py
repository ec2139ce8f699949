"""What a message asks for, besides of whom and when: metrics, by what they are split, how many, best or worst."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from turnkeep_agents.campaigns.metrics import METRICS
from turnkeep_agents.campaigns.reading.asides import left_aside
from turnkeep_agents.campaigns.reading.vocabulary import (
    BLOT,
    COMMON,
    COUNT,
    DIMENSION_WORDS,
    FOREIGN_METRICS,
    METRIC_ALIASES,
    blot_all,
    number,
)
from turnkeep_agents.campaigns.requests import Dimension, Grain
from turnkeep.blocks.words import STOP_WORDS, words

MOST_ROWS = 100
LEAST_LETTERS_MISSPELT = 6
ALIKE = 0.85
LONG_DAYS, LONGER_DAYS = 31, 150
"""Above them a development is shown by weeks, and by months."""


@dataclass(frozen=True)
class Piece:
    """A part of the text that was understood as `meaning`. `strength` of a word for a dimension: 2 behind "by", 1
    behind "which", 0 where it is only mentioned."""

    at: int
    to: int
    meaning: str
    strength: int = 0


@dataclass(frozen=True)
class Asked:
    """`foreign` are figures that no warehouse of this kind has; `splits` the words for dimensions, in order."""

    metrics: tuple[str, ...]
    foreign: tuple[str, ...]
    splits: tuple[Piece, ...]
    limit: int | None
    order: Literal["best", "worst"] | None
    rest: str
    remarks: tuple[str, ...] = ()


_GRAINS: tuple[tuple[Grain, str], ...] = (
    ("day", r"daily(?!\s+(?:budget|cap|limit|spend\s+cap))|day[\s-]by[\s-]day|(?:by|per|each|every)\s+day"),
    ("week", r"weekly|week[\s-]by[\s-]week|(?:by|per|each|every)\s+week"),
    ("month", r"monthly(?!\s+budget)|month[\s-]by[\s-]month|(?:by|per|each|every)\s+month"),
)
_BEST_TIME = r"(?:which|what|best|worst|peak|busiest|strongest|weakest|top)"
_TREND = re.compile(
    r"\b(?:over\s+time|trend(?:s|ed|ing)?|develop(?:ed|ment|ing)?|evol(?:ved|ution)|timeline|curve"
    r"|(?:ris(?:e|en|ing)|rose|f[ae]ll(?:en|ing)?|gr[eo]w(?:n|ing)?|(?:in|de)creas(?:ed?|ing)|chang(?:ed?|ing)|improved?"
    r"|go|gone|went|mov(?:ed?|ing))\b(?:\s+(?:up|down))?(?=\s+between\b))\b",
    re.I,
)

_STRONG = r"(?:by|per|each|every|across(?:\s+(?:all|the))?|for\s+each|split\s+(?:by|into)|according\s+to)"
_WEAK = rf"(?:which|what|top|best|worst|bottom|weakest|strongest|(?:top|best|worst|bottom|first)\s+(?:{COUNT}))"
_QUALIFIED = (
    r"(?:(?:of\s+)?(?:the|our|your|my|their|its|these|those|single|different|individual|active|performing)\s+)*"
)
_ALWAYS: frozenset[Dimension] = frozenset(("audience", "line_item", "creative", "size"))
_GENERIC = re.compile(
    r"ad|asset|format|dimension|brand|client|account|campaign|io|advertiser|insertion[\s_-]+order|advert", re.I
)

_HIGH = "highest|most|largest|biggest|greatest|maximum|max"
_LOW = "lowest|least|fewest|smallest|minimum|min"
_BEST = "best|top|strongest|leading|winning|winners?|cheapest|star"
_WORST = "worst|bottom|weakest|poorest|losers?|underperform(?:ing|ers?)|laggards?"
_RANK = rf"(?:{_BEST}|{_WORST}|{_HIGH}|{_LOW})"
_EXTREME = re.compile(
    rf"(?<!at )\b(?P<word>{_RANK})\b(?!\s+of\b(?!\s+the))(?:[\s-]+performing)?(?:\s+(?P<after>{COUNT})\b)?", re.I
)
_COUNTED = re.compile(rf"\b(?P<count>{COUNT})\s+(?:of\s+the\s+)?(?={_RANK}\b)", re.I)
_SHOWN = re.compile(
    rf"\b(?:show|list|give|name|only|just|first|which|what|who)\s+(?:(?:me|are|were)\s+)?(?:the\s+)?(?P<count>{COUNT})\b(?=\s+[a-z{BLOT}])",
    re.I,
)

_RATE = re.compile(r"\b(?P<name>[a-z]+)[\s-](?:rate|ratio|score)s?\b|\bcost\s+(?:per|of\s+an?)\s+(?P<per>[a-z]+)", re.I)
_NO_RATES = STOP_WORDS | frozenset(
    words(
        """
        high higher highest low lower lowest good bad best better worst worse average current overall same total daily
        weekly monthly day week month spend spending burn run pacing delivery interest success new old first last flat
        """
    )
)
"""What stands before "rate" without making a rate of its own."""
_CHAIN = re.compile(r"\s*(?:and|&|,|,?\s*and|x|by|/|plus)\s*(?:by\s+|the\s+|per\s+)?", re.I)
_COMPOUND: dict[Dimension, str] = {"size": r"(?:(?:creative|banner|ad|advert)\s+)?"}
_READ_FIRST: tuple[Dimension, ...] = ("size", "insertion_order", "line_item", "advertiser", "audience", "creative")


def grains_of(text: str, days: int) -> tuple[tuple[Grain, ...], str]:
    """The grains of time that a plain text asks for, and the text without them; a development is shown in steps that
    suit `days`."""
    found: list[Grain] = []
    for grain, pattern in _GRAINS:
        listed = rf"\b(?:by|per)\s+[a-z ]{{1,25}}?\s(?:and|x)\s+(?P<listed>{grain})\b"
        ranked = rf"\b{_BEST_TIME}\s+(?:{COUNT}\s+)?(?P<ranked>{grain}s?)\b"
        for match in re.finditer(rf"{listed}|{ranked}|\b(?P<alone>{pattern})\b", text, re.I):
            found.append(grain)
            text = blot_all(text, [Piece(*match.span(match.lastgroup or "alone"), grain)])
    if not found and _TREND.search(text):
        found = ["day" if days <= LONG_DAYS else "week" if days <= LONGER_DAYS else "month"]
    return tuple(dict.fromkeys(found)), text


def read_asked(text: str) -> Asked:
    """Of a plain text in which names, periods and grains of time are blotted out. Phrases are read before words, so
    that a cost per click is neither a cost nor a click, and words for dimensions between them: "insertion orders"."""
    phrases = _pieces(text, _PHRASES)
    text = blot_all(text, phrases)
    foreign, text = _foreign(text)
    splits, text = _splits(text)
    single = _pieces(text, _WORDS)
    text = blot_all(text, single)
    misspelt = _misspelt(text)
    text = blot_all(text, misspelt)
    metrics = sorted([*phrases, *single, *misspelt], key=lambda piece: piece.at)
    limit, order, place, text = _ranking(text, metrics)
    first = [piece for piece in metrics if piece.at > place][:1] if order or limit else []
    named = tuple(dict.fromkeys(piece.meaning for piece in [*first, *metrics]))
    return Asked(named, tuple(foreign), tuple(splits), limit, order, text, left_aside(text))


def _pieces(text: str, patterns: Iterable[tuple[re.Pattern[str], str]]) -> list[Piece]:
    found: list[Piece] = []
    for pattern, meaning in patterns:
        new = [Piece(*match.span(), meaning) for match in pattern.finditer(text)]
        text = blot_all(text, new)
        found += new
    return found


def _misspelt(text: str) -> list[Piece]:
    """Metrics a letter or two off."""
    found: list[Piece] = []
    for match in re.finditer(r"\b[a-z]{6,}\b", text, re.I):
        word = match[0].lower()
        close = [] if word in COMMON else get_close_matches(word, _LONG_WORDS, n=1, cutoff=ALIKE)
        found += [Piece(*match.span(), _LONG_WORDS[name]) for name in close]
    return found


def _foreign(text: str) -> tuple[list[str], str]:
    pieces = [Piece(*match.span(), match[0].lower()) for match in _FOREIGN.finditer(text)]
    text = blot_all(text, pieces)
    for match in _RATE.finditer(text):
        if match["per"] or match["name"]:
            of = (match["per"] or match["name"]).lower()
            if of not in _NO_RATES and not _DIMENSION.fullmatch(of):
                pieces.append(Piece(*match.span(), match[0].lower()))
    pieces.sort(key=lambda piece: piece.at)
    return [piece.meaning for piece in pieces], blot_all(text, pieces)


def _splits(text: str) -> tuple[list[Piece], str]:
    """Words for dimensions that split the figures, or say what kind of thing a name is."""
    found: list[Piece] = []
    for dimension, pattern in _DIMENSIONS:
        for match in pattern.finditer(text):
            at, to = match.start("word"), match.end()
            is_asked = bool(match["strong"] or match["weak"] or (match["plural"] and not match["all"]))
            if is_asked or (dimension in _ALWAYS and not _GENERIC.fullmatch(match["word"])):
                found.append(Piece(at, to, dimension, 2 if match["strong"] else 1 if match["weak"] else 0))
            text = blot_all(text, [Piece(at, to, dimension)])
    return _chained(sorted(found, key=lambda piece: piece.at), text), text


def _chained(pieces: list[Piece], text: str) -> list[Piece]:
    """Those that stand in one row with "by" count as much: by this and that. Beside them, what is merely mentioned does
    not."""
    for place in range(1, len(pieces)):
        before, piece = pieces[place - 1], pieces[place]
        if _CHAIN.fullmatch(text[before.to : piece.at]):
            pieces[place] = replace(piece, strength=max(piece.strength, before.strength))
    has_strong = any(piece.strength == 2 for piece in pieces)
    return [piece for piece in pieces if piece.strength or not has_strong]


def _ranking(text: str, metrics: Sequence[Piece]) -> tuple[int | None, Literal["best", "worst"] | None, int, str]:
    """How many, best or worst first, from which place of the text on the ranking metric stands, and what is left."""
    extreme, shown = _EXTREME.search(text), _SHOWN.search(text)
    if extreme is None:
        limit = _bounded(shown["count"]) if shown else None
        return limit, None, len(text), blot_all(text, [Piece(*shown.span("count"), "")] if shown else [])
    counted = _COUNTED.search(text[: extreme.end()])
    is_before = counted is not None and counted.end() == extreme.start()
    said = extreme["after"] or (counted["count"] if counted and is_before else shown["count"] if shown else None)
    metric = next((piece.meaning for piece in metrics if piece.at >= extreme.start()), "")
    metric = metric or next((piece.meaning for piece in metrics), "")
    left = blot_all(text, [Piece(counted.start() if counted and is_before else extreme.start(), extreme.end(), "")])
    return (_bounded(said) if said else None), _order(extreme["word"].lower(), metric), extreme.start(), left


def _order(word: str, metric: str) -> Literal["best", "worst"]:
    """The highest price is the worst, the highest of all else the best."""
    is_low_good = metric in METRICS and METRICS[metric].is_good_high is False
    if re.fullmatch(_HIGH, word):
        return "worst" if is_low_good else "best"
    if re.fullmatch(_LOW, word):
        return "best" if is_low_good else "worst"
    return "best" if re.fullmatch(_BEST, word) else "worst"


def _bounded(said: str) -> int | None:
    return min(number(said), MOST_ROWS) or None


def _phrase(name: str) -> re.Pattern[str]:
    """Its words in a row, whatever stands between them, the last in the plural too."""
    return re.compile(rf"\b{r's?[\s-]+'.join(map(re.escape, re.split(r'[\s-]', name)))}s?\b", re.I)


def _called(*, is_phrase: bool) -> list[tuple[re.Pattern[str], str]]:
    """The names of the metrics, the longest first."""
    names = [(name, key) for key, metric in METRICS.items() for name in (*metric.names, *METRIC_ALIASES.get(key, ()))]
    priced = [(name, key) for name, key in names if name.startswith("cost per")]
    names += [(name.replace("cost", word), key) for name, key in priced for word in ("price", "spend", "pay", "paid")]
    names = [(name, key) for name, key in names if bool(re.search(r"[\s-]", name)) is is_phrase]
    return [(_phrase(name), key) for name, key in sorted(names, key=lambda pair: -len(pair[0]))]


def _price_of(event: str) -> re.Pattern[str]:
    """The ways to ask for a cost per event without the word "per"."""
    one = rf"(?:an?|each|every|one|(?:a\s+)?single)\s+(?:{event})"
    return re.compile(rf"\b(?:{one}\s+costs?|(?:costs?|prices?|pay|paid|paying)\s+(?:of|for)\s+{one})\b", re.I)


_EARNINGS = re.compile(
    r"\bhow\s+much\b(?:\s+money)?(?=[^?.]*\b(?:make|made|earn(?:ed)?|(?:bring|brought|came|come|take|took)\s+in)\b)",
    re.I,
)
_RETURNS = re.compile(r"\b(?:los(?:e[sd]?|ing|t)\s+(?:us\s+)?money|(?:un)?profitab\w+|break(?:s|ing)?\s+even)\b", re.I)
_CONVERTS = re.compile(
    r"\bconvert(?:s|ed|ing)?\b(?=\s+(?:the\s+)?(?:best|worst|better|worse|well|badly|poorly)\b)"
    r"|(?:(?<=\bbest.)|(?<=\bworst.))converting\b",
    re.I,
)
_PHRASES = [
    (_RETURNS, "roas"),
    (_CONVERTS, "cvr"),
    (_price_of("conversion|sale|order|purchase"), "cpa"),
    (_price_of("click"), "cpc"),
    (_EARNINGS, "revenue"),
    *_called(is_phrase=True),
]
_WORDS = _called(is_phrase=False)
_LONG_WORDS = {
    name: key
    for key, metric in METRICS.items()
    for name in metric.names
    if len(name) >= LEAST_LETTERS_MISSPELT and name.isalpha()
}
_FOREIGN = re.compile(
    rf"\b(?:{'|'.join(re.escape(name) for name in sorted(FOREIGN_METRICS, key=len, reverse=True))})\b"
    r"(?!\s+(?:to|out|our|the|a|my|us|with)\b)",
    re.I,
)
_DIMENSION = re.compile(f"(?:{'|'.join(DIMENSION_WORDS.values())})s?", re.I)
_DIMENSIONS: list[tuple[Dimension, re.Pattern[str]]] = [
    (
        dimension,
        re.compile(
            rf"\b(?:(?P<strong>{_STRONG})\s+|(?P<weak>{_WEAK})\s+|(?P<all>all)\s+)?{_QUALIFIED}(?:{COUNT}\s+)?"
            rf"(?P<word>{_COMPOUND.get(dimension, '')}(?:{DIMENSION_WORDS[dimension]}))(?P<plural>s)?\b",
            re.I,
        ),
    )
    for dimension in _READ_FIRST
]
