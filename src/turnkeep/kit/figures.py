"""Finds figures and tables in a text. Names ("Pixel 8a"), dates, times, sizes and list numbers are not figures."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import groupby, pairwise
from typing import TypeAlias

from turnkeep.kit.locales import Notation, Written, alternatives, has_digits, notation

Span: TypeAlias = tuple[date, date]

MOST_DIGITS = 30
LABEL_LETTERS = range(3, 81)

SIZE = re.compile(r"\b\d+\s?[x\u00d7]\s?\d+\b", re.IGNORECASE)  # 300x250
_NO_FIGURES = (
    SIZE,
    re.compile(r"\b\d{1,2}:\d{2}\b"),  # 10:30
    re.compile(r"\b24/7\b"),
    re.compile(r"\b[^\W\d_]+[-.]?\d\w*(?:-\w*\d\w*)*"),  # S24, WH-1000XM5: names
    re.compile(r"^\s*(?:[-*]\s+)?(?:\*\*)?\d{1,2}[.)](?=\s)", re.MULTILINE),  # 1. of a list
)
_PERCENT = re.compile(r"%|(?:per\s?cent|per\s?cento|pour\s?cent|por\s?ciento|prozent)\b", re.IGNORECASE)
_RULE = re.compile(r"[\s|:-]+")  # | --- | ---: |
_MINUS = "+\\-\u2212"


@dataclass(frozen=True)
class Figure:
    """A number. `values` are its readings (1.234 has two), `steps` those of the last digit. `unit` may be empty."""

    at: int
    written: str
    values: tuple[float, ...]
    unit: str
    steps: tuple[float, ...]

    @property
    def is_whole(self) -> bool:
        return not self.unit and self.values[0] == int(self.values[0])


@dataclass(frozen=True)
class Row:
    """A table row or line of text about `label`, its first text. `at` is the column of the label, -1 for none."""

    label: str
    at: int
    texts: tuple[str, ...]
    cells: tuple[tuple[Figure, ...], ...]

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Figures outside the label."""
        return tuple(figure for at, cell in enumerate(self.cells) if at != self.at for figure in cell)


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    head: Row | None = None

    def turned(self, labels: Collection[str]) -> Iterator[Row]:
        for at, label in enumerate(self.head.texts if self.head else ()):
            if label in labels:
                yield Row(label, -1, (), tuple(row.cells[at] for row in self.rows if len(row.cells) > at))

    def columns(self) -> Iterator[list[tuple[str, Figure]]]:
        for at in range(min((len(row.cells) for row in self.rows), default=0)):
            cells = [(row.label, row.cells[at][0]) for row in self.rows if row.at != at and len(row.cells[at]) == 1]
            if len(cells) > 1:
                yield cells

    def counts(self) -> Iterator[int]:
        """Yield the number of rows, and of rows that share a text; nothing for a single row."""
        if len(self.rows) > 1:
            yield len(self.rows)
            for column in range(min(len(row.texts) for row in self.rows)):
                yield from Counter(row.texts[column] for row in self.rows).values()


