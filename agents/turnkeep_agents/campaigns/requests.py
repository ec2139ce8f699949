"""A checked request to one specialist, and its finding. Frozen and plain, so that both can be stored in the state of a
turn. Every number that a user reads is a `Figure`: computed from sums of the warehouse and formatted here, so that a
text with any other number can be detected."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from turnkeep.records import JSON

Dimension: TypeAlias = Literal["advertiser", "insertion_order", "line_item", "audience", "creative", "size"]
Grain: TypeAlias = Literal["day", "week", "month"]
Intent: TypeAlias = Literal["figures", "overview", "why", "advice", "forecast"]
Specialist: TypeAlias = Literal[
    "performance_diagnosis", "budget_risk", "audience_targeting", "creative_inventory", "delivery_optimization"
]

SPECIALISTS: tuple[Specialist, ...] = get_args(Specialist)
Severity: TypeAlias = Literal["none", "low", "medium", "high", "critical"]
SEVERITIES: tuple[Severity, ...] = ("none", "low", "medium", "high", "critical")


class Frozen(BaseModel):
    """Unknown fields are ignored: threads outlive deployments, and models write more than is asked."""

    model_config = ConfigDict(frozen=True)


class Period(Frozen):
    """Whole days, both ends included."""

    start: date
    end: date
    label: str = Field(description='as a finding names it, such as "May 2026"')

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    def before(self) -> "Period":
        """Return as many days, ending where this period starts."""
        end = self.start - timedelta(days=1)
        label = "the day before" if self.days == 1 else f"the {self.days} days before"
        return Period(start=end - timedelta(days=self.days - 1), end=end, label=label)


class Request(Frozen):
    """`filters` name things as the warehouse spells them."""

    intent: Intent = "figures"
    metrics: tuple[str, ...] = ()
    by: tuple[Dimension | Grain, ...] = ()
    filters: dict[Dimension, tuple[str, ...]] = {}
    period: Period | None = None
    compared: Period | None = None
    limit: int | None = Field(None, ge=1, le=100)
    order: Literal["best", "worst"] | None = None
    week_start: int = Field(6, ge=0, le=6, description="the first day of a week that is grouped by; 0 is Monday")

    @property
    def asks_why(self) -> bool:
        """Return whether causes or advice are requested, not figures alone."""
        return self.intent in ("why", "advice")


class Figure(Frozen):
    """`value` is None if it cannot be computed, such as a rate over nothing; `text` then states this."""

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


class MetricResult(Frozen):
    """`text` is the answer of this specialist alone, in sentences or a Markdown table; `notes` name its limits."""

    specialist: str
    status: Literal["ok", "no_data", "failed"]
    text: str
    figures: tuple[Figure, ...] = ()
    issues: tuple[Issue, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = Field((), description="codes that the client sees")
    chart: JSON | None = Field(None, description="a plot of the figures in its table")


def all_issues(findings: Iterable[MetricResult]) -> list[Issue]:
    """Return the issues of all findings, worst first."""
    issues = [issue for finding in findings for issue in finding.issues]
    return sorted(issues, key=lambda issue: -SEVERITIES.index(issue.severity))
