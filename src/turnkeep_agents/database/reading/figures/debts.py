"""What is still owed: an amount of money less what was paid of it, over rows that were not called off."""

import re

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.reading.asked import Condition, Field
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import is_money
from turnkeep_agents.database.reading.words.lexicon import ROOT
from turnkeep_agents.database.reading.words.stems import root
from turnkeep.blocks.grammar import word_class

_OWED = r"\b(?:owe[sd]?|owing|still (?:due|to be paid|to come in)|left to pay|receivables?)\b(?: to)?(?: us)?"
_PAID = frozenset(map(root, word_class("paid settled received")))
_VOID = frozenset(map(root, word_class("void voided cancelled canceled withdrawn")))


def read_owed(draft: Draft) -> bool:
    """ "How much do customers owe us": the amounts of the nearest table that also says what was paid. False where the
    line asks no such thing."""
    if not (draft.measure == "sum" or re.search(r"\b(?:what|which|who|how much)\b", draft.line.code)):
        return False
    if not draft.line.search(_OWED) or re.search(r"\b(?:most|least)\b", draft.line.code):
        return False
    named = [one.table for mention in draft.line.mentions for one in mention.of("table") if one.weight >= ROOT]
    known = {table: pair for table in draft.ground.profiles if (pair := _amounts(draft, table))}
    table = min(known, key=lambda name: (draft.ground.distance(named[0], name) if named else 0, name), default=None)
    if table is None or draft.measure not in (None, "sum"):
        return False
    draft.line.take(_OWED)
    draft.subject, draft.measure, draft.is_list = table, "sum", False
    draft.of, draft.less = known[table]
    draft.conditions.extend(_without_void(draft, table))
    return True


def _amounts(draft: Draft, table: str) -> tuple[Field, Field] | None:
    """The main amount of a table and the one that says what was paid of it."""
    profile = draft.ground.profiles[table]
    paid = [name for name in profile.measures if is_money(name) and _PAID & set(map(root, name_words(name)))]
    main = profile.main_money
    is_known = paid and main and main not in paid and draft.is_allowed(table)
    return (Field(table, main), Field(table, paid[0])) if is_known else None


def _without_void(draft: Draft, table: str) -> list[Condition]:
    columns = draft.ground.graph.tables[table].columns.values()
    void = [(one.name, value) for one in columns for value in one.values if root(value.lower()) in _VOID]
    return [Condition(Field(table, column), "is_not", (value,)) for column, value in void]
