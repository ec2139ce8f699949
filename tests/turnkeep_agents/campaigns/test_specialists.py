"""The five specialists over plain rows: what was asked for, what is wrong, and that every number is a figure."""

from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_warehouse import APRIL, MAY, Day, flight, plain_warehouse, request, run

from turnkeep.kit.checked_replies import units
from turnkeep.kit.verification import Sources, Verifier
from turnkeep_agents.campaigns.answers import known_of, rendered, spans
from turnkeep_agents.campaigns.metrics import SUMS
from turnkeep_agents.campaigns.requests import SPECIALISTS, Figure, MetricResult, Period
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.specialists.budgets import Pace, judge, run_rate
from turnkeep_agents.campaigns.specialists.declines import WORSENINGS, is_beyond_chance, losing, worsened
from turnkeep_agents.campaigns.specialists.formatting import spell
from turnkeep_agents.campaigns.specialists.peers import change
from turnkeep_agents.campaigns.specialists.study import weighed
from turnkeep_agents.campaigns.specialists.team import run_specialist
from turnkeep_agents.campaigns.warehouse.sums import Flight, open_warehouses

TODAY = date(2026, 6, 17)
BOTH = [*run(APRIL), *run(MAY)]
WEAK, STRONG = {"conversions": 0, "revenue": 0}, {"conversions": 4, "revenue": 80}


def ask(
    name: str, days: list[Day], booked: tuple[Flight, ...] = (), max_rows: int = 500, **values: Any
) -> MetricResult:
    return run_specialist(name, request(**values), plain_warehouse(days, booked), currency="GBP", max_rows=max_rows)


def figure(finding: MetricResult, subject: str, metric: str, period: str = "May 2026") -> Figure:
    [found] = [
        each for each in finding.figures if (each.subject, each.metric, each.period) == (subject, metric, period)
    ]
    return found


def codes(finding: MetricResult) -> list[str]:
    return [issue.code for issue in finding.issues]


def cells(finding: MetricResult) -> list[list[str]]:
    """The rows of all tables, without their heads and rules."""
    lines = [line for line in finding.text.splitlines() if line.startswith("| ")]
    heads = [head for head, rule in pairwise(lines) if rule.startswith("| ---")]
    return [line.strip("| ").split(" | ") for line in lines if line not in heads and not line.startswith("| ---")]


# What was asked for


def test_rows_of_a_table_are_plotted_by_the_figures_of_its_first_metric() -> None:
    days = [*run(MAY, size="300x250", clicks=20), *run(MAY, size="160x600", clicks=6)]
    chart = ask("creative_inventory", days, metrics=("ctr", "clicks"), by=("size",)).chart
    assert chart
    assert [step["filter"] for step in chart["transform"]] == [
        {"field": "metric", "equal": "ctr"},
        {"field": "period", "equal": "May 2026"},
        {"field": "subject", "oneOf": ["300x250", "160x600"]},
    ]
    assert (chart["mark"], chart["encoding"]["x"]["title"]) == ("bar", "size")
    assert chart["encoding"]["y"] == {
        "field": "value", "type": "quantitative", "title": "CTR", "axis": {"format": ".2%"},
    }  # fmt: skip


def test_a_name_cannot_break_a_table() -> None:
    days = [*run(MAY, creative="A|B"), *run(MAY, creative="C\nD", clicks=5)]
    finding = ask("creative_inventory", days, metrics=("clicks",), by=("creative",))
    assert finding.text.splitlines()[-2:] == ["| A\\|B | 310 |", "| C D | 155 |"]


def test_of_parallel_series_the_largest_comes_first() -> None:
    days = [*run(MAY, creative="A", clicks=5), *run(MAY, creative="B", clicks=20)]
    finding = ask("creative_inventory", days, metrics=("clicks",), by=("creative", "month"))
    assert cells(finding) == [["B, May 2026", "620"], ["A, May 2026", "155"]]


