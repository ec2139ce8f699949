"""Which rows are plotted, by their columns and values alone, and how a plot is told in words."""

from typing import Any

import pytest

from turnkeep.blocks.charts import MOST_BARS, of_figures, of_rows, told

MONTHS = ["2031-01", "2031-02", "2031-03"]


def shape(chart: dict[str, Any] | None) -> tuple[Any, ...] | None:
    """Mark, axis with its type, measures."""
    if chart is None:
        return None
    x, y = chart["encoding"]["x"], chart["encoding"]["y"]
    return chart["mark"], x["field"], x["type"], *[each["field"] for each in (y if isinstance(y, list) else [y])]


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (["month", "sum"], [[each, at * 10.5] for at, each in enumerate(MONTHS)], ("line", "month", "temporal", "sum")),
        (["day", "n"], [[f"2031-05-0{at}", at] for at in (3, 1, 2)], ("line", "day", "temporal", "n")),
        (["at", "n"], [[f"2031-05-01 0{at}:30:00", at] for at in (1, 2, 3)], ("line", "at", "temporal", "n")),
        (["week", "n"], [[f"2031-W0{at}", at] for at in (1, 2, 3)], ("line", "week", "ordinal", "n")),
        (["quarter", "n"], [[f"2031 Q{at}", at] for at in (1, 2, 3)], ("line", "quarter", "ordinal", "n")),
        (["month", "n"], [[at, at * at] for at in range(1, 13)], ("line", "month", "ordinal", "n")),
        (["hour of the day", "n"], [[at, at * at] for at in range(24)], ("line", "hour of the day", "ordinal", "n")),
        (["built", "n"], [[2028, 4], [2029, 9], [2030, 1]], ("line", "built", "ordinal", "n")),
        (["month", "sum"], [["2031-01", 1], ["2031-02", 2]], ("bar", "month", "nominal", "sum")),
        (["site", "jobs"], [["Ayr", 3], ["Ely", 9]], ("bar", "site", "nominal", "jobs")),
        (["site", "jobs"], [["Ayr", 3], [None, 9]], ("bar", "site", "nominal", "jobs")),
        (["siteId", "site", "jobs"], [[7, "Ayr", 3], [8, "Ely", 9]], ("bar", "site", "nominal", "jobs")),
        (["site", "mean", "jobs"], [["Ayr", 4.5, 3], ["Ely", 4.1, 9]], ("bar", "site", "nominal", "mean")),
        (["crew", "hours"], [["A", 12], ["B", 15]], ("bar", "crew", "nominal", "hours")),
    ],
)  # fmt: skip
def test_a_series_is_a_line_and_a_comparison_is_bars(columns: list[str], rows: list[Any], expected: object) -> None:
    assert shape(of_rows(columns, rows)) == expected


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
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
    ],
)
def test_what_is_no_series_and_no_comparison_is_not_plotted(columns: list[str], rows: list[Any]) -> None:
    assert of_rows(columns, rows) is None


def test_at_most_four_measures_of_a_size_share_an_axis() -> None:
    rows = [[month, 10 + at, 80_000 + at, 12 + at, 3, 4, 5] for at, month in enumerate(MONTHS)]

    chart = of_rows(["month", "jobs", "invoiced", "calls", "a", "b", "c"], rows)

    assert shape(chart) == ("line", "month", "temporal", "jobs", "calls", "a", "b")


def test_a_plot_of_figures_names_those_that_it_is_of() -> None:
    figures = [
        {"subject": name, "metric": "ctr", "value": value, "period": "May"}
        for name, value in (("A", 0.01), ("B", 0.02))
    ]
    others = [{**figures[0], "metric": "cost"}, {**figures[0], "period": "April"}, {**figures[0], "subject": "all"}]

    chart = of_figures(["A", "B"], "size", "ctr", "CTR", "May", is_series=False, is_share=True)

    assert shape(chart) == ("bar", "subject", "nominal", "value")
    assert told({"figures": figures + others, "chart": chart}) == [
        "A bar chart of CTR: 2 values from 1.00% (A) to 2.00% (B), by size."
    ]


@pytest.mark.parametrize("subjects", [["A"], [str(at) for at in range(MOST_BARS + 1)]])
def test_a_single_figure_and_too_many_are_not_plotted(subjects: list[str]) -> None:
    assert of_figures(subjects, "size", "ctr", "CTR", "May", is_series=False, is_share=True) is None


def test_each_result_is_told_with_its_lowest_and_highest_value() -> None:
    first = {"columns": ["month", "sum"], "rows": [["2031-01", 12943.2], ["2031-02", None], ["2031-03", 8384]]}
    second = {"columns": ["site", "jobs"], "rows": [["Ayr", 3], ["Ely", 9]]}
    first, second = ({**each, "chart": of_rows(each["columns"], each["rows"])} for each in (first, second))

    assert told({**first, "further_results": [second]}) == [
        "A line chart of sum: 2 values from 8,384 (2031-03) to 12,943.20 (2031-01), by month.",
        "A bar chart of jobs: 2 values from 3 (Ayr) to 9 (Ely), by site.",
    ]
    assert told({"rows": [], "chart": None}) == []
