"""Which tables a question is about, by words alone. Tables are taken one after the other: a table that only repeats
what those before it explain falls back, one that joins to them comes forward."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from turnkeep.blocks.words import STOP_WORDS, words
from turnkeep_agents.database.joins.links import is_audit_link
from turnkeep_agents.database.joins.records import Column, JoinGraph, Relationship, Table
from turnkeep_agents.database.planning.identifiers import split, split_joined, stem
from turnkeep_agents.database.planning.vocabulary import Vocabulary

Kind: TypeAlias = Literal["name", "column", "value", "comment"]
Parts: TypeAlias = dict[str, float]

WEIGHTS: Mapping[Kind, float] = {"name": 2.5, "column": 1.0, "value": 0.9, "comment": 0.4}
NAME_SHARE = 0.6  # how much a table loses of whose name the question says nothing
PHRASE_SHARE = 0.6  # the same, of a word whose column or value is said in part only
UNJOINED = 0.5  # what is left to a table that joins to nothing
NEIGHBOURS, NEIGHBOUR_SHARE = 3, 0.25
EXPLAINED = 0.5  # how much of a word the table that explains it best leaves to the others
JOINED = 0.25  # for each of two tables already taken that this one joins to
HUB = 12  # who joins to more tables than this is joined to by everything, and the less that says for it
CANDIDATES = 40


@dataclass(frozen=True, slots=True)
class Ranked:
    """`score` is 1 for the first and less for each that follows, of one question."""

    table: str
    score: float


@dataclass(frozen=True, slots=True)
class _Phrase:
    kind: Kind
    shown: str
    words: tuple[str, ...]
    weight: float


@dataclass(slots=True)
class _Page:
    """What is known of a table: its names, and every phrase by each of its words."""

    names: list[tuple[str, ...]]
    phrases: dict[str, list[_Phrase]] = field(default_factory=lambda: defaultdict(list))
    neighbours: set[str] = field(default_factory=set)

    @property
    def closeness(self) -> float:
        """How much it says for the table that others join to it."""
        return min(1.0, HUB / len(self.neighbours)) if self.neighbours else 0.0


class TableRanker:
    """Ranks the tables of a graph. Building it takes tenths of a second, a question milliseconds."""

    def __init__(self, graph: JoinGraph):
        self._known = _known_words(graph)
        phrases = {name: list(self._phrases(table)) for name, table in graph.tables.items()}
        names = {name: self._stems(name) for name in graph.tables}
        texts = {name: [word for _, _, said in found for word in said] for name, found in phrases.items()}
        identifiers = {
            word for found in phrases.values() for kind, _, said in found if kind in ("name", "column") for word in said
        }
        self._vocabulary = Vocabulary(texts, names, identifiers)
        self._pages = {name: self._page(table, phrases[name]) for name, table in graph.tables.items()}
        self._tables_of: dict[str, list[str]] = defaultdict(list)
        for name, page in self._pages.items():
            for word in page.phrases:
                self._tables_of[word].append(name)
        for link in graph.relationships:
            if not is_audit_link(link) and self._joins_two(link):
                self._pages[link.from_table].neighbours.add(link.to_table)
                self._pages[link.to_table].neighbours.add(link.from_table)

    def _joins_two(self, link: Relationship) -> bool:
        return link.from_table != link.to_table and {link.from_table, link.to_table} <= self._pages.keys()

    def rank(self, question: str, *, allowed: Collection[str] | None = None, limit: int = 8) -> list[Ranked]:
        """The tables that `question` may need, best first, of those `allowed` (None: all); none where no word fits."""
        said = self._vocabulary.read(question)
        hit = {name for word in said for name in self._tables_of[word]} if said else set()
        if allowed is not None:
            hit &= set(allowed)
        parts = {name: self._parts(self._pages[name], said) for name in sorted(hit)}
        own = {name: sum(found.values()) for name, found in parts.items()}
        lent = self._lend(own, allowed)
        totals = {name: own.get(name, 0.0) + lent.get(name, 0.0) for name in own.keys() | lent.keys()}
        best = sorted(totals, key=lambda name: (-totals[name], name))[: max(CANDIDATES, limit)]
        taken = self._take([name for name in best if totals[name] > 0], parts, lent, limit)
        top = max((gain for _, gain in taken), default=1.0)
        scores, least = [], 1.0
        for name, gain in taken:
            least = min(least, gain / top)
            scores.append(Ranked(name, round(least, 4)))
        return scores

    def _stems(self, name: str) -> tuple[str, ...]:
        """The stems of an identifier; what runs known words together is taken apart."""
        return tuple(
            root for part in split(name) for root in (split_joined(part, self._known - {part}) or (stem(part),))
        )

    def _phrases(self, table: Table) -> "list[tuple[Kind, str, tuple[str, ...]]]":
        found: list[tuple[Kind, str, tuple[str, ...]]] = []
        found += [("name", name, self._stems(name)) for name in (table.name, *table.synonyms)]
        found.append(("comment", "comment", _stems_of(table.comment)))
        for column in table.columns.values():
            found += self._of_column(column)
        return [phrase for phrase in found if phrase[2]]

    def _of_column(self, column: Column) -> "list[tuple[Kind, str, tuple[str, ...]]]":
        found: list[tuple[Kind, str, tuple[str, ...]]] = []
        found += [("column", column.name, self._stems(name)) for name in (column.name, *column.synonyms)]
        found += [("value", value, _stems_of(value)) for value in column.values]
        return [*found, ("comment", column.name, _stems_of(column.comment))]

    def _page(self, table: Table, phrases: "list[tuple[Kind, str, tuple[str, ...]]]") -> _Page:
        page = _Page([said for kind, _, said in phrases if kind == "name"])
        for kind, shown, said in dict.fromkeys(phrases):
            phrase = _Phrase(kind, shown, said, sum(self._vocabulary.rarity(word) for word in said) or 1.0)
            for word in set(said):
                page.phrases[word].append(phrase)
        return page

    def _parts(self, page: _Page, said: Mapping[str, float]) -> Parts:
        """What each word of the question speaks for the table."""
        factor = 1 - NAME_SHARE + NAME_SHARE * max((self._coverage(name, said) for name in page.names), default=0)
        factor *= 1.0 if page.neighbours else UNJOINED
        return {
            word: factor * share * self._vocabulary.rarity(word) * self._fit(page.phrases[word], said)
            for word, share in said.items()
            if word in page.phrases
        }

    def _coverage(self, name: tuple[str, ...], said: Mapping[str, float]) -> float:
        """The share of a name that is said."""
        total = sum(self._vocabulary.name_rarity(word) for word in name)
        told = sum(self._vocabulary.name_rarity(word) * min(1.0, said.get(word, 0.0)) for word in name)
        return told / total if total else 0.0

    def _fit(self, phrases: list[_Phrase], said: Mapping[str, float]) -> float:
        best = 0.0
        for phrase in phrases:
            told = 1.0
            if phrase.kind in ("column", "value"):
                told = sum(self._vocabulary.rarity(word) for word in phrase.words if word in said) / phrase.weight
            if phrase.kind == "value" and told < 1:
                continue
            best = max(best, WEIGHTS[phrase.kind] * (1 - PHRASE_SHARE + PHRASE_SHARE * min(1.0, told)))
        return best

    def _lend(self, own: Mapping[str, float], allowed: Collection[str] | None) -> dict[str, float]:
        """What a table gets from the best of those that it joins to: a bridge has no word of its own."""
        around: dict[str, list[float]] = defaultdict(list)
        for name, score in own.items():
            for other in self._pages[name].neighbours:
                if allowed is None or other in allowed:
                    around[other].append(score)
        return {
            name: NEIGHBOUR_SHARE * self._pages[name].closeness * sum(sorted(scores)[-NEIGHBOURS:]) / NEIGHBOURS
            for name, scores in around.items()
        }

    def _take(
        self, names: list[str], parts: Mapping[str, Parts], lent: Mapping[str, float], limit: int
    ) -> list[tuple[str, float]]:
        """One table after the other by what it adds."""
        most: dict[str, float] = defaultdict(float)
        for name in names:
            for word, part in parts.get(name, {}).items():
                most[word] = max(most[word], part)
        left: dict[str, float] = defaultdict(lambda: 1.0)
        taken: list[tuple[str, float]] = []
        rest = list(names)
        while rest and len(taken) < limit:
            gains = {name: self._gain(name, parts, lent, left, taken) for name in rest}
            best = min(rest, key=lambda name: (-gains[name], name))
            taken.append((best, gains[best]))
            rest.remove(best)
            for word, part in parts.get(best, {}).items():
                if part:
                    left[word] *= 1 - EXPLAINED * part / most[word]
        return taken

    def _gain(
        self,
        name: str,
        parts: Mapping[str, Parts],
        lent: Mapping[str, float],
        left: Mapping[str, float],
        taken: list[tuple[str, float]],
    ) -> float:
        gain = lent.get(name, 0.0) + sum(part * left[word] for word, part in parts.get(name, {}).items())
        page = self._pages[name]
        joined = sum(other in page.neighbours for other, _ in taken)
        return gain * (1 + JOINED * page.closeness * min(joined, 2))


def _stems_of(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text) if word not in STOP_WORDS)


def _known_words(graph: JoinGraph) -> frozenset[str]:
    """The stems that stand alone somewhere in a name, and so may be found inside a run-together one."""
    parts: set[str] = set()
    for table in graph.tables.values():
        for name in (table.name, *table.columns):
            found = split(name)
            parts.update(map(stem, found if len(found) > 1 else ()))
    return frozenset(part for part in parts if len(part) > 2)
