"""What was asked for in words: "open work orders with crew “North”, due from 1 May 2026 to 31 May 2026 (May)". Only the
names of tables and columns are known here, not their kinds."""

from collections.abc import Iterable, Sequence
from datetime import date

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import (
    EARLIEST,
    LATEST,
    Absence,
    Asked,
    Condition,
    Field,
    Period,
    Test,
    Value,
)
from turnkeep_agents.database.writing.cells import escaped, listed, told_day, told_number
from turnkeep_agents.database.writing.names import column_words, link_words, many_of, one_of, plural
from turnkeep.blocks.grammar import word_class

_STATES = word_class("status state stage phase priority severity type kind category trade")
_ROLES = word_class("position role occupation profession job")
_NAMES = word_class("name title label")
_DATED = word_class("at on date time day")
_BEING, _HAVING = word_class("is are was"), word_class("has have had")
_PREPOSITIONS = word_class("at on")
_LIMITS: dict[Test, tuple[str, str]] = {
    "over": ("over", "after"),
    "at_least": ("at least", "from"),
    "under": ("under", "before"),
    "at_most": ("at most", "up to"),
}

_VERBS: dict[Test, str] = {
    "is_not": "other than ",
    "contains": "containing ",
    "named": "called ",
    "starts": "starting with ",
    "ends": "ending with ",
}


def phrase(asked: Asked, *, is_one: bool = False) -> str:
    """The rows that are asked for, as a noun with all that narrows it down; `is_one` for the singular."""
    return _phrase(asked.subject, asked.conditions, asked.period, asked.absences, is_one=is_one)


def column_in_words(field: Field, subject: str) -> str:
    """ "due date", and of another table "customer city" or just "customer" where it is the name."""
    words = column_words(field.column)
    if field.since:
        return f"days from {' '.join(column_words(field.since))} to {' '.join(words)}"
    if field.table == subject and not field.via:
        return " ".join(words)
    owner = link_words(field.via) if field.via else one_of(field.table)
    return " ".join(owner if words[-1:] and words[-1] in _NAMES else (*owner, *words))


def is_dated(field: Field) -> bool:
    """By its name."""
    return name_words(field.column)[-1:] != () and name_words(field.column)[-1] in _DATED


def period_in_words(period: Period, subject: str) -> str:
    """ "due from 1 May 2026 to 31 May 2026 (May)"."""
    if period.until:  # rows that last, such as employees, are not dated by the day on which they began
        return f"current {'' if period.start == period.end else 'at some time '}{days_in_words(period)}"
    return f"{_when(column_in_words(period.field, subject))} {days_in_words(period)}"


def days_in_words(period: Period) -> str:
    start, end = told_day(period.start), told_day(period.end)
    if period.start <= EARLIEST:
        days = f"up to {end}"
    elif period.end >= LATEST:
        days = f"from {start}"
    else:
        days = f"on {start}" if start == end else f"from {start} to {end}"
    said = escaped(period.words)
    return days if not said or said in days else f"{days} ({said})"


def condition_in_words(condition: Condition, subject: str) -> str:
    """ "status open", "total over 500", "no due date": what could be left out."""
    front, noun, behind = _parts(subject, [condition])
    return " ".join(behind).removeprefix("with ") if behind else " ".join(front) or noun


def state_in_words(condition: Condition) -> str:
    """ "active", "not terminated", "no leaving date"."""
    if not condition.values:
        return condition_in_words(condition, condition.field.table)
    if _is_truth(condition):
        return _quality(condition, name_words(condition.field.column))
    return f"{'not ' if condition.test == 'is_not' else ''}{_either(condition.values)}"


def limits_in_words(condition: Condition) -> str:
    """What figures must be: "over 5", "between 1 and 3"."""
    test, values = condition.test, [_value(value) for value in condition.values]
    if test == "between":
        return f"between {values[0]} and {values[-1]}"
    word = _LIMITS[test][0] if test in _LIMITS else {"is": "exactly", "is_not": "other than"}.get(test, "")
    return " ".join([word, *values[:1]]).strip()


def _phrase(
    subject: str,
    conditions: Sequence[Condition],
    period: Period | None,
    absences: Iterable[Absence] = (),
    *,
    is_one: bool = False,
) -> str:
    front, noun, behind = _parts(subject, conditions)
    words = noun or " ".join(one_of(subject))
    words = words if is_one else " ".join(plural(words.split()) if noun else many_of(subject))
    belonging = [f"{'without' if each.is_absent else 'with'} {_absent(each)}" for each in absences]
    text = " ".join([*front, words, listed([*behind, *belonging])]).strip()
    return f"{text}, {period_in_words(period, subject)}" if period else text