class Reader:
    """Reads figures and dates of one language and English. A short date counts only if it can be in `days`."""

    def __init__(self, language: str, names: Iterable[str] = (), days: Sequence[Span] = ()):
        self._language, self._notation, self._days = language, notation(language), days
        self._spelt = {_key(name): name for name in names if name.strip()}
        pattern = rf"(?<!\w)(?:{alternatives(self._spelt)})(?!\w)"
        self._names = re.compile(pattern, re.IGNORECASE) if self._spelt else None

    def named(self, text: str) -> list[tuple[int, str]]:
        """Return the positions and names of things, in order; a name within a longer one does not count."""
        found = self._names.finditer(text) if self._names else ()
        return [(each.start(), self._spelt[_key(each[0])]) for each in found if _key(each[0]) in self._spelt]

    def dates(self, text: str) -> list[Written]:
        found = self._notation.dates(self._without_names(text))
        return [each for each in found if not each.is_short or self.fits(each)]

    def fits(self, written: Written) -> bool:
        return any(reading.fits(*span) for reading in written.readings for span in self._days)

    def read(self, text: str) -> list[Figure]:
        if not has_digits(text):
            return []
        plain = self._without_names(text)
        ends = [0, *(at for found in self.dates(text) for at in (found.start, found.end)), len(plain)]
        parts = [plain[start:end] for start, end in pairwise(ends)]  # every other one is a date
        plain = "".join(" " * len(part) if at % 2 else part for at, part in enumerate(parts))
        for pattern in _NO_FIGURES:
            plain = pattern.sub(_blank, plain)
        return [_figure(found, self._notation) for found in _number(self._language).finditer(plain)]

    def tables(self, text: str) -> list[Table]:
        """Return tables from lines such as "| a | b |" or "a | b"; a first line without figures is the head."""
        lines = [
            [cell.strip(" *") for cell in line.strip().strip("|").split("|")] if "|" in line else []
            for line in text.splitlines()
        ]
        return [self._table(list(table)) for width, table in groupby(lines, len) if width > 1]

    def lines(self, text: str) -> list[Row]:
        """Return lines outside tables, labelled with the thing that each is about: "Pixel 8a (phones): $499"."""
        return [self._line(line) for line in text.splitlines() if "|" not in line and line.strip()]

    def _line(self, line: str) -> Row:
        found = self.read(line)
        named = {name for _, name in self.named(line)}
        name = named.pop() if len(named) == 1 else ""
        head, mark, rest = line.partition(": ")
        is_label = len(head) in LABEL_LETTERS and len(found) == 1 and rest.strip().startswith(found[0].written)
        return Row(name or (head if mark and is_label else ""), -1, (line,), (tuple(found),))

    def _table(self, lines: Sequence[Sequence[str]]) -> Table:
        rows = [self._row(cells) for cells in lines if not _RULE.fullmatch("|".join(cells))]
        has_head = len(rows) > 1 and not any(rows[0].cells)
        has_head = has_head or (len(lines) > 1 and bool(_RULE.fullmatch("|".join(lines[1]))))
        return Table(tuple(rows[1:]), rows[0]) if has_head else Table(tuple(rows))

    def _row(self, cells: Sequence[str]) -> Row:
        at = next((at for at, cell in enumerate(cells) if self._is_label(cell)), -1)
        return Row(cells[at] if at >= 0 else "", at, tuple(cells), tuple(tuple(self.read(cell)) for cell in cells))

    def _is_label(self, cell: str) -> bool:
        plain = cell
        for each in self._notation.dates(cell):
            plain = plain.replace(each.text, "")
        plain = _number(self._language).sub("", plain)
        return len(cell) in LABEL_LETTERS and any(map(str.isalpha, plain))

    def _without_names(self, text: str) -> str:
        return self._names.sub(_blank, text) if self._names else text


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _figure(found: re.Match[str], writes: Notation) -> Figure:
    words, suffix = writes.currencies, (found["suffix"] or "").casefold()
    sign = found["before"] or found["after"] or (suffix if suffix in words else "")
    unit = "%" if _PERCENT.fullmatch(sign) else words.get(sign.casefold(), "")
    scale = re.sub(r"\s", " ", found["scale"] or "").casefold()
    scales = sorted(writes.scales.get(scale, {1.0}), reverse=True)
    is_sure = len(scale) > 2 or not scale or unit not in ("", "%")  # "4K" may be 4 or 4,000, "4 Mio" is millions
    sizes = scales if is_sure else [*scales, 1.0]
    read = [(value * size, step * size) for value, step in _readings(found["digits"]) for size in sizes]
    values, steps = zip(*read, strict=True)
    return Figure(found.start("digits"), found[0].strip(), values, unit, steps)


@cache
def _number(language: str) -> re.Pattern[str]:
    writes = notation(language)
    unit, scale = alternatives(writes.currencies), alternatives(writes.scales)
    return re.compile(
        rf"(?P<sign>(?<![\w.,)])[{_MINUS}])?(?:(?<![^\W\d_])(?P<before>{unit})\s?[{_MINUS}]?)?(?<![\w.,])"
        r"(?P<digits>\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.])|\d(?:[\d.,'\u2019\u00a0\u202f]*\d)?)"
        rf"(?:\s?(?P<scale>{scale})(?!\w))?(?P<suffix>[^\W\d_]+)?(?:[\s-]?(?P<after>{_PERCENT.pattern}|(?:{unit})(?!\w)))?",
        re.IGNORECASE,
    )


def _readings(digits: str) -> list[tuple[float, float]]:
    """Return values and steps: 12,345.67, 12.345,67, 12 345,67 are equal; "1.234" has two; the step of 1,650 is 10."""
    plain = re.sub(r"[ '\u2019\u00a0\u202f]", "", digits)
    *groups, last = re.split(r"[.,]", plain)
    whole = "".join((*groups, last))[:MOST_DIGITS]
    marks = set(re.findall(r"[.,]", plain))
    together = (float(whole), 10.0 ** (len(whole) - len(whole.rstrip("0"))) if whole.strip("0") else 1.0)
    split = (float(f"{''.join(groups)}.{last}"[:MOST_DIGITS]), 10.0 ** -min(len(last), MOST_DIGITS))
    if not groups or (len(groups) > 1 and len(marks) == 1):
        return [together]
    return [together, split] if len(last) == 3 and len(groups[0]) <= 3 and len(marks) == 1 else [split]
