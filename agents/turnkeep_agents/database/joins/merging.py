"""Links from several sources, made one list. The same columns may be told by a foreign key, an association of the
application, a person and a name: the most trusted source says what the link is, the surest how sure it is."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from turnkeep_agents.database.joins.records import Origin, Relationship

PRECEDENCE: tuple[Origin, ...] = ("manual", "foreign_key", "association", "inferred")

Ends: TypeAlias = frozenset[tuple[str, str, str, str]]


def merged(*sources: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """All links, those over the same columns made one; in the order in which they were first told."""
    found: dict[Ends, Relationship] = {}
    for link in (link for source in sources for link in source):
        known = found.get(ends_of(link))
        found[ends_of(link)] = link if known is None else _united(known, link)
    return tuple(found.values())


def ends_of(link: Relationship) -> Ends:
    """What makes two links the same: the columns that they join, whichever way they point."""
    sides = ((link.from_table, a, link.to_table, b) for a, b in link.pairs)
    return frozenset(min(side, (side[2], side[3], side[0], side[1])) for side in sides)


def _united(known: Relationship, link: Relationship) -> Relationship:
    first, second = sorted((known, link), key=lambda each: PRECEDENCE.index(each.type))
    confidence = first.confidence if first.type == "manual" else max(first.confidence, second.confidence)
    return replace(first, confidence=confidence, role=first.role or second.role)
