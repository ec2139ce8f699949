"""The daily rows of somebody's CSV. A row that cannot be right is left out and counted by its reason.

Two things look wrong and need not be. A click counts on its own day, up to a week after the ad was seen: a row may have
more clicks than impressions, by no more than the best day of that ad in the week before, and by one in any case. And
equal rows are repeats only where a column says the year: month and day alone come out of a report that was summed up
before, whose equal rows are no copies.
"""

import csv
from calendar import isleap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import TypeAlias

from turnkeep.blocks.documents import CorpusError, read_text
from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.warehouse.cells import (
    Ambiguous,
    find_columns,
    is_missing,
    month_first,
    read_date,
    read_month_and_day,
    read_number,
    same_name,
    tidy,
)

NAMES = ("advertiser", "insertion_order", "line_item", "audience", "creative", "size")
DELIMITERS = ",;\t|"
MOST_COLUMNS = 500
LATE_DAYS = 7

REPEATED = "repeated"
TOO_MANY_CLICKS = "with more clicks than impressions"
RESPELLED = "with another spelling of a name"
TORN = "with another number of fields"


@dataclass(frozen=True)
class Options:
    """`year` completes dates without one; `advertiser` says whose campaigns they are where no column does; `mapped`
    gives fields the heading of their column."""

    year: int | None = None
    advertiser: str | None = None
    mapped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """`names` holds those fields that have a column and a name in it."""

    day: date
    names: Mapping[str, str]
    sums: Mapping[str, float]


@dataclass
class Lines:
    """`left_out` and `kept` count rows by reason: those that are in no sum, and those that look odd and are right."""

    read: int = 0
    usable: list[Line] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)


class _Unusable(Exception):
    """Its message is the reason, as it follows a number of rows."""


_Columns: TypeAlias = Mapping[str, int]
_Cells: TypeAlias = Sequence[str]


def read_lines(file: Path, options: Options, today: date) -> Lines:
    """Raises CorpusError. A date without a year gets the newest one in which no row of the file lies after `today`."""
    heading, rows = _table(file)
    try:
        columns = find_columns(heading, options.mapped)
    except ValueError as error:
        raise CorpusError(f"{file}:1: {error}") from error
    lines = Lines(read=len(rows))
    whole = _whole(rows, len(heading), lines)
    distinct = _without_repeats(whole, lines, drop="date" in columns or "year" in columns)
    try:
        read_day = _day_reader(distinct, columns, options.year, today)
    except Ambiguous as error:
        raise CorpusError(f"{file}: {error}") from error
    spellings = _spellings(distinct, columns)
    found = []
    for row in distinct:
        try:
            found.append(_read(row, columns, read_day, spellings, lines))
        except _Unusable as reason:
            lines.left_out[str(reason)] += 1
    lines.usable = _with_possible_clicks(found, lines)
    if not lines.usable:
        raise CorpusError(
            f"{file}: none of its {lines.read} rows can be used{_told(lines.left_out)}; correct or add some"
        )
    return lines


def _table(file: Path) -> tuple[list[str], list[list[str]]]:
    text = read_text(file)
    first = text.partition("\n")[0]
    if not first.strip():
        raise CorpusError(f"{file}:1: has no headings; write them on the first line, and a row for each day below")
    rows = csv.reader(StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True)
    try:
        heading = next(rows)
        if len(heading) > MOST_COLUMNS:
            raise CorpusError(f"{file}:1: {len(heading):,} columns, {MOST_COLUMNS} at most; leave some out")
        return heading, [row for row in rows if row]
    except csv.Error as error:
        raise CorpusError(f"{file}:{rows.line_num}: is no CSV ({error}); correct the quotes of that line") from error


def _whole(rows: list[list[str]], width: int, lines: Lines) -> list[list[str]]:
    whole = [row for row in rows if len(row) == width]
    lines.left_out.update({TORN: len(rows) - len(whole)} if len(whole) < len(rows) else {})
    return whole


def _without_repeats(rows: list[list[str]], lines: Lines, *, drop: bool) -> list[list[str]]:
    """Other spellings of the same names make no other row."""
    once: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        once.setdefault(tuple(map(same_name, row)), row)
    if len(once) == len(rows):
        return rows
    counts = lines.left_out if drop else lines.kept
    counts[REPEATED] += len(rows) - len(once)
    return list(once.values()) if drop else rows


