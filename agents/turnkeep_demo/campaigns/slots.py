"""What the demo finds in a message: names, metrics, breakdowns, periods, ranks; and the words that it cannot place."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeAlias

from turnkeep.records import JSON
from turnkeep_demo.campaigns.periods import find_periods

CREATIVES = Path(__file__).parent.parent / "samples/campaigns/creatives.csv"

METRICS: Mapping[str, Sequence[str]] = {
    "impressions": ["impressions"],
    "clicks": ["clicks"],
    "spend": ["cost"], "spent": ["cost"], "cost": ["cost"], "costs": ["cost"], "spending": ["cost"],
    "conversions": ["conversions"],
    "revenue": ["revenue"], "earn": ["revenue"], "earned": ["revenue"], "earns": ["revenue"],
    "make money": ["revenue", "roas"], "makes money": ["revenue", "roas"], "made money": ["revenue", "roas"],
    "money": ["revenue", "roas"],
    "ctr": ["ctr"], "click rate": ["ctr"], "click through rate": ["ctr"],
    "cvr": ["cvr"], "conversion rate": ["cvr"], "convert": ["cvr"], "converts": ["cvr"], "converted": ["cvr"],
    "cpc": ["cpc"], "cost per click": ["cpc"],
    "cpm": ["cpm"], "cost per thousand impressions": ["cpm"],
    "cpa": ["cpa"], "cost per conversion": ["cpa"],
    "roas": ["roas"], "return on ad spend": ["roas"],
}  # fmt: skip
DIMENSIONS = {
    "advertiser": "advertiser", "insertion order": "insertion_order", "campaign": "insertion_order",
    "line item": "line_item", "audience": "audience", "creative": "creative", "size": "size",
    "day": "day", "week": "week", "month": "month",
}  # fmt: skip
RANKS = {
    "best": ("best", ""), "worst": ("worst", ""), "top": ("best", ""), "better": ("best", ""),
    "highest": ("best", "high"), "most": ("best", "high"), "lowest": ("worst", "low"), "least": ("worst", "low"),
    "more": ("best", "high"), "less": ("worst", "low"),
}  # fmt: skip
LOW_IS_GOOD = ("cpc", "cpm", "cpa")
INTENTS = {
    "overview": "performance performing perform doing going overview summary status",
    "budget": "budget budgets pacing overspending overspend underspending underspend behind ahead",
    "why": "why",
    "advice": "should change recommend recommendation recommendations advise advice suggest improve",
    "moved": "drop dropped fall fell fallen down decline declined decrease decreased rise rose up increase increased "
    "lose lost gain gained changed worse low high",
    "compare": "compare compared comparison versus vs against than",
}
COUNTED = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_WORD = re.compile(r"[^\W_]+")

Found: TypeAlias = tuple[str, object]


@dataclass
class Slots:
    """`order` names the kinds of slots as they follow each other, `rest` the words that are none. `is_many`: several
    rows are asked for, as in "which audiences"."""

    names: list[tuple[str, str]] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    by: list[str] = field(default_factory=list)
    periods: list[JSON] = field(default_factory=list)
    rank: tuple[str, str] | None = None
    limit: int | None = None
    is_many: bool = False
    intents: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.metrics or self.by or self.periods or self.intents or self.rank)

    def add(self, kind: str, value: object) -> None:
        if not self.order or self.order[-1] != kind:
            self.order.append(kind)
        match kind, value:
            case "names", tuple():
                self.names.append(value)
            case "metrics", list(metrics):
                self.metrics += [each for each in metrics if each not in self.metrics]
            case "by", str():
                self.by += [value] if value not in self.by else []
            case "rank", tuple():
                self.rank = value
            case "intents", str():
                self.intents.add(value)
            case "limit", int():
                self.limit = value


@dataclass(frozen=True)
class Known:
    """What the prompt says that there is: `names` by how they are called, with their dimension and spelling."""

    names: Mapping[str, tuple[str, str]]
    today: date

    def read(self, message: str) -> Slots:
        slots = Slots()
        text = " ".join(_WORD.findall(re.sub(r"['\u2019]s\b", "", message.lower())))
        text = self._without_periods(text, slots)
        words, at, phrases = text.split(), 0, _phrases() | {name: ("names", of) for name, of in self.names.items()}
        while at < len(words):
            length = next((n for n in range(6, 0, -1) if " ".join(words[at : at + n]) in phrases), 0)
            said = " ".join(words[at : at + length]) if length else words[at]
            if length:
                slots.add(*phrases[said])
                slots.is_many |= phrases[said][0] == "by" and said.endswith("s")
            elif said.startswith("\u00a7"):
                slots.add("period", None)
            elif words[at - 1 : at] == ["top"] and (said.isdigit() or said in COUNTED):
                slots.limit = COUNTED.get(said) or int(said)
            else:
                slots.rest.append(said)
            at += length or 1
        return slots

    def _without_periods(self, text: str, slots: Slots) -> str:
        found = sorted(find_periods(text, self.today), key=lambda each: each[0])
        for start, end, meaning in reversed(found):
            mark = "\u00a7" if meaning else "an unknown period"
            text = f"{text[:start]} {mark} {text[end:]}"
        slots.periods = [meaning for *_, meaning in found if meaning]
        return text


@cache
def _phrases() -> dict[str, Found]:
    found: dict[str, Found] = {phrase: ("metrics", names) for phrase, names in METRICS.items()}
    for noun, name in DIMENSIONS.items():
        plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun != "day" else f"{noun}s"
        found |= {noun: ("by", name), plural: ("by", name)}
    found |= {"daily": ("by", "day"), "weekly": ("by", "week"), "monthly": ("by", "month")}
    found |= {word: ("rank", rank) for word, rank in RANKS.items()}
    return found | {word: ("intents", kind) for kind, words in INTENTS.items() for word in words.split()}


def known_of(notes: Sequence[str]) -> Known:
    """From the notes of the prompt, and the bundled creatives."""
    said = " ".join(notes)
    today = re.search(r"Today is \w+ (\d{4}-\d\d-\d\d)", said)
    listed = re.search(r"insertion orders: (.*?)\. \d+ audiences: (.*?)\. \d+ sizes: (.*?)\. ", said)
    names: dict[str, tuple[str, str]] = {}
    if listed:
        for part in listed[1].split("; "):
            advertiser, _, orders = part.partition(": ")
            names |= _called(advertiser, "advertiser", advertiser.split()[0])
            for order in filter(None, orders.split(", ")):
                names |= _called(order, "insertion_order", order.partition(" ")[2])
        for audience in listed[2].split(", "):
            names |= _called(audience, "audience")
        for size in listed[3].split(", "):
            names |= _called(size, "size")
    with CREATIVES.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            names |= _called(row["name"], "creative", row["name"].partition(" ")[0])
    return Known({called: of for called, of in names.items() if called}, date.fromisoformat(today[1] if today else ""))


def _called(name: str, dimension: str, short: str = "") -> dict[str, tuple[str, str]]:
    own = {" ".join(_WORD.findall(each.lower())): (dimension, name) for each in (short, name)}
    return {called: of for called, of in own.items() if called}
