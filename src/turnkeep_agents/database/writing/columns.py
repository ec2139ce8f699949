"""Which columns are shown: what a row is called by, and the handful that says most about it. No keys, no audit columns,
no long texts; in place of a key the name of what it points at."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from turnkeep_agents.database.joins.costs import is_audit_column
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.joins.records import JoinGraph, Table
from turnkeep_agents.database.reading.profiles import Profile, profiles_of
from turnkeep_agents.database.writing.names import alias, column_words, link_words, one_of
from turnkeep_agents.database.writing.steps import Step, Way, Ways, key_of
from turnkeep.blocks.grammar import word_class

MOST_LINKS, MOST_STATES, MOST_DATES, MOST_AMOUNTS, FEW = 2, 2, 2, 2, 5

_STATES = word_class("status state type kind priority category stage phase severity result level position")
_AMOUNTS = word_class(
    "total amount price cost hours quantity rate balance fee salary budget value subtotal score percent"
)
_OWNERS = word_class("company tenant organization organisation workspace")


@dataclass(frozen=True, slots=True)
class Shown:
    """A column at the end of a way, and what it is called in the result; with `since` the days from there to it."""

    way: Way
    column: str
    name: str
    since: str = ""


class Columns:
    """What to show of the tables of one graph; `allowed` are the tables whose names may be shown in place of keys."""

    def __init__(self, ways: Ways, graph: JoinGraph, allowed: Collection[str] | None = None):
        self._ways, self._graph, self._allowed = ways, graph, allowed
        self._profiles: dict[str, Profile] = {}

    def labels(self, table: str) -> tuple[str, ...]:
        """The columns that name a row for people, at most two; empty where only a key could."""
        found = self._graph.tables[table]
        return tuple(name for name in self._profile(table).label if name not in key_of(found))

    def named(self, way: Way, table: str, column: str) -> list[Shown]:
        """One column, or in place of a key the label of what it points at."""
        step = self._link(table, column)
        if step:
            return self._labels_by(way, step)
        if (column,) == self._graph.tables[table].primary_key and way and self.labels(table):
            return self.labels_of(way, table)
        if way and column in self.labels(table):
            return [one for one in self.labels_of(way, table) if one.column == column]
        owner, words = self._called(way) if way else (), column_words(column)
        return [Shown(way, column, alias(*(() if words[: len(owner)] == owner else owner), *words))]

    def main(self, subject: str) -> list[Shown]:
        """The readable handful of a row of the subject."""
        table, profile = self._graph.tables[subject], self._profile(subject)
        linked = list(self._links(table))
        named = [*self.labels(subject), *profile.codes[:1]]
        is_told = {step.relationship.from_column for step in linked}
        own = named or [name for name in key_of(table) if name not in is_told]
        further = [*_states(table, profile)][:MOST_STATES]
        further += [name for name in profile.dates if not _is_audit(name)][:MOST_DATES]
        further += [name for name in profile.measures if name_words(name)[-1] in _AMOUNTS][-MOST_AMOUNTS:]
        if not (named or linked or further):
            further = [name for name in table.columns if not (_is_audit(name) or _is_owner(name))][:FEW]
        shown = [Shown((), name, alias(*column_words(name))) for name in dict.fromkeys(own)]
        for step in linked:
            shown += self._labels_by((), step)
        return shown + [Shown((), name, alias(*column_words(name))) for name in further if name not in own]

    def key_behind(self, way: Way, table: str, column: str, *, is_one_of_many: bool) -> tuple[str, ...]:
        """What tells apart rows that bear the same label, where `column` stands for such a row and not for a mere
        value: columns of the same table. `is_one_of_many` where a row of `table` has many of what is measured."""
        if self._link(table, column):
            return (column,)
        key = self._graph.tables[table].primary_key
        return key if is_one_of_many and (column in self.labels(table) or (column,) == key) else ()

    def _link(self, table: str, column: str) -> Step | None:
        """Where a column points, if what it points at has a name that may be shown."""
        for step in self._ways.forward(table):
            if step.relationship.from_column == column and self._may(step.far) and self.labels(step.far):
                return step
        return None

    def _links(self, table: Table) -> Iterator[Step]:
        found = 0
        for name in table.columns:
            step = None if _is_audit(name) or _is_owner(name) else self._link(table.name, name)
            if step and found < MOST_LINKS:
                found += 1
                yield step

    def _may(self, table: str) -> bool:
        return self._allowed is None or table in self._allowed

    def _labels_by(self, way: Way, step: Step) -> list[Shown]:
        return self.labels_of((*way, step), step.far)

    def labels_of(self, way: Way, table: str) -> list[Shown]:
        """The label of the table at the end of a way, called after what leads there."""
        called, labels = self._called(way) if way else (), self.labels(table)
        if len(labels) == 1 and called:
            return [Shown(way, labels[0], alias(*called))]
        return [Shown(way, name, alias(*called, *column_words(name))) for name in labels]

    def _called(self, way: Way) -> tuple[str, ...]:
        """What the end of a way is called: after the column that points there, or after its table."""
        step = way[-1]
        is_one = step.is_forward and not step.relationship.others
        return link_words(step.relationship.from_column) if is_one else one_of(step.far)

    def _profile(self, table: str) -> Profile:
        if table not in self._profiles:
            links = tuple(step.relationship for step in self._ways.forward(table))
            self._profiles |= profiles_of(JoinGraph({table: self._graph.tables[table]}, links))
        return self._profiles[table]


def _states(table: Table, profile: Profile) -> Iterator[str]:
    for name in table.columns:
        if name not in profile.links and name_words(name)[-1:] and name_words(name)[-1] in _STATES:
            yield name


def _is_audit(name: str) -> bool:
    words = set(name_words(name))
    return is_audit_column(name) or not words.isdisjoint({"created", "updated", "modified", "deleted", "changed"})


def _is_owner(name: str) -> bool:
    return link_words(name)[-1] in _OWNERS
