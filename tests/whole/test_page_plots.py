"""Which rows the page plots, by their columns and values alone."""

import json
import subprocess
from typing import Any

from browser import node
from turnkeep.http.page import STATIC

MOST_BARS = 30
MONTHS = ["2031-01", "2031-02", "2031-03"]
SCRIPT = f"""
import {{ plotOf }} from {json.dumps((STATIC / "plots.js").as_uri())};
import {{ readFileSync }} from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((table) => plotOf(table))));
"""


type Rows = tuple[list[str], list[Any]]
type Shape = tuple[str, ...] | None


def shapes(*asked: Rows) -> list[Shape]:
    """Mark, axis with its type, measures."""
    command = [node(), "--no-warnings", "--input-type=module", "-e", SCRIPT]
    tables = json.dumps([{"columns": columns, "rows": rows} for columns, rows in asked])
    ran = subprocess.run(command, input=tables, capture_output=True, text=True, check=True)
    return [_shape(chart) for chart in json.loads(ran.stdout)]


def _shape(chart: Any) -> Shape:
    if chart is None:
        return None
    x, y = chart["encoding"]["x"], chart["encoding"]["y"]
    return chart["mark"], x["field"], x["type"], *[each["field"] for each in y]


PLOTTED: list[tuple[list[str], list[Any], Shape]] = [
    (["month", "sum"], [[each, at * 10.5] for at, each in enumerate(MONTHS)], ("line", "month", "temporal", "sum")),
    (["day", "n"], [[f"2031-05-0{at}", at] for at in (3, 1, 2)], ("line", "day", "temporal", "n")),
    (["at", "n"], [[f"2031-05-01 0{at}:30:00", at] for at in (1, 2, 3)], ("line", "at", "temporal", "n")),
    (["week", "n"], [[f"2031-W0{at}", at] for at in (1, 2, 3)], ("line", "week", "ordinal", "n")),
    (["quarter", "n"], [[f"2031 Q{at}", at] for at in (1, 2, 3)], ("line", "quarter", "ordinal", "n")),
    (["month", "n"], [[at, at * at] for at in range(1, 13)], ("line", "month", "ordinal", "n")),
    (["hour of the day", "n"], [[at, at * at] for at in range(24)], ("line", "hour of the day", "ordinal", "n")),
    (["built", "n"], [[2028, 4], [2029, 9], [2030, 1]], ("line", "built", "ordinal", "n")),
    (["month", "sum"], [["2031-01", 1], ["2031-02", 2]], ("bar", "month", "temporal", "sum")),
    (["site", "jobs"], [["Ayr", 3], ["Ely", 9]], ("bar", "site", "nominal", "jobs")),
    (["site", "jobs"], [["Ayr", 3], [None, 9]], ("bar", "site", "nominal", "jobs")),
    (["siteId", "site", "jobs"], [[7, "Ayr", 3], [8, "Ely", 9]], ("bar", "site", "nominal", "jobs")),
    (["site", "mean", "jobs"], [["Ayr", 4.5, 3], ["Ely", 4.1, 9]], ("bar", "site", "nominal", "mean")),
    (["crew", "hours"], [["A", 12], ["B", 15]], ("bar", "crew", "nominal", "hours")),
]  # fmt: skip
NOT_PLOTTED: list[Rows] = [
    (["jobs"], [[41]]),
    (["site", "jobs"], [["Ayr", 3]]),
    (["site", "jobs"], []),
    (["site", "jobs"], [["Ayr", 1], ["Ely", 1]]),
    (["site", "jobs"], [["Ayr", None], ["Ely", None]]),
    (["site", "jobs"], [["Ayr", 3], ["Ayr", 9]]),
    (["site", "site"], [["Ayr", 3], ["Ely", 9]]),
    (["first name", "last name", "hours"], [["Al", "Bo", 3], ["Cy", "Do", 9]]),
    (["invoice", "due", "open"], [["I-1", "2031-01-04", 3], ["I-2", "2031-01-05", 9]]),
    (["site", "invoice number"], [["Ayr", 73], ["Ely", 99]]),
    (["site", "customerId"], [["Ayr", 73], ["Ely", 99]]),
    (["site", "open"], [["Ayr", True], ["Ely", False]]),
    (["site", "opened in the year"], [["Ayr", "a"], ["Ely", "b"]]),
    (["month", "n"], [[1, 5], [1, 6], [2, 7]]),
    (["site", "jobs"], [[f"site {at}", at] for at in range(MOST_BARS + 1)]),
]


def test_a_series_is_a_line_and_a_comparison_is_bars() -> None:
    assert shapes(*((columns, rows) for columns, rows, _ in PLOTTED)) == [expected for *_, expected in PLOTTED]


def test_what_is_no_series_and_no_comparison_is_not_plotted() -> None:
    assert shapes(*NOT_PLOTTED) == [None] * len(NOT_PLOTTED)


def test_at_most_four_measures_of_a_size_share_an_axis() -> None:
    rows = [[month, 10 + at, 80_000 + at, 12 + at, 3, 4, 5] for at, month in enumerate(MONTHS)]

    measures = ["jobs", "invoiced", "calls", "a", "b", "c"]
    assert shapes((["month", *measures], rows)) == [("line", "month", "temporal", "jobs", "calls", "a", "b")]
