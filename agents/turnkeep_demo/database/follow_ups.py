"""Follow-up questions: another period, another state, or the same by something. The complete new question is built and
must itself be known."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import TypeAlias

from turnkeep.kit.words import words
from turnkeep_demo.database import periods
from turnkeep_demo.database.questions import Slot, Understood, tokens_of, value_tokens

OPENING = frozenset(
    words("and what about how count list show them those these it only just then now break down split instead one")
)
"""Words that begin a follow-up: "And what about the failed ones?", "Break them down by crew"."""
GROUPING = re.compile(r",?\s+(?:by|per|for each|in each)\s")

Understand: TypeAlias = Callable[[str], Understood | None]


def go_on(message: str, last: str, today: date, understand: Understand) -> Understood | None:
    """Return the new question; None if the message is not a known follow-up, or fits two."""
    before = understand(last)
    if before is None:
        return None
    found = {known.sql: known for text in _candidates(message, before, today) if (known := understand(text))}
    return next(iter(found.values())) if len(found) == 1 else None


def _candidates(message: str, before: Understood, today: date) -> Iterator[str]:
    period, span = _period(message, before, today)
    tokens = [word for word in tokens_of(message[: span[0]] + " " + message[span[1] :]) if word not in OPENING]
    text = before.question.rstrip(" ?.!")
    old = periods.find(text, today, is_ahead=before.known.is_ahead(text))
    if period and old:
        text = f"{text[: old.span[0]].rstrip()} {period.phrase}{text[old.span[1] :]}"
    elif period:
        text = f"{text} {period.phrase}"
    if not tokens and period:
        yield f"{text}?"
    elif tokens[:1] == ["by"]:
        yield f"{GROUPING.split(text)[0]}, {' '.join(tokens)}?"
    else:
        yield from _with_value(text, tuple(tokens), before)


def _period(message: str, before: Understood, today: date) -> tuple[periods.Period | None, tuple[int, int]]:
    """Return the message's period, named directly or relative to the earlier one, and its position."""
    if (step := periods.step_from(message)) and before.period:
        way, unit, span = step
        return (before.period.moved(way), span) if before.period.unit in ("", unit) else (None, (0, 0))
    found = periods.find(message, today, is_ahead=before.known.is_ahead(f"{before.question} {message}"))
    return (found.period, found.span) if found else (None, (0, 0))


def _with_value(text: str, terms: tuple[str, ...], before: Understood) -> Iterator[str]:
    """Yield the question with another state: "And the late ones?" after a question for those in time."""
    for slot in (each for each in before.known.elements if isinstance(each, Slot)):
        if terms in slot.options:
            yield _replaced(f"{text}?", before.values[slot.original], slot.options[terms].replace("_", " "))


def _replaced(text: str, old: str, new: str) -> str:
    """Replace a value. A plural stays plural, "doors" for "gates"; the s of "Leeds" is not a plural."""
    forms = "|".join(re.escape(each) for each in (old.replace("_", " "), " ".join(value_tokens(old))))
    return re.sub(rf"\b(?:{forms})(s?)\b", rf"{new}\1", text, count=1, flags=re.IGNORECASE)
