"""Choose the tables that a statement may need: those that were named, those between them, and a few ranked by words.
The ranking helps if the reading named too few or none."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from turnkeep_agents.database.joins.naming import nearest_names
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.planning.ranking import TableRanker

MOST_RANKED = 2  # ranked tables next to named ones
PER_WORD = 2  # tables that one description may mean: "store of parts"


def choose(
    ranker: TableRanker, finder: PathFinder, named: Sequence[str], words: str, allowed: Collection[str], *, most: int
) -> list[str]:
    """Return `named` first, then ranked tables; next to named tables only those linked to them."""
    ranked = [name for name in ranker.rank(words, allowed=allowed, limit=most) if name not in named]
    if named:
        ranked = [name for name in ranked if any(finder.links.between(name, one) for one in named)][:MOST_RANKED]
    return [*named, *ranked][:most]


def described(ranker: TableRanker, descriptions: Sequence[str], allowed: Collection[str]) -> list[str]:
    """Return the tables that descriptions mean: by spelling, else by their words."""
    found: list[str] = []
    for one in descriptions:
        found += nearest_names([one], allowed) or ranker.rank(one, allowed=allowed, limit=PER_WORD)
    return list(dict.fromkeys(found))


def ways_between(finder: PathFinder, asked: Sequence[str], allowed: Collection[str]) -> tuple[Sequence[str], list[str]]:
    """Return the tables that connect the `asked` ones, and notes for the model on those that no foreign key reaches."""
    if len(asked) < 2:
        return (), []
    tree = within(finder, allowed).connect(asked)
    notes = [f"No foreign key leads to {name} from the others: do not join it." for name in tree.unreachable]
    return tree.added, notes


def within(finder: PathFinder, allowed: Collection[str]) -> PathFinder:
    """Return a finder of the `allowed` tables only; `finder` itself if these are all."""
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
