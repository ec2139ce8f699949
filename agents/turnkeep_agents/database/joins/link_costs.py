"""The links that joins may use, and their costs in hundredths of a plain join. Links to the
user who changed a row cost more, because few questions need them. So do doubtful links, and the way through a table
that most others reference."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from turnkeep.kit.words import words
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

PLAIN = 100
AUDIT = 200  # more: one such link is as long as three plain ones, two are longer than any path that a plan may have
DOUBT = 100  # more for a confidence of 0, in proportion
MANY_TO_MANY = 30  # more where neither side is unique: rows multiply
HUB = 400  # more through a table that `FULL_HUB` of all others point at, in proportion down to 0 at `HUB_SHARE`
HUB_TABLES = 6
HUB_SHARE = 0.2
FULL_HUB = 0.6

_MAKERS = frozenset(words("creator modifier editor updater changer deleter remover inserter voider"))
_MAKING = frozenset(
    words(
        """
        create created insert inserted add added enter entered record recorded register registered modify modified
        change changed update updated edit edited alter altered delete deleted remove removed void voided retire retired
        archive archived touch touched
        """
    )
)
_PERSONS = frozenset(words("by user users employee person staff member operator admin account login usr"))

Path: TypeAlias = tuple[Relationship, ...]
Pair: TypeAlias = tuple[str, str]


class Links:
    """The usable links of a graph: confident enough, and between existing tables and columns. `neighbours` maps each
    table to those next to it, with the cheapest link and its cost."""

    def __init__(self, graph: JoinGraph, confidence_threshold: float):
        self._hubs = hub_surcharges(graph)
        self._between = _between(graph, confidence_threshold)
        self.neighbours: dict[str, dict[str, tuple[Relationship, int]]] = defaultdict(dict)
        for (a, b), links in sorted(self._between.items(), key=lambda found: found[0]):
            if a != b:
                self.neighbours[a][b] = self.neighbours[b][a] = links[0], cost_of(links[0])

    def through(self, table: str) -> int:
        """Return what a path costs more that enters `table` and leaves it again."""
        return self._hubs.get(table, 0)

    def length(self, path: Path) -> int:
        """Return the cost of a path: its links, and the tables between them."""
        between = ({one.from_table, one.to_table} & {two.from_table, two.to_table} for one, two in pairwise(path))
        return sum(map(cost_of, path)) + sum(max(map(self.through, tables), default=0) for tables in between)

    def between(self, a: str, b: str) -> Path:
        """Return all usable links that join two tables directly, in either direction, the cheapest first."""
        return self._between.get(_pair(a, b), ())


def _between(graph: JoinGraph, threshold: float) -> Mapping[Pair, Path]:
    """Among links of equal cost a composite key comes first, then a column whose name few tables have."""
    found: defaultdict[Pair, list[Relationship]] = defaultdict(list)
    for link in graph.relationships:
        if link.confidence >= threshold and is_sound(graph, link):
            found[_pair(link.from_table, link.to_table)].append(link)
    tables_with = Counter(column for table in graph.tables.values() for column in table.columns)

    def rank(link: Relationship) -> tuple[int, int, int, tuple[str, str, str]]:
        common = tables_with[link.from_column] + tables_with[link.to_column]
        return cost_of(link), -len(link.others), common, (link.from_table, link.from_column, link.to_column)

    return {pair: tuple(sorted(links, key=rank)) for pair, links in found.items()}


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a <= b else (b, a)


def missing(graph: JoinGraph, link: Relationship) -> Iterator[str]:
    """Yield the tables and columns that the link names and the graph lacks."""
    for name, columns in ((link.from_table, [a for a, _ in link.pairs]), (link.to_table, [b for _, b in link.pairs])):
        table = graph.tables.get(name)
        if table is None:
            yield f"table {name}"
        else:
            yield from (f"column {name}.{column}" for column in columns if column not in table.columns)


def is_sound(graph: JoinGraph, link: Relationship) -> bool:
    return next(missing(graph, link), None) is None


def sound_links(graph: JoinGraph) -> Iterator[Relationship]:
    return (link for link in graph.relationships if is_sound(graph, link))


# Costs


def cost_of(link: Relationship) -> int:
    audit = AUDIT if is_audit_link(link) else 0
    many = MANY_TO_MANY if link.cardinality == "N:N" else 0
    return PLAIN + audit + round(DOUBT * (1 - link.confidence)) + many


def is_audit_link(link: Relationship) -> bool:
    """Return whether the link names who made, changed or removed a row."""
    return not link.others and is_audit_column(link.from_column)


@lru_cache(maxsize=20_000)
def is_audit_column(name: str) -> bool:
    """Return whether the column names who changed a row: `created_by`, `modifierId`, `last_update_user`."""
    found = set(name_words(name))
    return not found.isdisjoint(_MAKERS) or not (found.isdisjoint(_MAKING) or found.isdisjoint(_PERSONS))


def hub_surcharges(graph: JoinGraph) -> dict[str, int]:
    """Return the surcharges of tables that very many others point at. Audit links do not count: they have their own
    price. Many-to-many links point at neither side."""
    pointing: defaultdict[str, set[str]] = defaultdict(set)
    for link in graph.relationships:
        if link.from_table != link.to_table and link.cardinality != "N:N" and not is_audit_link(link):
            pointing[link.to_table].add(link.from_table)
    shares = {table: len(froms) / len(graph.tables) for table, froms in pointing.items() if len(froms) >= HUB_TABLES}
    return {
        table: round(HUB * min(1.0, (share - HUB_SHARE) / (FULL_HUB - HUB_SHARE)))
        for table, share in shares.items()
        if share > HUB_SHARE
    }