def test_the_best_and_worst_combinations_are_listed() -> None:
    days = [
        day
        for at, (creative, audience) in enumerate([("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")], 1)
        for day in run(MAY, creative=creative, audience=audience, revenue=10 * at)
    ]
    shown = [line[:2] for line in cells(ask("delivery_optimization", days))]
    assert shown == [["B with y", "8.00"], ["B with x", "6.00"], ["A with y", "4.00"], ["A with x", "2.00"]]


# What cannot be answered


@pytest.mark.parametrize("name", SPECIALISTS)
def test_a_range_without_data_names_the_days_with_data(name: str) -> None:
    period = Period(start=date(2024, 5, 1), end=date(2024, 5, 31), label="May 2024")
    finding = ask(name, BOTH, period=period)
    assert (finding.status, finding.warnings, finding.figures) == ("no_data", ("no_data",), ())
    assert finding.text == "There is no data for May 2024. The warehouse holds 1 April 2026 to 31 May 2026."


def test_a_filter_without_data_names_its_months_with_data() -> None:
    finding = ask("creative_inventory", [*run(APRIL, creative="Old"), *run(MAY)], filters={"creative": ("Old",)})
    assert finding.text == "There is no data for Old, May 2026. There is data for Old in April 2026."


def test_contradicting_filters_are_reported() -> None:
    finding = ask("performance_diagnosis", BOTH, filters={"advertiser": ("Acme",), "creative": ("Unheard",)})
    assert "Nothing in the warehouse belongs to all of these at once: Acme, Unheard." in finding.text


def test_a_range_with_partial_data_is_noted() -> None:
    period = Period(start=date(2026, 5, 17), end=date(2026, 6, 13), label="the last four weeks")
    finding = ask("performance_diagnosis", BOTH, metrics=("clicks",), period=period)
    assert finding.notes == (
        "Of the last four weeks (17 May 2026 to 13 June 2026) there is data for 17 May 2026 to 31 May 2026 only.",
    )
    assert figure(finding, "all campaigns", "clicks", "the last four weeks").value == 150


def test_a_comparison_without_data_is_noted() -> None:
    finding = ask("performance_diagnosis", run(MAY), metrics=("clicks",), compared=APRIL)
    assert finding.text == "Clicks of all campaigns, May 2026: 310."
    assert finding.notes == ("There is no data for April 2026; the warehouse holds 1 May 2026 to 31 May 2026.",)
    assert finding.warnings == ("no_data",)


def test_the_days_before_are_left_out_where_the_data_does_not_reach_back() -> None:
    finding = ask("performance_diagnosis", [*run(APRIL), *run(MAY)], metrics=("clicks",))
    assert finding.text == "Clicks of all campaigns, May 2026: 310."  # the 31 days before begin in March


def test_unread_rows_are_noted() -> None:
    days = [day for number in range(20) for day in run(MAY, creative=f"C{number:02}")]
    finding = ask("creative_inventory", days, max_rows=15, metrics=("clicks",), by=("creative",))
    assert "rows_cut" in finding.warnings
    assert "Only the first 15 rows by creative were read; there are more, not ranked here." in finding.notes


def test_rows_left_out_by_a_loader_are_counted_and_noted() -> None:
    warehouse = plain_warehouse(BOTH, left_out={"more clicks than impressions": 1_234})
    finding = run_specialist(
        "performance_diagnosis", request(metrics=("clicks",)), warehouse, currency="GBP", max_rows=9
    )
    assert finding.notes == ("1,234 rows of the warehouse were left out of all sums: more clicks than impressions.",)
    assert finding.warnings == ("dirty_rows_left_out",)


def test_a_rate_over_nothing_is_last_and_noted() -> None:
    days = [*run(MAY, audience="None", **WEAK), *run(MAY, audience="Some")]
    finding = ask("audience_targeting", days, metrics=("cpa",), by=("audience",))
    assert [line[:2] for line in cells(finding)] == [["Some", "£5.00"], ["None", "n/a"]]
    assert "Where CPA is n/a it cannot be computed, as there are no conversions." in finding.notes


# Every number is a figure


