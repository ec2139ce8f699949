"""States that rows are in: told by a value of a column of states, or by the day on which it was reached (completed on).
The value is that of today, whatever time a question speaks of; only days say what was so before."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Period
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.times.stays import is_stay
from turnkeep_agents.database.reading.words.stems import root
from turnkeep_agents.database.reading.words.vocabulary import FINAL_STATES, STATES, UNFINISHED
from turnkeep.blocks.grammar import word_class

_STATE_WORDS = word_class("status state stage phase")
_THERE = frozenset(map(root, word_class("active current present employed enrolled valid enabled")))
_GONE = frozenset(
    map(
        root,
        word_class("inactive former terminated left gone ended disbanded retired resigned dismissed closed expired"),
    )
)


def without_contradicted(ground: Ground, old: Sequence[Condition], new: Sequence[Condition]) -> list[Condition]:
    """The old conditions without those that no row meets together with a new one: it has one state at a time."""
    left = [states for one in new if (states := states_left(ground, one))]
    return [one for one in old if not any(_excludes(states_left(ground, one), other) for other in left)]


def of_then(asked: Asked, ground: Ground, today: date) -> Asked:
    """The question without conditions on who is there today, where its days say who was there then. All else that it
    says of states holds today."""
    period = asked.period
    asked = replace(asked, stays=tuple(_stays(asked, ground)))
    if period is None or period.start <= today <= period.end:
        return asked
    own = [one for one in asked.conditions if one.field.table == asked.subject and one.test in ("is", "is_not")]
    if period.until:
        named = [one for one in asked.conditions if _says_there(ground, one, period.until)]
        rest = tuple(one for one in asked.conditions if one not in named)
        absences = tuple(_at_that_time(one, asked, ground) for one in asked.absences)
        asked = replace(asked, absences=absences)
        return replace(asked, conditions=rest, waived=tuple(named), states=tuple(_passing(ground, [*own], named)))
    return replace(asked, states=tuple(_passing(ground, own))) if period.end < today else asked


def unfinished(ground: Ground, table: str, word: str) -> Condition | None:
    """What "open" says of rows without a state of that name: they are neither done nor called off."""
    if root(word) not in UNFINISHED:
        return None
    for name, column in ground.graph.tables[table].columns.items():
        final = tuple(value for value in column.values if root(value.lower()) in FINAL_STATES)
        if final and len(final) < len(column.values):
            return Condition(Field(table, name), "is_not", final)
    return None


def is_of_states(ground: Ground, asked: Asked) -> bool:
    """Whether it asks of states that rows are in at a time, or of who was there."""
    is_span = asked.period is not None and asked.period.until is not None
    return is_span or bool(_passing(ground, asked.conditions))


def _at_that_time(absence: Absence, asked: Asked, ground: Ground) -> Absence:
    """Rows that give something for a while, in the time that is asked of."""
    span = ground.profiles[absence.table].span
    if absence.period or asked.period is None or span is None or not is_stay(ground, absence.table):
        return absence
    field, until = Field(absence.table, span[0]), Field(absence.table, span[1])
    return replace(absence, period=replace(asked.period, field=field, until=until))


def _stays(asked: Asked, ground: Ground) -> Iterator[Period]:
    """The days of the rows that lead from the subject to a group, where the question is of who was there in a time."""
    period = asked.period
    if period is None or period.until is None:
        return
    groups = {field.table for field in asked.groups} - {asked.subject}
    passed = {link.from_table for table in groups for link in ground.path(asked.subject, table) or ()}
    for table in sorted(passed - groups - {asked.subject}):
        span = ground.profiles[table].span
        if span:
            yield replace(period, field=Field(table, span[0]), until=Field(table, span[1]))


def states_left(ground: Ground, condition: Condition) -> tuple[Field, frozenset[str]] | None:
    """The column of states that a condition speaks of, and the values that it leaves."""
    field, test = condition.field, condition.test
    if field.table not in ground.profiles:
        return None
    values = _values(ground, field)
    if values and test in ("is", "is_not"):
        said = {str(value) for value in condition.values}
        return field, frozenset(values & said if test == "is" else values - said)
    if test not in ("is_there", "is_missing") or ground.kind(field) not in DATED:
        return None
    for name in ground.graph.tables[field.table].columns:
        reached = {value for value in _values(ground, Field(field.table, name)) if _is_reached(field.column, value)}
        if reached:
            everything = _values(ground, Field(field.table, name))
            return Field(field.table, name), frozenset(reached if test == "is_there" else everything - reached)
    return None


def _excludes(one: tuple[Field, frozenset[str]] | None, other: tuple[Field, frozenset[str]]) -> bool:
    return one is not None and one[0] == other[0] and not one[1] & other[1]


def _values(ground: Ground, field: Field) -> frozenset[str]:
    """The states of a column of states; of any other nothing."""
    column = ground.graph.tables[field.table].columns.get(field.column)
    is_state = column is not None and name_words(column.name)[-1:] and name_words(column.name)[-1] in _STATE_WORDS
    return frozenset(column.values) if column and is_state else frozenset()


def _is_reached(column: str, value: str) -> bool:
    """Whether a row is in the state from the day of the column on."""
    day, state = set(map(root, name_words(column))), set(map(root, name_words(value)))
    return bool(state) and (state <= day or any(state <= kin and kin & day for kin in STATES))


def _says_there(ground: Ground, condition: Condition, until: Field) -> bool:
    """Whether it holds for rows that have not ended by now."""
    if condition.field == until:
        return condition.test == "is_missing"
    if condition.field.table != until.table or condition.test not in ("is", "is_not"):
        return False
    words = {root(word) for value in condition.values for word in name_words(str(value))}
    if ground.kind(condition.field) == "boolean":
        words = set(map(root, name_words(condition.field.column)))
        return bool(words & _THERE) and condition.values == (condition.test == "is",)
    if not _values(ground, condition.field):
        return False
    return words <= _THERE if condition.test == "is" else words <= _GONE


def _passing(ground: Ground, own: Sequence[Condition], waived: Sequence[Condition] = ()) -> list[Condition]:
    """Conditions on states that rows are in for a while."""
    named = [one for one in own if one not in waived and one.test in ("is", "is_not")]
    left = [(one, states[1]) for one in named if (states := states_left(ground, one))]
    return [one for one, states in left if states and not any(map(_is_final, states))]


def _is_final(state: str) -> bool:
    return not {root(word) for word in name_words(state)}.isdisjoint(FINAL_STATES | _GONE)
