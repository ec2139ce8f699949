"""Which recommendations may be shown, whoever worded them. Each objection is kept with what became of its item."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from turnkeep_agents.campaigns.advice import Recommendation
from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.findings import Finding, known_texts
from turnkeep_agents.campaigns.requests import Frozen
from turnkeep.blocks.figures import foreign_figures

type Direction = Literal["up", "down"]

RANKS = ("high", "medium", "low", None)
UP = r"rais\w*|increas\w*|boost\w*|scal\w* up|expand\w*|doubl\w*|grow\w*|strengthen\w*|spend more|resume\w*|extend\w*"
DOWN = r"cut\w*|lower\w*|reduc\w*|decreas\w*|paus\w*|stop\w*|halv\w*|spend less|limit\w*|hold\w*|archiv\w*|scal\w* down"
MOVE = r"mov\w*|shift\w*|reallocat\w*|transfer\w*"
_VERB = re.compile(rf"\b(?:(?P<up>{UP})|(?P<down>{DOWN})|(?P<move>{MOVE}))\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"\W*(?:please )?(?:optimi[sz]e|improve|enhance|review|monitor|consider|look into|look at|analy[sz]e|leverage"
    r"|keep an eye on|think about|work on|focus on|ensure|maximi[sz]e)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


class Objection(Frozen):
    """What was wrong with a recommendation, and what became of it; `action` tells which."""

    code: str
    text: str
    outcome: Literal["dropped", "lowered", "kept"]
    action: str = ""


class Validated(Frozen):
    recommendations: tuple[Recommendation, ...]
    objections: tuple[Objection, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The codes that the client sees, each once."""
        return tuple(dict.fromkeys(objection.code for objection in self.objections))


def validate(recommendations: Sequence[Recommendation], diagnosis: Diagnosis, findings: Sequence[Finding]) -> Validated:
    """Drops what is incomplete, too vague, quotes a number of its own or contradicts a more urgent one; sets right what
    is more urgent than the diagnosis; tells of advice that is less so."""
    names, known = _names(findings), [*known_texts(findings), *_said(diagnosis)]
    kept: list[Recommendation] = []
    objections: list[Objection] = []
    for each in sorted(recommendations, key=_rank):
        found = _object(each, names, known) or _conflict(each, kept, names)
        objections += [found] if found else []
        if found is None or found.outcome == "kept":
            kept.append(each)
    aligned, misaligned = _align(kept, diagnosis)
    return Validated(recommendations=tuple(sorted(aligned, key=_rank)), objections=(*objections, *misaligned))


def directions(action: str, names: Sequence[str]) -> dict[str, Direction]:
    """Which of the named things an action strengthens or cuts. Of what is moved the last named gains."""
    found: dict[str, Direction] = {}
    places, rest = _places(action, names)
    verbs = list(_VERB.finditer(rest))
    for at, verb in enumerate(verbs):
        end = verbs[at + 1].start() if at + 1 < len(verbs) else len(rest)
        named = [name for start, name in places if verb.end() <= start < end]
        if verb["move"]:
            found.update(dict.fromkeys(named[:-1], "down"))
            found.update(dict.fromkeys(named[1:][-1:], "up"))
        else:
            found.update(dict.fromkeys(named, "up" if verb["up"] else "down"))
    return found


def _rank(each: Recommendation) -> int:
    return RANKS.index(each.priority)


def _object(each: Recommendation, names: Sequence[str], known: Sequence[str]) -> Objection | None:
    """What is wrong with a recommendation on its own."""
    missing = [field for field in ("action", "priority", "reason") if not (getattr(each, field) or "").strip()]
    if missing:
        return _objection("recommendation_incomplete", f"It has no {' and no '.join(missing)}.", "dropped", each)
    has_subject, has_number = bool(_named(each.action, names)), bool(_DIGIT.search(each.action))
    if not has_subject and not has_number:
        return _objection("recommendation_vague", "It names neither a subject nor an amount.", "dropped", each)
    foreign = foreign_figures(f"{each.action}\n{each.reason}\n{each.expected_impact}", known)
    if foreign:
        return _objection("figure_removed", f"It quotes what nobody computed: {', '.join(foreign)}.", "dropped", each)
    if _VAGUE.match(each.action) and not has_number:
        return _objection("recommendation_vague", "It says on what, but not what to do.", "kept", each)
    return None


def _conflict(each: Recommendation, kept: Sequence[Recommendation], names: Sequence[str]) -> Objection | None:
    """Whether it strengthens what a more urgent one cuts, or says the same again."""
    ours = directions(each.action, names)
    for other in kept:
        if each.action.casefold() == other.action.casefold():
            return _objection("recommendation_repeated", "It stands there already.", "dropped", each)
        theirs = directions(other.action, names)
        against = [name for name in ours if theirs.get(name, ours[name]) != ours[name]]
        if against:
            said = f"It contradicts a more urgent one about {', '.join(against)}."
            return _objection("recommendation_conflict", said, "dropped", each)
    return None


def _align(kept: Sequence[Recommendation], diagnosis: Diagnosis) -> tuple[list[Recommendation], list[Objection]]:
    """Priorities against the severity: a low diagnosis has no high priority; a grave one with low ones only is said."""
    if diagnosis.severity in ("none", "low"):
        high = [each for each in kept if each.priority == "high"]
        said = f"It is more urgent than a diagnosis of severity {diagnosis.severity}."
        lowered = [each.model_copy(update={"priority": "low"}) if each in high else each for each in kept]
        return lowered, [_objection("severity_mismatch", said, "lowered", each) for each in high]
    if diagnosis.severity in ("high", "critical") and kept and all(each.priority == "low" for each in kept):
        said = f"All advice is of low priority, and the diagnosis of severity {diagnosis.severity}."
        return list(kept), [Objection(code="severity_mismatch", text=said, outcome="kept")]
    return list(kept), []


def _objection(code: str, text: str, outcome: Literal["dropped", "lowered", "kept"], each: Recommendation) -> Objection:
    return Objection(code=code, text=text, outcome=outcome, action=each.action)


def _names(findings: Sequence[Finding]) -> list[str]:
    """All things that the findings speak of, the longest name first."""
    found = {name for finding in findings for name in finding.listed}
    for finding in findings:
        found |= {figure.subject for figure in finding.figures}
        found |= {name for issue in finding.issues for name in (issue.subject, issue.whose, issue.within, issue.better)}
    return sorted(filter(None, found), key=lambda name: (-len(name), name))


def _named(text: str, names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name for _, name in _places(text, names)[0]))


def _places(text: str, names: Sequence[str]) -> tuple[list[tuple[int, str]], str]:
    """Where a text names known things, in its order, and the text without them: a name within a longer one is not
    meant, and a verb within a name is none."""
    found: list[tuple[int, str]] = []
    for name in names:
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        found += [(match.start(), name) for match in pattern.finditer(text)]
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return sorted(found), text


def _said(diagnosis: Diagnosis) -> Iterator[str]:
    yield diagnosis.summary
    yield from diagnosis.root_causes
    yield from diagnosis.correlations
