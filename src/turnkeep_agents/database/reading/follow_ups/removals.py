"""Wishes to have a condition taken back: "without that filter", "forget the filter on status"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Asked, Condition, Field
from turnkeep.blocks.words import singular, words

MOST_CHARACTERS = 200

_FILTER = r"(?:filter|condition|restriction|criterion|criteria|constraint|limitation)s?"
_TAKING = (
    r"(?:(?:remove|drop|forget|clear|lift|undo|ignore|skip|cancel|delete|omit|reset|lose|unset)(?: about)?"
    r"|get rid of|take (?:away|off|out|back)|leave (?:out|off|away)|do without|stop using|without|no)"
)
_REMOVAL = re.compile(
    r"^\W*(?:(?:and|ok|okay|please|now|then|so|but|well|no|yes|can you|could you|again|the same|show (?:it|them|me|us))"
    r"\b[\s,]*)*"
    rf"{_TAKING} (?P<all>all(?: of)? )?(?:that|the|this|those|these|my|any|your|last)?(?: (?:last|latest|other))?"
    rf"(?: (?P<of>[\w' -]{{2,40}}?))? ?{_FILTER}(?: (?:on|for|of|by|about|with) (?:the )?(?P<on>[\w' -]{{2,40}}?))?"
    r"(?: (?:again|now|please|then|too|from (?:it|them|the list)))*\W*$",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b(?:filters|conditions|restrictions|criteria|constraints|limitations)\b", re.IGNORECASE)

_AFRESH = re.compile(
    r"^\W*(?:(?:please|ok|okay|no|let us|let's|now)\W+)*"
    r"(?:(?:start|begin)(?: it)? (?:over|again|anew|afresh|from scratch)(?: again)?|from scratch"
    r"|reset(?: (?:it|that|this|everything|all))?)\W*(?:please)?\W*$",
    re.IGNORECASE,
)


def takes_filter_back(text: str) -> bool:
    return len(text) <= MOST_CHARACTERS and _REMOVAL.match(text) is not None


def without_filter(text: str, before: Sequence[Asked]) -> Asked | None:
    """The last question of a conversation without the filter that `text` names, or the one that came last, or all of
    them; None where `text` takes back nothing that is there."""
    found = _REMOVAL.match(text[: MOST_CHARACTERS + 1])
    if found is None or not before:
        return None
    now = before[-1]
    if named := words(f"{found['of'] or ''} {found['on'] or ''}"):
        kept = _without_named(now, {singular(word) for word in named})
    elif found["all"] or _PLURAL.search(text):
        kept = replace(now, conditions=(), absences=(), period=None, keep=None)
    else:
        kept = _without_newest(before)
    kept = replace(kept, unread=(), missing=(), page=0)
    return None if changes_nothing(kept, now) else kept


def afresh(text: str, before: Asked) -> Asked | None:
    """The rows of the question before without all that was said of them, where `text` wants to begin anew."""
    if _AFRESH.match(text[: MOST_CHARACTERS + 1]) is None:
        return None
    return Asked(before.subject, measure="count" if before.measure == "count" else "rows")


def changes_nothing(asked: Asked, before: Asked) -> bool:
    """Whether both ask for the same, whatever of them could not be read."""
    return replace(asked, unread=(), missing=(), page=0) == replace(before, unread=(), missing=(), page=0)


def _without_named(now: Asked, said: set[str]) -> Asked:
    conditions = tuple(one for one in now.conditions if said.isdisjoint(_words_of(one)))
    absences = tuple(one for one in now.absences if said.isdisjoint(name_words(one.table)))
    is_dated = now.period is not None and not said.isdisjoint({*_words_of_field(now.period.field), "date", "period"})
    return replace(now, conditions=conditions, absences=absences, period=None if is_dated else now.period)


def _words_of(condition: Condition) -> set[str]:
    values = (str(value).replace("_", " ") for value in condition.values if not isinstance(value, Field))
    return {*_words_of_field(condition.field), *(singular(word) for value in values for word in words(value))}


def _words_of_field(field: Field) -> set[str]:
    return {singular(word) for word in (*name_words(field.column), *name_words(field.table))}


def _without_newest(before: Sequence[Asked]) -> Asked:
    """What the newest question has more than the last one that had other filters; all of it, where none had."""
    now = before[-1]
    earlier = next((one for one in reversed(before[:-1]) if _filters(one) != _filters(now)), None)
    if earlier is None or not _has_more(now, earlier):
        return replace(now, conditions=now.conditions[:-1]) if now.conditions else _without_the_rest(now)
    return replace(
        now,
        conditions=_both(now.conditions, earlier.conditions),
        absences=_both(now.absences, earlier.absences),
        period=earlier.period if now.period != earlier.period else now.period,
        keep=earlier.keep if now.keep != earlier.keep else now.keep,
    )


def _without_the_rest(now: Asked) -> Asked:
    if now.absences:
        return replace(now, absences=now.absences[:-1])
    return replace(now, keep=None) if now.keep else replace(now, period=None)


def _has_more(now: Asked, earlier: Asked) -> bool:
    own, old = _filters(now), _filters(earlier)
    return any(one and one not in old for one in own)


def _filters(asked: Asked) -> tuple[object, ...]:
    return (*asked.conditions, *asked.absences, asked.period, asked.keep)


def _both[T](now: Iterable[T], earlier: Iterable[T]) -> tuple[T, ...]:
    kept = tuple(earlier)
    return tuple(one for one in now if one in kept)
