"""Tables of metrics by the warehouse's groups: which rows are shown, and notes about the rows that are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import TypeAlias

from turnkeep.records import JSON
from turnkeep_agents.campaigns.metrics import METRICS, SUMS, Sums
from turnkeep_agents.campaigns.requests import Dimension, Grain
from turnkeep_agents.campaigns.specialists.formatting import (
    NOT_COMPUTABLE,
    capital,
    dated,
    heading,
    in_sentence,
    noun,
    number_word,
    time_label,
)
from turnkeep_agents.campaigns.specialists.peers import change, ranked, why_not
from turnkeep_agents.campaigns.specialists.study import Study, scope
from turnkeep_agents.campaigns.warehouse.sums import Row

MOST_ROWS = 10
LEAST_POINTS = 3  # of a line; fewer are bars
MOST_TIMES = 31  # fits a series of one metric for each day of a month
TIMES: tuple[Grain, ...] = ("day", "week", "month")

By: TypeAlias = Sequence[Dimension | Grain]


@dataclass(frozen=True)
class Table:
    """Specification of a table, called `of` in its title. `metrics` are its columns; the first ranks its rows. With
    `before`, each has two more: the earlier value and the change."""

    by: By
    metrics: tuple[str, ...]
    of: str = "figures"
    most: int = MOST_ROWS
    before: dict[tuple[str, ...], Sums] | None = None

    @property
    def grain(self) -> Grain | None:
        return next((name for name in TIMES if name in self.by), None)

    @property
    def nouns(self) -> tuple[str, str]:
        """Return the singular and plural of its rows."""
        one, several = (" and ".join(noun(name) + end for name in self.by) for end in ("", "s"))
        return one, several


def write_table(study: Study, table: Table) -> None:
    """Write a table and notes on omitted rows; a single best or worst row becomes a sentence."""
    rows = study.rows(table.by, study.period)
    chosen = _chosen(study, table, rows)
    lines = [[row_name(row.key, table.by), *_cells(study, table, row)] for row in chosen]
    if study.request.limit == 1 and len(lines) == 1 and table.before is None:
        first, best, *others = lines[0]
        rest = ", ".join(f"{in_sentence(name)} {value}" for name, value in zip(table.metrics[1:], others, strict=True))
        study.write(f"{_title(study, table, 1)} {first} with {best}{f' ({rest})' if rest else ''}.")
    else:
        study.write(f"{_title(study, table, len(chosen))}\n\n{markdown(_head(study, table), lines)}")
        study.chart = study.chart or _chart(study, table, [line[0] for line in lines])
    _note_rows(study, table, len(rows), chosen)
    if table.grain:
        _note_series(study, table, chosen)


def _chart(study: Study, table: Table, subjects: Sequence[str]) -> JSON | None:
    """Return a plot of the first metric: mark and encoding of Vega-Lite over the figures of `subjects`."""
    is_line, metric = bool(table.grain) and len(subjects) >= LEAST_POINTS, table.metrics[0]
    if len(table.by) > 1 or len(subjects) < 2:
        return None
    about: list[JSON] = [{"field": "metric", "equal": metric}, {"field": "period", "equal": study.period.label}]
    about.append({"field": "subject", "oneOf": list(subjects)})
    y: JSON = {"field": "value", "type": "quantitative", "title": heading(metric)}
    y |= {"axis": {"format": ".2%"}} if METRICS[metric].unit == "percent" else {}
    x: JSON = {"field": "subject", "type": "ordinal" if is_line else "nominal", "title": table.nouns[0]}
    mark = "line" if is_line else "bar"
    return {"transform": [{"filter": each} for each in about], "mark": mark, "encoding": {"x": x, "y": y}}


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column contains names, and the others numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    escaped = [[" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in [head, rule, *lines]]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def row_name(key: Sequence[str], by: By) -> str:
    named = zip(key, by, strict=True)
    return ", ".join(time_label(value, name) if name in TIMES else value for value, name in named)


def _chosen(study: Study, table: Table, rows: Sequence[Row]) -> list[Row]:
    """Return the rows to show: a series in time order, anything else by rank."""
    most, is_ranked = table.most, study.request.limit or study.request.order
    if table.grain and not is_ranked:
        return _series(table, rows)
    best = ranked(rows, table.metrics[0], is_best_first=study.request.order != "worst")
    return best[: min(most, study.request.limit or most)]


def _series(table: Table, rows: Sequence[Row]) -> list[Row]:
    """Return the newest times; of parallel series, those with the most of the first metric, one after the other."""
    at = [place for place, name in enumerate(table.by) if name not in TIMES]

    def thing(row: Row) -> tuple[str, ...]:
        return tuple(row.key[place] for place in at)

    ordered = sorted(rows, key=lambda row: (thing(row), row.key))
    groups = [list(group) for _, group in groupby(ordered, key=thing)]
    groups.sort(key=lambda group: -sum(METRICS[table.metrics[0]].value(row.sums) or 0 for row in group))
    longest = max(map(len, groups), default=1)
    kept = groups[: max(1, table.most // longest)]
    return [row for group in kept for row in group[-table.most :]]


def _cells(study: Study, table: Table, row: Row) -> list[str]:
    subject = row_name(row.key, table.by)
    if table.before is None:
        return [study.measured(subject, metric, row.sums) for metric in table.metrics]
    was, cells = table.before.get(row.key), []
    for metric in table.metrics:
        cells.append(study.measured(subject, metric, row.sums))
        cells.append(study.measured(subject, metric, was, study.before) if was else NOT_COMPUTABLE)
        cells.append(study.figure(subject, f"{metric}_change", change(metric, row.sums, was), "change"))
    return cells


def _head(study: Study, table: Table) -> list[str]:
    first = capital(table.nouns[0])
    if table.before is None or study.before is None:
        return [first, *map(heading, table.metrics)]
    pairs = [(heading(metric), f"{heading(metric)}, {study.before.label}", "Change") for metric in table.metrics]
    return [first, *(cell for pair in pairs for cell in pair)]


def _title(study: Study, table: Table, shown: int) -> str:
    one, several = table.nouns
    of = f"{scope(study.request)}, {dated(study.period)}:"
    if not study.request.limit and not study.request.order:
        return f"{capital(table.of)} by {one}, {of}"
    is_worst, is_neutral = study.request.order == "worst", METRICS[table.metrics[0]].is_good_high is None
    word = ("Lowest" if is_worst else "Highest") if is_neutral else "Worst" if is_worst else "Best"
    if not study.request.limit:
        return f"{capital(several)} by {in_sentence(table.metrics[0])}, {word.lower()} first, {of}"
    if study.request.limit == 1:
        return f"{word} {one} by {in_sentence(table.metrics[0])}, {of}"
    return f"{word} {number_word(shown)} {several} by {in_sentence(table.metrics[0])}, {of}"


def _note_rows(study: Study, table: Table, number: int, chosen: Sequence[Row]) -> None:
    """Note omitted rows, and rates with a zero denominator."""
    several, first = table.nouns[1], table.metrics[0]
    if len(chosen) < min(number, study.request.limit or number):
        shown, all_ = number_word(len(chosen)), number_word(number)
        is_newest = table.grain and len(table.by) == 1 and not study.request.order
        which = f"The newest {shown} of {all_} {several}" if is_newest else f"The first {shown} of {all_} {several}"
        study.note(f"{which}{'' if is_newest else f', by {in_sentence(first)},'} are shown.")
    for metric in table.metrics:
        if any(METRICS[metric].value(row.sums) is None for row in chosen):
            study.note(f"Where {heading(metric)} is {NOT_COMPUTABLE} it cannot be computed, {why_not(metric)}.")


def _cut_ends(study: Study, table: Table) -> tuple[bool, bool]:
    """Return whether the first and the last week or month of a series are incomplete: their sums cover fewer days."""
    ends = (study.period.start, study.period.end + timedelta(days=1))
    if table.grain == "month":
        return ends[0].day != 1, ends[1].day != 1
    is_week, start = table.grain == "week", study.request.week_start
    return is_week and ends[0].weekday() != start, is_week and ends[1].weekday() != start


def _note_series(study: Study, table: Table, chosen: Sequence[Row]) -> None:
    """Note incomplete times, and write the mean of the complete ones of a single series of sums."""
    metric, (first, last) = table.metrics[0], _cut_ends(study, table)
    if first or last:
        which = "first and the last" if first and last else "first" if first else "last"
        verb = "are" if first and last else "is"
        study.note(f"The {which} {table.grain} {verb} not whole: only days of the asked range count.")
    rows = chosen[first : -1 if last else None]
    if len(table.by) == 1 and len(rows) > 2 and metric in SUMS and not study.request.order:
        mean = sum(row.sums[metric] for row in rows) / len(rows)
        text = study.figure(f"{scope(study.request)} by {table.grain}", metric, mean)
        study.write(f"On average: {text} a{' whole' if first or last else ''} {table.grain}.")
