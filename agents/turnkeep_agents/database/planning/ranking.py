"""Rank the tables that a question is about by words alone. Tables are taken one by one: a table that only repeats what
those before it explain falls back, and one that joins to them moves up."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from turnkeep.kit.words import STOP_WORDS, words
from turnkeep_agents.database.joins.link_costs import is_audit_link
from turnkeep_agents.database.joins.records import JoinGraph, Table
from turnkeep_agents.database.planning.vocabulary import Vocabulary, split, split_joined, stem

Kind: TypeAlias = Literal["name", "column", "value", "comment"]
Parts: TypeAlias = dict[str, float]  # score of a table by word
Found: TypeAlias = tuple[Kind, str, tuple[str, ...]]  # kind, text, stems

WEIGHTS: Mapping[Kind, float] = {"name": 2.5, "column": 1.0, "value": 0.9, "comment": 0.4}
NAME_SHARE = 0.6  # how much a table loses if the question mentions nothing of its name
PHRASE_SHARE = 0.6  # the same for a column or value that is mentioned in part only
UNJOINED = 0.5  # what is left to a table that joins to nothing
NEIGHBOURS, NEIGHBOUR_SHARE = 3, 0.25
EXPLAINED = 0.5  # how much of a word the table that explains it best leaves to the others
JOINED = 0.25  # for each of two tables already taken that this one joins to
HUB = 12  # a table with more neighbours is joined by everything, so a join to it counts less
CANDIDATES = 40


@dataclass(frozen=True, slots=True)
class _Phrase:
    kind: Kind
    words: tuple[str, ...]
    weight: float


@dataclass(slots=True)
class _Page:
    """A table: its names, and every phrase by each of its words."""

    names: list[tuple[str, ...]]
    phrases: dict[str, list[_Phrase]] = field(default_factory=lambda: defaultdict(list))
    neighbours: set[str] = field(default_factory=set)

    @property
    def closeness(self) -> float:
        return min(1.0, HUB / len(self.neighbours)) if self.neighbours else 0.0


class TableRanker:
    """Ranks the tables of a graph. Building it takes tenths of a second, a question milliseconds."""

    def __init__(self, graph: JoinGraph):
        self._known = _known_words(graph)
        phrases = {name: dict.fromkeys(self._phrases(table)) for name, table in graph.tables.items()}
        names = {name: self._stems(name) for name in graph.tables}
        texts = {name: [word for _, _, stems in found for word in stems] for name, found in phrases.items()}
        every = [phrase for found in phrases.values() for phrase in found]
        identifiers = {word for kind, _, stems in every if kind in ("name", "column") for word in stems}
        self._vocabulary = Vocabulary(texts, names, identifiers)
        self._pages = {name: self._page(found) for name, found in phrases.items()}
        self._tables_of: dict[str, list[str]] = defaultdict(list)
        for name, page in self._pages.items():
            for word in page.phrases:
                self._tables_of[word].append(name)
        for link in graph.relationships:
            one, other = self._pages.get(link.from_table), self._pages.get(link.to_table)
            if one and other and one is not other and not is_audit_link(link):
                one.neighbours.add(link.to_table)
                other.neighbours.add(link.from_table)

    def rank(self, question: str, *, allowed: Collection[str] | None = None, limit: int = 8) -> list[str]:
        """Return the `allowed` tables (None: all) that `question` may need, best first; none if no word fits."""
        asked = self._vocabulary.read(question)
        hit = {name for word in asked for name in self._tables_of[word]}
        if allowed is not None:
            hit &= set(allowed)
        parts = {name: self._parts(self._pages[name], asked) for name in sorted(hit)}
        own = {name: sum(found.values()) for name, found in parts.items()}
        lent = self._lend(own, allowed)
        totals = {name: own.get(name, 0.0) + lent.get(name, 0.0) for name in own.keys() | lent.keys()}
        best = sorted(totals, key=lambda name: (-totals[name], name))[: max(CANDIDATES, limit)]
        return self._take([name for name in best if totals[name] > 0], parts, lent, limit)

    def _stems(self, name: str) -> tuple[str, ...]:
        """Return the stems of an identifier; known words that it runs together are split."""
        return tuple(
            root for part in split(name) for root in (split_joined(part, self._known - {part}) or (stem(part),))
        )

    def _phrases(self, table: Table) -> Iterator[Found]:
        found: list[Found] = [("name", name, self._stems(name)) for name in (table.name, *table.synonyms)]
        found.append(("comment", "comment", _stems_of(table.comment)))
        for column in table.columns.values():
            found += [("column", column.name, self._stems(name)) for name in (column.name, *column.synonyms)]
            found += [("value", value, _stems_of(value)) for value in column.values]
            found.append(("comment", column.name, _stems_of(column.comment)))
        return (phrase for phrase in found if phrase[2])

    def _page(self, phrases: Collection[Found]) -> _Page:
        page = _Page([stems for kind, _, stems in phrases if kind == "name"])
        for kind, _, stems in phrases:
            phrase = _Phrase(kind, stems, sum(map(self._vocabulary.rarity, stems)) or 1.0)
            for word in set(stems):
                page.phrases[word].append(phrase)
        return page

    def _parts(self, page: _Page, asked: Mapping[str, float]) -> Parts:
        factor = 1 - NAME_SHARE + NAME_SHARE * max((self._coverage(name, asked) for name in page.names), default=0)
        factor *= 1.0 if page.neighbours else UNJOINED
        return {
            word: factor * share * self._vocabulary.rarity(word) * self._fit(page.phrases[word], asked)
            for word, share in asked.items()
            if word in page.phrases
        }

    def _coverage(self, name: tuple[str, ...], asked: Mapping[str, float]) -> float:
        """Return the share of a name that the question mentions."""
        total = sum(map(self._vocabulary.name_rarity, name))
        mentioned = sum(self._vocabulary.name_rarity(word) * min(1.0, asked.get(word, 0.0)) for word in name)
        return mentioned / total if total else 0.0

    def _fit(self, phrases: list[_Phrase], asked: Mapping[str, float]) -> float:
        best = 0.0
        for phrase in phrases:
            share = 1.0
            if phrase.kind in ("column", "value"):
                share = sum(self._vocabulary.rarity(word) for word in phrase.words if word in asked) / phrase.weight
            if phrase.kind != "value" or share >= 1:
                best = max(best, WEIGHTS[phrase.kind] * (1 - PHRASE_SHARE + PHRASE_SHARE * min(1.0, share)))
        return best

    def _lend(self, own: Mapping[str, float], allowed: Collection[str] | None) -> dict[str, float]:
        """Lend a table some of the score of its best neighbours: a bridge has no word of its own."""
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
        self, names: Sequence[str], parts: Mapping[str, Parts], lent: Mapping[str, float], limit: int
    ) -> list[str]:
        most: dict[str, float] = defaultdict(float)
        for name in names:
            for word, part in parts.get(name, {}).items():
                most[word] = max(most[word], part)
        left: dict[str, float] = defaultdict(lambda: 1.0)
        taken: list[str] = []

        def gain(name: str) -> float:
            page = self._pages[name]
            own = sum(part * left[word] for word, part in parts.get(name, {}).items())
            joined = min(len(page.neighbours.intersection(taken)), 2)
            return (lent.get(name, 0.0) + own) * (1 + JOINED * page.closeness * joined)

        rest = list(names)
        while rest and len(taken) < limit:
            best = min(rest, key=lambda name: (-gain(name), name))
            taken.append(best)
            rest.remove(best)
            for word, part in parts.get(best, {}).items():
                if part:
                    left[word] *= 1 - EXPLAINED * part / most[word]
        return taken


def _stems_of(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text) if word not in STOP_WORDS)


def _known_words(graph: JoinGraph) -> frozenset[str]:
    """Return the stems that stand alone in some name, and so may be part of a run-together one."""
    parts: set[str] = set()
    for table in graph.tables.values():
        for name in (table.name, *table.columns):
            found = split(name)
            parts.update(map(stem, found if len(found) > 1 else ()))
    return frozenset(part for part in parts if len(part) > 2)
