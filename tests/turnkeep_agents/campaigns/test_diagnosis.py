"""What findings come to, and when nothing is to be recommended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_warehouse import APRIL, MAY, PlainWarehouse, request, run

from turnkeep_agents.campaigns.diagnosis import (
    MOST_CAUSES,
    MOST_CORRELATIONS,
    PHRASES,
    diagnose,
    is_plain,
    should_exit_early,
)
from turnkeep_agents.campaigns.findings import SEVERITIES, Figure, Finding, Issue, known_texts
from turnkeep_agents.campaigns.requests import Request
from turnkeep_agents.campaigns.specialists.team import failed, run_specialist
from turnkeep.blocks.figures import foreign_figures


def issue(code: str, subject: str = "Shoes", severity: str = "medium", **more: str) -> Issue:
    text = more.pop("text", f"{subject} has an issue.")
    return Issue.model_validate({"code": code, "severity": severity, "subject": subject, "text": text, **more})


def found(name: str, *issues: Issue, figures: tuple[Figure, ...] = ()) -> Finding:
    return Finding(specialist=name, status="ok", text=f"{name} says so.", issues=issues, figures=figures)


def moved(metric: str, value: float, subject: str = "Shoes") -> Figure:
    text = f"{100 * value:+.1f} %"
    return Figure(subject=subject, metric=f"{metric}_change", value=value, text=text, period="May 2026")


PERFORMANCE, BUDGET, CREATIVES = "performance_diagnosis", "budget_risk", "creative_inventory"
BAD = found(PERFORMANCE, issue("roas_below_one", severity="critical"))


# The diagnosis


def test_one_specialist_and_an_informational_question_need_no_diagnosis() -> None:
    finding = found(PERFORMANCE, issue("roas_below_one", severity="critical"))
    diagnosis = diagnose([finding], request(intent="informational"))
    assert is_plain([finding], request(intent="informational"))
    assert (diagnosis.summary, diagnosis.severity) == (finding.text, "low")
    assert (diagnosis.root_causes, diagnosis.correlations) == ([], [])


@pytest.mark.parametrize(
    ("findings", "intent"),
    [
        ([BAD], "analysis"),
        ([BAD], "status"),
        ([BAD, found(BUDGET)], "informational"),
        ([BAD, found(BUDGET)], "analysis"),
    ],
)
def test_all_else_is_diagnosed(findings: list[Finding], intent: str) -> None:
    asked = request(intent=intent)
    assert not is_plain(findings, asked)
    assert diagnose(findings, asked).severity == "critical"


@given(severities=st.lists(st.sampled_from(SEVERITIES[1:]), min_size=1, max_size=6))
def test_the_severity_is_that_of_the_worst_issue(severities: list[str]) -> None:
    issues = [issue("ctr_down", f"S{at}", severity) for at, severity in enumerate(severities)]
    diagnosis = diagnose([found(PERFORMANCE, *issues[::2]), found(BUDGET, *issues[1::2])], request(intent="analysis"))
    assert diagnosis.severity == max(severities, key=SEVERITIES.index)


def test_the_summary_counts_the_issues_and_quotes_the_worst() -> None:
    findings = [found(PERFORMANCE, issue("ctr_down")), found(BUDGET, issue("over_pacing", "Hats", "high"))]
    assert (
        diagnose(findings, request(intent="analysis")).summary == "Two issues were found. The worst: Hats has an issue."
    )


def test_no_issue_is_said_with_what_was_looked_at() -> None:
    asked = request(intent="analysis", filters={"advertiser": ("Acme",)})
    diagnosis = diagnose([found(PERFORMANCE)], asked)
    assert (diagnosis.summary, diagnosis.severity) == ("No issue was found in performance: Acme, May 2026.", "none")
    partly = diagnose([found(PERFORMANCE), failed(BUDGET, "Too slow.")], asked)
    assert partly.summary == "No issue was found in what could be looked at: Acme, May 2026."


def test_nothing_is_diagnosed_where_no_specialist_had_figures() -> None:
    diagnosis = diagnose([failed(PERFORMANCE, "Too slow."), failed(BUDGET, "Too slow.")], request(intent="analysis"))
    assert (diagnosis.summary.lower(), diagnosis.severity) == (
        "nothing can be diagnosed, as no specialist had figures.",
        "none",
    )


def test_root_causes_are_told_by_subject_with_what_did_most_harm() -> None:
    issues = (issue("cost_per_conversion_up", severity="high"), issue("roas_down"), issue("ctr_down", "Hats"))
    figures = (
        moved("cvr", -0.3),
        moved("cpc", 0.25),
        moved("revenue_per_conversion", 0.5),
        moved("impressions", 0.5),
        moved("impressions", 0.01, "Hats"),
    )
    diagnosis = diagnose([found(PERFORMANCE, *issues, figures=figures)], request(intent="analysis"))
    assert diagnosis.root_causes == [
        "Shoes pays more for a conversion than before and returns less for its spend than before: "
        "what did most is the conversion rate (-30.0 %), then the price per click (+25.0 %).",
        "Hats is clicked less often than before.",
    ]


@pytest.mark.parametrize(
    ("now", "cause"),
    [
        ({"conversions": 10}, "the conversion rate (-50.0 %)"),
        ({"cost": 10}, "the price per click (+100.0 %)"),
        ({"revenue": 200}, "the revenue per conversion (-50.0 %)"),
    ],
)
def test_what_moved_is_told_from_the_warehouse(now: dict[str, float], cause: str) -> None:
    usual = {"clicks": 100, "conversions": 20, "cost": 5, "revenue": 400}
    warehouse = PlainWarehouse([*run(APRIL, **usual), *run(MAY, **usual | now)])
    asked = request(intent="analysis", compared=APRIL)
    finding = run_specialist(PERFORMANCE, asked, warehouse, currency="GBP", max_rows=500)
    [root_cause] = diagnose([finding], asked).root_causes
    assert f"what did most is {cause}" in root_cause


def test_the_same_subject_in_two_findings_goes_together() -> None:
    findings = [found(PERFORMANCE, issue("roas_below_one")), found(BUDGET, issue("over_pacing"))]
    assert diagnose(findings, request(intent="analysis")).correlations == [
        "Shoes earns less than it costs, and Shoes spends faster than its budget allows."
    ]


@pytest.mark.parametrize(
    "creative",
    [
        issue("weak_size", "size 160x600", text="Size 160x600 is weak, mostly in Shoes."),
        issue("weak_combination", "Sky with Everybody", within="Shoes"),
    ],
)
def test_a_size_or_a_combination_goes_together_with_the_insertion_order_it_is_in(creative: Issue) -> None:
    findings = [found(PERFORMANCE, issue("roas_down")), found(CREATIVES, creative)]
    [correlation] = diagnose(findings, request(intent="analysis")).correlations
    assert "Shoes returns less for its spend than before" in correlation
    assert PHRASES[creative.code] in correlation


def test_a_size_goes_together_with_the_creatives_that_have_it() -> None:
    weak, worse = (
        issue("weak_size", "size 160x600"),
        issue("weak_combination", "Sky 160x600 with Everybody", within="Shoes"),
    )
    findings = [found(CREATIVES, weak), found("delivery_optimization", worse)]
    [correlation] = diagnose(findings, request(intent="analysis")).correlations
    assert correlation.startswith("Size 160x600 is hardly clicked, and Sky 160x600 with Everybody in Shoes")


def test_strangers_do_not_go_together() -> None:
    findings = [found(PERFORMANCE, issue("roas_down", "Shoe")), found(BUDGET, issue("over_pacing", "Shoes"))]
    assert diagnose(findings, request(intent="analysis")).correlations == []


def test_the_same_issue_of_many_makes_a_common_cause_likely() -> None:
    finding = found(PERFORMANCE, *(issue("ctr_down", name) for name in ("Shoes", "Hats", "Bags")))
    assert diagnose([finding], request(intent="analysis")).correlations == [
        "The same holds for three, which makes a common cause likely: each is clicked less often than before."
    ]


def test_a_diagnosis_stays_small() -> None:
    findings = [
        found(name, *(issue("ctr_down", f"S{at}", text=f"S{at} is down.") for at in range(9)))
        for name in (PERFORMANCE, BUDGET)
    ]
    diagnosis = diagnose(findings, request(intent="analysis"))
    assert len(diagnosis.root_causes) == MOST_CAUSES
    assert len(diagnosis.correlations) == MOST_CORRELATIONS
    assert diagnosis.summary.startswith("More than a dozen issues were found.")


def test_every_number_of_a_diagnosis_is_a_figure_of_the_findings() -> None:
    days = [*run(APRIL, clicks=20), *run(MAY, clicks=10, cost=30), *run(MAY, audience="Idle", conversions=0, revenue=0)]
    asked = request(intent="analysis", compared=APRIL)
    names = (PERFORMANCE, "audience_targeting", CREATIVES)
    findings = [run_specialist(name, asked, PlainWarehouse(days), currency="GBP", max_rows=500) for name in names]
    diagnosis = diagnose(findings, asked)
    assert diagnosis.root_causes
    text = "\n".join([diagnosis.summary, *diagnosis.root_causes, *diagnosis.correlations])
    assert foreign_figures(text, known_texts(findings)) == []


# The early exit


def exit_reason(findings: list[Finding], asked: Request) -> str:
    """In lower case; empty where it goes on."""
    return (should_exit_early(diagnose(findings, asked), findings, asked) or "").lower()


def test_it_exits_early_where_no_issue_was_found() -> None:
    for intent in ("analysis", "informational", "status"):
        findings = [found(PERFORMANCE), found(BUDGET)]
        asked = request(intent=intent)
        assert exit_reason(findings, asked) == "no issue was found."


def test_it_exits_early_where_an_informational_question_has_low_severity() -> None:
    asked = request(intent="informational")
    low = [found(PERFORMANCE, issue("unused_creatives", severity="low")), found(BUDGET)]
    assert "nothing is worse than low" in exit_reason(low, asked)
    assert "nothing is worse than low" in exit_reason([BAD], asked)


def test_it_exits_early_where_a_status_was_asked() -> None:
    asked = request(intent="status")
    assert exit_reason([BAD], asked) == "the message only asks how things stand."


def test_it_exits_early_where_nothing_could_be_queried() -> None:
    asked, findings = request(intent="analysis"), [failed(PERFORMANCE, "Too slow.")]
    assert exit_reason(findings, asked) == "no specialist had figures."


@pytest.mark.parametrize("severity", SEVERITIES[1:])
def test_an_analysis_with_an_issue_goes_on(severity: str) -> None:
    asked, findings = request(intent="analysis"), [found(PERFORMANCE, issue("ctr_down", severity=severity))]
    assert exit_reason(findings, asked) == ""


@pytest.mark.parametrize("severity", SEVERITIES[2:])
def test_an_informational_question_to_several_with_a_grave_issue_goes_on(severity: str) -> None:
    asked = request(intent="informational")
    findings = [found(PERFORMANCE, issue("ctr_down", severity=severity)), found(BUDGET)]
    assert exit_reason(findings, asked) == ""
