"""Names that do not fit, mended on the tree: another spelling, another table of the query, one more join along the only
relationship that leads there. Each kind of fault has its ways, surest first; a way that is not the only one is none."""

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import SECURE, Catalogue, fold
from turnkeep_agents.database.guard.rendering import identifier
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.scopes import Fault, Frame, Source
from turnkeep_agents.database.guard.spelling import nearest, nearest_or_part, same
from turnkeep_agents.database.guard.verdicts import Dialect
from turnkeep_agents.database.joins.records import CONFIDENCE_THRESHOLD, Relationship

type Way = Callable[[str, Iterable[str]], str | None]

ROUNDS = 6


class Mender:
    def __init__(self, catalogue: Catalogue, dialect: Dialect) -> None:
        self.catalogue, self.dialect = catalogue, dialect
        self.resolver = Resolver(catalogue, dialect, None)

    def mend(self, tree: exp.Expr) -> bool:
        """Changes the tree until no name is wrong; False where one stays so."""
        for _ in range(ROUNDS):
            self.resolver = resolver = Resolver(self.catalogue, self.dialect, None)
            resolver.read(tree)
            if not resolver.faults:
                return True
            selects = {id(frame): select for frame, select in resolver.frames}
            if not [fault for fault in resolver.faults if self._mended(fault, selects)]:
                return False
        return False

    def _mended(self, fault: Fault, selects: dict[int, exp.Select]) -> bool:
        node, frame = fault.node, fault.frame
        if fault.code == "unknown_table" and isinstance(node, exp.Table):
            return self._table(node)
        select = selects.get(id(frame))
        if frame is None or select is None:
            return False
        if fault.code == "misuse":
            return _moved_to_having(node, select)
        return isinstance(node, exp.Column) and self._named_rightly(fault.code, node, fault.source, frame, select)

    def _named_rightly(
        self, code: str, node: exp.Column, source: Source | None, frame: Frame, select: exp.Select
    ) -> bool:
        match code:
            case "ambiguous_column":
                return self._ambiguous(node, frame, select)
            case "unknown_alias":
                return self._alias(node, frame, select)
            case "unknown_column":
                return self._column(node, source, frame, select)
        return False

    # Tables

    def _table(self, node: exp.Table) -> bool:
        name = node.name[len(SECURE) :] if fold(node.name).startswith(SECURE) else node.name
        if fold(name) == "dual" and isinstance(node.parent, exp.From):
            node.parent.pop()
            return True
        names = list(self.catalogue.graph.tables)
        found = same(name, names) or nearest(name, names)
        if found is None:
            return False
        if not node.alias:
            node.set("alias", exp.TableAlias(this=identifier(node.name, self.dialect)))
        node.set("this", identifier(found, self.dialect))
        return True

    # Columns

    def _column(self, node: exp.Column, source: Source | None, frame: Frame, select: exp.Select) -> bool:
        sources = [source] if source else frame.sources
        if source and self._joined_rightly(node, frame):
            return True
        return (
            self._respelt(node, sources, same)
            or self._moved(node, frame, source)
            or self._fetched(node, frame, select)
            or self._respelt(node, sources, nearest_or_part)
        )

    def _respelt(self, node: exp.Column, sources: list[Source], choose: Way) -> bool:
        found = [(one, name) for one in sources if one.columns and (name := choose(node.name, one.columns.values()))]
        names = {fold(name) for _, name in found}
        if len(names) != 1 or (len(found) > 1 and not node.table):
            return False
        node.set("this", identifier(found[0][1], self.dialect))
        return True

    def _moved(self, node: exp.Column, frame: Frame, source: Source | None) -> bool:
        """To the only other source of the query that has it."""
        found = [one for one in frame.sources if one is not source and one.columns and one.spelling(node.name)]
        if len(found) != 1 or not found[0].alias:
            return False
        node.set("table", found[0].alias.copy())
        return True

    def _fetched(self, node: exp.Column, frame: Frame, select: exp.Select) -> bool:
        """From the only table with such a column that one relationship connects to the query."""
        links = [link for link in self._ways_out(frame) if fold(node.name) in self.catalogue.columns[link[1]]]
        if len(links) != 1 or not select.args.get("from_"):
            return False
        source, table, link = links[0]
        self._add_join(frame, select, source, table, link)
        node.set("table", identifier(table, self.dialect))
        return True

    def _ways_out(self, frame: Frame) -> Iterator[tuple[Source, str, Relationship]]:
        """Relationships from a source of the query to a table that it does not read."""
        read = {source.table for source in frame.sources if source.table}
        for link in self.catalogue.graph.relationships:
            if link.confidence < CONFIDENCE_THRESHOLD:
                continue
            for source in frame.sources:
                if source.table == link.from_table and link.to_table not in read:
                    yield source, link.to_table, link
                elif source.table == link.to_table and link.from_table not in read:
                    yield source, link.from_table, link

    def _add_join(self, frame: Frame, select: exp.Select, source: Source, table: str, link: Relationship) -> None:
        """What was unambiguous before it is written out, so that it stays so."""
        for column in select.find_all(exp.Column):
            bound = self.resolver.bound.get(id(column))
            if bound in frame.sources and bound and bound.alias and not column.table:
                column.set("table", bound.alias.copy())
        title, added = source.alias.name if source.alias else source.table, identifier(table, self.dialect)
        names = (title, table) if source.table == link.from_table else (table, title)
        select.append("joins", exp.Join(this=exp.Table(this=added), on=self._condition(link, *names)))
        frame.sources.append(Source(added, self.catalogue.columns[table], table))

    def _condition(self, link: Relationship, from_name: str, to_name: str) -> exp.Expr:
        pairs = [
            exp.EQ(this=self._named(from_name, one), expression=self._named(to_name, other))
            for one, other in link.pairs
        ]
        return exp.and_(*pairs, copy=False)

    def _named(self, table: str, column: str) -> exp.Column:
        return exp.Column(this=identifier(column, self.dialect), table=identifier(table, self.dialect))

    def _joined_rightly(self, node: exp.Column, frame: Frame) -> bool:
        """A join over columns that are not there is put on the only relationship of its two tables."""
        equality = node.parent
        if not isinstance(equality, exp.EQ) or not equality.find_ancestor(exp.Join):
            return False
        sides = [side for side in (equality.this, equality.expression) if isinstance(side, exp.Column) and side.table]
        sources = [one for side in sides for one in frame.sources if one.key == fold(side.table) and one.table]
        links = self._between(*sources) if len(sources) == 2 and sources[0] is not sources[1] else []
        if len(links) != 1:
            return False
        one, other = sources if sources[0].table == links[0].from_table else sources[::-1]
        equality.replace(self._condition(links[0], *(each.alias.name if each.alias else "" for each in (one, other))))
        return True

    def _between(self, one: Source, other: Source) -> list[Relationship]:
        tables = {one.table, other.table}
        return [link for link in self.catalogue.graph.relationships if {link.from_table, link.to_table} == tables]

    # Qualifiers

    def _alias(self, node: exp.Column, frame: Frame, select: exp.Select) -> bool:
        sources = [source for source in frame.sources if source.alias]
        meant = [one for one in sources if fold(one.table) == fold(node.table) and one.spelling(node.name)]
        if len(meant) == 1 and meant[0].alias:
            node.set("table", meant[0].alias.copy())
            return True
        table = self.catalogue.find(node.table, None)
        ways = [way for way in self._ways_out(frame) if table and way[1] == table.name]
        if table and len(ways) == 1 and fold(node.name) in self.catalogue.columns[table.name]:
            self._add_join(frame, select, *ways[0])
            return True
        if self._moved(node, frame, None):
            return True
        name = nearest(node.table, [one.alias.name for one in sources if one.alias])
        node.set("table", identifier(name, self.dialect) if name else node.args["table"])
        return name is not None

    def _ambiguous(self, node: exp.Column, frame: Frame, select: exp.Select) -> bool:
        """Where joins make all of them equal, the first is as good as any."""
        sources = [one for one in frame.sources if one.alias and one.spelling(node.name) is not None]
        if node.table or not sources or len({one.key for one in sources}) != len(sources):
            return False
        equal = _equal_keys(select, node.name)
        if not all(source.key in equal for source in sources) or not sources[0].alias:
            return False
        node.set("table", sources[0].alias.copy())
        return True


def _equal_keys(select: exp.Select, column: str) -> set[str]:
    """The aliases whose column of this name is tied to that of another by an equality."""
    found: set[str] = set()
    for equality in select.find_all(exp.EQ):
        sides = [side for side in (equality.this, equality.expression) if isinstance(side, exp.Column)]
        if len(sides) == 2 and all(fold(side.name) == fold(column) and side.table for side in sides):
            found |= {fold(side.table) for side in sides}
    return found


def _moved_to_having(node: exp.Expr, select: exp.Select) -> bool:
    """A condition on an aggregate, out of WHERE."""
    where = select.args.get("where")
    if not where or not any(found is node for found in where.find_all(exp.AggFunc)):
        return False
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    moved = [part for part in parts if any(found is node for found in part.find_all(exp.AggFunc))]
    if len(moved) != 1 or node.find_ancestor(exp.AggFunc):
        return False
    kept = [part for part in parts if part is not moved[0]]
    having = select.args.get("having")
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    select.set("having", exp.Having(this=exp.and_(having.this, moved[0]) if having else moved[0].copy()))
    return True
