"""Ways from the subject of a question to the tables of its columns. A way is absolute: it begins at the subject, and
two ways that differ in one link end at two copies of the table."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, JoinGraph, Relationship, Table
from turnkeep_agents.database.joins.trees import JoinTree
from turnkeep_agents.database.reading.asked import Field


class CannotWrite(ValueError):
    """The question needs a table that no join reaches, or a column that is missing; the message says which."""


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship, walked as the foreign key points or (`is_forward` false) against it."""

    relationship: Relationship
    is_forward: bool

    @property
    def near(self) -> str:
        return self.relationship.from_table if self.is_forward else self.relationship.to_table

    @property
    def far(self) -> str:
        return self.relationship.to_table if self.is_forward else self.relationship.from_table

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Near column, far column."""
        return tuple(pair if self.is_forward else pair[::-1] for pair in self.relationship.pairs)

    def back(self) -> "Step":
        return Step(self.relationship, not self.is_forward)


type Way = tuple[Step, ...]


def multiplies(step: Step, graph: JoinGraph) -> bool:
    """Whether a row on the near side may meet several on the far side. Keys decide where the far table has any."""
    table, columns = graph.tables[step.far], {far for _, far in step.pairs}
    if table.primary_key and columns >= set(table.primary_key):
        return False
    if columns & set(table.unique_columns):
        return False
    if step.is_forward and not table.primary_key and not table.unique_columns:
        return step.relationship.cardinality in ("1:N", "N:N")
    return step.is_forward or step.relationship.cardinality != "1:1"


def key_of(table: Table) -> tuple[str, ...]:
    """The columns that identify a row; empty where nothing is known to."""
    known = table.primary_key or table.unique_columns[:1]
    return known or tuple(name for name in table.columns if name.lower() == "id")


class Ways:
    """Finds the way to each column: `Field.via` chooses the link, else the join tree does."""

    def __init__(self, subject: str, tree: JoinTree, graph: JoinGraph):
        self.subject, self.graph = subject, graph
        self._links = [*_steps(tree.joins)]
        self._ways = self._walk({subject: ()})

    def to(self, field: Field) -> Way:
        """Raises CannotWrite."""
        if field.table not in self.graph.tables or field.column not in self.graph.tables[field.table].columns:
            raise CannotWrite(f"there is no column {field.table}.{field.column}")
        if field.via:
            return self._by(field) or self.to_table(field.table)
        return self.to_table(field.table)

    def to_table(self, table: str) -> Way:
        """Raises CannotWrite."""
        if table in self._ways:
            return self._ways[table]
        direct = self.direct(self.subject, table)
        if direct is None:
            raise CannotWrite(f"no join leads from {self.subject} to {table}")
        return (direct,)

    def to_rows_of(self, table: str, via: str = "") -> Way:
        """To the rows that belong to a row of the subject, be they of the same table. A direct link is preferred, of
        two that of rows that point at the subject. Raises CannotWrite."""
        direct = self.direct(self.subject, table, via) if via else self._pointing(table)
        direct = direct or self.direct(self.subject, table)
        return (direct,) if direct else self.to_table(table)

    def _pointing(self, table: str) -> Step | None:
        steps = [step for step in self._between(self.subject, table) if not (step.is_forward or _is_audit(step))]
        return min(steps, key=lambda step: _strangeness(step, ""), default=None)

    def beyond(self, way: Way, field: Field) -> Way:
        """From the end of `way` on to the table of `field`. Raises CannotWrite."""
        end = way[-1].far
        if field.table == end:
            return way
        if not field.via and self._ways.get(field.table, ())[: len(way)] == way:
            return self._ways[field.table]
        direct = self.direct(end, field.table, field.via)
        if direct is None:
            raise CannotWrite(f"no join leads from {end} to {field.table}")
        return (*way, direct)

    def direct(self, near: str, far: str, via: str = "") -> Step | None:
        """The link between two tables, business before audit, and rows pointing at the near table before rows that it
        points at where both are the same."""
        steps = [
            step
            for step in self._between(near, far)
            if not via or via in {column for pair in step.pairs for column in pair}
        ]
        return min(steps, key=lambda step: _strangeness(step, via), default=None)

    def forward(self, table: str) -> Iterator[Step]:
        """The links of single columns of `table`, as foreign keys point."""
        for one in self.graph.relationships:
            if one.from_table == table and not one.others and one.confidence >= CONFIDENCE_THRESHOLD:
                yield Step(one, True)

    def _by(self, field: Field) -> Way | None:
        """Through the column `via` of a table that is already reached; the nearest to the subject counts."""
        for link in self.forward(self.subject):
            if (link.relationship.from_column, link.far) == (field.via, field.table):
                return (link,)
        usual = self._ways.get(field.table, ())
        reached = sorted(self._ways, key=lambda table: (len(self._ways[table]), table))
        for near in [*([usual[-1].near] if usual else []), *reached]:
            step = self.direct(near, field.table, field.via)
            if step and field.via in {column for column, _ in step.pairs}:
                return (*self._ways[near], step)
        for step in self.forward(self.subject):
            if step.relationship.from_column == field.via:
                return self._walk({step.far: (step,)}, without=self.subject).get(field.table)
        step = self.direct(self.subject, field.table, field.via)
        return (step,) if step else None

    def _between(self, near: str, far: str) -> Iterator[Step]:
        for one in self.graph.relationships:
            if one.confidence >= CONFIDENCE_THRESHOLD:
                yield from [step for step in _steps([one]) if (step.near, step.far) == (near, far)]

    def _walk(self, ways: dict[str, Way], without: str = "") -> dict[str, Way]:
        waiting = deque(ways)
        while waiting:
            near = waiting.popleft()
            for step in self._links:
                if step.near == near and step.far not in ways and step.far != without:
                    ways[step.far] = (*ways[near], step)
                    waiting.append(step.far)
        return ways


def _steps(relationships: Iterable[Relationship]) -> Iterator[Step]:
    for one in relationships:
        yield from (Step(one, True), Step(one, False))


def _strangeness(step: Step, via: str) -> tuple[bool, bool, float]:
    near = {column for column, _ in step.pairs}
    backwards = step.near == step.far and step.is_forward != bool(via)
    return (bool(via) and via not in near) or backwards, _is_audit(step), -step.relationship.confidence


def _is_audit(step: Step) -> bool:
    return is_audit_column(step.relationship.from_column)
