"""Which rows are worth a plot, by their columns and values alone: mark and encoding of Vega-Lite over rows that the
details of a turn hold already. Where it is not sure to help there is none. `told` says in words what a plot shows."""

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from turnkeep.records import JSON

Kind: TypeAlias = Literal["quantitative", "temporal", "ordinal", "nominal", "id", "other"]
Row: TypeAlias = Sequence[Any]

MOST_LINES, LEAST_POINTS = 4, 3
MOST_BARS = 30
MOST_APART = 50  # times: "jobs 12, invoiced 80,000" share no axis

# "id", "invoice number", "customerId"; but not "paid", nor "number of jobs"
_ID = re.compile(r"(?i:(?:^|[\W_])(?:id|no|nr|number|code|key|phone|zip)$)|[a-z](?:Id|ID|No|Nr|Number|Code|Key)$")
# "2026-03", "2026-03-14", "2026-03-14 09:30:00", "2026-03-14T09:30:00Z"
_TIME = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-[0-3]\d(?:[T ][0-2]\d:[0-5]\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?)?")
# "2026-W07", "2026 Q3", "2026"
_PERIOD = re.compile(r"\d{4}(?:[- ]?[WQ]\d{1,2})?")
# "month" as 1 to 12, "hour of the day", "fiscal year"; but not "hours", "monthly fee"
_ORDERED = re.compile(r"(?:\w+[ _])?(?:year|quarter|month|week|weekday|day|hour)(?:[ _](?:of|number|no)\b.*)?", re.I)
_YEARS = range(1900, 2101)


def of_rows(columns: Sequence[str], rows: Sequence[Row]) -> JSON | None:
    """A line for "month | invoiced", bars for "branch | jobs"; nothing for a single row, "invoice | customer | due"
    (a list, compared by nothing), "branch | jobs" where each has 1, two columns of one name."""
    if len(rows) < 2 or len(set(columns)) < len(columns):
        return None
    kinds = [_kind(name, [row[at] for row in rows]) for at, name in enumerate(columns)]
    axes = [at for at, kind in enumerate(kinds) if kind in ("temporal", "ordinal", "nominal")]
    measures = [at for at, kind in enumerate(kinds) if kind == "quantitative"]
    if len(axes) != 1 or not measures or "other" in kinds:
        return None
    is_line = kinds[axes[0]] != "nominal" and len(rows) >= LEAST_POINTS
    if not is_line and len(rows) > MOST_BARS:
        return None
    shown = _on_one_axis(measures, rows) if is_line else measures[:1]
    if not any(_varies(at, rows) for at in shown):
        return None
    return _spec(
        "line" if is_line else "bar",
        _field(columns[axes[0]], kinds[axes[0]] if is_line else "nominal"),
        [_field(columns[at], "quantitative") for at in shown],
    )


def of_figures(
    subjects: Sequence[str], title: str, metric: str, metric_title: str, period: str, *, is_series: bool, is_share: bool
) -> JSON | None:
    """The same over figures `{subject, metric, value, period}` of which `subjects` are the rows of a table: "Spend by
    day", "CTR by size". A share is told as a percentage."""
    is_line = is_series and len(subjects) >= LEAST_POINTS
    if len(subjects) < 2 or (not is_line and len(subjects) > MOST_BARS):
        return None
    about: list[JSON] = [{"field": "metric", "equal": metric}, {"field": "period", "equal": period}]
    about.append({"field": "subject", "oneOf": list(subjects)})
    y: JSON = {"field": "value", "type": "quantitative", "title": metric_title}
    y |= {"axis": {"format": ".2%"}} if is_share else {}
    x: JSON = {"field": "subject", "type": "ordinal" if is_line else "nominal", "title": title}
    return {"transform": [{"filter": each} for each in about], **_spec("line" if is_line else "bar", x, [y])}


def told(details: Mapping[str, Any]) -> list[str]:
    """A sentence for each plot: "A bar chart of jobs: 5 values from 3 (Cardiff) to 9 (Leeds), by branch."."""
    results = [details, *details.get("further_results", ())]
    return [_sentence(result["chart"], _records(result)) for result in results if result.get("chart")]


def _kind(name: str, cells: Row) -> Kind:
    given = [cell for cell in cells if cell is not None]
    if _ID.search(name) or not given:
        return "id"
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given):
        return _kind_of_numbers(name, given) if len(given) == len(cells) else "quantitative"
    if len({str(cell) for cell in cells}) < len(cells) or not all(isinstance(cell, str) for cell in given):
        return "other"  # "customer" of a list of invoices, where some come twice
    if len(given) == len(cells) and all(_TIME.fullmatch(cell) for cell in given):
        return "temporal"
    return "ordinal" if all(_PERIOD.fullmatch(cell) for cell in given) else "nominal"


def _kind_of_numbers(name: str, cells: Sequence[float]) -> Kind:
    """Whole numbers that count up are an axis where the name says so, "month", or as years do: 2023, 2024, 2025."""
    is_whole, is_distinct = all(float(cell).is_integer() for cell in cells), len(set(cells)) == len(cells)
    is_year = is_whole and all(int(cell) in _YEARS for cell in cells)
    if is_whole and _ORDERED.fullmatch(name):
        return "ordinal" if is_distinct else "other"
    return "ordinal" if is_year and is_distinct and list(cells) == sorted(cells) else "quantitative"


def _on_one_axis(measures: Sequence[int], rows: Sequence[Row]) -> list[int]:
    """The first, and what is of its size."""
    tops = {at: max(abs(row[at] or 0) for row in rows) for at in measures}
    first = tops[measures[0]]
    near = [at for at in measures if first <= MOST_APART * tops[at] and tops[at] <= MOST_APART * first]
    return (near or list(measures))[:MOST_LINES]


def _varies(at: int, rows: Sequence[Row]) -> bool:
    return len({row[at] for row in rows if row[at] is not None}) > 1


def _field(name: str, kind: Kind) -> JSON:
    return {"field": name, "type": kind, "title": name}


def _spec(mark: str, x: JSON, y: Sequence[JSON]) -> JSON:
    return {"mark": mark, "encoding": {"x": x, "y": y[0] if len(y) == 1 else list(y)}}


def _records(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "figures" not in result:
        return [dict(zip(result["columns"], row, strict=True)) for row in result["rows"]]
    filters = [step["filter"] for step in result["chart"].get("transform", ())]
    return [figure for figure in result["figures"] if all(_passes(each, figure) for each in filters)]


def _passes(given: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    value = record.get(given["field"])
    return bool(value in given["oneOf"] if "oneOf" in given else value == given["equal"])


def _sentence(chart: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    x, y = chart["encoding"]["x"], chart["encoding"]["y"]
    parts = [part for field in ([y] if isinstance(y, dict) else y) if (part := _range(field, x["field"], records))]
    return f"A {chart['mark']} chart of {', '.join(parts)}, by {x['title']}."


def _range(y: Mapping[str, Any], x: str, records: Sequence[Mapping[str, Any]]) -> str:
    """ "jobs: 5 values from 3 (Cardiff) to 9 (Leeds)"."""
    given = [(record[y["field"]], record[x]) for record in records if record[y["field"]] is not None]
    if not given:
        return ""
    low, high = min(given, key=itemgetter(0)), max(given, key=itemgetter(0))
    ends = [f"{_number(value, y)} ({at})" for value, at in (low, high)]
    return f"{y['title']}: {len(given)} values from {' to '.join(ends)}"


def _number(value: float, y: Mapping[str, Any]) -> str:
    if "axis" in y:
        return f"{value:{y['axis']['format']}}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
