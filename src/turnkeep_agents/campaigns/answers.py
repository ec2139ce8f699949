"""How findings are told to a model, and what a reply about them is held against."""

from collections.abc import Iterable, Sequence
from datetime import date

from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.blocks.wording import Judge, units
from turnkeep_agents.campaigns.advice import Recommendation
from turnkeep_agents.campaigns.findings import Finding, all_issues
from turnkeep_agents.campaigns.requests import Period, Request


def told(finding: Finding) -> str:
    """Text, issues and notes: each figure once."""
    issues = [
        f"- {issue.severity}: {issue.text}" + (f" Better beside it: {issue.better}." if issue.better else "")
        for issue in finding.issues
    ]
    parts = [finding.text, *(["Issues:", *issues] if issues else []), *(f"Note: {note}" for note in finding.notes)]
    return "\n".join(parts)


def judge_of(
    findings: Sequence[Finding],
    requests: Sequence[Request],
    *,
    today: date,
    asked: Sequence[str],
    earlier: Sequence[str],
    currency: str,
    language: str = "",
) -> Verifier:
    """`asked` are the user's messages, `earlier` the replies before. Where nothing was queried no figure is right."""
    known = [part for finding in findings for part in told(finding).split("\n\n")]
    known += [f"{figure.subject}: {figure.text}" for finding in findings for figure in finding.figures]
    known += [f"{issue.subject} {issue.within} {issue.better}" for issue in all_issues(findings)]
    periods = [each for request in requests for each in (request.period, request.compared) if each]
    return Verifier(
        Sources(
            known=[*known, *earlier],
            asked=asked,
            days=[(today, today), *spans(periods)],
            currency=currency,
            has_counts=bool(findings),
            language=language,
        )
    )


def spans(periods: Iterable[Period]) -> list[tuple[date, date]]:
    """The days that a reply may name: those asked for and the ones before them."""
    return [(each.start, each.end) for period in periods for each in (period, period.before())]


def checked(text: str, judge: Judge) -> str:
    """What of a text that a typed call has written may be shown."""
    return "".join(judge.accept(unit) for unit in units(text) if not judge.problems(unit)).strip()


def with_days(question: str, requests: Sequence[Request]) -> str:
    """The question about weeks, with the days that an agreement would mean: "(2026-11-08 - 2026-11-21)"."""
    found = dict.fromkeys(f"{each.period.start} - {each.period.end}" for each in requests if each.period)
    return f"{question} ({', '.join(found)})" if found else question


def advice_lines(advice: Sequence[Recommendation]) -> str:
    """Numbered, at the end of a reply, where "the second one" is looked for."""
    return "\n".join(f"{at}. {each.line}" for at, each in enumerate(advice, 1))
