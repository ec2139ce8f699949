"""Whose rows they are: the tables whose rows may bear a name, the likeliest first. Whom a row belongs to comes before
what it is called, people and firms before things."""

import re

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import KEY_WORDS, name_words, thing_words
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.ground import FAR
from turnkeep_agents.database.reading.profiles import Profile
from turnkeep_agents.database.reading.words.lexicon import EXACT
from turnkeep_agents.database.reading.words.stems import singular
from turnkeep.blocks.grammar import word_class
from turnkeep.blocks.words import words

_NEAR, _FAR_OFF = 2.6, 4.5
_DOERS = word_class("by to with")
_BELONGING = word_class("for of from by to with")
_CONTACT = word_class("email mail phone telephone mobile fax")
_PARTY = 1.0  # a join that whom rows belong to may lie further away
_PERSON, _SIDE = 0.8, 1.8
_BESIDE, _BEHIND = 1.3, 2.3


def tables_for(draft: Draft, word: str, item: str) -> list[str]:
    """The tables whose rows may bear the name, the likeliest first: whom a row belongs to before what it is called."""
    subject = draft.subject or ""
    code, said = draft.line.code, words(draft.line.at(item).text)
    is_full_name = len(said) in (2, 3) and not any(map(draft.ground.lexicon.is_word, said))
    is_other = bool(re.search(rf"{re.escape(item)} (?:s |has |have |had |in |on |at |part |with |work|belong)", code))
    is_itself = draft.before is None and "@" not in code and draft.is_of_row
    linked = _linked(draft)
    is_person = word in _DOERS or word in ("did", "does", "has", "do")
    beside = beside_tables(draft, subject)
    behind = _behind(draft, [subject, *beside])
    beside = [*beside, *behind]
    reached = [
        *beside,
        *(table for table in draft.ground.reached(subject, draft.allowed, _NEAR) if table not in beside),
    ]
    near = [table for table in reached if is_named(draft.ground.profiles[table])]
    if not any(is_party(draft.ground.profiles[table]) for table in near if table != subject):
        far_off = draft.ground.reached(subject, draft.allowed, _FAR_OFF)
        near += [table for table in far_off if table not in near and is_party(draft.ground.profiles[table])]

    def rank(table: str) -> float:
        profile = draft.ground.profiles[table]
        most = FAR if table not in beside else _BESIDE if table not in behind else _BEHIND
        far = min(draft.ground.distance(subject, table), most)
        if table == subject and (is_itself or (word == "of" and profile.is_person)):
            return -FAR
        own = 3.0 if table == subject and (is_person or is_other or word in _BELONGING) else 0.0
        person = 1.2 if profile.is_person != is_person and (word in _DOERS or word == "for") else 0.0
        party = (_PARTY if is_party(profile) else 0.0) + (_PERSON if is_full_name and profile.is_person else 0.0)
        is_owner = is_person or word in _BELONGING
        is_many = draft.ground.is_many(subject, table) and table not in beside
        party -= _PARTY if (is_owner and _is_titled(profile)) or is_many else 0.0
        party -= _SIDE if table in beside and is_side_link(draft, table, word) else 0.0
        return far + own + person - party - 1.2 * profile.weight + (1.5 if profile.is_lookup else 0)

    return [*([linked] if linked else []), *(table for table in sorted(near, key=rank) if table != linked)]


def beside_tables(draft: Draft, subject: str) -> list[str]:
    """The tables that the subject points at, and those that a table between does nothing but join it to."""
    ground = draft.ground
    linked = [link.to_table for name, link in draft.profile.links.items() if not is_audit_column(name)]
    joined = [other for one, other in ground.bridges if one == subject]
    found = [table for table in dict.fromkeys((*linked, *joined)) if table != subject and draft.is_allowed(table)]
    return [table for table in found if is_party(ground.profiles[table]) or table not in ground.hubs]


def _behind(draft: Draft, tables: list[str]) -> list[str]:
    """The parties that the tables beside the subject point at: whose site it is, whose job."""
    profiles = draft.ground.profiles
    ends = [
        link.to_table
        for table in tables[1:]
        for name, link in profiles[table].links.items()
        if not (profiles[table].is_person or is_audit_column(name))
        and (_is_plain(name, link.to_table) or not profiles[link.to_table].is_person)
    ]
    return [
        one for one in dict.fromkeys(ends) if one not in tables and draft.is_allowed(one) and is_party(profiles[one])
    ]


def _is_plain(column: str, table: str) -> bool:
    """Whether the link is called after the table, and says no role that its rows play."""
    return {singular(word) for word in name_words(column) if word not in KEY_WORDS} <= set(thing_words(table))


def is_side_link(draft: Draft, table: str, word: str) -> bool:
    """Whether the subject's links to the table say rather who has done something to a row, or are several."""
    return len(draft.ground.links_to(draft.subject or "", table)) > 1 or is_approver(draft, table, word)


def is_approver(draft: Draft, table: str, word: str) -> bool:
    """Whether the subject only says by whom of the table something was done to it, which the line does not ask for."""
    links = draft.ground.links_to(draft.subject or "", table)
    return word != "by" and bool(links) and all(name_words(name)[-1] == "by" for name in links)


def _linked(draft: Draft) -> str:
    """The table that a link of the subject leads to, where the line names the link."""
    for mention in draft.line.mentions:
        if "L" not in mention.kinds or any(one.weight >= EXACT for one in mention.of("table")):
            continue
        for one in mention.of("column"):
            link = draft.profile.links.get(one.column) if one.table == draft.subject else None
            if link and draft.is_allowed(link.to_table) and one.weight > 0.3:
                return link.to_table
    return ""


def is_party(profile: Profile) -> bool:
    """Whether its rows are people or firms: they can be written to."""
    return profile.is_person or any(not _CONTACT.isdisjoint(name_words(name)) for name in profile.kinds)


def _is_titled(profile: Profile) -> bool:
    """Whether its rows bear a title, as things do that are about something."""
    return not profile.is_person and name_words(profile.label[0])[-1] in ("title", "subject", "caption")


def is_named(profile: Profile) -> bool:
    is_told = profile.is_person or any(name_words(name)[-1] in ("name", "title", "label") for name in profile.label)
    return not profile.is_bridge and is_told
