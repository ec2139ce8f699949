"""The reply in Markdown: the answer to what was asked, then what is wrong, then what to do, then what limits it."""

from collections.abc import Iterator, Sequence

from turnkeep_agents.campaigns.advice import Recommendation
from turnkeep_agents.campaigns.diagnosis import Diagnosis, is_plain
from turnkeep_agents.campaigns.findings import SEVERITIES, Finding, Issue, all_issues
from turnkeep_agents.campaigns.requests import Request

MOST_ISSUES = 6
LABELS = {
    "performance_diagnosis": "Performance",
    "budget_risk": "Budgets",
    "audience_targeting": "Audiences",
    "creative_inventory": "Creatives",
    "delivery_optimization": "Delivery",
}


def render(
    request: Request,
    findings: Sequence[Finding],
    diagnosis: Diagnosis | None = None,
    recommendations: Sequence[Recommendation] = (),
    *,
    remarks: Sequence[str] = (),
) -> str:
    """`remarks` are sentences of the graph itself, such as of its gate; those of the request and of the findings are
    added. A part that stands in two findings is shown once."""
    parts = [*_answers(findings)]
    if is_plain(findings, request):
        parts += _aside(findings[0])
    elif diagnosis:
        parts += _wrong(findings, diagnosis, [each.reason for each in recommendations])
    if recommendations:
        lines = [f"{at}. {_advice(each)}" for at, each in enumerate(recommendations, 1)]
        parts.append("\n".join(["**Recommendations**", "", *lines]))
    parts += _limits(request, findings, remarks)
    return "\n\n".join(parts)


def _answers(findings: Sequence[Finding]) -> Iterator[str]:
    shown: set[str] = set()
    has_titles = sum(finding.status == "ok" for finding in findings) > 1
    for finding in findings:
        if finding.status == "failed":
            yield f"{finding.specialist} could not be run: {finding.text}"
            continue
        new = [part for part in finding.text.split("\n\n") if part not in shown]
        shown.update(new)
        if new and has_titles:
            yield f"**{LABELS[finding.specialist]}**"
        yield from new


def _aside(finding: Finding) -> Iterator[str]:
    """The worst of what nobody asked about, where it is grave."""
    grave = SEVERITIES[SEVERITIES.index("high") :]
    yield from [f"Also found: {issue.text}" for issue in all_issues([finding]) if issue.severity in grave][:1]


def _wrong(findings: Sequence[Finding], diagnosis: Diagnosis, reasons: Sequence[str]) -> Iterator[str]:
    """An issue that is the reason of an advice is told there."""
    issues = all_issues(findings)
    if not issues:
        yield from [diagnosis.summary] if any(finding.status == "ok" for finding in findings) else []
        return
    yield f"**Diagnosis, severity {diagnosis.severity}**"
    yield diagnosis.summary
    told = [diagnosis.summary, *reasons]
    more = [issue for issue in issues if not any(issue.text in text for text in told)][:MOST_ISSUES]
    yield from _list("", [_issue(issue) for issue in more])
    yield from _list("Causes:", diagnosis.root_causes)
    yield from _list("What goes together:", diagnosis.correlations)


def _issue(issue: Issue) -> str:
    return f"{issue.text} ({issue.severity})"


def _advice(each: Recommendation) -> str:
    impact = f" Expected: {each.expected_impact}" if each.expected_impact else ""
    return f"**{each.action}** ({each.priority}) {each.reason}{impact}"


def _limits(request: Request, findings: Sequence[Finding], remarks: Sequence[str]) -> Iterator[str]:
    notes = [note for finding in findings for note in finding.notes]
    yield from _list("Assumed:", request.assumed)
    yield from _list("Notes:", list(dict.fromkeys([*remarks, *notes])))


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield "\n".join([*([title, ""] if title else []), *(f"- {item}" for item in items)])
