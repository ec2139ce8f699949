"""What the demo reads in a message for `regulations`: what it is about, what it may be answered from, its facts."""

import re
from collections.abc import Sequence
from datetime import date

from turnkeep.blocks.facts import find
from turnkeep.records import JSON
from turnkeep_agents.regulations.knowledge.references import Reference, references
from turnkeep_demo.regulations import forms
from turnkeep_demo.regulations.vocabulary import MOST_CHARACTERS, field_of, language_of

IRPEF_SEARCH = "aliquote e scaglioni IRPEF, art. 11 TUIR"

_A = frozenset(["un", "uno", "una", "a", "an", "one"])
_TODAY = re.compile(r"^Today is .*(\d{4}-\d\d-\d\d)")
_MONTHS = r"(?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic|jan|may|jun|jul|aug|sep|oct|dec)[a-z]*"
_DAY = re.compile(rf"\b\d\d? (?:di |of )?{_MONTHS}\b", re.IGNORECASE)


def read(parts: JSON) -> JSON:
    message, notes = parts["query"], parts["notes"]
    language, is_talk = language_of(message), forms.talk_of(message) is not None
    question = message if is_talk else forms.standalone(message, parts["conversation"])
    norms, (field, sure_of_field) = references(question), field_of(question)
    action = "talk" if is_talk else forms.action_of(message, is_named=bool(norms))
    composition, sure = ("chat", 1.0) if is_talk else _composition(message, notes, is_law=bool(field or norms))
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
        "facts": _facts(without(message, references(message)), notes, language),
        "needs_professional": forms.OWN_CASE.search(message[:MOST_CHARACTERS]) is not None,
    }


def _composition(message: str, notes: Sequence[str], *, is_law: bool) -> tuple[str, float]:
    """And how sure that is: what speaks neither of a document nor in words of the law is a guess."""
    if said := forms.composition_of(message, notes):
        return said, 0.9
    has_documents = bool(forms.attached_names(notes))
    return ("pure_doc", 0.5) if has_documents and not is_law else ("pure_kb", 0.5 if has_documents else 0.9)


def _facts(message: str, notes: Sequence[str], language: str) -> list[JSON]:
    """What has a value, and days that no month has: "il 31 febbraio" is asked about."""
    [today] = [date.fromisoformat(day) for note in notes for day in _TODAY.findall(note)]
    found = find(message, today=today, language=language)
    facts = [{"text": one.text, "kind": one.kind} for one in found if one.text.lower() not in _A]
    days = [day for day in _DAY.findall(message) if not any(day in one.text for one in found)]
    return facts + [{"text": day, "kind": "date"} for day in days]


def without(message: str, norms: Sequence[Reference]) -> str:
    """The message with blanks in place of numbers of laws."""
    for norm in norms:
        message = f"{message[: norm.start]}{' ' * (norm.end - norm.start)}{message[norm.end :]}"
    return message