def _absent(absence: Absence) -> str:
    many = _phrase(absence.table, absence.conditions, absence.period)
    if absence.of:
        limits = limits_in_words(Condition(absence.of, absence.test, absence.times))
        return f"a {' '.join(name_words(absence.of.column))} of {many} {limits}"
    if (absence.test, absence.times) == ("at_least", (1,)):
        return many
    if absence.test == "between":
        return f"{absence.times[0]} to {absence.times[-1]} {many}"
    word = {"over": "more than", "under": "fewer than", "is_not": "not"}.get(absence.test) or (
        _LIMITS[absence.test][0] if absence.test in _LIMITS else "exactly"
    )
    one = _phrase(absence.table, absence.conditions, absence.period, is_one=True)
    return f"{word} {absence.times[0]:,} {one if absence.times[0] == 1 else many}"


def _parts(subject: str, conditions: Iterable[Condition]) -> tuple[list[str], str, list[str]]:
    """Adjectives, a noun in the place of the subject's where a role is one, and what stands behind."""
    front, noun, behind = [], "", []
    for condition in conditions:
        words = name_words(condition.field.column) or ("",)
        own = condition.field.table == subject and not condition.field.via
        if own and _is_truth(condition) and words[0] in _HAVING:
            behind.append(f"{'with' if _is_so(condition) else 'without'} {' '.join(words[1:])}")
        elif own and _is_truth(condition):
            front.append(_quality(condition, words))
        elif own and condition.test == "is" and words[-1] in _STATES:
            front.append(_either(condition.values))
        elif own and condition.test == "is" and words[-1] in _ROLES and _is_noun(condition) and not noun:
            noun = _either(condition.values)
        else:
            behind.append(_behind(condition, subject))
    return front, noun, behind


def _is_truth(condition: Condition) -> bool:
    return condition.test in ("is", "is_not") and all(isinstance(value, bool) for value in condition.values)


def _is_noun(condition: Condition) -> bool:
    return len(condition.values) == 1 and str(condition.values[0]).replace("_", " ").replace(" ", "").isalpha()


def _quality(condition: Condition, words: tuple[str, ...]) -> str:
    plain = " ".join(words[1:] if words[0] in _BEING and len(words) > 1 else words)
    return plain if _is_so(condition) else f"not {plain}"


def _is_so(condition: Condition) -> bool:
    return bool(condition.values[0]) == (condition.test == "is")


def _behind(condition: Condition, subject: str) -> str:
    name, test, values = column_in_words(condition.field, subject), condition.test, condition.values
    if test in ("is_missing", "is_there") or not values:
        thing = " ".join(link_words(condition.field.column)) if condition.field.table == subject else name
        return _there(thing, is_missing=test == "is_missing")
    if test in _LIMITS:
        is_day = _as_day(values[0]) is not None
        return f"{_when(name) if is_day else f'with {name}'} {_LIMITS[test][is_day]} {_value(values[0])}"
    if test == "between":
        verb = f"with {name}" if _as_day(values[0]) is None else _when(name)
        return f"{verb} between {_value(values[0])} and {_value(values[-1])}"
    name = " or ".join(dict.fromkeys([name, *(column_in_words(other, subject) for other in condition.others)]))
    verb = _VERBS.get(test, "")
    return f"with {name} {verb}{_either(values, quotes=True)}"


def _there(name: str, *, is_missing: bool) -> str:
    """ "Completed" and "not completed" of completed at; "with email" and "without email" of email."""
    *words, last = name.split()
    if words and last in _PREPOSITIONS and words[-1].endswith("ed"):
        return f"{'not ' if is_missing else ''}{' '.join(words)}"
    return f"{'without' if is_missing else 'with'} {name}"


def _when(name: str) -> str:
    """What comes before a day: "issued" of issued on, "with hire date" of hire date."""
    words = name.split()
    is_verb = len(words) > 1 and (words[-1] in _PREPOSITIONS or words == ["due", "date"])
    return " ".join([*words[:-2], _participle(words[-2])]) if is_verb else f"with {name}"


def _participle(verb: str) -> str:
    """Starting for starts; what has happened, as issued, stays."""
    if not verb.endswith("s") or verb.endswith("ss"):
        return verb
    return f"{verb[:-1].removesuffix('e')}ing"


def _either(values: Sequence[Value], *, quotes: bool = False) -> str:
    told = [f"“{_value(value)}”" if quotes and isinstance(value, str) else _value(value) for value in values]
    return listed(told, "or")


def _value(value: Value) -> str:
    if isinstance(value, Field):
        return f"their {column_in_words(value, value.table)}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        day = _as_day(value)
        return told_day(day) if day else escaped(value.replace("_", " "))
    return told_number(value)


def _as_day(value: Value) -> date | None:
    if not isinstance(value, str) or len(value) != len("2026-05-04"):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
