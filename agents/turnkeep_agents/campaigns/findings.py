"""Findings of specialists. Every number that a user reads is a `Figure`: computed from sums of the warehouse and
formatted here, so that a text with any other number can be detected."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from pydantic import Field

from turnkeep.records import JSON
from turnkeep_agents.campaigns.requests import Frozen

Severity: TypeAlias = Literal["none", "low", "medium", "high", "critical"]
SEVERITIES: tuple[Severity, ...] = ("none", "low", "medium", "high", "critical")


class Figure(Frozen):
    """`value` is None where it cannot be computed, such as a rate over nothing; `text` then says so."""

    subject: str = Field(description='whose it is, such as "Quiz" or "Display 300x250"')
    metric: str
    value: float | None
    text: str = Field(description="the value as an answer spells it, with its unit")
    period: str


class Issue(Frozen):
    """Something wrong, recognised by a rule. `text` is one sentence whose numbers are figures of its finding."""

    code: str
    severity: Severity
    subject: str
    text: str
    within: str = Field("", description="the insertion order that it is in, where the subject is none itself")
    better: str = Field("", description="what does better beside it, where that is known")

    @property
    def whose(self) -> str:
        """Return the subject of its figures."""
        return whose(self.subject, self.within)


class MetricResult(Frozen):
    """`text` is the answer of this specialist alone, in sentences or a Markdown table; `notes` say what limits it."""

    specialist: str
    status: Literal["ok", "no_data", "failed"]
    text: str
    figures: tuple[Figure, ...] = ()
    issues: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = Field((), description="codes that the client sees")
    chart: JSON | None = Field(None, description="a plot of the figures in its table")


def whose(name: str, within: str) -> str:
    """Return a name with its insertion order, to distinguish it from equal names in others."""
    return name if not within or within in name else f"{name} in {within}"


def all_issues(findings: Iterable[MetricResult]) -> list[Issue]:
    """Return the issues of all findings, worst first."""
    issues = [issue for finding in findings for issue in finding.issues]
    return sorted(issues, key=lambda issue: -SEVERITIES.index(issue.severity))
