"""The links that joins may use, and what each costs. Between two tables there may be several; a path takes the
cheapest."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from turnkeep_agents.database.joins.costs import Costs
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

Path: TypeAlias = tuple[Relationship, ...]
Pair: TypeAlias = tuple[str, str]


class Links:
    """The usable links of `graph`: sure enough, and between tables and columns that it holds. `neighbours` has, for
    each table, those next to it with the cheapest link and its cost."""

    def __init__(self, graph: JoinGraph, confidence_threshold: float, *, audit_rule: bool = True):
        """`audit_rule`: off only to show what it is good for."""
        self._costs = Costs(graph, audit_rule=audit_rule)
        self._between = self._sorted(graph, confidence_threshold)
        self.neighbours = self._nearest()

    def through(self, table: str) -> int:
        """What a path costs more that enters `table` and leaves it again."""
        return self._costs.through(table)

    def weight(self, links: Iterable[Relationship]) -> int:
        """What all `links` cost on their own, in hundredths of a plain join."""
        return sum(self._costs.of(link) for link in links)

    def length(self, path: Path) -> int:
        """What a path costs, in hundredths of a plain join: its links, and the tables between them."""
        between = ({one.from_table, one.to_table} & {two.from_table, two.to_table} for one, two in pairwise(path))
        return self.weight(path) + sum(max(map(self.through, tables), default=0) for tables in between)

    def between(self, a: str, b: str) -> Path:
        """All usable links that join two tables directly, in either direction, the cheapest first."""
        return tuple(link for _, link in self._between.get(ends_of(a, b), ()))

    def _sorted(self, graph: JoinGraph, threshold: float) -> Mapping[Pair, tuple[tuple[int, Relationship], ...]]:
        found: defaultdict[Pair, list[Relationship]] = defaultdict(list)
        for link in graph.relationships:
            if link.confidence >= threshold and is_sound(graph, link):
                found[ends_of(link.from_table, link.to_table)].append(link)
        holders = Counter(column for table in graph.tables.values() for column in table.columns)
        return {
            ends: tuple((self._costs.of(link), link) for link in sorted(links, key=partial(self._rank, holders)))
            for ends, links in found.items()
        }

    def _rank(self, holders: Mapping[str, int], link: Relationship) -> tuple[int, int, int, tuple[str, str, str]]:
        """Among equals a composite key says more, and so does a column whose name few tables have."""
        common = holders[link.from_column] + holders[link.to_column]
        names = link.from_table, link.from_column, link.to_column
        return self._costs.of(link), -len(link.others), common, names

    def _nearest(self) -> Mapping[str, Mapping[str, tuple[Relationship, int]]]:
        nearest: defaultdict[str, dict[str, tuple[Relationship, int]]] = defaultdict(dict)
        for (a, b), links in sorted(self._between.items(), key=lambda found: found[0]):
            if a != b:
                cost, link = links[0]
                nearest[a][b] = nearest[b][a] = link, cost
        return dict(nearest)


def ends_of(a: str, b: str) -> Pair:
    """The two tables in the order of their names: links are looked up in either direction."""
    return (a, b) if a <= b else (b, a)


def missing(graph: JoinGraph, link: Relationship) -> Iterator[str]:
    """The tables and columns that the link names and the graph lacks."""
    for name, columns in ((link.from_table, [a for a, _ in link.pairs]), (link.to_table, [b for _, b in link.pairs])):
        table = graph.tables.get(name)
        if table is None:
            yield f"table {name}"
        else:
            yield from (f"column {name}.{column}" for column in columns if column not in table.columns)


def is_sound(graph: JoinGraph, link: Relationship) -> bool:
    return next(missing(graph, link), None) is None


def sound_links(graph: JoinGraph) -> Iterator[Relationship]:
    """Those that lead somewhere, at both ends."""
    return (link for link in graph.relationships if is_sound(graph, link))
