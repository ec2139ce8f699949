"""From the tables of a question to the joins between them. The paths are the join graph's; what a question says about
them, as who created a row or whom it is assigned to, comes first."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import Relationship
from turnkeep_agents.database.joins.trees import Choice, JoinTree
from turnkeep_agents.database.planning.identifiers import spoken
from turnkeep_agents.database.planning.links import NAMED, Said, label, meant, picked, plain
from turnkeep_agents.database.planning.notes import tell_plan

MAX_SUGGESTED = 5
MAX_RELATIONSHIPS = 20


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """`clarification` is the question to ask where only the user can tell which link is meant, else empty; `notes` say
    the plan in words for a prompt."""

    tree: JoinTree
    clarification: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Settled:
    tree: JoinTree
    left: tuple[Choice, ...]
    words: tuple[str, ...]


def plan_joins(
    finder: PathFinder,
    tables: Sequence[str],
    question: str,
    *,
    allowed: Collection[str] | None = None,
    max_suggested: int = MAX_SUGGESTED,
    max_relationships: int = MAX_RELATIONSHIPS,
) -> JoinPlan:
    """The joins for `tables`, whose names count in any case; `question` may be a chain, one message a line, the oldest
    first. Names that the graph does not hold are said in the notes. No join leads through a table that is not
    `allowed` (None: all are)."""
    finder = finder if allowed is None else within(finder, allowed)
    known, unknown = _known(finder, tables)
    lost = tuple(f"{name[:80]!r} is no table of this database." for name in unknown)
    if not known:
        return JoinPlan(JoinTree(()), notes=lost)
    said = Said(question)
    tree = _follow(finder, finder.connect(known), known, said)
    settled = _settle(finder, tree, said)
    asked = _ask(settled.left[0], max_suggested) if settled.left else ""
    plan = tell_plan(settled.tree, known, finder, said, limit=max_relationships)
    return JoinPlan(replace(settled.tree, choices=settled.left), asked, (*lost, *plan, *settled.words))


def within(finder: PathFinder, allowed: Collection[str]) -> PathFinder:
    """A finder that knows the `allowed` tables only; `finder` itself where these are all."""
    tables = {name: table for name, table in finder.graph.tables.items() if name in allowed}
    if len(tables) == len(finder.graph.tables):
        return finder
    pairs = {tuple(sorted((link.from_table, link.to_table))) for link in finder.graph.relationships}
    links = tuple(link for one, other in sorted(pairs) for link in finder.links.between(one, other))
    return PathFinder(
        replace(finder.graph, tables=tables, relationships=links), confidence_threshold=0, max_hops=finder.max_hops
    )


def _known(finder: PathFinder, tables: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names as the graph spells them, each once, and those that it does not know."""
    spelt = {name.lower(): name for name in finder.graph.tables}
    found = [name if name in finder.graph.tables else spelt.get(name.lower(), "") for name in tables]
    known = list(dict.fromkeys(name for name in found if name))
    unknown = [name for name, match in zip(tables, found, strict=True) if not match]
    return known, list(dict.fromkeys(unknown))


def _follow(finder: PathFinder, tree: JoinTree, asked: Sequence[str], said: Said) -> JoinTree:
    """The tree with the direct links between asked tables that the question names, whatever they cost."""
    reached = [name for name in asked if name not in tree.unreachable]
    pairs = [(one, other) for at, one in enumerate(reached) for other in reached[at + 1 :]]
    named: list[Relationship] = []
    for one, other in pairs:
        links = finder.links.between(one, other)
        number = meant(links, said, finder.graph, at_least=NAMED)
        named += [links[number]] if number is not None else []
    if all(link in tree.joins for link in named):
        return tree
    joins = _spanning([*named, *tree.joins], reached)
    in_use = {name for link in joins for name in (link.from_table, link.to_table)} | set(reached[:1])
    choices = tuple(choice for choice in tree.choices if any(link in joins for link in choice.relationships))
    tables, ordered = _in_order(reached[0], joins)
    added = tuple(name for name in tree.added if name in in_use)
    return JoinTree(tables, ordered, added, tree.unreachable, choices)


def _spanning(links: Iterable[Relationship], asked: Sequence[str]) -> list[Relationship]:
    """The first links that connect without a circle, without the ends that nobody asked for."""
    group: dict[str, str] = {}

    def top(name: str) -> str:
        while name in group:
            name = group[name]
        return name

    kept = []
    for link in links:
        one, other = top(link.from_table), top(link.to_table)
        if one != other:
            group[one] = other
            kept.append(link)
    while loose := _loose(kept, asked):
        kept = [link for link in kept if loose not in (link.from_table, link.to_table)]
    return kept


def _loose(links: Sequence[Relationship], asked: Sequence[str]) -> str | None:
    ends = [name for link in links for name in (link.from_table, link.to_table)]
    return next((name for name in ends if ends.count(name) == 1 and name not in asked), None)


def _in_order(first: str, links: Sequence[Relationship]) -> tuple[tuple[str, ...], tuple[Relationship, ...]]:
    """Tables and joins, so that each table can be joined to one before it."""
    tables, joins, rest = [first], [], list(links)
    while rest:
        link = next(link for link in rest if link.from_table in tables or link.to_table in tables)
        rest.remove(link)
        joins.append(link)
        tables.append(link.to_table if link.from_table in tables else link.from_table)
    return tuple(tables), tuple(joins)


def _settle(finder: PathFinder, tree: JoinTree, said: Said) -> _Settled:
    """Takes what the words, an answer or plain sense decide of the choices; the rest is left."""
    joins, left, words, answers = list(tree.joins), [], [], said.picks
    for choice in tree.choices:
        links = choice.relationships
        number = _decide(finder, links, said, answers)
        if number is None:
            left.append(choice)
            continue
        joins = [links[number] if join in links else join for join in joins]
        others = ", ".join(label(link) for link in links if link is not links[number])
        words.append(f"Of the links of {' and '.join(choice.tables)}, {label(links[number])} is meant, not {others}.")
    return _Settled(replace(tree, joins=tuple(joins)), tuple(left), tuple(words))


def _decide(finder: PathFinder, links: tuple[Relationship, ...], said: Said, answers: list[str]) -> int | None:
    """The number of the link that is meant; takes from `answers` the one that says so."""
    number = meant(links, said, finder.graph)
    if number is None and answers:
        number = picked(answers.pop(0), len(links))
    return plain(links) if number is None else number


def _ask(choice: Choice, most: int) -> str:
    """The question which link is meant, in plain words."""
    labels = _labels(choice.relationships)
    more = len(labels) - most
    shown = [f"({number}) {text}" for number, text in enumerate(labels[:most], 1)]
    shown += [f"or one of {more} others"] if more > 0 else []
    one, other = (spoken(name) for name in choice.tables)
    return f"Which link between {one} and {other} do you mean: {'; '.join(shown)}?"


def _labels(links: Sequence[Relationship]) -> list[str]:
    """Each as people would say it; what would be said twice names the table that it belongs to."""
    labels = [label(link) for link in links]
    owned = [f"{text} of the {spoken(link.from_table)}" for text, link in zip(labels, links, strict=True)]
    texts = [text if labels.count(text) == 1 else own for text, own in zip(labels, owned, strict=True)]
    return [
        text if texts.count(text) == 1 else f"{text} ({link.from_column})"
        for text, link in zip(texts, links, strict=True)
    ]
