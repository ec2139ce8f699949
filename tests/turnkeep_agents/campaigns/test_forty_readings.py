"""Forty readings as a model writes them, checked and run over the embedded data: every figure has to be what pandas
makes of the exported rows, for the days that were meant."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import exported
import pandas as pd
import pytest
from exported import by_month, by_week, clicks, daily_rows, flights, read_tables
from readings import ask, reading

from turnkeep_agents.campaigns.reading import Ask, Check
from turnkeep_agents.campaigns.requests import MetricResult, Request
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.specialists.team import run_specialist
from turnkeep_agents.campaigns.warehouse.sums import Warehouse, open_warehouses
from turnkeep_demo.campaigns.sample import sample_file

TODAY = date(2026, 6, 17)  # a Wednesday: the data goes from November 2025 to the day before
LAST = "2026-06-16"
ALL = "all campaigns"

type Days = tuple[str, str]

MAY, APRIL, YEAR = ("2026-05-01", "2026-05-31"), ("2026-04-01", "2026-04-30"), ("2026-01-01", LAST)
TWO_WEEKS, MONTHS = ("2026-05-31", "2026-06-13"), ("2026-03-01", "2026-05-31")


def on(days: Days) -> dict[str, Any]:
    return {"named": "dates", "start": days[0], "end": days[1]}


LAST_MONTH: dict[str, Any] = {"named": "last_month"}


@dataclass(frozen=True)
class Case:
    """`asked` is the reading; `expected` makes of the rows of the days that are meant one value, whose subject is `of`,
    or a series of values by their subjects; with `compared` the same of those days too. `is_ranked`: the finding lists
    these alone, in the order of the series."""

    asked: Ask
    expected: Callable[[pd.DataFrame], Any]
    days: Days = MAY
    of: str = ALL
    compared: Days | None = None
    is_ranked: bool = False
    week: str = "open"
    metric: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", self.asked.metrics[0])


def of(rows: pd.DataFrame, **names: str) -> pd.DataFrame:
    """The rows that belong to all that is named."""
    for column, name in names.items():
        rows = rows[rows[column] == name]
    return rows


def whole(metric: str, dimension: str, name: str, said: str = "", **more: Any) -> Case:
    """One metric of one thing last month; `said` is how the message spells it."""
    asked = ask(names=[said or name], metrics=[metric], period=LAST_MONTH)
    measure = getattr(exported, metric)
    return Case(asked, lambda rows: measure(of(rows, **{dimension: name})), of=name, **more)


def split(metric: str, by: str, specialist: str = "performance_diagnosis", **more: Any) -> Case:
    asked = ask(specialist, metrics=[metric], by=[by], period=LAST_MONTH, **more)
    return Case(asked, lambda rows: getattr(exported, metric)(rows.groupby(by)))


def over(period: dict[str, Any], days: Days, week: str = "open") -> Case:
    asked = ask(names=["Quiz"], metrics=["clicks"], period=period)
    return Case(asked, lambda rows: clicks(of(rows, advertiser="Quiz")), days=days, of="Quiz", week=week)


def best(metric: str, by: str, order: str, limit: int) -> Case:
    asked = ask(metrics=[metric], by=[by], period=LAST_MONTH, order=order, limit=limit)
    measure, choose = getattr(exported, metric), pd.Series.nlargest if order == "best" else pd.Series.nsmallest
    return Case(asked, lambda rows: choose(measure(rows.groupby(by)), limit), is_ranked=limit > 1)


CASES: Mapping[str, Case] = {
    "clicks": whole("clicks", "insertion_order", "Quiz Always On"),
    "conversions": whole("conversions", "audience", "Dog Owners"),
    "click rate": whole("ctr", "creative", "Puppy 300x250"),
    "conversion rate": whole("cvr", "advertiser", "Tidewater Audio"),
    "cost per click": whole("cpc", "size", "728x90"),
    "cost per thousand": whole("cpm", "advertiser", "Oakmere Kitchens"),
    "cost per conversion": whole("cpa", "advertiser", "Larkspur Pets"),
    "return on ad spend": whole("roas", "advertiser", "Fernhill Garden"),
    # names as they are written
    "a part of a name": whole("clicks", "advertiser", "Oakmere Kitchens", "Oakmere"),
    "a misspelt name": whole("clicks", "advertiser", "Larkspur Pets", "larkspurr pets"),
    "two filters at once": Case(
        ask(names=["Quiz", "Basket Abandoners"], metrics=["clicks"], period=LAST_MONTH),
        lambda rows: clicks(of(rows, advertiser="Quiz", audience="Basket Abandoners")),
        of="Quiz, Basket Abandoners",
    ),
    "all but one": Case(
        ask(but_not=["Quiz"], metrics=["cost"], by=["advertiser"], period=LAST_MONTH),
        lambda rows: exported.cost(rows[rows["advertiser"] != "Quiz"].groupby("advertiser")),
    ),
    # break-downs
    "by advertiser": split("revenue", "advertiser"),
    "by audience": split("cvr", "audience", "audience_targeting", limit=10, order="best"),
    "by month": Case(ask(metrics=["roas"], by=["month"], period={"named": "last_months", "n": 3}),
                     lambda rows: exported.roas(by_month(rows)), days=MONTHS),
    "by week": Case(ask(metrics=["clicks"], by=["week"], period=LAST_MONTH), lambda rows: clicks(by_week(rows))),
    "by week from Monday on": Case(
        ask(metrics=["clicks"], by=["week"], period=LAST_MONTH),
        lambda rows: clicks(by_week(rows, first_weekday=0)), week="monday",
    ),
    # the best and the worst
    "the best three": best("cvr", "audience", "best", 3),
    "the worst": best("ctr", "size", "worst", 1),
    # periods
    "last month": over(LAST_MONTH, MAY),
    "this month": over({"named": "this_month"}, ("2026-06-01", LAST)),
    "yesterday": over({"named": "yesterday"}, (LAST, LAST)),
    "two weeks from Sunday on": over({"named": "last_weeks", "n": 2}, TWO_WEEKS, "sunday"),
    "a week from Monday on": over({"named": "last_week"}, ("2026-06-08", "2026-06-14"), "monday"),
    "between dates": over(on(("2026-03-10", "2026-04-20")), ("2026-03-10", "2026-04-20")),
    "a month against another": Case(
        ask(names=["Quiz"], metrics=["clicks"], period=LAST_MONTH, compared=on(APRIL)),
        lambda rows: clicks(of(rows, advertiser="Quiz")), of="Quiz", compared=APRIL,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def warehouse() -> Warehouse:
    return open_warehouses(CampaignsSettings())(TODAY)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return daily_rows(read_tables(sample_file(TODAY)))


def run(asked: Ask, week: str, warehouse: Warehouse) -> tuple[Request, MetricResult]:
    checked = Check(warehouse.names(), warehouse.coverage(), TODAY)(reading(asked, week=week)[1])
    assert checked.wrong == []
    [request] = checked.requests
    return request, run_specialist(asked.specialist, request, warehouse, currency="GBP", max_rows=500)


@pytest.mark.parametrize("name", CASES)
def test_the_figures_of_a_reading_equal_pandas(name: str, warehouse: Warehouse, rows: pd.DataFrame) -> None:
    case = CASES[name]
    request, finding = run(case.asked, case.week, warehouse)
    assert request.period
    assert (str(request.period.start), str(request.period.end)) == case.days
    compare(case, finding, rows, case.days, request.period.label)
    if case.compared and request.compared:
        compare(case, finding, rows, case.compared, request.compared.label)


def compare(case: Case, finding: MetricResult, rows: pd.DataFrame, days: Days, label: str) -> None:
    """All expected figures of one period."""
    wanted = case.expected(rows.loc[days[0] : days[1]])
    if not isinstance(wanted, pd.Series):
        wanted = pd.Series({case.of: wanted})
    told = {each.subject: each for each in finding.figures if (each.metric, each.period) == (case.metric, label)}
    shown = {subject: value for subject, value in wanted.items() if subject in told}
    assert len(shown) >= min(len(wanted), 10)
    for subject, value in shown.items():
        assert told[str(subject)].value == pytest.approx(value, rel=1e-9)
        assert is_spelled(told[str(subject)].text, value)
        assert told[str(subject)].text in finding.text
    if case.is_ranked:
        assert first_cells(finding.text) == list(wanted.index)


@pytest.mark.parametrize("order", ["Quiz New Season", "Brightway City Breaks"])
def test_budgets_equal_pandas(order: str, warehouse: Warehouse) -> None:
    _, finding = run(ask("budget_risk", names=[order]), "open", warehouse)
    wanted = flights(read_tables(sample_file(TODAY)), LAST).loc[order]
    told = {each.metric: each for each in finding.figures if each.subject == order}
    for metric in ("budget", "spent", "pacing", "projected_spend"):
        assert told[metric].value == pytest.approx(wanted[metric], rel=1e-9)
        assert is_spelled(told[metric].text, wanted[metric])


def first_cells(text: str) -> list[str]:
    """Of the rows of a Markdown table, without its head."""
    return re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)[2:]


def is_spelled(text: str, value: float) -> bool:
    """Whether a text such as "£1,234.50" or "0.62 %" says a number to its last decimal."""
    digits = re.sub(r"[^\d.]", "", text)
    shown = float(digits) / (100 if "%" in text else 1)
    decimals = len(digits.partition(".")[2]) + (2 if "%" in text else 0)
    return math.isclose(shown, value, rel_tol=1e-12, abs_tol=0.5 * 10**-decimals * (1 + 1e-9))
