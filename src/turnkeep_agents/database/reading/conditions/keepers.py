"""Who is in charge: the person that a row points at as its manager, owner or handler, where a question asks for that
person in any of the many ways there are to say it."""

import re
from collections.abc import Mapping

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import Kind
from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.conditions.roles import take_role
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.idioms import KEEPS
from turnkeep_agents.database.reading.words.lexicon import ROOT
from turnkeep_agents.database.reading.words.lines import ITEM
from turnkeep_agents.database.reading.words.stems import root
from turnkeep.blocks.grammar import word_class

_KEEPERS = tuple(
    frozenset(map(root, word_class(line)))
    for line in (
        "responsible owner manager head leader lead led chief supervisor keeper storekeeper managed headed kept",
        "handled assigned account rep representative looked coordinator agent seen",
        "employee person staff driver planner",
    )
)
"""Words in the names and roles of links to whoever is in charge, the surest first."""
_FLAGS = frozenset(map(root, word_class("lead leader head chief main primary responsible boss")))
_ASKED = rf"\b(?:who(?:m|se)?|which (?:{ITEM} |[a-z]+ ){{1,2}}?|that|what {ITEM} )\s?{KEEPS}\b"
_PERSON_WORDS = r"\b(?:who|whom|whose)\b"


def keeper_of(draft: Draft, table: str, said: str = "") -> Field | None:
    """The first column that names the person in charge of a row of `table`, through its link."""
    ground = draft.ground
    links = [
        (name, link)
        for name, link in ground.profiles[table].links.items()
        if ground.profiles[link.to_table].is_person and draft.is_allowed(link.to_table) and not is_audit_column(name)
    ]
    ranked = sorted(links, key=lambda pair: _rank(draft, table, pair[0], pair[1].role, said))
    if not ranked or (len(ranked) > 1 and _rank(draft, table, ranked[0][0], ranked[0][1].role, said) > len(_KEEPERS)):
        return None
    name, link = ranked[0]
    return Field(link.to_table, ground.profiles[link.to_table].label[0], ground.via(table, link.to_table, name))


def _rank(draft: Draft, table: str, column: str, role: str, said: str) -> int:
    words = {root(word) for word in (*name_words(column), *role.split())}
    words |= {root(word) for one in draft.ground.graph.tables[table].columns[column].synonyms for word in one.split()}
    if (said and root(said) in words) or (not said and words & set(map(root, name_words(table)))):
        return -1
    return next((at for at, known in enumerate(_KEEPERS) if words & known), len(_KEEPERS) + 1)


def read_keeper(draft: Draft) -> bool:
    """ "Who is in charge of X": the rows of X with the name of that person. False where the line asks nothing so."""
    found = draft.line.search(_ASKED)
    if found is None:
        return False
    table = _thing(draft, draft.line.code[found.end() :])
    if table is None:
        return False
    person = keeper_of(draft, table)
    if person is None:
        return _flagged(draft, table, found)
    draft.subject, draft.is_list = table, True
    draft.shown = [*draft.ground.named(table), *draft.ground.label(person.table, person.via)]
    draft.line.code = draft.line.code[: found.start()] + "| " + draft.line.code[found.end() :]
    _understand(draft, table)
    return True


def _thing(draft: Draft, code: str) -> str | None:
    """The table of what somebody is in charge of: its noun, or what the name or code is of."""
    for sort in ("table", "value"):
        for item in draft.line.items(code):
            ones = [one for one in draft.line.at(item).of(sort) if one.weight >= ROOT and draft.is_allowed(one.table)]
            ones = [one for one in ones if not draft.ground.profiles[one.table].is_person] or ones
            best = max(ones, key=lambda one: (one.weight, _is_kept(draft, one.table)), default=None)
            if best:
                return best.table
    return None


def _is_kept(draft: Draft, table: str) -> float:
    return (keeper_of(draft, table) is not None) + draft.ground.profiles[table].weight


def _flagged(draft: Draft, table: str, found: re.Match[str]) -> bool:
    """Where rows between persons and the thing say which person leads: that one."""
    for name, profile in draft.ground.profiles.items():
        ends = {link.to_table for column, link in profile.links.items() if not is_audit_column(column)}
        flag = next((column for column in profile.kinds if _is_flag(profile.kinds, column)), None)
        person = next((end for end in sorted(ends) if draft.ground.profiles[end].is_person), None)
        if table in ends and flag and person and draft.is_allowed(name) and draft.is_allowed(person):
            draft.subject, draft.is_list = person, True
            draft.conditions.append(Condition(Field(name, flag), "is", (True,)))
            draft.line.code = draft.line.code[: found.start()] + "| " + draft.line.code[found.end() :]
            return True
    return False


def _is_flag(kinds: Mapping[str, Kind], column: str) -> bool:
    return kinds[column] == "boolean" and not _FLAGS.isdisjoint(map(root, name_words(column)))


def _understand(draft: Draft, table: str) -> None:
    for item in draft.line.items():
        mention = draft.line.at(item)
        if any(one.table == table and one.weight >= ROOT for one in mention.of("table")) and "I" not in mention.kinds:
            draft.line.code = draft.line.code.replace(item, "@", 1)
            return


def take_keeper(draft: Draft) -> bool:
    """In a later line, "who is dealing with them": the person in charge is shown with the rows asked for before."""
    line, subject = draft.line, draft.subject or ""
    if take_role(draft):
        return True
    if not re.search(_PERSON_WORDS, line.code):
        return False
    linked = next((pair for item in line.items() if (pair := (item, _said_link(draft, item)))[1]), None)
    kept = line.search(rf"\b{KEEPS}\b")
    person = linked[1] if linked else keeper_of(draft, subject) if kept or _asks_whose(draft) else None
    if person is None:
        return False
    if linked:
        line.drop(linked[0])
    line.take(rf"\b{KEEPS}\b")
    line.take(_PERSON_WORDS)
    draft.is_list = True
    draft.shown.extend(draft.ground.label(person.table, person.via))
    return True


def asks_in_vain(draft: Draft, subject: str) -> bool:
    """Whether a later line asks who is in charge of rows that nobody is said to be in charge of."""
    asked = draft.line.search(rf"{_PERSON_WORDS}.*\b{KEEPS} (?:them|those|these|it|that)\b")
    return asked is not None and keeper_of(draft, subject) is None


def _asks_whose(draft: Draft) -> bool:
    return bool(draft.line.search(r"^\W*whose (?:are|is|were|was) (?:they|those|these|it|that)\b"))


def _said_link(draft: Draft, item: str) -> Field | None:
    """The person that a verb of the line points at: assigned to, approved by."""
    subject, ground = draft.subject or "", draft.ground
    mention = draft.line.at(item)
    for one in mention.of("column"):
        link = ground.profiles[subject].links.get(one.column) if one.table == subject else None
        if link and ground.profiles[link.to_table].is_person and draft.is_allowed(link.to_table):
            via = ground.via(subject, link.to_table, one.column)
            return Field(link.to_table, ground.profiles[link.to_table].label[0], via)
    return None
