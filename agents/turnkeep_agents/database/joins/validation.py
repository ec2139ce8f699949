"""What is wrong or doubtful in a join graph, each with what to do. Errors are links that no join may use."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from turnkeep_agents.database.joins.links import is_sound, missing, sound_links
from turnkeep_agents.database.joins.merging import ends_of
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, JoinGraph, Kind, Relationship

Severity: TypeAlias = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

_NUMBERS: frozenset[Kind] = frozenset({"integer", "number", "boolean"})
_DAYS: frozenset[Kind] = frozenset({"date", "datetime"})


@dataclass(frozen=True, slots=True)
class LinkIssue:
    """`edge` is the link in question as `a.x = b.y`, or the tables where it is about none."""

    severity: Severity
    code: str
    edge: str
    message: str
    remedy: str


def validate(graph: JoinGraph, *, confidence_threshold: float = CONFIDENCE_THRESHOLD) -> list[LinkIssue]:
    """All findings, errors first."""
    found = [*_empty(graph), *_alike(graph), *_dangling(graph), *_duplicates(graph)]
    found += [*_unequal(graph), *_not_unique(graph)]
    found += [*_doubtful(graph, confidence_threshold), *_parts(graph, confidence_threshold)]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def edge_of(link: Relationship) -> str:
    """The condition of the join."""
    return " and ".join(f"{link.from_table}.{a} = {link.to_table}.{b}" for a, b in link.pairs)


def _empty(graph: JoinGraph) -> Iterator[LinkIssue]:
    if not graph.tables:
        yield LinkIssue(
            "error",
            "empty",
            "the graph",
            "has no tables: no question can be answered from it",
            "Check which database it was built from, what its login may read, and what the overrides hide.",
        )


def _alike(graph: JoinGraph) -> Iterator[LinkIssue]:
    """Names that differ by case alone, which most databases and all questions take for one."""
    tables = [("", graph.tables), *((f"{table.name}.", table.columns) for table in graph.tables.values())]
    for before, names in tables:
        for same in _same(names):
            yield LinkIssue(
                "warning",
                "case",
                ", ".join(f"{before}{name}" for name in same),
                "differ by upper and lower case alone, so a question or a statement may mean either",
                "Hide all but one in the overrides, or give them other names in the database.",
            )


def _same(names: Iterable[str]) -> list[list[str]]:
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(name.casefold(), []).append(name)
    return [same for same in folded.values() if len(same) > 1]


def _dangling(graph: JoinGraph) -> Iterator[LinkIssue]:
    for link in graph.relationships:
        if not is_sound(graph, link):
            yield LinkIssue(
                "error",
                "dangling",
                edge_of(link),
                f"the graph has no {', '.join(sorted(missing(graph, link)))}",
                "Build the graph anew, or remove the relationship in the overrides.",
            )


def _duplicates(graph: JoinGraph) -> Iterator[LinkIssue]:
    for ends, count in Counter(map(ends_of, graph.relationships)).items():
        if count > 1:
            link = next(link for link in graph.relationships if ends_of(link) == ends)
            yield LinkIssue(
                "warning",
                "duplicate",
                edge_of(link),
                f"stands there {count} times",
                "Keep one; `turnkeep joins build` merges them.",
            )


def _unequal(graph: JoinGraph) -> Iterator[LinkIssue]:
    for link in sound_links(graph):
        for a, b in link.pairs:
            kinds = graph.tables[link.from_table].columns[a].kind, graph.tables[link.to_table].columns[b].kind
            if not _are_comparable(*kinds):
                yield LinkIssue(
                    "warning",
                    "types",
                    edge_of(link),
                    f"{a} is of the kind {kinds[0]}, {b} of the kind {kinds[1]}",
                    "Check that both hold the same; a join over two kinds is slow and may find nothing.",
                )


def _are_comparable(one: Kind, other: Kind) -> bool:
    return one == other or "other" in (one, other) or {one, other} <= _NUMBERS or {one, other} <= _DAYS


def _not_unique(graph: JoinGraph) -> Iterator[LinkIssue]:
    for link in sound_links(graph):
        target, ends = graph.tables[link.to_table], {b for _, b in link.pairs}
        has_keys = bool(target.primary_key or target.unique_columns)
        is_key = not ends.isdisjoint(target.unique_columns) or set(target.primary_key) <= ends
        if link.cardinality in ("N:1", "1:1") and link.type != "foreign_key" and has_keys and not is_key:
            yield LinkIssue(
                "warning",
                "not_unique",
                edge_of(link),
                f"is {link.cardinality}, but {', '.join(sorted(ends))} does not tell the rows of {target.name} apart",
                'Rate it as "N:N" in the overrides, or name the key that is meant.',
            )


def _doubtful(graph: JoinGraph, threshold: float) -> Iterator[LinkIssue]:
    for link in sound_links(graph):
        if link.confidence < threshold:
            yield LinkIssue(
                "note",
                "low_confidence",
                edge_of(link),
                f"confidence {link.confidence:.2f} is below {threshold:.2f}: no join uses it",
                "Rate it higher in the overrides where it is right, or remove it.",
            )


def _parts(graph: JoinGraph, threshold: float) -> Iterator[LinkIssue]:
    """Tables that no usable link joins to the largest part."""
    parts = sorted(parts_of(graph, threshold), key=lambda part: (-len(part), min(part)))
    for part in parts[1:]:
        is_alone = len(part) == 1
        yield LinkIssue(
            "note" if is_alone else "warning",
            "alone" if is_alone else "disconnected",
            ", ".join(sorted(part)),
            "is joined to nothing" if is_alone else "are joined to each other, but to no other table",
            "Add the relationship that is missing in the overrides, if there is one.",
        )


def parts_of(graph: JoinGraph, threshold: float = CONFIDENCE_THRESHOLD) -> list[frozenset[str]]:
    """The tables, grouped by whether usable links lead from one to the other."""
    part = {table: {table} for table in graph.tables}
    for link in sound_links(graph):
        one, other = part[link.from_table], part[link.to_table]
        if link.confidence >= threshold and one is not other:
            one |= other
            part |= dict.fromkeys(other, one)
    return list({id(tables): frozenset(tables) for tables in part.values()}.values())
