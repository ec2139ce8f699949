"""What the findings come to, by rules: how bad it is, where it comes from, what goes together; when to stop there."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log1p

from pydantic import Field

from turnkeep_agents.campaigns.findings import Finding, Issue, Severity, all_issues
from turnkeep_agents.campaigns.requests import Frozen, Request
from turnkeep_agents.campaigns.specialists.declines import FACTORS, PER_CONVERSION, WORSENINGS
from turnkeep_agents.campaigns.specialists.spelling import capital, dated, listed, number_word
from turnkeep_agents.campaigns.specialists.study import scope

MOST_CAUSES, MOST_CORRELATIONS = 6, 4
COMMON_LEAST = 3  # issues of one kind in one finding, that make a common cause likely
MOST_IN_WORDS = 12

FACTOR_NAMES = {
    "impressions": "volume",
    "clicks": "clicks",
    "conversions": "conversions",
    "cvr": "the conversion rate",
    "cpc": "the price per click",
    PER_CONVERSION: "the revenue per conversion",
}
LEAST_LOG, SECOND_SHARE = (
    0.05,
    0.5,
)  # of a change that explains something; of the first one that makes a second worth it

PHRASES = {
    "ctr_down": "is clicked less often than before",
    "conversion_rate_down": "turns fewer clicks into conversions",
    "cost_per_conversion_up": "pays more for a conversion than before",
    "roas_down": "returns less for its spend than before",
    "roas_below_one": "earns less than it costs",
    "delivery_stopped": "delivers nothing any more",
    "impressions_down": "delivers far less than before",
    "budget_spent": "has spent its budget too early",
    "over_pacing": "spends faster than its budget allows",
    "under_pacing": "spends too slowly for its budget",
    "overspend_projected": "lately spends faster than its budget allows",
    "underspend_projected": "lately spends too slowly for its budget",
    "spend_without_conversions": "is paid for and does not convert",
    "costly_conversions": "pays far more for a conversion than what runs beside it",
    "concentrated_spend": "takes most of the spend",
    "creative_fatigue": "has been seen too often",
    "weak_size": "is hardly clicked",
    "unused_creatives": "no longer run",
    "weak_combination": "converts far worse than what runs beside it",
}
"""What each code of an issue says of its subject."""


AREAS = {
    "performance_diagnosis": "performance",
    "budget_risk": "budgets",
    "audience_targeting": "audiences",
    "creative_inventory": "creatives",
    "delivery_optimization": "the mix of creatives and audiences",
}
"""What each specialist looks at: that nothing was found says nothing of the rest."""


class Diagnosis(Frozen):
    summary: str
    severity: Severity = "none"
    root_causes: list[str] = Field([], max_length=8)
    correlations: list[str] = Field([], max_length=8)


def diagnose(findings: Sequence[Finding], request: Request) -> Diagnosis:
    """As severe as the worst issue. One specialist's answer to an informational question is its own diagnosis."""
    if is_plain(findings, request):
        return Diagnosis(summary=findings[0].text, severity="low")
    issues = all_issues(findings)
    return Diagnosis(
        summary=_summary(findings, issues, request),
        severity=issues[0].severity if issues else "none",
        root_causes=_root_causes(findings, issues),
        correlations=_correlations(findings),
    )


def is_plain(findings: Sequence[Finding], request: Request) -> bool:
    """Whether no diagnosis is needed: one specialist, and a question for information."""
    return len(findings) == 1 and request.intent == "informational"


def should_exit_early(diagnosis: Diagnosis, findings: Sequence[Finding], request: Request) -> str | None:
    """Why nothing is to be recommended, or None."""
    if all(finding.status != "ok" for finding in findings):
        return "No specialist had figures."
    if not all_issues(findings):
        return "No issue was found."
    if request.intent == "status":
        return "The message only asks how things stand."
    if request.intent == "informational" and diagnosis.severity in ("none", "low"):
        return "The message asks for information, and nothing is worse than low."
    return None