@pytest.mark.parametrize("name", SPECIALISTS)
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"intent": "why", "filters": {"advertiser": ("Quiz", "Larkspur Pets")}},
        {"metrics": ("ctr", "roas"), "by": ("insertion_order",), "limit": 5},
        {"by": ("creative", "month"), "metrics": ("cpa",)},
        {"by": ("size",), "compared": APRIL},
    ],
)
def test_a_verbatim_finding_passes_verification(name: str, values: dict[str, Any]) -> None:
    asked = request(**values)
    warehouse = open_warehouses(CampaignsSettings())(TODAY)
    finding = run_specialist(name, asked, warehouse, currency="GBP", max_rows=500)
    days = [(TODAY, TODAY), *spans([asked])]
    judge = Verifier(Sources(known=known_of([finding]), asked=["?"], days=days, currency="GBP", language="en"))
    assert [problem for unit in units(rendered(finding)) for problem in judge.problems(unit)] == []
    assert len(finding.figures) <= 50


def test_the_planted_troubles_of_the_sample_are_found_and_nothing_else() -> None:
    warehouse = open_warehouses(CampaignsSettings())(TODAY)
    found = [run_specialist(name, request(), warehouse, currency="GBP", max_rows=500) for name in SPECIALISTS[:4]]
    assert {(issue.code, issue.subject) for finding in found for issue in finding.issues} == {
        ("under_pacing", "Oakmere Showroom"),
        ("over_pacing", "Brightway City Breaks"),
        ("spend_without_conversions", "Coupon Collectors"),
        ("weak_size", "size 160x600"),
        ("creative_fatigue", "Runway 970x250"),
    }


def test_the_worst_issues_are_put_in_words_and_the_others_counted() -> None:
    days, booked = [], []
    for at, cost in enumerate((12, 14, 16, 17, 25, 11.5)):
        days += run(MAY, insertion_order=f"O{at}", cost=cost)
        booked.append(flight(f"O{at}", 610, MAY.start, date(2026, 6, 30)))
    finding = ask("budget_risk", days, tuple(booked))
    assert [issue.subject for issue in finding.issues] == ["O4", "O1", "O2", "O3"]
    assert [issue.severity for issue in finding.issues] == ["critical", "high", "high", "high"]
    assert "Not shown are two more of no greater severity." in finding.notes


@pytest.mark.parametrize(
    ("share", "kept"), [(0.005, None), (0.01, "medium"), (0.049, "medium"), (0.05, "critical"), (1, "critical")]
)
def test_an_issue_with_little_spend_is_never_grave(share: float, kept: str | None) -> None:
    assert weighed("critical", share) == kept
    assert weighed(None, share) is None


# Issues

FIRST_WEEK = Period(start=date(2026, 5, 1), end=date(2026, 5, 7), label="the first week")
STOPPED = [*run(APRIL, insertion_order="Gone"), *BOTH]
OVER = (flight("Gone", 100, APRIL.start, APRIL.end),)
BUSY = run(MAY, audience="Busy", **STRONG)
HATS = run(MAY, insertion_order="Hats", line_item="Hats all", audience="Best", conversions=99)
BUYERS = [*run(MAY, audience="Shoppers", conversions=10), *run(MAY, audience="Buyers", conversions=10)]
BUYERS += run(MAY, insertion_order="Kitchens", line_item="Kitchens all", audience="Movers", cost=50, conversions=1)
WIDE = run(MAY, size="300x250", clicks=20)


