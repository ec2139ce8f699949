"""Find shortest join paths. The first question about a table finds all paths from it; later questions are look-ups."""

import heapq
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnkeep_agents.database.joins.connecting import JoinTree, connect
from turnkeep_agents.database.joins.link_costs import Links, Path
from turnkeep_agents.database.joins.naming import is_named_after
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, MAX_HOPS, JoinGraph, Relationship


@dataclass(frozen=True, slots=True)
class _Reached:
    """A table on the way from the source, and the link that led to it."""

    before: "_Reached | None" = None
    link: Relationship | None = None


class PathFinder:
    """The paths through one join graph, over usable links only. Thread-safe."""

    def __init__(
        self, graph: JoinGraph, *, confidence_threshold: float = CONFIDENCE_THRESHOLD, max_hops: int = MAX_HOPS
    ):
        self.graph, self.confidence_threshold, self.max_hops = graph, confidence_threshold, max_hops
        self.links = Links(graph, confidence_threshold)
        self._paths: dict[str, Mapping[str, Path]] = {}
        self._lock = threading.Lock()

    def paths_from(self, table: str) -> Mapping[str, Path]:
        """Return the shortest path to each table that `max_hops` reach, as links in order. Raises KeyError for an
        unknown table."""
        if table not in self.graph.tables:
            raise KeyError(table)
        with self._lock:
            if table not in self._paths:
                self._paths[table] = self._search(table)
            return self._paths[table]

    def connect(self, tables: Sequence[str]) -> JoinTree:
        """Return the joins that connect `tables` over few others. Raises KeyError for an unknown table."""
        return connect(self.links, self.paths_from, tables)

    def _search(self, source: str) -> Mapping[str, Path]:
        """Run Dijkstra's algorithm. A table is visited again if a dearer way has fewer hops, since it may go on where
        the cheapest must stop. Among equal ways, one over a table named after both others comes first, one over a table
        that both merely share comes last."""
        ends: dict[str, _Reached] = {}
        fewest: dict[str, int] = {}
        unseen = self.max_hops + 1
        queue: list[tuple[int, int, int, str, int, _Reached]] = [(0, 0, 0, source, 0, _Reached())]
        count = 0
        while queue:
            cost, hops, last, table, _, reached = heapq.heappop(queue)
            if hops >= fewest.get(table, unseen):
                continue
            fewest[table] = hops
            ends.setdefault(table, reached)
            cost += self.links.through(table) if hops else 0
            for neighbour, (link, step) in self.links.neighbours.get(table, {}).items():
                if hops + 1 < fewest.get(neighbour, unseen):
                    count += 1
                    further = _Reached(reached, link)
                    rank = last + _rank(table, reached.link, link)
                    heapq.heappush(queue, (cost + step, hops + 1, rank, neighbour, count, further))
        return {table: _links_to(reached) for table, reached in ends.items()}


def _rank(table: str, one: Relationship | None, other: Relationship) -> int:
    """Rank `table` as a step between two links; less is better."""
    if one is None:
        return 0
    ends = {one.to_table, other.to_table}
    return (ends == {table}) - (table not in ends and is_named_after(table, ends))


def _links_to(reached: _Reached) -> Path:
    links = []
    while reached.before is not None and reached.link is not None:
        links.append(reached.link)
        reached = reached.before
    return tuple(reversed(links))
