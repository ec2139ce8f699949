"""Nouns that stand for rows: the name of a table, a value whose rows are called by it, a plural flag."""

import re
from collections.abc import Collection
from dataclasses import replace

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.profiles import is_money
from turnkeep_agents.database.reading.words.lexicon import EXACT, Meaning
from turnkeep_agents.database.reading.words.lines import Mention
from turnkeep_agents.database.reading.words.stems import singular

_FAINT = 0.5
_OWN = 0.4  # what is said beside a noun speaks for the table that has a column of that name
_VERBAL = ("ed", "ing")


def is_plural(mention: Mention) -> bool:
    last = mention.text.lower().split()[-1]
    return singular(last) != last


def is_noun(mention: Mention) -> bool:
    text = mention.text.lower()
    is_exact = any(one.sort == "table" and one.weight >= EXACT for one in mention.meanings)
    return is_exact or not text.endswith(_VERBAL)


def names_rows(mention: Mention, draft: Draft) -> bool:
    if "T" in mention.kinds and is_noun(mention):
        is_faint = max(one.weight for one in mention.of("table")) < _FAINT and not is_plural(mention)
        if is_faint and _is_named_elsewhere(draft, mention):
            return False
        tables = {one.table for one in mention.of("table")}
        best = max((one.weight for one in mention.meanings if not _points_at(one, tables, draft)), default=0.0)
        return max(one.weight for one in mention.of("table")) >= min(best, 0.75) or "C" not in mention.kinds
    return is_plural_value(mention, draft)


def _points_at(one: Meaning, tables: Collection[str], draft: Draft) -> bool:
    """Whether it is only the link to rows of one of the tables: the customer of an order is a customer."""
    link = draft.ground.profiles[one.table].links.get(one.column) if one.sort == "column" else None
    return link is not None and link.to_table in tables


def _are_called_so(mention: Mention, people: Collection[str], draft: Draft) -> bool:
    """Whether columns of that very name only point at such persons: who did an inspection is an inspector."""
    return all(_points_at(one, people, draft) for one in mention.of("column") if one.weight >= EXACT)


def _is_named_elsewhere(draft: Draft, mention: Mention) -> bool:
    """Whether another noun of the line is the very name of a table."""
    return any(sure_tables(other) for other in draft.line.mentions if other is not mention)


def is_plural_value(mention: Mention, draft: Draft) -> bool:
    """A value that stands for the rows that have it: technicians."""
    if "B" in mention.kinds and is_plural(mention):
        return True
    is_asked = re.search(rf"\b(?:which|what|each|every) {draft.line.code_of(mention)}", draft.line.code)
    people = [one for one in mention.of("value") if draft.ground.profiles[one.table].is_person and one.weight >= EXACT]
    are_people = bool(people) and (is_asked or _are_called_so(mention, {one.table for one in people}, draft))
    if "V" not in mention.kinds or ("C" in mention.kinds and "T" not in mention.kinds and not are_people):
        return False
    text = mention.text.lower()
    are_many = text.endswith(("s", "men", "people")) and not text.endswith("ss") and not _is_name(mention)
    return is_noun(mention) and (are_many or bool(is_asked))


def _is_name(mention: Mention) -> bool:
    """Whether the plural is only how a value is spelled that is written as a name: Leeds."""
    values = mention.of("value")
    return all(one.value[0].isupper() and one.value.lower() == mention.text.lower() for one in values)


def table_of(mention: Mention, draft: Draft) -> str | None:
    """The table whose rows a noun names, by its name or through one of its values."""
    tables = [one for one in mention.of("table") if draft.is_allowed(one.table)]
    if tables and is_noun(mention) and not _is_rather_value(mention, tables, draft):
        if is_said_as_verb(draft, mention):
            tables = [replace(one, weight=EXACT) for one in tables if one.weight >= 0.5] or tables
        return max(tables, key=lambda one: _worth(one, draft, mention)).table
    if "B" in mention.kinds and is_plural(mention):
        return flagged(draft, mention)
    if is_plural_value(mention, draft):
        values = [one for one in mention.of("value") if draft.is_allowed(one.table)]
        rows = [replace(one, table=_main_table(one, draft)) for one in values]
        best = max(rows, key=lambda one: _worth(one, draft, mention), default=None)
        return best.table if best else None
    return None