@pytest.mark.parametrize(
    ("name", "days", "asked", "issue", "text"),
    [
        ("performance_diagnosis", STOPPED, {"compared": APRIL}, ("delivery_stopped", "high", "Gone", None), ""),
        ("performance_diagnosis", STOPPED, {"compared": APRIL, "booked": OVER}, None, ""),
        ("performance_diagnosis", BOTH, {"compared": APRIL, "period": FIRST_WEEK}, None, ""),  # compared by the day
        ("performance_diagnosis", [*run(APRIL), *run(FIRST_WEEK, impressions=300, clicks=3)],
         {"compared": APRIL, "period": FIRST_WEEK}, ("impressions_down", "medium", "Shoes", None),
         "Impressions a day of Shoes fell by 70.0 %, to 2,100 in all."),
        ("audience_targeting", [*run(MAY, audience="not given", line_item="not given", **WEAK), *BUSY], {}, None, ""),
        ("audience_targeting", [*run(MAY, audience="Tiny", cost=0.02, **WEAK), *BUSY], {}, None, ""),
        ("audience_targeting", [*run(MAY, audience="Idle", **WEAK), *BUSY, *HATS], {},
         ("spend_without_conversions", "critical", "Idle", "Busy"),
         "Idle in Shoes costs £155.00, 33.3 % of the spend, and brings no conversion."),
        ("audience_targeting", BUYERS, {}, None, ""),
        ("audience_targeting", [*BUYERS, *run(MAY, audience="Dear", cost=50, conversions=10)], {},
         ("costly_conversions", "high", "Dear", "Buyers"), "CPA of Dear in Shoes is £5.00"),
        ("creative_inventory", [*WIDE, *run(MAY, size="160x600", creative="Sky", clicks=6)], {},
         ("weak_size", "medium", "size 160x600", "300x250"),
         "Size 160x600 has a CTR of 0.60 %, other sizes beside it 2.00 %; it costs £155.00, mostly in Shoes."),
        ("creative_inventory", [*WIDE, *run(MAY, insertion_order="B", size="160x600", clicks=6)], {}, None, ""),
        ("delivery_optimization", [*run(MAY, creative="A", conversions=10), *run(MAY, creative="B", conversions=2)], {},
         ("weak_combination", "high", "B with Everybody", "A with Everybody"),
         "B with Everybody in Shoes costs £155.00 and brings 62 conversions, where the others there bring 310."),
    ],
)  # fmt: skip
def test_what_is_worse_is_an_issue_next_to_what_does_better(
    name: str, days: list[Day], asked: dict[str, Any], issue: tuple[str | None, ...] | None, text: str
) -> None:
    found = {
        (each.code, each.severity, each.subject, each.better or None): each for each in ask(name, days, **asked).issues
    }
    assert issue in found if issue else not found
    assert issue is None or text in found[issue].text


sums = st.builds(lambda *values: dict(zip(SUMS, map(float, values), strict=True)), *[st.integers(0, 10**6)] * 5)


@given(now=sums, old=sums)
def test_a_worsening_is_an_issue_only_where_it_is_one(now: dict[str, float], old: dict[str, float]) -> None:
    for rule in WORSENINGS:
        severity = worsened(rule, now, old)
        if severity:
            moved = change(rule.metric, now, old)
            assert moved is not None
            assert (moved if rule.metric == "cpa" else -moved) >= rule.medium
            assert min(now[rule.base], old[rule.base]) >= rule.least
            assert worsened(rule, old, now) is None


def test_a_change_within_chance_is_no_issue() -> None:
    old = dict(zip(SUMS, (100_000.0, 1_000.0, 500.0, 40.0, 800.0), strict=True))
    now = old | {"conversions": 29.0}
    assert change("cvr", now, old) == pytest.approx(-0.275)
    assert not is_beyond_chance("cvr", now, old)
    many_now, many_old = ({name: 100 * value for name, value in each.items()} for each in (now, old))
    assert is_beyond_chance("cvr", many_now, many_old)
    [rule] = [rule for rule in WORSENINGS if rule.metric == "cvr"]
    assert worsened(rule, now, old) is None
    assert worsened(rule, many_now, many_old) == "medium"


@pytest.mark.parametrize(
    ("revenue", "cost", "severity"), [(99, 100, "high"), (49, 100, "critical"), (9, 10, "medium"), (1, 4, None)]
)
def test_a_return_below_one_is_as_severe_as_the_spend_it_loses(
    revenue: float, cost: float, severity: str | None
) -> None:
    now = dict.fromkeys(SUMS, 10.0) | {"cost": float(cost), "revenue": float(revenue)}
    total = now | {"cost": 100.0}
    assert losing(now, total) == severity


# Budgets


