"""Renders findings for a model, and collects the facts that its reply is checked against."""

from collections.abc import Iterable, Sequence
from datetime import date

from turnkeep.kit.checked_replies import Judge, units
from turnkeep_agents.campaigns.requests import MetricResult, Request, all_issues


def rendered(finding: MetricResult) -> str:
    """Render text, issues and notes, with each figure once."""
    issues = [
        f"- {issue.severity}: {issue.text}" + (f" Better beside it: {issue.better}." if issue.better else "")
        for issue in finding.issues
    ]
    parts = [finding.text, *(["Issues:", *issues] if issues else []), *(f"Note: {note}" for note in finding.notes)]
    return "\n".join(parts)


def known_of(findings: Sequence[MetricResult]) -> list[str]:
    """Return each table, sentence and figure as a separate text."""
    known = [part for finding in findings for part in rendered(finding).split("\n\n")]
    known += [f"{figure.subject}: {figure.text}" for finding in findings for figure in finding.figures]
    return known + [f"{issue.subject} {issue.within} {issue.better}" for issue in all_issues(findings)]


def spans(requests: Iterable[Request]) -> list[tuple[date, date]]:
    """Return the requested days and the days before them."""
    periods = [each for request in requests for each in (request.period, request.compared) if each]
    return [(each.start, each.end) for period in periods for each in (period, period.before())]


def unfounded(text: str, judge: Judge) -> list[str]:
    """Return the unfounded parts of a text, worded for the model that wrote it."""
    return [problem for unit in units(text) for problem in judge.problems(unit)]
