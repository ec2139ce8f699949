"""The role in which one row points at another: somebody's boss, the manager of a branch. The words of a link's column
say the role, and so do those that mean much the same."""

import re
from collections.abc import Iterator
from dataclasses import replace

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import KEY_WORDS, name_words
from turnkeep_agents.database.reading.asked import Asked, Condition, Field
from turnkeep_agents.database.reading.draft import Draft
from turnkeep_agents.database.reading.words.idioms import REPORTS
from turnkeep_agents.database.reading.words.lexicon import EXACT
from turnkeep_agents.database.reading.words.lines import ITEM, kind
from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep_agents.database.reading.words.vocabulary import ALIKE
from turnkeep.blocks.grammar import word_class

_NAME = kind("QVI")
_BEING = r"(?:is|are|was|were)"
_OWN = rf"(?P<name>{_NAME}) s (?P<role>{ITEM}|[a-z]+\b)(?! {ITEM})"
_OF = (
    rf"\b(?:who|what) {_BEING} (?:the |a )?(?P<role>{ITEM}|[a-z]+) (?:of|for) (?:the )?"
    rf"(?P<name>{_NAME})(?! {kind('T')})"
)
_THEIR = rf"\b(?:his|her|their|its) (?P<role>{ITEM}|[a-z]+\b)"
_MOST = (
    rf"\b(?:which|what) (?P<role>{ITEM}) (?:(?:has|have|had|leads?|supervises?|manages?|with) )?(?:the )?"
    r"(?P<way>most|fewest|least)"
)
_BOSSES = frozenset(map(root, word_class("boss manager supervisor superior lead leader head chief foreman parent")))


def role_link(draft: Draft, table: str, words: str) -> str:
    """The column of `table` that points at whoever plays the role; empty where none does."""
    said = [singular(word) for word in re.findall(r"\w+", words.lower())]
    ranked = sorted((_strength(draft, table, column, said), column) for column in draft.ground.profiles[table].links)
    best = [pair for pair in ranked if pair[0] > 0 and draft.is_allowed(_end(draft, table, pair[1]))]
    return best[-1][1] if best else ""


def _end(draft: Draft, table: str, column: str) -> str:
    return draft.ground.profiles[table].links[column].to_table


def _strength(draft: Draft, table: str, column: str, said: list[str]) -> float:
    """1 where all that was said stands in the names of the link, less for words that mean much the same."""
    link = draft.ground.profiles[table].links[column]
    synonyms = draft.ground.graph.tables[table].columns[column].synonyms
    named = [word for word in name_words(column) if word not in KEY_WORDS]
    own = {singular(word) for text in (" ".join(named), link.role, *synonyms) for word in name_words(text)}
    own -= {singular(word) for word in name_words(link.to_table)}
    if is_audit_column(column) or not said or not own:
        return 0.0
    roots = set(map(root, own))
    shares = [1.0 if root(word) in roots else 0.5 if _is_alike(word, own) else 0.0 for word in said]
    return min(shares) - 0.05 * abs(len(own) - len(said)) if all(shares) else 0.0


def _is_alike(word: str, own: set[str]) -> bool:
    is_boss = root(word) in _BOSSES and not _BOSSES.isdisjoint(map(root, own))
    return is_boss or any((other,) in ALIKE.get(word, ()) or (word,) in ALIKE.get(other, ()) for other in own)


def read_role(draft: Draft) -> bool:
    """ "Who is X's boss": the rows called X with the name of whoever plays that role for them."""
    code = draft.line.code
    for pattern in (_OWN, _OF):
        found = re.search(pattern, code)
        holder = _holder(draft, found["name"], _words(draft, found["role"])) if found else ""
        if found is None or not holder:
            continue
        column = role_link(draft, holder, _words(draft, found["role"]))
        target = _end(draft, holder, column)
        draft.subject, draft.is_list = holder, True
        via = draft.ground.via(holder, target, column)
        draft.shown = [*draft.ground.named(holder), *draft.ground.label(target, via)]
        draft.line.code = f"{code[: found.start()]} @ {found['name']} {code[found.end() :]}"
        draft.line.take(r"^\W*(?:who|what|which|show|list|give|tell)(?: me)?(?: is| are| was| were)?(?: the)?\b")
        return True
    return False


def _words(draft: Draft, said: str) -> str:
    return draft.line.at(said).text if said.startswith("<") else said


def _holder(draft: Draft, item: str, role: str) -> str:
    """The table whose rows have the role filled and may be called so; on a second look the next one."""
    mention, ground = draft.line.at(item), draft.ground
    values = [one for one in mention.of("value") if one.weight >= EXACT]
    valued = {one.table for one in values if one.column in ground.profiles[one.table].label}
    holders = [name for name in ground.graph.tables if draft.is_allowed(name) and role_link(draft, name, role)]
    named = [name for name in holders if name in valued or any(map(_is_name, ground.profiles[name].label))]

    def rank(name: str) -> tuple[bool, bool, float]:
        is_self = _end(draft, name, role_link(draft, name, role)) == name
        return name in valued, is_self or ground.profiles[name].is_person, ground.profiles[name].weight

    ranked = sorted(named, key=rank, reverse=True)
    return ranked[min(draft.look, len(ranked) - 1)] if ranked else ""


def _is_name(column: str) -> bool:
    return name_words(column)[-1] in ("name", "title", "code", "number", "login")


