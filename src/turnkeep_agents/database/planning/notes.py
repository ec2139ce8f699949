"""A join plan in words, for the prompt of a model that writes SQL."""

from collections.abc import Iterator, Sequence

from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import Cardinality, Relationship
from turnkeep_agents.database.joins.trees import JoinTree
from turnkeep_agents.database.planning.links import Said, label, meant

_HOW_MANY: dict[Cardinality, tuple[str, str]] = {
    "N:1": ("many", "one"),
    "1:1": ("one", "one"),
    "1:N": ("one", "many"),
    "N:N": ("many", "many"),
}
_WARNING = (
    "One {} has many rows of each of {}: joined at once they multiply. Sum or count each in a sub-query of its own, "
    "grouped by the key, or count DISTINCT keys."
)


def tell_plan(tree: JoinTree, asked: Sequence[str], finder: PathFinder, said: Said, *, limit: int) -> tuple[str, ...]:
    """At most `limit` joins, then what was added, what cannot be reached and where rows multiply."""
    notes = [tell_join(link) for link in tree.joins[:limit]]
    if len(tree.joins) > limit:
        notes.append(f"{len(tree.joins) - limit} more joins are left out here; ask for fewer tables.")
    if len(tree.tables) == 1:
        notes.append(f"{tree.tables[0]} needs no join.")
    notes += [_tell_added(name, tree) for name in tree.added]
    notes += [
        f"No join leads from {tree.tables[0]} to {name}: do not join it, and say so in the answer."
        for name in tree.unreachable
    ]
    notes += _tell_selves(tree, finder, said)
    return (*notes, *warn_of_copies(tree))


def tell_join(link: Relationship) -> str:
    """`workOrder.crewId = crew.id (many workOrder to one crew)`, with the role where it has one."""
    on = " AND ".join(f"{link.from_table}.{a} = {link.to_table}.{b}" for a, b in link.pairs)
    one, other = _HOW_MANY[link.cardinality]
    role = f"; {label(link)}" if link.role else ""
    return f"{on} ({one} {link.from_table} to {other} {link.to_table}{role})"


def warn_of_copies(tree: JoinTree) -> list[str]:
    """A warning for the first table from which two ways lead to many rows: joined, each row of one meets each of the
    other."""
    for table in tree.tables:
        ends = [_first_many(tree, table, link) for link in _around(tree, table)]
        many = [end for end in ends if end]
        if len(many) > 1:
            return [_WARNING.format(table, ", ".join(many))]
    return []


def _around(tree: JoinTree, table: str) -> Iterator[Relationship]:
    return (link for link in tree.joins if table in (link.from_table, link.to_table))


def _first_many(tree: JoinTree, table: str, link: Relationship) -> str | None:
    """The next table behind `link`, seen from `table`, of which one row here has many."""
    is_forward = link.from_table == table
    other = link.to_table if is_forward else link.from_table
    if _HOW_MANY[link.cardinality][1 if is_forward else 0] == "many":
        return other
    further = (_first_many(tree, other, more) for more in _around(tree, other) if more is not link)
    return next(filter(None, further), None)


def _tell_added(name: str, tree: JoinTree) -> str:
    ends = [link.to_table if link.from_table == name else link.from_table for link in _around(tree, name)]
    return f"{name} is only there to join {' and '.join(dict.fromkeys(ends))}."


def _tell_selves(tree: JoinTree, finder: PathFinder, said: Said) -> Iterator[str]:
    """Links of a table to itself that the question speaks of."""
    for name in tree.tables:
        links = finder.links.between(name, name)
        number = meant(links, said, finder.graph)
        if number is not None:
            yield f"{tell_join(links[number])}: {name} joined to itself needs two aliases."
