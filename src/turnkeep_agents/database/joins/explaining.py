"""A path in words, for people who ask why: each join with its cost, what else joins the two tables, other ways, and
where there is no way, what would make one."""

from collections.abc import Iterator
from dataclasses import replace

from turnkeep_agents.database.joins.costs import PLAIN
from turnkeep_agents.database.joins.links import Path
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph, Relationship
from turnkeep_agents.database.joins.validation import edge_of

ALTERNATIVES = 3
FURTHER_HOPS = 8
"""How far is looked where there is no path."""

_ORIGINS = {
    "foreign_key": "foreign key",
    "association": "association",
    "manual": "written by hand",
    "inferred": "inferred",
}


def explain(finder: PathFinder, a: str, b: str) -> list[str]:
    """The lines about the path from `a` to `b`; KeyError for a table that the graph does not hold."""
    path = finder.shortest(a, b)
    if path is None:
        return [f"{a} and {b}: no path of at most {finder.max_hops} joins.", *_hope(finder, a, b)]
    if not path:
        own = finder.links.between(a, a)
        return [f"{a}: one table, no join.", *(f"  to itself: {_told(finder, link)}" for link in own)]
    lines = [f"{route(a, path)}: {_counted(path)}, cost {_cost(finder, path)}"]
    for place, link in enumerate(path, 1):
        lines.append(f"  {place}. {_told(finder, link)}")
        lines += [f"     {line}" for line in _others(finder, link)]
    ways = list(_other_ways(finder, a, b, path))
    lines += ["Other ways:"] if ways else []
    return lines + [f"  {route(a, way)}: {_counted(way)}, cost {_cost(finder, way)}" for way in ways]


def route(start: str, path: Path) -> str:
    """The tables of a path, from the first to the last."""
    tables = [start]
    for link in path:
        tables.append(link.to_table if link.from_table == tables[-1] else link.from_table)
    return " - ".join(tables)


def _told(finder: PathFinder, link: Relationship) -> str:
    cost = finder.cost(link)
    why = f", because {' and '.join(cost.because)}" if cost.because else ""
    role = f", {link.role}" if link.role else ""
    return (
        f"{edge_of(link)} ({_ORIGINS[link.type]}, {link.cardinality}, confidence {link.confidence:.2f}{role}), "
        f"cost {cost.total / PLAIN:.2f}{why}"
    )


def _others(finder: PathFinder, taken: Relationship) -> Iterator[str]:
    """What else joins the same two tables."""
    a, b = taken.from_table, taken.to_table
    usable, good = finder.links.between(a, b), finder.links.equally_good(a, b)
    for link in usable:
        if link != taken:
            yield f"{'as good' if taken in good and link in good else 'not taken'}: {_told(finder, link)}"
    for link in finder.graph.relationships:
        if {link.from_table, link.to_table} == {a, b} and link not in usable:
            yield f"not usable: {edge_of(link)} ({_ORIGINS[link.type]}, confidence {link.confidence:.2f})"


def _other_ways(finder: PathFinder, a: str, b: str, path: Path) -> list[Path]:
    """The shortest ways that avoid one of the path's joins, the cheapest first."""
    found = []
    for link in path:
        ends = {link.from_table, link.to_table}
        left = tuple(each for each in finder.graph.relationships if {each.from_table, each.to_table} != ends)
        way = _like(finder, replace(finder.graph, relationships=left)).shortest(a, b)
        if way and way not in found:
            found.append(way)
    return sorted(found, key=lambda way: (finder.links.length(way), len(way)))[:ALTERNATIVES]


def _like(finder: PathFinder, graph: JoinGraph) -> PathFinder:
    return PathFinder(graph, confidence_threshold=finder.confidence_threshold, max_hops=finder.max_hops)


def _hope(finder: PathFinder, a: str, b: str) -> Iterator[str]:
    further = PathFinder(finder.graph, confidence_threshold=finder.confidence_threshold, max_hops=FURTHER_HOPS)
    doubtful = PathFinder(finder.graph, confidence_threshold=0, max_hops=finder.max_hops)
    for told, other in (("A longer one", further), ("One over doubtful relationships", doubtful)):
        path = other.shortest(a, b)
        if path:
            yield f"{told}: {route(a, path)}"
            yield from (f"  {_told(other, link)}" for link in path)
            return
    yield "Add the relationship that is missing to the overrides, if there is one."


def _counted(path: Path) -> str:
    return f"{len(path)} join{'s' if len(path) > 1 else ''}"


def _cost(finder: PathFinder, path: Path) -> str:
    return f"{finder.links.length(path) / PLAIN:.2f}"