@pytest.mark.parametrize(
    ("given", "level", "code", "severity"),
    [
        ((500, 15, 33.3), "on track", "on_track", None),
        ((560, 15, 33.3), "over", "over_pacing", "medium"),
        ((900, 15, 33.3), "over", "over_pacing", "critical"),
        ((1000, 26, 0), "over", "budget_spent", "critical"),
        ((400, 15, 33.3), "under", "under_pacing", "medium"),
        ((500, 15, 60), "at risk", "overspend_projected", "low"),
        ((500, 15, 5), "at risk", "underspend_projected", "low"),
        ((900, 2, 0), "too early to tell", "on_track", None),
        ((0, 0, 0), "not begun", "on_track", None),
    ],
)
def test_a_flight_has_the_risk_of_its_pacing_and_projection(
    given: tuple[float, int, float], level: str, code: str, severity: str | None
) -> None:
    """`given`: spent of a budget of 1,000, the day of 30, the run rate."""
    spent, day, rate = given
    found = Pace(Flight("A", 1_000, APRIL.start, APRIL.end, spent), APRIL.start + timedelta(days=day - 1), rate)
    assert (found.level, *judge(found)) == (level, code, severity)


def test_a_young_flight_is_projected_by_its_own_days() -> None:
    booked = Flight("A", 100, date(2026, 5, 1), date(2026, 5, 31), 30)
    assert run_rate(booked, date(2026, 5, 3), recent=7_000) == 10
    assert run_rate(booked, date(2026, 5, 8), recent=7_000) == 1_000
    assert run_rate(booked, date(2026, 4, 30), recent=7_000) == 0


def test_missing_budgets_are_reported() -> None:
    finding = ask("budget_risk", BOTH)
    assert (finding.status, finding.warnings) == ("no_data", ("no_data",))
    assert finding.text == "No budget is known for all campaigns as of 31 May 2026."


def test_budgets_are_not_narrowed_by_what_has_none() -> None:
    booked = (flight("Shoes", 1_000, APRIL.start, date(2026, 6, 30)),)
    finding = ask("budget_risk", BOTH, booked, filters={"creative": ("Boot 300x250",)})
    assert "what else was asked for does not narrow them" in finding.notes[0]
    assert figure(finding, "Shoes", "spent").value == 305


# Delivery


def test_a_combination_with_few_impressions_is_not_ranked() -> None:
    days = [*run(MAY), Day(MAY.start, creative="Tiny", revenue=9_999)]
    finding = ask("delivery_optimization", days)
    assert "Tiny" not in finding.text
    assert "Not ranked for want of 5,000 impressions: one of two combinations." in finding.notes


# Spelling


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (-3, "money", "-£3.00"),
        (0.0703, "money", "£0.0703"),
        (12.3, "money_change", "+£12.30"),
        (0.0104, "percent", "1.04 %"),
        (0.2, "change", "+20.0 %"),
        (-0.0001, "change", "0.0 %"),
        (12.25, "count", "12.25"),
        (-5, "count_change", "-5"),
        (None, "money", "n/a"),
    ],
)
def test_a_number_is_spelled_in_one_way(value: float | None, style: Any, text: str) -> None:
    assert spell(value, style, "GBP") == text


def test_a_forecast_goes_on_at_the_rate_of_the_newest_days() -> None:
    days = [*run(APRIL), *run(Period(start=MAY.start, end=date(2026, 5, 20), label="May"))]
    text = ask("performance_diagnosis", days, intent="forecast", metrics=("clicks",), period=None).text
    assert "Clicks at the 10 a day of the newest 28 days: the 11 days left of May 2026 110" in text
    assert "the whole of May 2026 310; June 2026 300; the 225 days left of 2026 2,250." in text


def test_a_why_without_an_earlier_period_is_noted() -> None:
    finding = ask("performance_diagnosis", run(MAY), intent="why")
    assert any("not held against the time before" in note for note in finding.notes)
    held = ask("performance_diagnosis", [*run(APRIL), *run(MAY)], intent="why", compared=APRIL)
    assert not any("not held against the time before" in note for note in held.notes)