def _day_reader(rows: Sequence[_Cells], columns: _Columns, year: int | None, today: date) -> Callable[[_Cells], date]:
    """What reads the day of a row and raises ValueError; raises Ambiguous."""
    if "date" in columns:
        has_month_first = month_first(row[columns["date"]] for row in rows)
        return lambda row: read_date(row[columns["date"]], has_month_first=has_month_first)
    month, day = columns["month"], columns["day"]
    if "year" in columns and year is None:
        return lambda row: date(int(read_number(row[columns["year"]])), *read_month_and_day(row[month], row[day]))
    given = year or _newest_year((_month_and_day(row[month], row[day]) for row in rows), today)
    return lambda row: date(given, *read_month_and_day(row[month], row[day]))


def _month_and_day(month: str, day: str) -> tuple[int, int]:
    try:
        return read_month_and_day(month, day)
    except ValueError:
        return 0, 0


def _newest_year(days: Iterable[tuple[int, int]], today: date) -> int:
    """That lets none of the days lie after today, and has a 29 February where they have."""
    known = set(days)
    year = today.year - (max(known, default=(0, 0)) > (today.month, today.day))
    return next(one for one in range(year, 0, -1) if (2, 29) not in known or isleap(one))


def _spellings(rows: Sequence[_Cells], columns: _Columns) -> Mapping[tuple[str, str], str]:
    """The usual spelling of each name of each field; of two that are as usual, the first."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in columns.keys() & set(NAMES):
        for spelling, count in Counter(tidy(row[columns[name]]) for row in rows).items():
            counts[name, same_name(spelling)][spelling] += count
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def _read(
    row: _Cells,
    columns: _Columns,
    read_day: Callable[[_Cells], date],
    spellings: Mapping[tuple[str, str], str],
    lines: Lines,
) -> Line:
    day = _day(row, columns, read_day)
    sums = {name: _number(name, row[columns[name]]) for name in SUMS}
    own = {name: tidy(row[columns[name]]) for name in NAMES if name in columns}
    names = {name: spellings[name, same_name(spelling)] for name, spelling in own.items() if spelling}
    lines.kept.update([RESPELLED] if any(names[name] != own[name] for name in names) else [])
    return Line(day, names, sums)


def _day(row: _Cells, columns: _Columns, read_day: Callable[[_Cells], date]) -> date:
    if any(is_missing(row[columns[name]]) for name in ("date", "year", "month", "day") if name in columns):
        raise _Unusable("without a date")
    try:
        return read_day(row)
    except ValueError:
        raise _Unusable("with an unreadable date") from None


def _number(name: str, cell: str) -> float:
    if is_missing(cell):
        raise _Unusable(f"without {name}")
    try:
        number = read_number(cell)
    except ValueError:
        raise _Unusable(f"with unreadable {name}") from None
    if number < 0:
        raise _Unusable(f"with negative {name}")
    return number


def _with_possible_clicks(found: list[Line], lines: Lines) -> list[Line]:
    possible = []
    days = _by_ad_and_day(found)
    for line in found:
        if line.sums["clicks"] > line.sums["impressions"]:
            counts = lines.kept if _may_be_late(line, days[_ad(line)]) else lines.left_out
            counts[TOO_MANY_CLICKS] += 1
            if counts is lines.left_out:
                continue
        possible.append(line)
    return possible


def _by_ad_and_day(found: list[Line]) -> Mapping[tuple[str, ...], Mapping[date, list[Line]]]:
    days: dict[tuple[str, ...], dict[date, list[Line]]] = defaultdict(lambda: defaultdict(list))
    for line in found:
        days[_ad(line)][line.day].append(line)
    return days


def _ad(line: Line) -> tuple[str, ...]:
    return tuple(line.names.get(name, "") for name in NAMES)


def _may_be_late(line: Line, days: Mapping[date, list[Line]]) -> bool:
    week = [one for back in range(1, LATE_DAYS + 1) for one in days.get(line.day - timedelta(days=back), ())]
    if not any(one.sums["impressions"] for one in week):
        return False
    most = max(one.sums["clicks"] for one in week)
    return line.sums["clicks"] - line.sums["impressions"] <= max(most, 1)


def _told(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{count} {reason}' for reason, count in counts.items())})" if counts else ""