def read_most(draft: Draft) -> None:
    """ "Which boss has the most X": X by the boss of each."""
    found = draft.line.search(rf"{_MOST} (?P<x>{ITEM})")
    if found is None or "T" in draft.line.at(found["role"]).kinds:
        return
    tables = [one.table for one in draft.line.at(found["x"]).of("table") if draft.is_allowed(one.table)]
    for table in tables:
        column = role_link(draft, table, _words(draft, found["role"]))
        if column and _end(draft, table, column) == table:
            draft.subject, draft.measure, draft.is_list = table, "count", False
            draft.groups = list(draft.ground.told_apart(table, column))
            draft.order = "descending" if found["way"] == "most" else "ascending"
            draft.limit = draft.limit or 1
            draft.line.code = f"{draft.line.code[: found.start()]} @ {draft.line.code[found.end() :]}"
            return


def take_role(draft: Draft) -> bool:
    """In a later line, "who is his boss": who plays that role for the rows asked for before is shown with them."""
    found = draft.line.search(_THEIR)
    if found is None or draft.before is None:
        return False
    role = _words(draft, found["role"])
    subject = draft.subject or ""
    column = role_link(draft, subject, role)
    own = [one for one in draft.line.at(found["role"]).of("column") if one.table == subject] if "<" in found[0] else []
    if not column or any(one.weight >= EXACT and one.column != column for one in own):
        return False
    target = _end(draft, subject, column)
    draft.line.code = f"{draft.line.code[: found.start()]} | {draft.line.code[found.end() :]}"
    draft.line.take(r"\b(?:who|what)(?: is| are| was| were)?\b")
    draft.is_list = True
    draft.shown.extend(draft.ground.label(target, draft.ground.via(subject, target, column)))
    return True


def role_of_named(draft: Draft, before: Asked) -> Asked | None:
    """The same of somebody whom the question before named, where its rows have nobody in that role."""
    found = draft.line.search(_THEIR)
    role = _words(draft, found["role"]) if found else ""
    if found is None or role_link(draft, before.subject, role):
        return None
    said = [*before.conditions, *(one for absence in before.absences for one in absence.conditions)]
    for table in dict.fromkeys(one.field.table for one in said):
        column = role_link(draft, table, role)
        if column and table != before.subject:
            target = _end(draft, table, column)
            shown = (*draft.ground.named(table), *draft.ground.label(target, draft.ground.via(table, target, column)))
            own = tuple(_bare(one) for one in said if one.field.table == table)
            return Asked(table, shown=shown, conditions=own)
    return None


def _bare(condition: Condition) -> Condition:
    others = tuple(replace(one, via="") for one in condition.others if one.table == condition.field.table)
    test = "contains" if condition.test == "named" else condition.test
    return replace(condition, field=replace(condition.field, via=""), others=others, test=test)


def read_reports(draft: Draft) -> None:
    """Those who report to somebody: the rows that point at that row as their boss."""
    found = draft.line.search(rf"\b{REPORTS} (?:the )?(?P<name>{_NAME}|\w+)") or _led(draft)
    table, column = next(_reporting(draft), ("", "")) if found else ("", "")
    if found is None or not table:
        return
    draft.subject = draft.subject or table
    label = draft.ground.label(table, column)
    text = _words(draft, found["name"])
    draft.conditions.extend(_called(label, text))
    draft.line.code = f"{draft.line.code[: found.start()]} | {draft.line.code[found.end() :]}"


def _led(draft: Draft) -> re.Match[str] | None:
    """ "X's does Y lead", where Y is one of the X."""
    found = draft.line.search(rf"\b(?:do|does|did) (?P<name>{_NAME}) (?P<verb>{ITEM}|[a-z]+\b)")
    table = next(_reporting(draft), ("", ""))[0] if found else ""
    nouns = [one.table for item in draft.line.items() for one in draft.line.at(item).of("table")[:1]]
    if found is None or table not in nouns:
        return None
    verb = _words(draft, found["verb"])
    roles = [role_link(draft, table, word) for word in (verb, f"{verb}r", f"{verb}er", f"{verb}or")]
    return found if any(column and _end(draft, table, column) == table for column in roles) else None


def _reporting(draft: Draft) -> Iterator[tuple[str, str]]:
    """The tables that point at themselves, those of persons first, with the column that does."""
    ground = draft.ground
    named = {one.table for mention in draft.line.mentions for one in mention.of("table") if one.weight >= EXACT}
    found = [
        (name in named, ground.profiles[name].is_person, ground.profiles[name].weight, name, column)
        for name, profile in ground.profiles.items()
        for column, link in profile.links.items()
        if link.to_table == name and draft.is_allowed(name) and _is_boss(draft, name, column)
    ]
    yield from ((name, column) for *_, name, column in sorted(found, reverse=True))


def _is_boss(draft: Draft, table: str, column: str) -> bool:
    link = draft.ground.profiles[table].links[column]
    return not _BOSSES.isdisjoint(map(root, (*name_words(column), *name_words(link.role))))


def _called(label: tuple[Field, ...], text: str) -> list[Condition]:
    parts = text.split()
    if len(label) == 2 and len(parts) >= 2:
        return [Condition(label[0], "contains", (parts[0],)), Condition(label[1], "contains", (" ".join(parts[1:]),))]
    return [Condition(label[-1], "contains", (text,), label[:-1])]
