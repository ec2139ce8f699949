"""What is said not to be so by a word of its own: unpaid, inactive, unassigned, failed."""

import re

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import DATED
from turnkeep_agents.database.reading.times.stays import add_keeper, add_stay, read_stays
from turnkeep_agents.database.reading.words.lexicon import EXACT, ROOT
from turnkeep_agents.database.reading.words.stems import root
from turnkeep_agents.database.reading.words.vocabulary import OPPOSITE_STATES, OPPOSITES


def read_opposites(draft: Draft) -> None:
    """Words that deny another one by their beginning: unpaid, inactive."""
    _read_contraries(draft)
    read_stays(draft)
    for word in re.findall(r"(?<![<\w])[a-z]{5,}(?!\w)", draft.line.code):
        for prefix in OPPOSITES:
            if word.startswith(prefix) and _deny(draft, word, word[len(prefix) :]):
                draft.line.take(rf"(?<!\w){word}(?!\w)")
                break


def _read_contraries(draft: Draft) -> None:
    """Words that say no to a flag of the subject without sharing its name: failed, of what was successful or not."""
    flags = [name for name in draft.profile.kinds if draft.profile.kinds[name] == "boolean"] if draft.subject else []
    said = {item: draft.line.at(item).text.lower() for item in draft.line.items()}
    said |= {word: word for word in re.findall(r"(?<![<\w])[a-z]{4,}(?!\w)", draft.line.code)}
    for denying, asserting in OPPOSITE_STATES:
        flag = next((name for name in flags if asserting & set(map(root, name_words(name)))), None)
        for item, word in said.items():
            if flag and root(word) in denying and not _is_own_value(draft, word):
                draft.line.take(re.escape(item) if item.startswith("<") else rf"(?<!\w){item}(?!\w)")
                draft.conditions.append(Condition(Field(draft.subject or "", flag), "is", (False,)))
                break


def _is_own_value(draft: Draft, word: str) -> bool:
    known = draft.ground.lexicon.meanings([word], draft.allowed)
    return any(one.sort == "value" and one.table == draft.subject and one.weight >= ROOT for one in known)


def _deny(draft: Draft, word: str, positive: str) -> bool:
    if (positive == "assigned" and add_keeper(draft, "is_missing")) or add_stay(draft, positive, is_absent=True):
        return True
    meanings = draft.ground.lexicon.meanings([positive], draft.allowed)
    flag = draft.ground.nearest(
        meanings, draft.anchors, lambda one: one.sort == "column" and draft.kind_of(one) == "boolean"
    )
    value = draft.ground.nearest(meanings, draft.anchors, lambda one: one.sort == "value" and one.weight >= ROOT)
    link = draft.ground.nearest(
        meanings,
        draft.anchors,
        lambda one: one.sort == "column" and one.column in draft.ground.profiles[one.table].links,
    )
    day = draft.ground.nearest(
        meanings, draft.anchors, lambda one: one.sort == "column" and draft.kind_of(one) in DATED
    )
    for one in (value, flag, day, link):
        if one is None or draft.ground.distance(draft.anchors[0], one.table) > 1.5 or one.weight < EXACT / 2:
            continue
        field = Field(one.table, one.column)
        if one is value:
            draft.conditions.append(Condition(field, "is_not", (one.value,)))
        elif one is flag:
            draft.conditions.append(Condition(field, "is", (False,)))
        else:
            draft.conditions.append(Condition(field, "is_missing"))
        return True
    return False
