"""Workspace of one specialist: reads the warehouse for one request, formats results and records every formatted number
as a figure. Issues are first proposed: only the worst are worded, so that a finding stays small."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypeAlias

from turnkeep.records import JSON
from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.requests import (
    SEVERITIES,
    Dimension,
    Figure,
    Grain,
    Issue,
    MetricResult,
    Period,
    Request,
    Severity,
)
from turnkeep_agents.campaigns.specialists.formatting import Style, dated, listed, noun, number_word, span, spell
from turnkeep_agents.campaigns.warehouse.sums import NO_NAME, Coverage, Row, Warehouse

MOST_ISSUES = 4
DEFAULT_DAYS = 28
SERIES_DAYS: Mapping[Dimension | Grain, int] = {"week": 84, "month": 365}
WORTH_SHARE, GRAVE_SHARE = 0.01, 0.05  # of the spend: smaller ones are dropped, and limited to medium

Filters: TypeAlias = Mapping[Dimension, Sequence[str]]


@dataclass
class Study:
    """`before` is the period to compare with: the requested one, else as many days before, if there is data."""

    specialist: str
    request: Request
    warehouse: Warehouse
    currency: str
    max_rows: int
    period: Period
    before: Period | None
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    status: Literal["ok", "no_data"] = "ok"
    chart: JSON | None = None
    _figures: dict[tuple[str, str, str], Figure] = field(default_factory=dict)
    _proposed: list[tuple[int, float, str, JSON, Callable[[], str]]] = field(default_factory=list)

    def rows(
        self, by: Sequence[Dimension | Grain], period: Period | None, filters: Filters | None = None
    ) -> tuple[Row, ...]:
        """Return the rows of the warehouse; a warning is added if there were more than the limit."""
        chosen, start = self.request.filters if filters is None else filters, self.request.week_start
        found = self.warehouse.rows(by, chosen, period, limit=self.max_rows, week_start=start)
        if found.is_cut:
            kind = listed([noun(each) for each in by])
            number = number_word(len(found.rows))
            self.warn("rows_cut", f"Only the first {number} rows by {kind} were read; there are more, not ranked here.")
        return found.rows

    def sums(self, period: Period | None) -> Sums | None:
        """Return the total for the request, or None if the period has no matching row."""
        found = self.rows((), period)
        return found[0].sums if found else None

    def figure(
        self, subject: str, metric: str, value: float | None, style: Style | None = None, period: Period | None = None
    ) -> str:
        """Record a figure and return its text; the style of a known metric is its unit."""
        text = spell(value, style or METRICS[metric].unit, self.currency)
        label = (period or self.period).label
        kept = None if value is None else float(f"{value:.12g}")
        self._figures[subject, metric, label] = Figure(
            subject=subject, metric=metric, value=kept, text=text, period=label
        )
        return text

    def measured(self, subject: str, metric: str, sums: Sums, period: Period | None = None) -> str:
        """Record a metric of `sums` as a figure and return its text."""
        return self.figure(subject, metric, METRICS[metric].value(sums), period=period)

    def write(self, part: str) -> None:
        self.parts.append(part)

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def warn(self, code: str, sentence: str) -> None:
        """Add a note with a code for the client."""
        self.warnings.append(code)
        self.note(sentence)

    def propose(
        self,
        code: str,
        severity: Severity | None,
        subject: str,
        weight: float,
        write: Callable[[], str],
        *,
        within: str = "",
        better: str = "",
    ) -> None:
        """Propose an issue, worded by `write` if it is among the worst. Among issues of equal severity, the one with
        more `weight` comes first. Ignored if `severity` is None (in order) or the subject has no name."""

        if severity and NO_NAME not in subject:
            about = {"code": code, "severity": severity, "subject": subject, "within": within, "better": better}
            self._proposed.append((-SEVERITIES.index(severity), -weight, subject, about, write))

    def finding(self) -> MetricResult:
        ranked = sorted(self._proposed, key=lambda each: each[:3])
        issues = tuple(Issue.model_validate({**about, "text": write()}) for *_, about, write in ranked[:MOST_ISSUES])
        if left := len(ranked) - len(issues):
            self.note(f"Not shown are {number_word(left)} more of no greater severity.")
        return MetricResult(
            specialist=self.specialist,
            status=self.status,
            text="\n\n".join(self.parts),
            figures=tuple(self._figures.values()),
            issues=issues,
            notes=tuple(self.notes),
            warnings=tuple(dict.fromkeys(self.warnings)),
            chart=self.chart,
        )


def open_study(name: str, request: Request, warehouse: Warehouse, *, currency: str, max_rows: int) -> Study | None:
    """Return None if the period is outside of all data. Notes what the answer does not cover. Raises DatabaseError."""
    coverage = warehouse.coverage()
    period = coverage.part_of(asked_period(request, coverage))
    if period is None:
        return None
    before = period.before() if period.before().start >= coverage.first else None
    before = coverage.part_of(request.compared) if request.compared else before
    study = Study(name, request, warehouse, currency, max_rows, period, before)
    for asked in filter(None, (request.period, request.compared)):
        part = coverage.part_of(asked)
        if part is None:
            known = f"the warehouse holds {span(coverage.first, coverage.last)}"
            study.warn("no_data", f"There is no data for {dated(asked)}; {known}.")
        elif part != asked:
            study.note(f"Of {dated(asked)} there is data for {span(part.start, part.end)} only.")
    for reason, number in coverage.left_out.items():
        study.warn("dirty_rows_left_out", f"{number:,} rows of the warehouse were left out of all sums: {reason}.")
    if request.compared and study.before and study.before.days != period.days:
        study.note(f"Held against each other are {period.days} and {study.before.days} days.")
    return study


def asked_period(request: Request, coverage: Coverage) -> Period:
    """Return the requested period, by default the newest days: more of them by week or month."""
    days = max([DEFAULT_DAYS, *(SERIES_DAYS[name] for name in request.by if name in SERIES_DAYS)])
    start = coverage.last - timedelta(days=days - 1)
    return request.period or Period(start=start, end=coverage.last, label=f"the newest {days} days")


def graded(size: float, *, medium: float, high: float, critical: float = float("inf")) -> Severity | None:
    """Return the severity of a size by thresholds; None below all of them."""
    if size >= critical:
        return "critical"
    return "high" if size >= high else "medium" if size >= medium else None


def weighed(severity: Severity | None, share: float) -> Severity | None:
    """Adjust a severity to its share of the spend: with little money nothing is grave."""
    if severity is None or share < WORTH_SHARE:
        return None
    return severity if share >= GRAVE_SHARE else "medium"


def is_specific(request: Request) -> bool:
    """Return whether it asks for certain figures, not for an overview."""
    return bool(request.by or request.metrics or request.limit or request.order)


def scope(request: Request) -> str:
    """Return the subject of the request, by name."""
    named = [
        listed(names) if len(names) <= 3 else f"{number_word(len(names))} {noun(kind)}s"
        for kind, names in request.filters.items()
        if names
    ]
    return ", ".join(named) or "all campaigns"
