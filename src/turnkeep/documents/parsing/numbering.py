"""Numbers of list items, which Word and browsers compute: the file does not contain them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from turnkeep.documents.parsing.ooxml import attribute, name_of, values_of

BULLET = "- "
_ROMAN = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40, "x": 10, "ix": 9, "v": 5}
_ROMAN |= {"iv": 4, "i": 1}
_Levels: TypeAlias = Mapping[str, Mapping[str, str]]


def numeral(number: int, kind: str) -> str:
    """Return a number in Word's format `kind`, such as "lowerLetter"; in digits if the format is unknown."""
    text = "" if kind == "none" else str(number)
    is_small = 0 < number < 5000
    if is_small and kind.endswith("Letter"):
        text = chr(ord("a") + (number - 1) % 26) * ((number + 25) // 26)
    elif is_small and kind.endswith("Roman"):
        text = ""
        for sign, value in _ROMAN.items():
            text += sign * (number // value)
            number %= value
    return text.upper() if kind.startswith("upper") else text.zfill(2) if kind == "decimalZero" else text


class Numbering:
    """The lists of a document, counted as its paragraphs are read."""

    def __init__(self, elements: Iterable[Any]):
        self._lists: dict[str, tuple[_Levels, dict[str, int], Mapping[str, str]]] = {}  # levels, counts, first numbers
        self._begun: set[str] = set()
        known: dict[str, tuple[_Levels, dict[str, int]]] = {}
        links: dict[str, str] = {}
        for element in elements:
            values, levels = values_of(element), {attribute(each, "ilvl"): values_of(each) for each in element}
            if name_of(element) == "abstractNum":
                key = attribute(element, "abstractNumId")
                known[key] = known[values.get("styleLink", key)] = levels, {}
                links[key] = values.get("numStyleLink", key)
            else:
                starts = {level: of["startOverride"] for level, of in levels.items() if "startOverride" in of}
                found = known.get(links.get(values.get("abstractNumId", ""), ""), ({}, {}))
                self._lists[attribute(element, "numId")] = *found, starts

    def level_of(self, number: str, style: str) -> str:
        """Return the level of a list that numbers the paragraphs of a style, empty if there is none."""
        levels = self._lists.get(number, ({},))[0]
        return next((level for level, of in levels.items() if of.get("pStyle") == style), "")

    def mark(self, number: str, level: str) -> str:
        """Count a list paragraph and return the mark before it."""
        levels, counts, starts = self._lists.get(number, ({}, {}, {}))
        if level not in levels or levels[level].get("numFmt") == "bullet":
            return BULLET if level in levels else ""
        for each in starts if number not in self._begun else ():
            counts.pop(each, None)
        self._begun.add(number)

        def first(of: str) -> int:
            start = starts.get(of, levels.get(of, {}).get("start", ""))
            return int(start) if start.isdecimal() else 0

        def shown(found: re.Match[str]) -> str:
            of = str(int(found[1]) - 1)
            kind = levels.get(of, {}).get("numFmt", "decimal")
            is_decimal = "isLgl" in levels[level] and kind != "decimalZero"
            return numeral(counts.setdefault(of, first(of)), "decimal" if is_decimal else kind)

        counts[level] = counts[level] + 1 if level in counts else first(level)
        for below in [each for each in counts if level < each and level < levels.get(each, {}).get("lvlRestart", "9")]:
            del counts[below]
        text = re.sub("%([1-9])", shown, levels[level].get("lvlText", ""))
        return f"{text} " if text else ""
