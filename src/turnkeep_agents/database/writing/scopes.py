"""The tables of one SELECT: each way gets a joined copy of its table, with an alias only where the name is taken.
Joins are LEFT, so that showing or grouping by something loses no rows; what a condition requires is joined plainly."""

from dataclasses import dataclass, field

from sqlglot import exp

from turnkeep_agents.database.writing.dialects import Dialect, identifier
from turnkeep_agents.database.writing.names import alias, link_words
from turnkeep_agents.database.writing.steps import Step, Way


@dataclass
class Scope:
    """Begins at the end of `root`, an absolute way; `taken` holds the names in use here and in the scopes around."""

    table: str
    dialect: Dialect
    root: Way = ()
    taken: set[str] = field(default_factory=set)
    _names: dict[Way, str] = field(default_factory=dict)
    _narrowed: dict[Way, exp.Expr] = field(default_factory=dict)
    _required: set[Way] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._names[self.root] = self._free(self.table, self.root)

    def join(self, way: Way, *, is_required: bool = False) -> str:
        """Joins all that lies on the way, once, and gives the name of its end. Ways begin with `root`."""
        for length in range(len(self.root) + 1, len(way) + 1):
            part = way[:length]
            if part not in self._names:
                self._names[part] = self._free(part[-1].far, part)
            if is_required:
                self._required.add(part)
        return self._names[way]

    def ways(self) -> list[Way]:
        """All that is joined to the table where the scope begins."""
        return list(self._names)[1:]

    def holds(self, way: Way) -> bool:
        return way in self._names

    def column(self, way: Way, name: str) -> exp.Column:
        """The column of the table at the end of the way, which is joined."""
        return self.named(self.join(way), name)

    def named(self, table: str, name: str) -> exp.Column:
        return exp.Column(this=identifier(name, self.dialect), table=identifier(table, self.dialect))

    def narrow(self, way: Way, condition: exp.Expr) -> None:
        """Joins only such rows at the end of a joined way; no row before it is lost."""
        self._narrowed[way] = condition

    def put_into(self, select: exp.Select) -> exp.Select:
        """`select` with FROM and JOIN."""
        select = select.from_(self._source(self.root), copy=False)
        for way in self.ways():
            kind = "INNER" if way in self._required else "LEFT"
            on = exp.and_(self.link(way), self._narrowed.get(way))
            select = select.join(self._source(way), on=on, join_type=kind, copy=False)
        return select

    def link(self, way: Way, near: str = "") -> exp.Expr:
        """The condition of the last step of the way; `near` names the near table where it lies in another scope."""
        step, near = way[-1], near or self._names[way[:-1]]
        far = self._names[way]
        return exp.and_(
            *(exp.EQ(this=self.named(near, one), expression=self.named(far, other)) for one, other in step.pairs)
        )

    def _source(self, way: Way) -> exp.Expr:
        table = way[-1].far if way else self.table
        name = self._names[way]
        source = exp.Table(this=identifier(table, self.dialect))
        return source if name == table else exp.alias_(source, identifier(name, self.dialect), table=True)

    def _free(self, table: str, way: Way) -> str:
        """Two copies of a table are told apart by the column that leads to them."""
        wanted = [table, *_by_link(way), *(f"{table}_{number}" for number in range(2, len(self.taken) + 3))]
        name = next(one for one in wanted if one.casefold() not in self.taken)
        self.taken.add(name.casefold())
        return name


def _by_link(way: Way) -> list[str]:
    if not way:
        return []
    step: Step = way[-1]
    words = link_words(step.relationship.from_column)
    return [alias(*words), alias(*link_words(step.relationship.from_column), "of", *link_words(step.far))]
