"""The daily rows of a user's CSV. A row that cannot be correct is left out and counted by its reason.

Two things look wrong but may be correct, and are only counted. A click counts on its own day, up to a week after the ad
was seen, so a row may have more clicks than impressions. Equal rows are duplicates only if a column contains the year:
month and day alone come from a report that was already aggregated, so its equal rows are not copies."""

from calendar import isleap
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeAlias

from turnkeep.kit.documents import CorpusError, read_text
from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.warehouse.columns import (
    columns_in,
    find_columns,
    is_missing,
    read_month_and_day,
    same_name,
    tidy,
)
from turnkeep_agents.campaigns.warehouse.totals import AMOUNTS, TOTAL, Line, without_sums
from turnkeep_agents.columns import (
    DASHES,
    Doubtful,
    currency_of,
    day_order_of,
    decimal_of,
    find_table,
    is_total,
    naming,
    plain_number,
    read_date,
)

NAMES = ("advertiser", "insertion_order", "line_item", "audience", "creative", "size")
DAYS = ("date", "year", "month", "day")
MOST_COLUMNS = 500

REPEATED = "repeated"
MORE_CLICKS = "with more clicks than impressions"
RESPELLED = "with another spelling of a name"
TORN = "with another number of fields"
SPANNING = "over several days"
COUNTS = ("impressions", "clicks")


@dataclass(frozen=True)
class Options:
    """`year` completes dates without one; `advertiser` is the owner if no column names one; `mapped` gives fields the
    heading of their column; `decimal` and `dates` settle what columns leave open."""

    year: int | None = None
    advertiser: str | None = None
    mapped: Mapping[str, str] = field(default_factory=dict)
    decimal: str | None = None
    dates: str | None = None


@dataclass
class Lines:
    """`left_out` and `kept` count rows by reason: rows that are in no sum, and rows that look odd but are correct.
    `above` counts the lines before the headings; `currencies` are those that columns name, or empty."""

    read: int = 0
    above: int = 0
    currencies: Mapping[str, str] = field(default_factory=dict)
    usable: list[Line] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)


class _Unusable(Exception):
    """The message is the reason, as it follows a number of rows."""


_Columns: TypeAlias = Mapping[str, int]
_Cells: TypeAlias = Sequence[str]


def read_lines(file: Path, options: Options, today: date) -> Lines:
    """Read a CSV. A date without a year gets the newest one that puts no row after `today`. Raises CorpusError."""
    found = find_table(read_text(file), file, lambda cells: len(columns_in(cells, options.mapped)))
    (begins, headings), rows, above = found
    if len(headings) > MOST_COLUMNS:
        raise CorpusError(f"{file}:{begins}: {len(headings):,} columns, {MOST_COLUMNS} at most; leave some out")
    try:
        columns = find_columns(headings, options.mapped)
    except ValueError as error:
        raise CorpusError(f"{file}:{begins}: {error}") from error
    lines = Lines(read=len(rows), above=above)
    torn = [cells for _, cells in rows if len(cells) != len(headings)]  # as a total or a remark at the end may be
    lines.left_out.update(TOTAL if any(map(is_total, cells)) else TORN for cells in torn)
    whole = [cells for _, cells in rows if len(cells) == len(headings)]
    distinct = _without_repeats(whole, lines, drop="date" in columns or "year" in columns)
    try:
        ways = _ways(distinct, columns, options, today)
    except Doubtful as error:
        raise CorpusError(f"{file}: {error}") from error
    lines.currencies = ways.currencies
    spellings = _spellings(distinct, columns)
    read: list[Line] = []
    for row in distinct:
        try:
            read.append(_read(row, columns, ways, spellings, lines))
        except _Unusable as reason:
            lines.left_out[str(reason)] += 1
    lines.usable = without_sums(read, lines.left_out)
    odd = [MORE_CLICKS for line in lines.usable if line.sums["clicks"] > line.sums["impressions"]]
    lines.kept.update(odd)
    if not lines.usable:
        reasons = ", ".join(f"{count} {reason}" for reason, count in lines.left_out.items())
        why = f" ({reasons})" if reasons else ""
        raise CorpusError(f"{file}: none of its {lines.read} rows can be used{why}; correct or add some")
    return lines


def _without_repeats(rows: list[list[str]], lines: Lines, *, drop: bool) -> list[list[str]]:
    """Remove repeated rows; other spellings of the same names count as equal."""
    once: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        once.setdefault(tuple(map(same_name, row)), row)
    if len(once) == len(rows):
        return rows
    counts = lines.left_out if drop else lines.kept
    counts[REPEATED] += len(rows) - len(once)
    return list(once.values()) if drop else rows


