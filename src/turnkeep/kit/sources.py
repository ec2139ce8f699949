"""Figures, days and sizes that a reply may contain, and the thing that each belongs to."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from turnkeep.kit.figures import SIZE, Figure, Reader, Row, Span
from turnkeep.kit.locales import Written
from turnkeep.kit.reckoning import computed, of_group

MOST_COUNTED = 12  # bare whole numbers up to this count things: "for 2 weeks", "top 5", "3x"

Named: TypeAlias = Sequence[tuple[int, str]]  # positions of names in a text, in order


@dataclass(frozen=True)
class Sources:
    """`known`: a text per fact (rows, a document, an earlier reply), tables as Markdown or lines "a | b". `asked`: the
    user's messages. `limits`: numbers of the user that code has used, such as the top price of a search. `days`: known
    spans, ends included. `prices`: by the name of a thing, in `currency`."""

    known: Sequence[str] = ()
    asked: Sequence[str] = ()
    limits: Sequence[float] = ()
    days: Sequence[Span] = ()
    prices: Mapping[str, float] = field(default_factory=dict)
    currency: str = "USD"
    language: str = ""  # of the reply: its formats and English ones are read; if empty, those of all languages
    has_counts: bool = True  # small bare numbers may count things; false for replies from rows or without results


@dataclass(frozen=True)
class KnownFigure:
    figure: Figure
    table: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Unit:
    """A parsed sentence. `things` have prices, `labels` have rows."""

    text: str
    figures: Sequence[Figure]
    things: Named
    labels: Named

    @property
    def is_row(self) -> bool:
        return self.text.lstrip().startswith("|")

    @property
    def is_question(self) -> bool:
        return self.text.rstrip(" *_\n").endswith("?")

    def like(self, figure: Figure) -> list[Figure]:
        return [each for each in self.figures if each.unit == figure.unit]


class Known:
    """Parsed sources. `rows`: those about each thing, by its name in lower case, with the number of their table."""

    def __init__(self, sources: Sources):
        self._sources = sources
        reader, texts = Reader(sources.language, sources.prices), [*sources.known, *sources.asked]
        self.days = [*sources.days, *_days_of(reader, texts)]
        dates = (found for text in texts for found in reader.dates(text))
        self._yearless = {each for found in dates for each in found.readings if each.year is None}
        self.sizes = {tight(found[0]) for text in texts for found in SIZE.finditer(text)}
        self.tables = [table for text in sources.known for table in reader.tables(text)]
        self.lines = [row for text in sources.known for row in reader.lines(text)]
        self.columns = [column for table in self.tables for column in table.columns()]
        self.asked = [figure for text in sources.asked for figure in reader.read(text)]
        labelled = list(self._labelled())
        self.labels = [row.label for _, row in labelled]
        self.rows = self._by_name(labelled)
        self.figures = list(self._figures(labelled))
        self._anything: dict[str, list[float]] = {}

    def has_day(self, written: Written) -> bool:
        """Return whether it is a known day, or occurs in a text without a year: "by 30 June"."""
        spans = (reading.fits(*span) for reading in written.readings for span in self.days)
        return any(spans) or not self._yearless.isdisjoint(written.readings)

    def all_lines(self) -> list[Sequence[Figure]]:
        return [row.figures for row in (*self.lines, *(row for table in self.tables for row in table.rows))]

    def anything(self, unit: str) -> list[float]:
        """Return the results of any two figures of a line, row or column."""
        if unit not in self._anything:
            groups = [*self.all_lines(), *([figure for _, figure in column] for column in self.columns)]
            self._anything[unit] = [value for group in groups for value in of_group(group, unit)]
        return self._anything[unit]

    def _labelled(self) -> Iterator[tuple[int, Row]]:
        """Yield rows about one thing, with the number of their table, -1 for lines."""
        yield from ((-1, row) for row in self.lines if row.label)
        for at, table in enumerate(self.tables):
            yield from ((at, row) for row in (*table.rows, *table.turned(self._sources.prices)) if row.label)

    def _by_name(self, labelled: Iterable[tuple[int, Row]]) -> dict[str, list[tuple[int, Row]]]:
        rows: dict[str, list[tuple[int, Row]]] = {}
        for at, row in labelled:
            rows.setdefault(row.label.casefold(), []).append((at, row))
        for name in map(str.casefold, self._sources.prices):  # "Pixel 8a" matches "Google Pixel 8a"
            longer = [label for label in rows if label.endswith(f" {name}")]
            if name not in rows and len(longer) == 1:
                rows[name] = rows[longer[0]]
        return rows

    def _figures(self, labelled: Iterable[tuple[int, Row]]) -> Iterator[KnownFigure]:
        """Yield figures, and those implied by tables and periods: counts, the sum and mean of a column, days."""
        yield from (KnownFigure(figure, at, row.label) for at, row in labelled for figure in row.figures)
        yield from (KnownFigure(figure) for row in self.lines if not row.label for figure in row.figures)
        for table in self.tables:
            bare = [figure for row in table.rows for figure in row.figures if not row.label]
            yield from map(KnownFigure, (*bare, *map(computed, table.counts())))
        for column in self.columns:
            whole, unit = sum(figure.values[0] for _, figure in column), column[0][1].unit
            yield from (KnownFigure(computed(whole / by, unit)) for by in (1, len(column)))
        lengths = [(last - first).days + 1 for first, last in self._sources.days if first < last]
        yield from map(KnownFigure, map(computed, lengths))


def is_small(figure: Figure) -> bool:
    return figure.is_whole and figure.values[0] <= MOST_COUNTED


def tight(size: str) -> str:
    return re.sub(r"\s", "", size).lower().replace("\u00d7", "x")


def _days_of(reader: Reader, texts: Iterable[str]) -> Iterator[Span]:
    """Yield the known days. The first of a month adds the day before, with which a period up to it ends."""
    for reading in (reading for text in texts for found in reader.dates(text) for reading in found.readings):
        for first, last in reading.spans():
            yield (first - timedelta(days=1), last) if reading.day == 1 else (first, last)