def _summary(findings: Sequence[Finding], issues: Sequence[Issue], request: Request) -> str:
    if all(finding.status != "ok" for finding in findings):
        return "Nothing can be diagnosed, as no specialist had figures."
    if not issues:
        period = f", {dated(request.period)}" if request.period else ""
        is_partial = any(finding.status != "ok" for finding in findings)
        areas = listed([AREAS[finding.specialist] for finding in findings if finding.specialist in AREAS])
        where = " in what could be looked at" if is_partial else f" in {areas}" if areas else ""
        return f"No issue was found{where}: {scope(request)}{period}."
    if len(issues) == 1:
        return f"One issue was found. {issues[0].text}"
    number = number_word(len(issues)) if len(issues) <= MOST_IN_WORDS else "more than a dozen"
    return f"{number.capitalize()} issues were found. The worst: {issues[0].text}"


def _root_causes(findings: Sequence[Finding], issues: Sequence[Issue]) -> list[str]:
    """By subject, the worst first: what is wrong with it, and what moved."""
    subjects: dict[str, list[Issue]] = {}
    for issue in issues:
        subjects.setdefault(issue.whose, []).append(issue)
    causes = [
        f"{subject} {' and '.join(dict.fromkeys(PHRASES[issue.code] for issue in of))}{_moved(findings, subject, of)}."
        for subject, of in subjects.items()
    ]
    return list(map(_opened, causes[:MOST_CAUSES]))


def _opened(sentence: str) -> str:
    """Names are left as they are spelled."""
    return capital(sentence) if sentence.startswith("size ") else sentence


def _moved(findings: Sequence[Finding], subject: str, issues: Sequence[Issue]) -> str:
    """Which of volume, conversion rate, price and value did most harm; empty where that was not measured."""
    metrics = {rule.code: rule.metric for rule in WORSENINGS}
    factors = {name: sign for each in issues for name, sign in FACTORS.get(metrics.get(each.code, ""), {}).items()}
    found = {figure.metric: figure for each in findings for figure in each.figures if figure.subject == subject}
    harm: dict[str, float] = {}
    for name, sign in factors.items():
        figure = found.get(f"{name}_change")
        if figure and figure.value is not None and sign * figure.value > 0:
            harm[name] = abs(log1p(max(figure.value, -0.999)))
    ranked = sorted((name for name in harm if harm[name] >= LEAST_LOG), key=lambda name: -harm[name])
    worst = [name for name in ranked if harm[name] >= SECOND_SHARE * harm[ranked[0]]][:2]
    said = [f"{FACTOR_NAMES[name]} ({found[f'{name}_change'].text})" for name in worst]
    return f": what did most is {', then '.join(said)}" if said else ""


def _correlations(findings: Sequence[Finding]) -> list[str]:
    """What two specialists say of the same thing, and what many things have in common."""
    found = [*_shared(findings), *_common(findings)]
    return list(dict.fromkeys(found))[:MOST_CORRELATIONS]


def _shared(findings: Sequence[Finding]) -> Iterator[str]:
    for one, other in combinations(findings, 2):
        for a in one.issues:
            for b in other.issues:
                if _touches(a, b) or _touches(b, a):
                    yield _opened(f"{a.whose} {PHRASES[a.code]}, and {b.whose} {PHRASES[b.code]}.")
                    break


def _touches(one: Issue, other: Issue) -> bool:
    """Whether the second issue is of, in or about the subject of the first."""
    name = one.subject.removeprefix("size ")
    return name in (other.subject, other.within) or f" {name} " in f" {other.subject} {other.text[:-1]} "


def _common(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        codes = [issue.code for issue in finding.issues]
        for code in dict.fromkeys(codes):
            if codes.count(code) >= COMMON_LEAST:
                names = [issue.whose for issue in finding.issues if issue.code == code]
                number = number_word(len(names))
                yield f"The same holds for {number}, which makes a common cause likely: each {PHRASES[code]}."