@dataclass(frozen=True)
class _Ways:
    """How the columns of a file are written. `read_day` raises ValueError."""

    read_day: Callable[[_Cells], date]
    decimals: Mapping[str, str]
    currencies: Mapping[str, str]


def _ways(rows: Sequence[_Cells], columns: _Columns, options: Options, today: date) -> _Ways:
    """Raises Doubtful."""
    decimals: dict[str, str] = {}
    named = _only("currency", rows, columns, "keep the rows of one")
    currencies = dict.fromkeys(AMOUNTS, named)
    if "conversions" not in options.mapped:
        _only("indicator", rows, columns, "name what a conversion is with --map conversions=HEADING")
    for name in SUMS:
        cells = [row[columns[name]] for row in rows]
        with naming(name):
            decimals[name] = decimal_of(cells, options.decimal, is_count=name in COUNTS)
            currencies[name] = currency_of(cells) or currencies.get(name, "")
    with naming("date"):
        return _Ways(_day_reader(rows, columns, options, today), decimals, currencies)


def _only(field: str, rows: Sequence[_Cells], columns: _Columns, remedy: str) -> str:
    """Return the value that a column has in all rows, empty without one; raises Doubtful if they differ."""
    found = sorted(
        {tidy(row[columns[field]]) for row in rows if field in columns and not is_missing(row[columns[field]])}
    )
    if len(found) > 1:
        raise Doubtful(f'column "{field}": its rows differ, such as {found[0]} and {found[1]}; {remedy}')
    return "".join(found)


def _day_reader(rows: Sequence[_Cells], columns: _Columns, options: Options, today: date) -> Callable[[_Cells], date]:
    """Return the reader of a row's day, which raises ValueError. Raises Doubtful."""
    if "date" in columns:
        order = day_order_of((row[columns["date"]] for row in rows), today, options.dates)
        return lambda row: read_date(row[columns["date"]], order)
    month, day = columns["month"], columns["day"]
    if "year" in columns and options.year is None:
        return lambda row: date(int(row[columns["year"]]), *read_month_and_day(row[month], row[day]))
    known = set[tuple[int, int]]()
    for row in rows:
        with suppress(ValueError):
            known.add(read_month_and_day(row[month], row[day]))
    newest = today.year - (max(known, default=(0, 0)) > (today.month, today.day))  # puts no day after today
    fitting = (year for year in range(newest, 0, -1) if (2, 29) not in known or isleap(year))
    given = options.year or next(fitting)
    return lambda row: date(given, *read_month_and_day(row[month], row[day]))


def _spellings(rows: Sequence[_Cells], columns: _Columns) -> Mapping[tuple[str, str], str]:
    """Return the most common spelling of each name of each field; of two equally common ones, the first."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in columns.keys() & set(NAMES):
        for spelling, count in Counter(tidy(row[columns[name]]) for row in rows).items():
            counts[name, same_name(spelling)][spelling] += count
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def _read(row: _Cells, columns: _Columns, ways: _Ways, spellings: Mapping[tuple[str, str], str], lines: Lines) -> Line:
    if any(map(is_total, [row[0], *(row[columns[name]] for name in (*NAMES, *DAYS) if name in columns)])):
        raise _Unusable(TOTAL)
    is_of_period = "ends" in columns and columns.get("starts") == columns.get("date")
    ends = row[columns["ends"]] if is_of_period else ""
    if not is_missing(ends) and tidy(ends) != tidy(row[columns["date"]]):
        raise _Unusable(SPANNING)
    if any(is_missing(row[columns[name]]) for name in DAYS if name in columns):
        raise _Unusable("without a date")
    try:
        day = ways.read_day(row)
    except ValueError:
        raise _Unusable("with an unreadable date") from None
    sums = {name: _number(name, row[columns[name]], ways.decimals[name]) for name in SUMS}
    own = {name: tidy(row[columns[name]]) for name in NAMES if name in columns}
    names = {name: spellings[name, same_name(spelling)] for name, spelling in own.items() if spelling.strip(DASHES)}
    lines.kept.update([RESPELLED] if any(names[name] != own[name] for name in names) else [])
    return Line(day, names, sums)


def _number(name: str, cell: str, decimal: str) -> float:
    if is_missing(cell):
        raise _Unusable(f"without {name}")
    try:
        number = float(plain_number(cell, decimal, is_count=name in COUNTS))
    except ValueError:
        raise _Unusable(f"with unreadable {name}") from None
    if number < 0:
        raise _Unusable(f"with negative {name}")
    return number
