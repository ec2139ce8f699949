"""Reads a message: one typed call, and code that evaluates the facts that it names."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from turnkeep.models.calls import TypedCall
from turnkeep.records import JSON
from turnkeep_agents.regulations.facts.reading import Fact, Kind, canonical
from turnkeep_agents.regulations.state import Composition

MOST_SEARCHES, MOST_FACTS = 3, 12
MONTH_OPEN = "month not named"  # "e se era il 20?" refers to an earlier month, "il 30 settembre, anzi il 29" as well
LANGUAGES = ("it", "en")
MOST_CHARACTERS = 500  # of a search or a standalone question
_WITHOUT_DOCUMENTS: Mapping[Composition, Composition] = {"pure_doc": "chat", "hybrid": "pure_kb"}


class Span(BaseModel):
    """A fact that the message names."""

    text: str = Field(description="copied from what the user wrote, letter by letter")
    kind: Kind
    has_passed: bool = Field(description="whether the message tells of it as gone by")


class Reading(BaseModel):
    """What the message asks."""

    question: str = Field(min_length=1)
    language: str
    domain: Literal["tax", "labour", "social_security", "procedure", "none"]
    domain_confidence: float = Field(ge=0, le=1)
    action: Literal["explain", "define", "look_up", "calculate", "summarise", "talk"]
    composition: Composition
    composition_confidence: float = Field(ge=0, le=1)
    searches: list[str]
    facts: list[Span]
    needs_professional: bool


READ_CALL = TypedCall("regulations.read", Reading, max_tokens=700)


def checked(reading: Reading, message: str, *, has_documents: bool) -> Reading:
    """Return the reading within its limits; without a document, nothing can be answered from one."""
    question = reading.question.strip()[:MOST_CHARACTERS] or message[:MOST_CHARACTERS]
    searches = [search.strip()[:MOST_CHARACTERS] for search in reading.searches if search.strip()][:MOST_SEARCHES]
    composition = (
        reading.composition if has_documents else _WITHOUT_DOCUMENTS.get(reading.composition, reading.composition)
    )
    return reading.model_copy(
        update={"question": question, "searches": searches or [question], "composition": composition}
    )


def facts_in(
    messages: Sequence[str], spans: Sequence[Span], language: str, today: date
) -> tuple[list[JSON], list[str]]:
    """Return facts with their values, and spans without one; a span that is in no message of the user is dropped."""
    facts: list[JSON] = []
    unread: list[str] = []
    for span in spans[:MOST_FACTS]:
        if not span.text.strip() or not any(span.text in message for message in messages):
            continue
        fact = _fact(span, language, today)
        has_other_day = any(each.kind in ("date", "period") for each in spans if each is not span)
        is_open = fact and fact.reading.startswith(MONTH_OPEN) and (len(messages) > 1 or has_other_day)
        if fact and fact.value and not is_open:
            facts.append(asdict(fact))
        else:
            unread.append(f"{span.text} ({fact.reading})" if fact else span.text)
    return facts, unread


def _fact(span: Span, language: str, today: date) -> Fact | None:
    """Read the span in the reply's language, else in another: a message may mix them, or ask for another one."""
    read = (canonical(span.text, span.kind, today=today, language=each) for each in (language, *LANGUAGES))
    fact = next(filter(None, read), None)
    is_other = fact and fact.other and span.has_passed and fact.kind in ("date", "period") and fact.value > str(today)
    if fact and is_other:
        return replace(fact, value=fact.other, reading=f"{fact.reading.partition(',')[0]}, gone by", other=fact.value)
    return fact


def fact_note(fact: JSON) -> str:
    """Format a fact for a prompt: "il 31 marzo (date) = 2027-03-31; year not named, the next 31 March"."""
    value = " ".join(filter(None, [fact["value"], fact["unit"]]))
    return "; ".join(filter(None, [f"{fact['text']} ({fact['kind']}) = {value}", fact["reading"]]))
