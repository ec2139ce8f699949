"""Dates, currencies and large numbers as languages write them. tools/locales.py generates the table from `babel`."""

import json
import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

V = TypeVar("V")

SHORT_LETTERS = 4  # most letters of a word between a day and its month: "de", "bis", "al"

_DIGIT = re.compile(r"\d")
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_WORD = rf"(?:[^\W\d_]{{1,{SHORT_LETTERS}}}\s+)?"
_YEAR = rf"(?:,?\s+{_WORD}(?P<year>(?:19|20)\d\d)\b)?"
_OTHER = r"(?:(?!(?:NAMES)\b)[^\W\d_]+\s+)?"
_TO = rf"(?:\s*[-\u2013\u2014]\s*|\s+{_OTHER}{_OTHER})"  # "9 to Sunday 15 November", but not "9 May to 3 June"
_DOT = r"(?:\.|[º°]|er|st|nd|rd|th)?"
_IN_FIGURES = (
    r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>[01]\d)(?:-(?P<day>[0-3]\d))?(?!\d)",  # 2026-11-08
    rf"(?<![\w.,])(?P<day>{_DAY})(?P<mark>[./])\s?(?P<month>{_DAY})(?P=mark)\s?(?P<year>(?:19|20)\d\d)\b",  # 8.11.2026
)
_IN_WORDS = (
    rf"(?<![\w.,])(?P<day>{_DAY}){_DOT}(?:{_TO}(?P<last>{_DAY}){_DOT})?\s+{_WORD}(?P<name>NAMES)\b\.?{_YEAR}",
    rf"\b(?P<name>NAMES)\.?\s+(?P<day>{_DAY})(?:st|nd|rd|th)?(?!\d|[.,]\d)(?:{_TO}(?P<last>{_DAY})(?!\d))?\b{_YEAR}",
    rf"\b(?P<name>NAMES)\.?,?\s+{_WORD}(?P<year>(?:19|20)\d\d)\b",
)
_SHORT_WITH_STOPS = rf"(?<![^\s(\u2013-])(?P<day>{_DAY})\.\s?(?P<month>{_MONTH})\.(?!\d)"  # 8.11.; not in English
_SHORT = rf"(?<![^\s(\u2013-])(?P<day>{_DAY})/(?P<month>{_DAY})(?![\w/]|[.,]\d)"  # 22/11


@dataclass(frozen=True)
class Reading:
    """One way to read a date; a part that it leaves open is None."""

    year: int | None
    month: int
    day: int | None

    def fits(self, start: date, end: date) -> bool:
        """Return whether the date can be a day of the span, both ends included."""
        return any(first <= end and start <= last for first, last in self._in(range(start.year, end.year + 1)))

    def spans(self) -> Iterator[tuple[date, date]]:
        yield from self._in([self.year]) if self.year else ()

    def _in(self, years: Iterable[int]) -> Iterator[tuple[date, date]]:
        for year in years:
            if self.year in (None, year):
                last = monthrange(year, self.month)[1]
                if self.day is None:
                    yield date(year, self.month, 1), date(year, self.month, last)
                elif self.day <= last:
                    yield date(year, self.month, self.day), date(year, self.month, self.day)


@dataclass(frozen=True)
class Written:
    """A date or range in a text, with a reading for each end. `is_short`: "8.11." may be a number."""

    start: int
    end: int
    text: str
    readings: tuple[Reading, ...]
    is_short: bool = False


class Notation:
    """How some languages write dates and numbers. For more than two, short months are left out: "out" is a word."""

    def __init__(self, languages: Collection[str]):
        table, is_one = _table(), len(languages) <= 2
        self.months: dict[str, set[int]] = {}
        self.scales: dict[str, set[float]] = {}
        for language in languages:
            keeps_short = is_one or language == "en"
            for number, names in enumerate(table["months"][language], 1):
                first, *others = names.split()  # the first is the full name, which may be short: "mai"
                kept = [first, *(name for name in others if keeps_short or len(name) >= SHORT_LETTERS)]
                _add(self.months, kept, number)
            for size, words in table["scales"][language].items():
                _add(self.scales, words.split(), float(size))
        self.currencies = {word: code for code, words in table["currencies"].items() for word in words.split()}
        names = alternatives(self.months)
        forms = [*_IN_FIGURES, *(form.replace("NAMES", names) for form in _IN_WORDS), _SHORT]
        forms += [_SHORT_WITH_STOPS] if is_one and list(languages) != ["en"] else []
        self._forms = [re.compile(form, re.IGNORECASE) for form in forms]

    def dates(self, text: str) -> list[Written]:
        if not has_digits(text):
            return []
        taken: set[int] = set()
        found: list[Written] = []
        for form in self._forms:
            for match in form.finditer(text):
                readings = self._readings(match)
                if readings and taken.isdisjoint(range(*match.span())):
                    taken.update(range(*match.span()))
                    is_short = form.pattern in (_SHORT, _SHORT_WITH_STOPS)
                    found.append(Written(*match.span(), match[0], readings, is_short))
        return sorted(found, key=lambda each: each.start)

    def _readings(self, match: re.Match[str]) -> tuple[Reading, ...]:
        parts = match.groupdict()
        year = int(parts["year"]) if parts.get("year") else None
        days: list[int | None] = [int(day) for day in (parts.get("day"), parts.get("last")) if day] or [None]
        if name := parts.get("name"):
            return tuple(Reading(year, month, day) for month in sorted(self.months[name.casefold()]) for day in days)
        month, day = int(parts["month"]), days[0]
        swapped = [Reading(year, day, month)] if day and day <= 12 and "-" not in match[0] else []
        return (*([Reading(year, month, day)] if 1 <= month <= 12 else []), *swapped)


@cache
def notation(language: str = "") -> Notation:
    """Return the notation of a language and English, or of all known languages if the table lacks this one."""
    known = _table()["months"]
    code = re.split(r"[-_]", language.strip().casefold())[0]
    code = {"no": "nb", "nn": "nb"}.get(code, code)
    return Notation(dict.fromkeys(["en", code]) if code in known else known)


def has_digits(text: str) -> bool:
    """Return whether a text has digits. Most lines have none, hence neither dates nor figures."""
    return bool(_DIGIT.search(text))


def alternatives(words: Iterable[str]) -> str:
    """Return a pattern, longest first, grouped by first letters: `re` tries every alternative at each position."""
    groups = groupby(sorted(filter(None, words)), key=lambda word: word[0])
    return "|".join(f"{re.escape(first)}(?:{_longest_first(word[1:] for word in group)})" for first, group in groups)


def _longest_first(words: Iterable[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=len, reverse=True))


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return table


def _add(found: dict[str, set[V]], words: Iterable[str], value: V) -> None:
    for word in words:
        found.setdefault(word.replace("_", " "), set()).add(value)
