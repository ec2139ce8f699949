"""The words of the bundled catalogue: kinds, brands, names and values of attributes, as a message may spell them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from turnkeep.blocks.words import STOP_WORDS, singular, words
from turnkeep.demo import sample

NO_ATTRIBUTES = frozenset({"id", "name", "category", "brand", "price", "availability", "description"})
# Other words for a kind, and for a kind with a property of its own.
ALSO = {
    "smartphone": "phones",
    "mobile phone": "phones",
    "mobile": "phones",
    "cell phone": "phones",
    "notebook": "laptops",
    "tv": "televisions",
    "smartwatch": "watches",
    "smart watch": "watches",
    "vacuum": "vacuum cleaners",
    "ebook reader": "e-readers",
    "earphone": "headphones",
}
WITH_TYPE = {
    "soundbar": ("speakers", "type soundbar"),
    "kettle": ("kitchen appliances", "type kettle"),
    "blender": ("kitchen appliances", "type blender"),
}


@dataclass
class Kind:
    """`values`: what its products can be, by how it is written; `measured`: attributes that are numbers; `named`: the
    others."""

    name: str
    values: dict[str, str] = field(default_factory=dict)
    measured: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)

    def is_vague(self, value: str, *, is_unwanted: bool) -> bool:
        """No "LED" could be no mini LED; a search for "in-ear" finds "over-ear", as it leaves small words out."""
        sought, said = _sought(value), set(words(value))
        others = [each for each in self.values.values() if each != f"good for {value}" and sought < _sought(each)]
        return any(is_unwanted or not said <= set(words(each)) for each in others)


@dataclass(frozen=True)
class Sample:
    kinds: Mapping[str, Kind]
    brands: Mapping[str, str]
    names: Mapping[str, str]
    """Full names by how they may be written, without their brand where that is one product's."""
    brand_of: Mapping[str, str]


def plain(text: str) -> str:
    """Lower case, one blank between words, hyphens as blanks, one spelling for what has two."""
    text = re.sub(r"[-\u2010-\u2015]", " ", text.lower()).replace("\u2019", "'")
    text = re.sub(r"\bcanceling\b", "cancelling", text)
    text = re.sub(r"\bcolor", "colour", text)
    return " ".join(re.sub(r"[?!;:\"“”()]|,(?!\d{3})", " ", text).split())


@cache
def bundled() -> Sample:
    rows = [json.loads(line) for line in sample("products.jsonl", "the demo").read_text("utf-8").splitlines()]
    kinds: dict[str, Kind] = {}
    for row in rows:
        kind = kinds.setdefault(row["category"], Kind(row["category"]))
        for name, value in row.items():
            if name not in NO_ATTRIBUTES:
                _learn(kind, name, value)
    names = {plain(row["name"]): row["name"] for row in rows}
    return Sample(
        kinds,
        {plain(row["brand"]): row["brand"] for row in rows},
        names | _short(rows),
        {row["name"]: row["brand"] for row in rows},
    )


def kinds_by_word(kinds: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The kind that a word means, and a property that comes with it; in singular and plural."""
    known = list(kinds)
    found = {form: (kind, "") for kind in known for form in (plain(kind), singular(plain(kind)))}
    others = {word: (kind, "") for word, kind in ALSO.items()} | WITH_TYPE
    for word, (kind, value) in others.items():
        if kind in known:
            found |= {word: (kind, value), f"{word}s": (kind, value), f"{word}es": (kind, value)}
    for kind in set(known) & set(bundled().kinds):
        own = bundled().kinds[kind]
        types = [form for form, name in own.values.items() if name == f"type {form}" and form.count(" ")]
        types = [form for form in types if not own.is_vague(f"type {form}", is_unwanted=False)]
        found |= {form: (kind, one) for one in types for form in (one, f"{one}s")}
    return found


def _learn(kind: Kind, name: str, value: Any) -> None:
    values = value if isinstance(value, list) else [str(value)]
    if not isinstance(value, list) and re.match(r"\d+(\.\d+)?( \w+)?$", str(value)):
        kind.measured.add(name)
        return
    kind.named.add(name)
    for each in values:
        form = plain(each)
        kind.values[form] = f"{name} {form}" if name == "type" else each
        kind.values.setdefault(re.sub(r" [\d.]+\w?$", "", form), each.rpartition(" ")[0] or each)  # "bluetooth 5.3"
        if name.endswith(" for"):
            kind.values |= {f"{name} {form}": f"{name} {form}", f"for {form}": f"{name} {form}"}


def _sought(value: str) -> frozenset[str]:
    return frozenset(words(value)) - STOP_WORDS


def _short(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """ "galaxy s24", of which there is one; "amazon kindle" is no "kindle", which could be any of them."""
    found: dict[str, list[str]] = {}
    for row in rows:
        short = plain(row["name"].removeprefix(row["brand"]))
        if " " in short or re.search(r"\d", short):
            found.setdefault(short, []).append(row["name"])
    return {short: names[0] for short, names in found.items() if len(names) == 1 and len(short) > 2}
