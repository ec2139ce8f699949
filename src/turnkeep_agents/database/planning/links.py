"""Which of several links between two tables a question means, by the words that tell them apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from turnkeep_agents.database.joins.naming import KEY_WORDS
from turnkeep_agents.database.joins.records import JoinGraph, Relationship, Table
from turnkeep_agents.database.planning.identifiers import split, spoken, stem
from turnkeep.blocks.words import words

LONGEST_LABEL = 60
LONGEST_ANSWER_WORDS = 8
NAMED, MENTIONED = 2, 1
"""What words say of a link: that it is meant, or no more than one of its words."""


def _root(word: str) -> str:
    """The stem without the doer's ending: what somebody owned has an owner."""
    root = stem(word)
    return root[:-2] if len(root) > 4 and root.endswith(("er", "or")) else root


_SMALL = frozenset(words("a an the of to by for in on at from with and or is was are were has have had be been"))
_BESIDE = frozenset(map(_root, words("by to for from who whom whose their its his her")))
_ORDINALS = {
    word: number
    for number, group in enumerate(
        ("first former 1 1st one", "second 2 2nd two", "third 3 3rd three", "fourth 4 4th four", "fifth 5 5th five")
    )
    for word in words(group)
} | {"last": -1, "latter": -1}
_EITHER = frozenset(words("any either whichever whatever both all matter care mind"))
_FILLERS = frozenset(
    words(
        "the a one ones option link number choice way please i mean meant take use it is that yes of them these do "
        "does not doesn don t you like"
    )
)


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a question, or of a chain of messages, one a line, the oldest first."""

    text: str

    @property
    def lines(self) -> list[str]:
        """The messages, the newest first."""
        return [line for line in reversed(self.text.splitlines()) if line.strip()]

    @property
    def picks(self) -> list[str]:
        """Those after the first that pick something by its number, the oldest first."""
        return [line for line in self.lines[-2::-1] if picked(line, len(_ORDINALS)) is not None]


def label(link: Relationship) -> str:
    """What the link says, as people would: its role, else its column in words."""
    text = link.role or spoken(link.from_column)
    return re.sub(r"\s+", " ", text).strip()[:LONGEST_LABEL]


def own_words(link: Relationship, graph: JoinGraph) -> frozenset[str]:
    """The stems that tell the link from others to the same table."""
    column = graph.tables[link.from_table].columns.get(link.from_column)
    told = {_root(word) for word in words(link.role)}
    told |= {_root(word) for name in (column.synonyms if column else ()) for word in words(name)}
    return _of_the_columns(link) | frozenset(told - _of_the_table(link))


def _of_the_columns(link: Relationship) -> frozenset[str]:
    """What their names say beside the table that they point at; nothing for `crewId` to `crew`."""
    told = {_root(word) for pair in link.pairs for word in split(pair[0]) if word not in KEY_WORDS}
    return frozenset(told - _of_the_table(link))


def _of_the_table(link: Relationship) -> frozenset[str]:
    return frozenset({*(_root(word) for word in split(link.to_table)), *_SMALL})


def meant(links: Sequence[Relationship], said: Said, graph: JoinGraph, *, at_least: int = MENTIONED) -> int | None:
    """The number, from 0, of the one link that the newest message speaks of which speaks of any, `at_least` that
    strongly."""
    own = [own_words(link, graph) for link in links]
    tables = [_names(graph.tables[link.to_table]) for link in links]
    for line in said.lines:
        stems = [_root(word) for word in words(line)]
        shares = [_say(one, stems, table) for one, table in zip(own, tables, strict=True)]
        most = max(shares, default=(0, 0.0))
        if most[0] >= at_least and shares.count(most) == 1:
            return shares.index(most)
    return None


def _names(table: Table) -> set[str]:
    return {_root(word) for name in (table.name, *table.synonyms) for word in split(name)}


def plain(links: Sequence[Relationship]) -> int | None:
    """The number of the one link that is called after its table and nothing else, where there is one: the others are
    special. Of several the one that nobody gave a role."""
    found = [number for number, link in enumerate(links) if not _of_the_columns(link)]
    if len(found) > 1:
        found = [number for number in found if not links[number].role]
    return found[0] if len(found) == 1 else None


def picked(answer: str, count: int) -> int | None:
    """The number, from 0, that an answer such as an ordinal or a digit picks from `count`; 0 where any will do."""
    said = words(answer)
    if not said or len(said) > LONGEST_ANSWER_WORDS:
        return None
    if not set(said) <= _FILLERS | _ORDINALS.keys() | _EITHER:
        return None
    if _EITHER.intersection(said):
        return 0
    numbers = [_ORDINALS[word] for word in said if word in _ORDINALS and (word != "one" or len(said) == 1)]
    if len(numbers) != 1:
        return None
    number = numbers[0] + count if numbers[0] < 0 else numbers[0]
    return number if number < count else None


def _say(own: frozenset[str], stems: list[str], table: set[str]) -> tuple[int, float]:
    """How strongly, and what share of the link's own words is said."""
    hits = [at for at, word in enumerate(stems) if word in own]
    if not hits:
        return 0, 0.0
    near = _BESIDE | table | own
    is_near = any(not near.isdisjoint(stems[max(0, at - 1) : at] + stems[at + 1 : at + 2]) for at in hits)
    return (NAMED if is_near else MENTIONED), len({stems[at] for at in hits}) / len(own)