def _is_rather_value(mention: Mention, tables: list[Meaning], draft: Draft) -> bool:
    """Whether a value bears exactly the name that tables only come near to: contractors and not contracts."""
    values = [one.weight for one in mention.of("value") if draft.is_allowed(one.table)]
    return is_plural_value(mention, draft) and max(values, default=0) >= EXACT > max(one.weight for one in tables)


def flagged(draft: Draft, mention: Mention) -> str | None:
    """The rows that a plural flag stands for: those of its table, or the persons that they tell of."""
    ground = draft.ground
    flags = [one for one in mention.of("column") if draft.kind_of(one) == "boolean" and draft.is_allowed(one.table)]
    best = max(flags, key=lambda one: one.weight, default=None)
    if best is None or ground.profiles[best.table].is_person:
        return best.table if best else None
    linked = [link.to_table for name, link in ground.profiles[best.table].links.items() if not is_audit_column(name)]
    return next((table for table in linked if ground.profiles[table].is_person and draft.is_allowed(table)), best.table)


def _worth(one: Meaning, draft: Draft, mention: Mention) -> float:
    profile = draft.ground.profiles[one.table]
    others = {table for other in draft.line.mentions if other is not mention for table in sure_tables(other)} - {
        one.table
    }
    far = sum(min(draft.ground.distance(one.table, other), 6.0) for other in others) / max(len(others), 1)
    own = sum(
        _has_column(other, one.table) or _points_at_value(other, one.table, draft)
        for other in draft.line.mentions
        if other is not mention
    )
    is_people = one.sort == "value" or singular(mention.text.lower()) == "person"
    person = 0.9 if is_people and profile.is_person else 0.0
    share = 0.6 if is_said_as_verb(draft, mention) else 0.25
    if one.sort == "value" and draft.measure == "sum":
        main = draft.ground.main_measure(one.table)
        person += 1.5 if main and is_money(main.column) else 0
    return 3 * one.weight + profile.weight + person + _OWN * min(own, 2) - share * far


def _has_column(mention: Mention, table: str) -> bool:
    """Whether the mention is a column of the table, or a value in it, by its very name."""
    return any(one.table == table and one.weight >= EXACT for one in mention.of("column", "value"))


def _points_at_value(mention: Mention, table: str, draft: Draft) -> bool:
    """Whether the mention is a value of one column alone, in a table that this one points at."""
    columns = {(one.table, one.column) for one in mention.meanings if one.sort == "value"}
    links = {link.to_table for link in draft.ground.profiles[table].links.values()}
    return len(columns) == 1 == len({one.sort for one in mention.meanings}) and columns.pop()[0] in links


def sure_tables(mention: Mention) -> list[str]:
    return [one.table for one in mention.of("table") if one.weight >= EXACT]


def _main_table(one: Meaning, draft: Draft) -> str:
    """The table that a value's own table describes, where that is a mere list of names."""
    ground = draft.ground
    if not ground.profiles[one.table].is_lookup:
        return one.table
    described = ground.described_by(one.table, draft.allowed)
    if described:
        return described
    users = [link.from_table for link in ground.graph.relationships if link.to_table == one.table]
    users = [table for table in users if draft.is_allowed(table) and not ground.profiles[table].is_bridge]
    return max(users, key=lambda table: ground.profiles[table].weight, default=one.table)


def is_said_as_verb(draft: Draft, mention: Mention) -> bool:
    return bool(re.search(rf"\b(?:we|they|you|i|to) {draft.line.code_of(mention)}", draft.line.code))
