"""Find the joins that connect several tables over few others. The best such tree is too expensive to find. This one
takes the links among the asked tables first, bridges the gaps by shortest paths or from a table near to all, and drops
what it did not need."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from turnkeep_agents.database.joins.link_costs import Links, Path, cost_of
from turnkeep_agents.database.joins.records import Relationship

CENTRES = 3  # tables near to all asked ones that are tried as the middle of the tree
ADDED = 100  # cost of a table that was not asked for, next to its link, in hundredths of a plain join

PathsFrom: TypeAlias = Callable[[str], Mapping[str, Path]]
Group: TypeAlias = frozenset[str]


@dataclass(frozen=True, slots=True)
class JoinTree:
    """`tables` are in an order in which each can be joined to one before it; `joins` has one link for each after the
    first. `added` are tables on the way, `unreachable` the asked ones that no path reaches."""

    tables: tuple[str, ...]
    joins: tuple[Relationship, ...] = ()
    added: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()


def connect(links: Links, paths_from: PathsFrom, tables: Sequence[str]) -> JoinTree:
    """Return the tree over `tables`. If no path joins all of them, the tree covers the largest part."""
    asked = tuple(dict.fromkeys(tables))
    part = _largest_part(asked, paths_from)
    best = min(_candidates(links, paths_from, part), key=lambda tree: _price(links, tree, part))
    ordered, joins = _in_order(part, best)
    return JoinTree(
        ordered,
        joins,
        added=tuple(table for table in ordered if table not in part),
        unreachable=tuple(table for table in asked if table not in part),
    )


def _largest_part(asked: Sequence[str], paths_from: PathsFrom) -> tuple[str, ...]:
    """Return the most tables that paths connect; among equal parts, that of the table asked first."""
    groups = [frozenset({table}) for table in asked]
    for index, table in enumerate(asked):
        reached = paths_from(table)
        for other in asked[index + 1 :]:
            if other in reached:
                groups = _joined(groups, table, other)
    largest = max(groups, key=lambda group: (len(group), -min(map(asked.index, group))), default=frozenset())
    return tuple(table for table in asked if table in largest)


def _candidates(links: Links, paths_from: PathsFrom, part: Sequence[str]) -> Iterator[Path]:
    groups = [frozenset({table}) for table in part]
    for table in part:
        for other, path in paths_from(table).items():
            if other in part and len(path) == 1:
                groups = _joined(groups, table, other)
    yield _pruned(links, _bridged(paths_from, links, groups), part)
    if len(groups) > 2:
        for spokes in _stars(paths_from, links, groups):
            yield _pruned(links, {*part, *spokes}, part)


def _bridged(paths_from: PathsFrom, links: Links, groups: list[Group]) -> set[str]:
    """Join the two nearest groups until one is left, and return all tables. Tables of a bridge become groups too."""
    while len(groups) > 1:
        bridges = [
            reached[other]
            for index, group in enumerate(groups)
            for reached in map(paths_from, sorted(group))
            for later in groups[index + 1 :]
            for other in sorted(later)
            if other in reached
        ]
        path = min(bridges, key=lambda path: _rank(links, path))
        groups = [*groups, *(frozenset({table}) for table in _tables_of(path) - frozenset().union(*groups))]
        for link in path:
            groups = _joined(groups, link.from_table, link.to_table)
    return set().union(*groups)


def _stars(paths_from: PathsFrom, links: Links, groups: Sequence[Group]) -> list[Group]:
    """Return the tables on the shortest paths from each group to a centre, for the best centres."""
    near: dict[str, list[Path]] = {}
    for group in groups:
        best: dict[str, Path] = {}
        for table in sorted(group):
            for centre, path in paths_from(table).items():
                best[centre] = min(best.get(centre, path), path, key=lambda path: _rank(links, path))
        for centre, path in best.items():
            near.setdefault(centre, []).append(path)
    asked = frozenset().union(*groups)
    whole = [
        (sum(map(links.length, paths)) + (0 if centre in asked else links.through(centre)), centre)
        for centre, paths in near.items()
        if len(paths) == len(groups)
    ]
    return [frozenset().union(*map(_tables_of, near[centre])) for _, centre in sorted(whole)[:CENTRES]]


def _pruned(links: Links, tables: Collection[str], part: Collection[str]) -> Path:
    """Return the cheapest tree over `tables` without the ends that were not asked for."""
    tree = _spanning(links, tables)
    while True:
        ends = [table for link in tree for table in (link.from_table, link.to_table)]
        idle = {table for table in ends if ends.count(table) == 1 and table not in part}
        if not idle:
            return tuple(tree)
        tree = [link for link in tree if idle.isdisjoint((link.from_table, link.to_table))]


def _spanning(links: Links, tables: Collection[str]) -> list[Relationship]:
    near = links.neighbours
    steps = sorted((cost, a, b) for a in tables for b, (_, cost) in near.get(a, {}).items() if a < b and b in tables)
    groups = [frozenset({table}) for table in tables]
    tree: list[Relationship] = []
    for _, a, b in steps:
        joined = _joined(groups, a, b)
        if len(joined) < len(groups):
            groups, tree = joined, [*tree, near[a][b][0]]
    return tree


def _joined(groups: list[Group], a: str, b: str) -> list[Group]:
    touched = [group for group in groups if a in group or b in group]
    return [*(group for group in groups if group not in touched), frozenset().union(*touched)]


def _in_order(part: Sequence[str], tree: Path) -> tuple[tuple[str, ...], Path]:
    tables, joins, left = list(part[:1]), [], list(tree)
    for table in tables:  # grows while it is walked
        for link in [link for link in left if table in (link.from_table, link.to_table)]:
            left.remove(link)
            joins.append(link)
            tables.append(link.to_table if link.from_table == table else link.from_table)
    return tuple(tables), tuple(joins)


def _price(links: Links, tree: Path, part: Collection[str]) -> tuple[int, int, list[tuple[str, str]]]:
    added = _tables_of(tree) - set(part)
    weight = sum(map(cost_of, tree)) + sum(ADDED + links.through(table) for table in added)
    return weight, len(tree), [(link.from_table, link.from_column) for link in tree]


def _rank(links: Links, path: Path) -> tuple[int, int, list[tuple[str, str]]]:
    return links.length(path), len(path), [(link.from_table, link.from_column) for link in path]


def _tables_of(path: Path) -> Group:
    return frozenset(table for link in path for table in (link.from_table, link.to_table))
