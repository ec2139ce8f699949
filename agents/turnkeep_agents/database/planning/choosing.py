"""The tables that a statement may need: those that were named, what lies between them, and a few that the words speak
of. The ranking is the net below a reading that named too few, or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from turnkeep_agents.database.joins.naming import nearest_names
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.planning.ranking import TableRanker

MOST_BESIDE = 2  # ranked tables beside the named ones
PER_WORD = 2  # tables that one description may mean: "store of parts"


@dataclass(frozen=True)
class Ways:
    """`tables` with those between them that nobody named; `notes` are what the model should know of the joins."""

    tables: tuple[str, ...]
    notes: tuple[str, ...] = ()


def choose(
    ranker: TableRanker, finder: PathFinder, named: Sequence[str], words: str, allowed: Collection[str], *, most: int
) -> list[str]:
    """`named` first; then ranked ones, next to the named ones where there are any."""
    ranked = [one.table for one in ranker.rank(words, allowed=allowed, limit=most)]
    spoken = [name for name in ranked if name not in named]
    if named:
        spoken = [name for name in spoken if any(finder.links.between(name, one) for one in named)][:MOST_BESIDE]
    return [*named, *spoken][:most]


def described(ranker: TableRanker, said: Sequence[str], allowed: Collection[str]) -> list[str]:
    """The tables that somebody means who has not seen their names: by spelling, else by what the words speak of."""
    found: list[str] = []
    for one in said:
        ranked = (best.table for best in ranker.rank(one, allowed=allowed, limit=PER_WORD))
        found += nearest_names([one], allowed) or list(ranked)
    return list(dict.fromkeys(found))


def ways_between(finder: PathFinder, tables: Sequence[str], asked: Sequence[str], allowed: Collection[str]) -> Ways:
    """The tables that connect the `asked` ones among `tables`, and those that no foreign key reaches."""
    if len(asked) < 2:
        return Ways(tuple(tables))
    tree = within(finder, allowed).connect(asked)
    notes = [f"No foreign key leads to {name} from the others: do not join it." for name in tree.unreachable]
    return Ways(tuple(dict.fromkeys([*tables, *tree.added])), tuple(notes))


def within(finder: PathFinder, allowed: Collection[str]) -> PathFinder:
    """A finder that knows the `allowed` tables only; `finder` itself where these are all."""
    tables = {name: table for name, table in finder.graph.tables.items() if name in allowed}
    if len(tables) == len(finder.graph.tables):
        return finder
    links = tuple(
        link
        for link in finder.graph.relationships
        if link.confidence >= finder.confidence_threshold and {link.from_table, link.to_table} <= tables.keys()
    )
    graph = replace(finder.graph, tables=tables, relationships=links)
    return PathFinder(graph, confidence_threshold=finder.confidence_threshold, max_hops=finder.max_hops)
