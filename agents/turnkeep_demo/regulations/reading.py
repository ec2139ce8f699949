"""What the demo reads in a message for `regulations`: what it is about, what it may be answered from, its facts."""

import re
from collections.abc import Sequence
from datetime import date

from turnkeep.records import JSON
from turnkeep_agents.regulations.facts import find
from turnkeep_agents.regulations.knowledge.references import Reference, references
from turnkeep_demo.regulations import forms
from turnkeep_demo.regulations.vocabulary import MOST_CHARACTERS, field_of, language_of

IRPEF_SEARCH = "aliquote e scaglioni IRPEF, art. 11 TUIR"

_A = frozenset(["un", "uno", "una", "a", "an", "one"])
_PAST = re.compile(r"\b(?:ho|ha|hanno|abbiamo|stat[oaie]|was|were|had|got|fired|received)\b", re.IGNORECASE)
_TODAY = re.compile(r"^Today is .*(\d{4}-\d\d-\d\d)")
_MONTHS = r"(?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic|jan|may|jun|jul|aug|sep|oct|dec)[a-z]*"
_DAY = re.compile(rf"\b\d\d? (?:di |of )?{_MONTHS}\b", re.IGNORECASE)


def read(parts: JSON) -> JSON:
    message, notes = parts["query"], parts["notes"]
    language, is_talk = language_of(message), forms.talk_of(message) is not None
    question = message if is_talk else forms.standalone(message, parts["conversation"])
    norms, (field, sure_of_field) = references(question), field_of(question)
    action = "talk" if is_talk else forms.action_of(message, is_named=bool(norms))
    composition, sure = ("chat", 1.0) if is_talk else forms.composition_of(question, notes, is_law=bool(field or norms))
    is_irpef = action == "calculate" and "irpef" in question.lower()
    return {
        "question": question or "?",
        "language": language,
        "domain": field or ("labour" if norms else "none"),
        "domain_confidence": sure_of_field,
        "action": action,
        "composition": composition,
        "composition_confidence": sure,
        "searches": [] if is_talk else [IRPEF_SEARCH] if is_irpef else [question],
        "facts": [] if is_talk else _facts(without(message, references(message)), notes, language),
        "needs_professional": forms.OWN_CASE.search(message[:MOST_CHARACTERS]) is not None,
    }


def _facts(message: str, notes: Sequence[str], language: str) -> list[JSON]:
    """What has a value, and days that no month has: "il 31 febbraio" is asked about."""
    [today] = [date.fromisoformat(day) for note in notes for day in _TODAY.findall(note)]
    found = find(message, today=today, language=language)
    facts: list[tuple[str, str]] = [(one.text, one.kind) for one in found if one.text.lower() not in _A]
    facts += [(day, "date") for day in _DAY.findall(message) if not any(day in one.text for one in found)]
    has_passed = _PAST.search(message) is not None
    return [{"text": text, "kind": kind, "has_passed": has_passed} for text, kind in facts]


def without(message: str, norms: Sequence[Reference]) -> str:
    """The message with blanks in place of numbers of laws."""
    for norm in norms:
        message = f"{message[: norm.start]}{' ' * (norm.end - norm.start)}{message[norm.end :]}"
    return message
