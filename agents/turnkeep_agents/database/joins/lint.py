"""Find errors and doubts in a join graph, each with a remedy. No join uses a link with an error."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from turnkeep_agents.database.joins.link_costs import is_sound, missing, sound_links
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, JoinGraph, Kind, Relationship

Severity: TypeAlias = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

_NUMBERS: frozenset[Kind] = frozenset({"integer", "number", "boolean"})
_DAYS: frozenset[Kind] = frozenset({"date", "datetime"})
_ADD_LINK = "Add the missing relationship in the overrides, if there is one."
_RULES: dict[str, tuple[Severity, str]] = {
    "empty": ("error", "Check which database it was built from, what its login may read, and what the overrides hide."),
    "dangling": ("error", "Build the graph again, or remove the relationship in the overrides."),
    "case": ("warning", "Hide all but one in the overrides, or give them other names in the database."),
    "duplicate": ("warning", "Keep one; `turnkeep joins build` merges them."),
    "types": ("warning", "Check that both columns hold the same; a join over two kinds is slow and may find nothing."),
    "not_unique": ("warning", 'Rate it as "N:N" in the overrides, or name the key that is meant.'),
    "low_confidence": ("note", "Rate it higher in the overrides if it is right, or remove it."),
    "disconnected": ("warning", _ADD_LINK),
    "alone": ("note", _ADD_LINK),
}


@dataclass(frozen=True, slots=True)
class LinkIssue:
    """`edge` is the link as `a.x = b.y`, or the tables if it is not about a link."""

    severity: Severity
    code: str
    edge: str
    message: str
    remedy: str


def validate(graph: JoinGraph, *, confidence_threshold: float = CONFIDENCE_THRESHOLD) -> list[LinkIssue]:
    """Return all issues, errors first."""
    found = [*_of_names(graph), *_of_links(graph, confidence_threshold), *_of_parts(graph, confidence_threshold)]
    return sorted(found, key=lambda issue: SEVERITIES.index(issue.severity))


def _issue(code: str, edge: str, message: str) -> LinkIssue:
    severity, remedy = _RULES[code]
    return LinkIssue(severity, code, edge, message, remedy)


def _of_names(graph: JoinGraph) -> Iterator[LinkIssue]:
    if not graph.tables:
        yield _issue("empty", "the graph", "has no tables: no question can be answered from it")
    for before, names in [("", graph.tables), *((f"{one.name}.", one.columns) for one in graph.tables.values())]:
        folded: dict[str, list[str]] = defaultdict(list)
        for name in names:
            folded[name.casefold()].append(f"{before}{name}")
        for same in folded.values():
            if len(same) > 1:
                yield _issue("case", ", ".join(same), "differ only in case, so a question or a statement may mean any")


def _of_links(graph: JoinGraph, threshold: float) -> Iterator[LinkIssue]:
    counts = Counter(link.ends for link in graph.relationships)
    for link in dict.fromkeys(graph.relationships):
        if not is_sound(graph, link):
            yield _issue("dangling", link.condition, f"the graph has no {', '.join(sorted(missing(graph, link)))}")
        if (count := counts.pop(link.ends, 1)) > 1:
            yield _issue("duplicate", link.condition, f"is listed {count} times")
    for link in sound_links(graph):
        for a, b in link.pairs:
            kinds = graph.tables[link.from_table].columns[a].kind, graph.tables[link.to_table].columns[b].kind
            if not _are_comparable(*kinds):
                yield _issue("types", link.condition, f"{a} is of the kind {kinds[0]}, {b} of the kind {kinds[1]}")
        if ends := _ambiguous_ends(graph, link):
            message = f"is {link.cardinality}, but {ends} does not identify the rows of {link.to_table}"
            yield _issue("not_unique", link.condition, message)
        if link.confidence < threshold:
            message = f"confidence {link.confidence:.2f} is below {threshold:.2f}: no join uses it"
            yield _issue("low_confidence", link.condition, message)


def _are_comparable(one: Kind, other: Kind) -> bool:
    return one == other or "other" in (one, other) or {one, other} <= _NUMBERS or {one, other} <= _DAYS


def _ambiguous_ends(graph: JoinGraph, link: Relationship) -> str:
    """Return the target columns if they are not a key of a table that has keys."""
    target, ends = graph.tables[link.to_table], {b for _, b in link.pairs}
    has_keys = bool(target.primary_key or target.unique_columns)
    is_key = not ends.isdisjoint(target.unique_columns) or set(target.primary_key) <= ends
    is_to_one = link.cardinality in ("N:1", "1:1") and link.type != "foreign_key"
    return ", ".join(sorted(ends)) if is_to_one and has_keys and not is_key else ""


def _of_parts(graph: JoinGraph, threshold: float) -> Iterator[LinkIssue]:
    """Yield the tables that no usable link joins to the largest part."""
    parts = sorted(parts_of(graph, threshold), key=lambda part: (-len(part), min(part)))
    for part in parts[1:]:
        names = ", ".join(sorted(part))
        if len(part) == 1:
            yield _issue("alone", names, "is joined to nothing")
        else:
            yield _issue("disconnected", names, "are joined to each other, but to no other table")


def parts_of(graph: JoinGraph, threshold: float = CONFIDENCE_THRESHOLD) -> list[frozenset[str]]:
    part = {table: {table} for table in graph.tables}
    for link in sound_links(graph):
        one, other = part[link.from_table], part[link.to_table]
        if link.confidence >= threshold and one is not other:
            one |= other
            part |= dict.fromkeys(other, one)
    return list({id(tables): frozenset(tables) for tables in part.values()}.values())
