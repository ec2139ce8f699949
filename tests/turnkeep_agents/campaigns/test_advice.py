"""What is recommended for each kind of issue."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_warehouse import APRIL, MAY, Day, PlainWarehouse, flight, request, run

from turnkeep_agents.campaigns.advice import (
    DOUBTS,
    LEAST_CONFIDENCE,
    MEASURES,
    MOST_RECOMMENDATIONS,
    PRIORITIES,
    UNKNOWN_IMPACT,
    USUAL_CONFIDENCE,
    Recommendation,
    confidence,
    recommend,
)
from turnkeep_agents.campaigns.diagnosis import PHRASES, diagnose
from turnkeep_agents.campaigns.findings import SEVERITIES, Finding, Issue, known_texts
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep_agents.campaigns.specialists.team import failed, run_specialist
from turnkeep_agents.campaigns.validation import validate
from turnkeep_agents.campaigns.warehouse.sums import Flight, open_warehouses
from turnkeep.blocks.figures import foreign_figures
from turnkeep_agents.campaigns.settings import CampaignsSettings

END = date(2026, 6, 30)


def advised(name: str, days: list[Day], *booked: Flight, **values: Any) -> list[Recommendation]:
    """What is recommended after one specialist."""
    asked = request(intent="analysis", **values)
    finding = run_specialist(name, asked, PlainWarehouse(days, booked), currency="GBP", max_rows=500)
    return recommend(diagnose([finding], asked), [finding]).recommendations


def issue(code: str, subject: str = "Shoes", severity: str = "medium") -> Issue:
    return Issue.model_validate({"code": code, "severity": severity, "subject": subject, "text": f"{subject}: {code}."})


def finding(*issues: Issue, **more: Any) -> Finding:
    return Finding(specialist="performance_diagnosis", status="ok", text="Text.", issues=issues, **more)


def of(found: list[Recommendation], word: str) -> Recommendation:
    [each] = [each for each in found if word in each.action]
    return each


def test_each_kind_of_issue_has_a_measure_and_words() -> None:
    assert MEASURES.keys() == PHRASES.keys()


@pytest.mark.parametrize("code", MEASURES)
def test_a_measure_names_its_subject_even_where_no_figure_is_known(code: str) -> None:
    [found] = recommend(diagnose([], request()), [finding(issue(code))]).recommendations
    assert "Shoes" in found.action
    assert found.reason == f"Shoes: {code}."
    assert found.expected_impact


def test_spend_that_runs_ahead_is_cut_to_what_the_budget_needs() -> None:
    found = advised("budget_risk", run(MAY, cost=20), flight("Shoes", 900, MAY.start, END))
    assert found == [
        Recommendation(
            priority="high",
            action="Cut the daily spend of Shoes from £20.00 to £9.33.",
            reason="Shoes paces at 135.6 % of its budget of £900.00; projected are £1,220.00, £320.00 more than that.",
            expected_impact="It ends at its budget of £900.00 in place of £1,220.00.",
        )
    ]


def test_spend_that_lags_behind_is_raised_to_what_the_budget_needs() -> None:
    [found] = advised("budget_risk", run(MAY, cost=5), flight("Shoes", 610, MAY.start, END))
    assert found.action == "Raise the daily spend of Shoes from £5.00 to £15.17."
    assert found.expected_impact == "It uses up its budget of £610.00; as things are, £305.00 stay unspent."


def test_a_spent_budget_pauses_its_insertion_order() -> None:
    [found] = advised("budget_risk", run(MAY, cost=30), flight("Shoes", 610, MAY.start, END))
    assert found.action == "Pause Shoes, which has spent £930.00 of £610.00."
    assert found.expected_impact == "It stops there in place of £1,830.00."


def test_each_advice_has_the_figures_of_its_own_subject() -> None:
    days = [*run(MAY, insertion_order="A", cost=5), *run(MAY, insertion_order="B", cost=6)]
    booked = flight("A", 610, MAY.start, END), flight("B", 610, MAY.start, END)
    found = [each.action for each in advised("budget_risk", days, *booked)]
    assert found == [
        "Raise the daily spend of A from £5.00 to £15.17.",
        "Raise the daily spend of B from £6.00 to £14.13.",
    ]


def test_of_a_flight_on_its_last_day_the_next_one_is_spoken_of() -> None:
    [found] = advised("budget_risk", run(MAY, cost=20), flight("Shoes", 310, MAY.start, MAY.end))
    assert found.action == "Hold Shoes to £10.00 a day in its next flight."


def test_a_return_below_one_lowers_bids_to_what_a_click_earns() -> None:
    [found] = advised("performance_diagnosis", run(MAY, clicks=10, cost=40, revenue=30))
    assert found.action == "Lower the bids of Shoes to £3.00 a click."
    assert found.expected_impact.endswith("now £310.00 are lost.")


def test_what_earns_nothing_is_paused() -> None:
    days = [*run(MAY, cost=40, revenue=0), *run(MAY, insertion_order="Hats", revenue=90)]
    assert of(advised("performance_diagnosis", days), "Shoes").action == "Pause Shoes."


def test_a_fallen_click_rate_asks_for_new_creatives_and_says_the_clicks_they_bring() -> None:
    [found] = advised("performance_diagnosis", [*run(APRIL, clicks=20), *run(MAY, clicks=14)], compared=APRIL)
    assert found.action == "Renew the creatives of Shoes."
    assert found.expected_impact == "About 186 more clicks on as many impressions, at the former CTR."


def test_a_dearer_conversion_lowers_bids_to_the_former_cost() -> None:
    usual = {"clicks": 100, "conversions": 20, "revenue": 400}
    days = [*run(APRIL, **usual, cost=40), *run(MAY, **usual, cost=60)]
    found = advised("performance_diagnosis", days, compared=APRIL)
    assert of(found, "bids").action == "Lower the bids of Shoes to £0.40 a click."
    assert of(found, "bids").expected_impact.startswith("£620.00 less for as many conversions")


def test_money_moves_from_who_does_not_convert_to_who_does() -> None:
    days = [*run(MAY, audience="Idle", conversions=0), *run(MAY, audience="Busy", conversions=4)]
    found = of(advised("audience_targeting", days), "Idle")
    assert found.action == "Move the £155.00 of Idle in Shoes to Busy."
    assert found.expected_impact == "About 124 conversions, at the cost of one there."


def test_an_impact_that_cannot_be_computed_is_said_to_be_unknown() -> None:
    found = advised("creative_inventory", [*run(APRIL, creative="Old"), *run(MAY)])
    assert found == [
        Recommendation(
            priority="low",
            action="Archive Old, or let them run again.",
            reason="One creative has run before and had no impression in this range: Old.",
            expected_impact=UNKNOWN_IMPACT,
        )
    ]


@pytest.mark.parametrize("severity", SEVERITIES[1:])
def test_the_priority_follows_from_the_severity(severity: Any) -> None:
    [found] = recommend(diagnose([], request()), [finding(issue("ctr_down", severity=severity))]).recommendations
    assert found.priority == PRIORITIES[severity]


def test_the_reason_cites_the_issue() -> None:
    found = advised("performance_diagnosis", [*run(APRIL, clicks=20), *run(MAY, clicks=14)], compared=APRIL)
    assert found[0].reason == "CTR of Shoes fell by 30.0 % to 1.40 % (before: 2.00 %)."


def test_the_worst_come_first_and_no_more_than_a_few() -> None:
    issues = [issue("ctr_down", f"S{at}", severity) for at, severity in enumerate(["low", "critical", "medium"] * 3)]
    found = recommend(diagnose([], request()), [finding(*issues)]).recommendations
    assert [each.priority for each in found] == ["high"] * 3 + ["medium"] * 2
    assert len(found) == MOST_RECOMMENDATIONS


def test_a_consequence_needs_no_measure_beside_its_cause() -> None:
    issues = finding(issue("roas_down"), issue("cost_per_conversion_up"), issue("roas_down", "Hats"))
    found = recommend(diagnose([], request()), [issues]).recommendations
    assert [each.reason for each in found] == ["Shoes: cost_per_conversion_up.", "Hats: roas_down."]


@given(
    statuses=st.lists(st.sampled_from(["ok", "failed"]), min_size=1, max_size=5),
    warnings=st.sets(st.sampled_from(["rows_cut", "dirty_rows_left_out"])),
    unknown=st.integers(0, 3),
)
def test_the_confidence_falls_with_every_doubt(statuses: list[str], warnings: set[str], unknown: int) -> None:
    findings = [
        failed("budget_risk", "Slow.") if status == "failed" else finding(warnings=tuple(warnings))
        for status in statuses
    ]
    found = [Recommendation(expected_impact=UNKNOWN_IMPACT if at < unknown else "£1.00 less.") for at in range(3)]
    doubt = DOUBTS["failed"] * statuses.count("failed") + DOUBTS["unknown_impact"] * unknown / 3
    doubt += sum(DOUBTS[code] for code in warnings) if "ok" in statuses else 0
    assert confidence(found, findings) == pytest.approx(max(LEAST_CONFIDENCE, USUAL_CONFIDENCE - doubt), abs=0.006)


@pytest.mark.parametrize(
    "filters", [{}, {"advertiser": ("Quiz",)}, {"advertiser": ("Larkspur Pets", "Brightway Travel")}]
)
def test_every_number_of_an_advice_is_a_figure_and_the_advice_of_the_rules_is_valid(filters: Any) -> None:
    asked, warehouse = (
        request(intent="analysis", filters=filters),
        open_warehouses(CampaignsSettings())(date(2026, 6, 17)),
    )
    findings = [run_specialist(name, asked, warehouse, currency="GBP", max_rows=500) for name in SPECIALISTS]
    diagnosis = diagnose(findings, asked)
    found = recommend(diagnosis, findings).recommendations
    assert found
    text = "\n".join(f"{each.action}\n{each.reason}\n{each.expected_impact}" for each in found)
    assert foreign_figures(text, known_texts(findings)) == []
    checked = validate(found, diagnosis, findings)
    assert (checked.recommendations, checked.objections) == (tuple(found), ())
