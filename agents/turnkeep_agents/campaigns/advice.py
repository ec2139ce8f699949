"""The typed analysis of findings, and rules for which advice is shown: judged by fields, so in any language."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from turnkeep.kit.checked_replies import Judge
from turnkeep.kit.words import words
from turnkeep.models.calls import TypedCall
from turnkeep.records import JSON
from turnkeep_agents.campaigns.requests import SEVERITIES, MetricResult, Severity, all_issues

Priority: TypeAlias = Literal["high", "medium", "low"]

PRIORITIES: tuple[Priority, ...] = ("high", "medium", "low")


class Recommendation(BaseModel):
    """One thing to do."""

    priority: Priority
    change: Literal["increase", "decrease", "pause", "move", "fix", "test"]
    subject: str = Field(description="what it changes, by its name in the findings")
    to: str = Field("", description="of move: what gains, by its name")
    action: str = Field(description="what to do, one sentence")
    reason: str = Field(description="one sentence, with the figure that shows it")
    expected_impact: str = Field("", description="what it should bring; empty if not known")

    @property
    def line(self) -> str:
        return f"**{self.action}** {self.reason} {self.expected_impact}".rstrip()


class Analysis(BaseModel):
    """What is going on, and what to do."""

    causes: list[str] = Field(description="root causes, one sentence each")
    links: list[str] = Field(description="what in one finding goes with what in another")
    recommendations: list[Recommendation] = Field(max_length=6)
    confidence: float = Field(0.8, ge=0, le=1, description="in the recommendations")


ANALYSE_CALL = TypedCall("campaigns.analyse", Analysis, temperature=0.2, max_tokens=1_000)


def severity(findings: Sequence[MetricResult]) -> Severity:
    return max((issue.severity for issue in all_issues(findings)), key=SEVERITIES.index, default="none")


def validate(
    advice: Sequence[Recommendation], findings: Sequence[MetricResult], judge: Judge
) -> tuple[list[Recommendation], list[JSON]]:
    """Return valid advice, most urgent first, and an objection for each fault. Drop advice that is incomplete, names
    nothing that was found, contains unknown figures, or contradicts more urgent advice. Lower too urgent advice."""
    named = {figure.subject for finding in findings for figure in finding.figures}
    named |= {name for issue in all_issues(findings) for name in (issue.subject, issue.better, issue.within)}
    known = {" ".join(words(name)) for name in named}
    is_calm = severity(findings) in ("none", "low")
    kept: list[Recommendation] = []
    objections: list[JSON] = []

    def object_to(each: Recommendation, code: str, outcome: str) -> None:
        objections.append({"code": code, "action": each.action, "outcome": outcome})

    for given in sorted(advice, key=lambda one: PRIORITIES.index(one.priority)):
        each = given
        if code := _fault(each, known, judge) or _clash(each, kept):
            object_to(each, code, "dropped")
            continue
        if judge.problems(each.expected_impact):
            object_to(each, "figure_removed", "kept")
            each = each.model_copy(update={"expected_impact": ""})
        if is_calm and each.priority == "high":
            object_to(each, "severity_mismatch", "lowered")
            each = each.model_copy(update={"priority": "low"})
        kept.append(each)
    if severity(findings) in ("high", "critical") and all(one.priority == "low" for one in kept):
        for each in kept[:1]:
            object_to(each, "severity_mismatch", "kept")
    return kept, objections


def _fault(each: Recommendation, known: set[str], judge: Judge) -> str:
    """Return the code of a fault in the advice itself."""
    if not each.action.strip() or not each.reason.strip():
        return "recommendation_incomplete"
    named = [" ".join(words(name)) for name in (each.subject, each.to) if name]
    # By its words or as part of a longer name: a subject may include its insertion order.
    is_known = all(name and any(name in one or one in name for one in known if one) for name in named)
    if not each.subject or not is_known:
        return "recommendation_vague"
    return "figure_removed" if judge.problems(each.action) or judge.problems(each.reason) else ""


def _clash(each: Recommendation, kept: Sequence[Recommendation]) -> str:
    """Return a code if it strengthens what a more urgent one cuts, or repeats it."""
    ours = _directions(each)
    for other in kept:
        if each.action.casefold() == other.action.casefold():
            return "recommendation_repeated"
        if any(ours.get(name, way) != way for name, way in _directions(other).items()):
            return "recommendation_conflict"
    return ""


def _directions(each: Recommendation) -> dict[str, bool]:
    """Return the subjects that it strengthens (True) or cuts."""
    if each.change in ("fix", "test"):
        return {}
    found = {each.subject.casefold(): each.change == "increase"}
    return found | ({each.to.casefold(): True} if each.to else {})
