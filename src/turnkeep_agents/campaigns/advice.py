"""What to do about the issues, by rules: each kind of issue has a measure, whose amounts the specialist has computed.
Nothing is computed here, so that every number of an advice is a figure of a finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.findings import Finding, Issue, Severity, all_issues
from turnkeep_agents.campaigns.specialists.spelling import NOT_COMPUTABLE

type Priority = Literal["high", "medium", "low"]

MOST_RECOMMENDATIONS = 5
PRIORITIES: Mapping[Severity, Priority] = {
    "critical": "high",
    "high": "high",
    "medium": "medium",
    "low": "low",
    "none": "low",
}
UNKNOWN_IMPACT = "Not known."
USUAL_CONFIDENCE, LEAST_CONFIDENCE = 0.9, 0.3
DOUBTS = {"failed": 0.2, "rows_cut": 0.1, "dirty_rows_left_out": 0.05, "unknown_impact": 0.1}
"""What lowers the confidence: each finding that failed or was cut, rows left out, and the share of unknown impacts."""


class Recommendation(BaseModel):
    """What is missing is found by the validation, not by the type: a model's other advice is then still good."""

    model_config = ConfigDict(frozen=True)

    priority: Priority | None = None
    action: str = Field("", description="what to change, on what, by how much")
    reason: str = ""
    expected_impact: str = ""


class Recommendations(BaseModel):
    model_config = ConfigDict(frozen=True)

    recommendations: list[Recommendation] = Field(max_length=10)
    confidence: float | None = Field(None, ge=0, le=1)


@dataclass(frozen=True)
class Measure:
    """Templates over the figures of an issue by metric, `{whose}`, the subject, and `{better}`. Of several the first is
    taken whose figures are known."""

    actions: tuple[str, ...]
    impacts: tuple[str, ...] = ()


LESS_SPEND = Measure(
    ("Cut the daily spend of {whose} from {run_rate} to {daily_needed}.", "Cut the daily spend of {whose}."),
    ("It ends at its budget of {budget} in place of {projected_spend}.",),
)
MORE_SPEND = Measure(
    ("Raise the daily spend of {whose} from {run_rate} to {daily_needed}.", "Raise the daily spend of {whose}."),
    ("It uses up its budget of {budget}; as things are, {budget_gap} stay unspent.",),
)
NEXT_FLIGHT = Measure(
    ("Hold {whose} to {daily_needed} a day in its next flight.",),
    ("It ends at its budget of {budget}, if the next one is as high.",),
)
MEASURES: Mapping[str, Measure] = {
    "budget_spent": Measure(
        ("Pause {whose}, which has spent {spent} of {budget}.", "Pause {whose}."),
        ("It stops there in place of {projected_spend}.",),
    ),
    "over_pacing": LESS_SPEND,
    "overspend_projected": LESS_SPEND,
    "under_pacing": MORE_SPEND,
    "underspend_projected": MORE_SPEND,
    "roas_below_one": Measure(
        ("Lower the bids of {whose} to {cpc_break_even} a click.", "Pause {whose}."),
        ("It earns what it costs, if clicks go on to bring as much; now {loss} are lost.",),
    ),
    "roas_down": Measure(
        ("Cut the spend of {whose} by {excess_spend}.", "Cut the spend of {whose}."),
        ("If its revenue holds, its ROAS is what it was before.",),
    ),
    "ctr_down": Measure(
        ("Renew the creatives of {whose}.",),
        ("About {clicks_missed} more clicks on as many impressions, at the former CTR.",),
    ),
    "conversion_rate_down": Measure(
        ("Check the landing page and the conversion tracking of {whose}.",),
        ("About {conversions_missed} more conversions from as many clicks, at the former rate.",),
    ),
    "cost_per_conversion_up": Measure(
        ("Lower the bids of {whose} to {cpc_target} a click.", "Lower the bids of {whose}."),
        ("{saving} less for as many conversions, at the former cost of one.",),
    ),
    "delivery_stopped": Measure(
        ("Find out why {whose} delivers nothing: its line items, bids, approvals and dates.",),
        ("It brought {conversions} conversions from {clicks} clicks in the period before.",),
    ),
    "impressions_down": Measure(("Raise the bids of {whose} or widen its targeting.",)),
    "spend_without_conversions": Measure(
        ("Move the {cost} of {whose} to {better}.", "Pause {whose}."),
        ("About {conversions_elsewhere} conversions, at the cost of one there.",),
    ),
    "costly_conversions": Measure(
        ("Lower the bids for {whose} to {cpc_target} a click.", "Lower the bids for {whose}."),
        ("{saving} less for as many conversions, at the cost of one beside it.",),
    ),
    "concentrated_spend": Measure(
        ("Try another audience with a part of the {cost} that {whose} takes.", "Try another audience beside {whose}.")
    ),
    "creative_fatigue": Measure(
        ("Replace {whose} by a new creative.",),
        ("About {clicks_missed} more clicks a week, at the CTR it began with.",),
    ),
    "weak_size": Measure(
        ("Move the {cost} of {whose} to size {better}.", "Stop {whose}."),
        ("About {clicks_missed} more clicks on as many impressions.",),
    ),
    "unused_creatives": Measure(("Archive {whose}, or let them run again.",)),
    "weak_combination": Measure(
        ("Move the {cost} of {whose} to {better}.", "Stop {whose}."),
        (
            "About {conversions_missed} more conversions, at the cost of one beside it.",
            "About {clicks_missed} more clicks, at the CTR beside it.",
        ),
    ),
}
CONSEQUENCES = {
    "roas_down": {"cost_per_conversion_up", "conversion_rate_down", "roas_below_one"},
    "cost_per_conversion_up": {"roas_below_one"},
}
"""Issues that need no measure of their own beside one of these for the same subject."""


