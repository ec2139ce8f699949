"""Shortest join paths. All paths from a table are found at once, on the first question about it, and kept: later
questions are one look into a dictionary."""

import heapq
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnkeep_agents.database.joins.connecting import JoinTree, connect
from turnkeep_agents.database.joins.links import Links, Path
from turnkeep_agents.database.joins.naming import is_named_after
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, MAX_HOPS, JoinGraph, Relationship


@dataclass(frozen=True, slots=True)
class _Reached:
    """A table on a way from the source, and by what link from where."""

    before: "_Reached | None" = None
    link: Relationship | None = None


class PathFinder:
    """The ways through one join graph. Links that are too doubtful, or that name a table or a column which the graph
    does not hold, are not used. Any number of threads may ask."""

    def __init__(
        self,
        graph: JoinGraph,
        *,
        confidence_threshold: float = CONFIDENCE_THRESHOLD,
        max_hops: int = MAX_HOPS,
        audit_rule: bool = True,
    ):
        """`audit_rule`: off only to show what it is good for."""
        self.graph, self.confidence_threshold, self.max_hops = graph, confidence_threshold, max_hops
        self.links = Links(graph, confidence_threshold, audit_rule=audit_rule)
        self._paths: dict[str, Mapping[str, Path]] = {}
        self._lock = threading.Lock()

    def shortest(self, a: str, b: str) -> Path | None:
        """The links from `a` to `b` in order, none for a table and itself; None where no path of `max_hops` leads
        there. The way back is the same one. KeyError for a table that the graph does not hold."""
        if a <= b:
            return self.paths_from(a, b).get(b)
        path = self.paths_from(b, a).get(a)
        return path and path[::-1]

    def paths_from(self, table: str, *others: str) -> Mapping[str, Path]:
        """The shortest path to each table that one leads to. KeyError for `table` or one of `others` that the graph
        does not hold."""
        for name in (table, *others):
            if name not in self.graph.tables:
                raise KeyError(name)
        found = self._paths.get(table)
        if found is None:
            with self._lock:
                found = self._paths.get(table)
                if found is None:
                    found = self._paths[table] = self._search(table)
        return found

    def connect(self, tables: Sequence[str]) -> JoinTree:
        """The joins that connect `tables` with few others between. KeyError for a table that the graph does not
        hold."""
        return connect(self.links, self.paths_from, tables)

    def _search(self, source: str) -> Mapping[str, Path]:
        """Dijkstra's algorithm. A table is left again where it is reached by a dearer way of fewer hops, which may go
        on where the cheapest one has to stop. Of ways that are as good, that over a table whose name holds both others
        goes first, and that over a table which both sides only share goes last."""
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
                    rank = last + self._rank(table, reached.link, link)
                    heapq.heappush(queue, (cost + step, hops + 1, rank, neighbour, count, further))
        return {table: _links_to(reached) for table, reached in ends.items()}

    @staticmethod
    def _rank(table: str, one: Relationship | None, other: Relationship) -> int:
        """Of `table` as a step between two links, less is better."""
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
