"""What is given to somebody for a while and taken back: cars, lockers, places in a crew. It is given as long as today
lies between the days of the row that gives it."""

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Absence, Condition, Field, Period, Test
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.profiles import is_key
from turnkeep_agents.database.reading.words.lines import ITEM
from turnkeep_agents.database.reading.words.stems import root
from turnkeep.blocks.grammar import word_class

_CHILD, _ENDS = 1.6, 2
_GIVEN = (
    rf"\b(?:is|are) (?P<not>not (?:yet )?)?(?:currently |now |already |still )*(?P<x>{ITEM}|[a-z]+(?:ed|nt|en))"
    r"(?: (?:out|away|already|currently|now|at present|at the moment|(?:to )?(?:some|any)(?:one|body)))?"
    r"(?= ?[?.!|]| *$)"
)
_GIVING = word_class("handed given lent issued taken occupied allocated")


def read_stays(draft: Draft) -> None:
    """What is said to be given to somebody now: assigned, rented out."""
    found = draft.line.search(_GIVEN)
    text = "" if found is None else draft.line.at(found["x"]).text.lower() if "<" in found["x"] else found["x"]
    positive = text.split()[0] if text.split()[:1] and text.split()[0].endswith(("ed", "nt", "en")) else ""
    is_absent = bool(found and found["not"])
    is_kept = positive == "assigned" and add_keeper(draft, "is_missing" if is_absent else "is_there")
    is_any = positive in _GIVING and not is_kept and _add_any(draft, is_absent=is_absent)
    if positive and (is_any or is_kept or add_stay(draft, positive, is_absent=is_absent)):
        draft.line.take(_GIVEN)


def _add_any(draft: Draft, *, is_absent: bool) -> bool:
    """The same by a word that says no more than that."""
    for table in draft.ground.reached(draft.subject or "", draft.allowed, _CHILD) if draft.subject else []:
        today = stay_today(draft, table) if draft.ground.links_to(table, draft.subject or "") else None
        if today:
            draft.absences.append(Absence(table, is_absent, period=today))
            return True
    return False


def add_stay(draft: Draft, positive: str, *, is_absent: bool) -> bool:
    """Rows that some, or none, of those belong to today by whose days it would be so: assigned on, returned on."""
    subject, ground = draft.subject or "", draft.ground
    for table in ground.reached(subject, draft.allowed, _CHILD) if subject else []:
        today = _today(draft, table)
        begin = {root(word) for word in (*name_words(today.field.column), *name_words(table))} if today else set()
        if root(positive) in begin and table != subject and ground.links_to(table, subject):
            draft.absences.append(Absence(table, is_absent, period=today))
            return True
    return False


def add_keeper(draft: Draft, test: Test) -> bool:
    """Rows with or without anybody in charge, where there is just one person that this can be."""
    profile = draft.profile
    people = [
        name
        for name, link in profile.links.items()
        if draft.ground.profiles[link.to_table].is_person and not is_audit_column(name)
    ]
    named = [name for name in people if "assign" in name.lower()]
    if draft.subject is None or not (named or len(people) == 1):
        return False
    draft.conditions.append(Condition(Field(draft.subject, (named or people)[0]), test))
    return True


def stay_today(draft: Draft, table: str) -> Period | None:
    """Today, in a table whose rows say nothing but who has what from when until when; None for any other, and where the
    line tells a time."""
    is_timed = any("P" in mention.kinds for mention in draft.line.mentions)
    return None if is_timed or not is_stay(draft.ground, table) else _today(draft, table)


def is_stay(ground: Ground, table: str) -> bool:
    """Whether its rows say nothing but who has what from when until when."""
    profile, own = ground.profiles[table], ground.graph.tables[table]
    told = [
        name
        for name in own.columns
        if not (is_key(name, own, profile.links) or is_audit_column(name) or profile.kinds[name] == "boolean")
    ]
    is_mere = profile.span is not None and all(name in profile.span or name in profile.dates for name in told)
    return is_mere and len(profile.links) >= _ENDS


def _today(draft: Draft, table: str) -> Period | None:
    span = draft.ground.profiles[table].span
    if span is None:
        return None
    return Period(Field(table, span[0]), draft.today, draft.today, "today", Field(table, span[1]))