def recommend(diagnosis: Diagnosis, findings: Sequence[Finding]) -> Recommendations:
    """One for each issue, the worst first; `diagnosis` adds nothing, as by rules it follows from the same issues."""
    issues = all_issues(findings)
    codes = {(issue.whose, issue.code) for issue in issues}
    needed = [
        issue
        for issue in issues
        if not any((issue.whose, cause) in codes for cause in CONSEQUENCES.get(issue.code, ()))
    ]
    found = [_recommendation(issue, _figures(issue, findings)) for issue in needed[:MOST_RECOMMENDATIONS]]
    return Recommendations(recommendations=found, confidence=confidence(found, findings))


def confidence(found: Sequence[Recommendation], findings: Sequence[Finding]) -> float:
    """How far the advice can be relied on, by what it rests on."""
    doubt = sum(DOUBTS["failed"] for finding in findings if finding.status == "failed")
    for code in ("rows_cut", "dirty_rows_left_out"):
        doubt += DOUBTS[code] * any(code in finding.warnings for finding in findings)
    unknown = sum(each.expected_impact == UNKNOWN_IMPACT for each in found) / len(found) if found else 1
    return round(max(LEAST_CONFIDENCE, USUAL_CONFIDENCE - doubt - DOUBTS["unknown_impact"] * unknown), 2)


def _recommendation(issue: Issue, figures: Mapping[str, str]) -> Recommendation:
    has_ended = figures.get("days_left") == "0" and MEASURES[issue.code] in (LESS_SPEND, MORE_SPEND)
    measure = NEXT_FLIGHT if has_ended else MEASURES[issue.code]
    return Recommendation(
        priority=PRIORITIES[issue.severity],
        action=_filled(measure.actions, figures),
        reason=issue.text,
        expected_impact=_filled(measure.impacts, figures) or UNKNOWN_IMPACT,
    )


def _figures(issue: Issue, findings: Sequence[Finding]) -> dict[str, str]:
    """By metric, of the issue's finding; of two periods the newer, which a specialist keeps first."""
    found = {"whose": issue.whose}
    if issue.better:
        found["better"] = issue.better
    for finding in findings:
        for figure in finding.figures if issue in finding.issues else ():
            if figure.subject == issue.whose and figure.text != NOT_COMPUTABLE:
                found.setdefault(figure.metric, figure.text)
    return found


def _filled(templates: Sequence[str], figures: Mapping[str, str]) -> str:
    """The first whose figures are all known; empty where there is none."""
    for template in templates:
        if all(name in figures for _, name, _, _ in Formatter().parse(template) if name):
            return template.format_map(figures)
    return ""
