"""How long something took: the days between two dates of a row, by the verb or the nouns that their columns are called
by. The rest of the line is read as any other; where no two dates answer, the verb is missing."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Asked, Condition, Field, Measure, Test
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.words.lines import tidy
from turnkeep_agents.database.reading.words.stems import root
from turnkeep.blocks.grammar import word_class

_USUALLY = r"(?:,? ?(?:on average|typically|usually|normally),?)?"
_A = r"(?:(?:an?|the|our|their|its|each|all|one|of|for) )*"
_TO = r"to (?:be |get |have )?(?P<verb>[a-z]+)"
_LONG = r"how (?:long|many days)"
_IT_TAKES = rf"{_LONG} (?:does|did|do|will) (?:it|we|they|one){_USUALLY} take(?: us| them)?{_USUALLY}"
_TAKES = r"(?:took|takes|take|needed|needs)"
_FIGURE = r"(?:(?P<way>average|mean|avg|longest|shortest|maximum|minimum|highest|lowest|total) )?"
_SPAN = r"(?:number of days|days|time|duration|time span|period|gap|delay|interval|hours|weeks)"
_DATE = r"(?:(?:the|their|its|being) )*(?P<{}>[a-z]+)(?: (?:date|day|time))?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^.*?\b{_IT_TAKES} {_TO} {_A}(?P<rest>[^?]*)",
        rf"^.*?\b{_IT_TAKES} (?:until|till|before|for)"
        rf" {_A}(?P<rest>[^?]+?) (?:is|are|gets?|was|were|has been|to be) (?P<verb>[a-z]+)(?P<more>[^?]*)",
        rf"^.*?\b{_LONG} (?:does|did|do|will) {_A}(?P<rest>[^?]+?) take{_USUALLY} {_TO}(?P<more>[^?]*)",
        rf"^.*?\b{_FIGURE}{_SPAN} (?:between|from) {_DATE.format('first')} (?:and|to|until|till) {_DATE.format('last')}"
        rf"(?: (?:of|for|in) {_A})?(?P<rest>[^?]*)",
        rf"^.*?\b{_FIGURE}{_SPAN} (?:it takes |it took |taken |needed )?(?:us )?{_TO} {_A}(?P<rest>[^?]*)",
        rf"^(?P<rest>.*?) {_TAKES} (?:the )?(?P<order>longest|shortest|most time|least time) {_TO}(?P<more>[^?]*)",
        rf"^(?P<rest>.*?) {_TAKES} (?P<test>more than|longer than|over|at least|less than|under|at most|up to"
        rf"|fewer than) (?P<number>\d+) (?P<unit>hour|day|week)s? {_TO}(?P<more>[^?]*)",
    )
)
_WAYS: dict[str, Measure] = {
    **dict.fromkeys(("longest", "maximum", "highest"), "maximum"),
    **dict.fromkeys(("shortest", "minimum", "lowest"), "minimum"),
    "total": "sum",
}
_TESTS: dict[str, Test] = {
    **dict.fromkeys(("more than", "longer than", "over"), "over"),
    **dict.fromkeys(("less than", "fewer than", "under"), "under"),
    "at least": "at_least",
    "at most": "at_most",
    "up to": "at_most",
}
_IN_DAYS = {"hour": 1 / 24, "day": 1, "week": 7}
_DATE_WORDS = word_class("date at on time datetime timestamp day")
_DEEDS = (
    frozenset(map(root, word_class("arrive come receive deliver"))),
    frozenset(map(root, word_class("fix solve resolve settle close"))),
    frozenset(map(root, word_class("finish complete close end do"))),
)
"""Verbs by which the same end is told."""
_SAME = 5  # letters that the words for one deed begin with: receipt, received


@dataclass(frozen=True)
class Duration:
    """`rest` is the line without it; `first` is empty where only the deed at the end is said."""

    rest: str
    first: str
    last: str
    measure: Measure | None = None
    order: Literal["ascending", "descending"] | None = None
    test: Test | None = None
    days: float = 0


def duration_of(text: str) -> Duration | None:
    """What a line asks for that asks how long something took."""
    found = next((match for pattern in _PATTERNS if (match := pattern.search(text))), None)
    if found is None:
        return None
    said = {name: (value or "").lower() for name, value in found.groupdict().items()}
    rest = f"{found['rest'].strip()}{found.groupdict().get('more') or ''}".strip()
    rest = re.sub(rf"(?<=\w){_USUALLY}$", "", rest)
    first, last = said.get("first", ""), said.get("last") or said.get("verb", "")
    if said.get("order"):
        is_short = said["order"] in ("shortest", "least time")
        return Duration(rest, first, last, order="ascending" if is_short else "descending")
    if said.get("test"):
        days = int(said["number"]) * _IN_DAYS[said["unit"]]
        return Duration(rest, first, last, test=_TESTS[said["test"]], days=days)
    return Duration(rest, first, last, _WAYS.get(said.get("way", ""), "average"))


def question_of(duration: Duration, ground: Ground, allowed: Collection[str] | None) -> str:
    """The rest as a question of its own, with a noun where it has none."""
    if duration.order or duration.test:
        return duration.rest
    if duration.rest and not re.match(r"(?:by|per|in|for|last|this|during|since)\b", duration.rest):
        return f"how many {duration.rest}"
    tables = [
        name for name in ground.graph.tables if _dates(ground, name, duration)[1] and (not allowed or name in allowed)
    ]
    known = max(
        tables, key=lambda name: (bool(_dates(ground, name, duration)[0]), ground.profiles[name].weight), default=""
    )
    return f"how many {' '.join(name_words(known))} {duration.rest}".strip()


def with_duration(asked: Asked, duration: Duration, ground: Ground) -> Asked:
    """The question about the days between the two dates."""
    first, last = _dates(ground, asked.subject, duration)
    if not (first and last) or asked.missing or asked.also or asked.parts or asked.over:
        lacked = [word for word, date in ((duration.first, first), (duration.last, last)) if word and not date]
        return replace(asked, missing=(*asked.missing, *(lacked or [duration.last])))
    days = Field(asked.subject, last, since=first)
    known = Condition(Field(asked.subject, last), "is_there")
    if duration.test:
        return replace(asked, conditions=(*asked.conditions, Condition(days, duration.test, (tidy(duration.days),))))
    if duration.order:
        conditions = (*asked.conditions, known)
        ordered = replace(asked, measure="rows", of=None, conditions=conditions, groups=(), grain=None, keep=None)
        return replace(ordered, order=duration.order, order_by=days, limit=asked.limit or 1)
    return replace(asked, measure=duration.measure or "average", of=days, order=None, order_by=None, limit=None)


def _dates(ground: Ground, table: str, duration: Duration) -> tuple[str, str]:
    """The columns of the first and the last of the two dates; empty where nothing answers."""
    last = _date(ground, table, duration.last)
    if duration.first:
        return _date(ground, table, duration.first), last
    kinds = ground.profiles[table].kinds
    return next((name for name in ground.dates(table) if name != last and kinds[name] in DATED), ""), last


def _date(ground: Ground, table: str, word: str) -> str:
    names = [name for name in ground.dates(table) if any(_is_same(word, said) for said in _words(ground, table, name))]
    return next(iter(names), "")


def _words(ground: Ground, table: str, column: str) -> Iterator[str]:
    yield from (part for part in name_words(column) if part not in _DATE_WORDS)
    for synonym in ground.graph.tables[table].columns[column].synonyms:
        yield from (part for part in name_words(synonym) if part not in _DATE_WORDS)


def _is_same(word: str, said: str) -> bool:
    if any({root(word), root(said)} <= alike for alike in _DEEDS):
        return True
    return root(word) == root(said) or (len(word) > _SAME and word[:_SAME] == said[:_SAME])
