"""What a prompt shows of its thread, and what "it", "the second one" and "the Sony one" are there."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from turnkeep.records import JSON
from turnkeep_demo.products.sample import bundled, plain

CATALOGUE, LISTED = "The catalogue: ", "Last list: "
SPOKEN, SEARCHED = "Named last: ", "Last searches: "
PLACES = ("first", "second", "third", "fourth", "fifth")
_COUNTED = re.compile(r"\d+ ([^,.(]+)")


@dataclass(frozen=True)
class Thread:
    """`summary`: which kinds there are, as the prompt counts them."""

    summary: str
    kinds: tuple[str, ...]
    listed: tuple[str, ...]
    spoken: tuple[str, ...]
    searched: tuple[JSON, ...]

    @property
    def is_bundled(self) -> bool:
        return set(self.kinds) <= set(bundled().kinds)


def thread_of(parts: JSON) -> Thread:
    notes = [str(note) for note in parts.get("notes", [])]
    summary = _after(CATALOGUE, notes).rstrip(".")
    listed = tuple(re.sub(r"^\d+\. | \(\$[\d,.]+\)$", "", each) for each in _after(LISTED, notes).split(", ") if each)
    spoken = tuple(filter(None, _after(SPOKEN, notes).split(", "))) or listed
    searched = tuple(json.loads(_after(SEARCHED, notes) or "[]"))
    return Thread(summary, tuple(_kinds(summary)), listed, spoken, searched)


def with_names(message: str, thread: Thread) -> tuple[str, list[str]]:
    """The message with a mark for each product that it names or points at, and their names; a name that could be
    several products is left as it is."""
    text, names = plain(message), list[str]()

    def mark(pattern: str, name: str) -> str:
        def marked(_: object) -> str:
            names.append(name)
            return f" <{len(names) - 1}> "

        return re.sub(pattern, marked, text)

    known = {
        **(bundled().names if thread.is_bundled else {}),
        **{plain(each): each for each in (*thread.listed, *thread.spoken)},
    }
    for form in sorted(known, key=len, reverse=True):
        text = mark(rf"(?<![\w<])(?:the )?{re.escape(form)}(?![\w>]| \d)", known[form])
    for pattern, name in _references(thread):
        text = mark(rf"(?<![\w<]){pattern}(?![\w>])", name)
    return " ".join(text.split()), names


def _references(thread: Thread) -> list[tuple[str, str]]:
    """Only what can be one product alone."""
    found: list[tuple[str, str]] = []
    for at, name in enumerate(thread.listed[: len(PLACES)]):
        found.append((rf"the {PLACES[at]}(?: one| phone| product)?", name))
    if thread.listed:
        found.append((r"the last(?: one)?", thread.listed[-1]))
    brands = [bundled().brand_of.get(name, name.partition(" ")[0]) for name in thread.listed]
    for brand, name in zip(brands, thread.listed, strict=True):
        if brands.count(brand) == 1:
            found.append((rf"the {re.escape(plain(brand))}(?: one)?", name))
    if len(thread.spoken) == 1:
        found.append((r"(?:it|its|that one|this one|the same one)", thread.spoken[0]))
    return found


def _after(label: str, notes: Sequence[str]) -> str:
    return next((note.removeprefix(label) for note in notes if note.startswith(label)), "")


def _kinds(summary: str) -> list[str]:
    """ "26 phones, 1 vacuum cleaner": as the bundled catalogue calls them where it knows them."""
    found = [each.strip() for each in _COUNTED.findall(summary)]
    plurals = {kind[:-1]: kind for kind in bundled().kinds}
    return [plurals.get(each, each) for each in found]
