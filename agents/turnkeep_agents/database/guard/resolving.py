"""Bind every table and column of a tree and write it in the database's spelling, tables with a secure view as that
view. A common table expression with the name of a table is renamed, so that no rule of any database can make it mean
the table."""

from collections.abc import Collection
from dataclasses import replace

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue, fold, near
from turnkeep_agents.database.guard.rendering import identifier
from turnkeep_agents.database.guard.scopes import (
    ALIASES_SEEN,
    PLACES,
    Columns,
    Common,
    Commons,
    Fault,
    Frame,
    Place,
    Shape,
    Source,
    alias_of,
    columns_of,
    is_aggregate,
    is_compared_value,
    is_of_result,
    is_one_row,
    names_of,
    source_of,
    source_of_values,
)
from turnkeep_agents.database.guard.verdicts import Dialect


class Resolver:
    """Reads one tree. `faults` are names that do not fit; `bound` has the source of every column found."""

    def __init__(self, catalogue: Catalogue, dialect: Dialect, allowed: Collection[str] | None) -> None:
        self.catalogue, self.dialect, self.allowed = catalogue, dialect, allowed
        self.faults: list[Fault] = []
        self.bound: dict[int, Source] = {}
        self.frames: list[tuple[Frame, exp.Select]] = []
        self.tables: dict[str, None] = {}
        self.columns: dict[str, None] = {}

    def read(self, tree: exp.Expr) -> None:
        self._query(tree, None, {})

    def _fault(self, code: str, node: exp.Expr, frame: Frame | None = None, source: Source | None = None) -> None:
        self.faults.append(Fault(code, node, frame, source))

    def _query(self, node: exp.Expr, parent: Frame | None, commons: Commons) -> Shape:
        commons = self._with(node, parent, commons)
        if isinstance(node, exp.SetOperation):
            return self._set(node, parent, commons)
        if isinstance(node, exp.Subquery):
            return self._query(node.this, parent, commons)
        return self._select(node, parent, commons) if isinstance(node, exp.Select) else Shape(None)

    def _with(self, node: exp.Expr, parent: Frame | None, commons: Commons) -> Commons:
        found, here = dict(commons), set[str]()
        start = node.args.get("with_") or exp.With()
        is_recursive = bool(start.args.get("recursive"))
        for each in start.expressions:
            alias, key = each.args["alias"], fold(each.alias)
            inside = self._with_itself(each, parent, found) if is_recursive else found
            shape = self._query(each.this, parent, inside)
            shape = replace(shape, columns=columns_of(alias, shape.columns, self.dialect))
            if key in here:
                self._fault("duplicate_alias", each)
            here.add(key)
            if not is_recursive:
                self._rename(alias, found)
            found[key] = Common(alias.this, shape)
        return found

    def _rename(self, alias: exp.TableAlias, found: Commons) -> None:
        if self.catalogue.is_taken(alias.name):
            free = self.catalogue.free_name(alias.name, {fold(common.name.name) for common in found.values()})
            alias.set("this", identifier(free, self.dialect))

    def _with_itself(self, each: exp.CTE, parent: Frame | None, found: Commons) -> Commons:
        """Return what a recursive query sees: itself as well, with the columns of its first part."""
        key, alias = fold(each.alias), each.args["alias"]
        self._rename(alias, found)
        if not isinstance(each.this, exp.Union):
            return found
        other = Resolver(self.catalogue, self.dialect, self.allowed)
        columns = other._query(each.this.this.copy(), parent, found).columns
        return {**found, key: Common(alias.this, Shape(columns_of(alias, columns, self.dialect)))}

    def _set(self, node: exp.SetOperation, parent: Frame | None, commons: Commons) -> Shape:
        shape = self._query(node.this, parent, commons)
        other = self._query(node.expression, parent, commons)
        names = {**(shape.columns or {}), **(other.columns or {})}
        is_open = shape.columns is None or other.columns is None
        frame = Frame(None, [Source(None, None if is_open else names)])
        for term in node.args["order"].expressions if node.args.get("order") else ():
            if not isinstance(term.this, exp.Column | exp.Collate) and not term.this.is_int:
                self._fault("order", term)
            self._walk(term, frame, commons, "order")
        return Shape(shape.columns)

    def _select(self, node: exp.Select, parent: Frame | None, commons: Commons) -> Shape:
        frame = Frame(parent)
        self.frames.append((frame, node))
        self._from(node, frame, commons)
        for each in node.expressions:
            self._walk(each, frame, commons, "select")
        shape = self._shape(node, frame)
        self._clauses(node, frame, commons)
        return shape

    def _clauses(self, node: exp.Select, frame: Frame, commons: Commons) -> None:
        for part, place in PLACES.items():
            found = node.args.get(part)
            for each in found if isinstance(found, list) else [found] if found else []:
                self._walk(each, frame, commons, place)

    def _shape(self, node: exp.Select, frame: Frame) -> Shape:
        columns: dict[str, str] = {}
        is_open = False
        for each in node.expressions:
            counts = isinstance(each, exp.Alias) or self.dialect != "sqlite"
            for name in names_of(each, frame, self.dialect):
                if name is None:
                    is_open = True
                    continue
                columns.setdefault(fold(name), name)
                frame.named[fold(name)] = frame.named.get(fold(name), 0) + counts
        is_constant = not any(source.table or not source.is_constant for source in frame.sources)
        return Shape(None if is_open else columns, is_one_row(node), is_constant)

    def _from(self, node: exp.Select, frame: Frame, commons: Commons) -> None:
        start = node.args.get("from_")
        if start:
            self._source(start.this, frame, commons)
        self._joins(node.args.get("joins") or [], frame, commons)
        for condition, count in frame.conditions:
            frame.visible = None if self.dialect == "sqlite" else count
            self._walk(condition, frame, commons, "where")
        frame.visible = None

    def _joins(self, joins: list[exp.Join], frame: Frame, commons: Commons) -> None:
        for join in joins:
            if not any(join.args.get(part) for part in ("on", "using", "side", "kind")):
                join.set("kind", "CROSS")
            self._source(join.this, frame, commons)
            for name in join.args.get("using") or ():
                self._using(name, frame)
            if join.args.get("on"):
                frame.conditions.append((join.args["on"], len(frame.sources)))

    def _source(self, node: exp.Expr, frame: Frame, commons: Commons) -> None:
        if isinstance(node, exp.Table):
            self._table(node, frame, commons)
            self._joins(node.args.get("joins") or [], frame, commons)
        elif isinstance(node, exp.Values):
            self._add(source_of_values(node, self.dialect), node, frame)
        elif isinstance(node.this, exp.Table):
            self._source(node.this, frame, commons)
        else:
            # MariaDB has no correlated derived tables
            shape = self._query(node.this, None if self.dialect == "mysql" else frame.parent, commons)
            alias = node.args["alias"].this if node.args.get("alias") else None
            self._add(source_of(alias, shape), node, frame)

    def _table(self, node: exp.Table, frame: Frame, commons: Commons) -> None:
        common = commons.get(fold(node.name))
        if common:
            if common.name.name != node.name and not node.alias:
                node.set("alias", exp.TableAlias(this=node.this.copy()))
            node.set("this", common.name.copy())
            source = source_of(alias_of(node), common.shape)
        else:
            source = self._stored(node)
        self._add(source, node, frame)

    def _stored(self, node: exp.Table) -> Source:
        table = self.catalogue.find(node.name, self.allowed)
        if table is None:
            self._fault("unknown_table", node)
            return Source(alias_of(node), None)
        written, runs = node.this, self.catalogue.runs_as(table.name)
        if fold(written.name) != fold(runs) and not node.alias:
            node.set("alias", exp.TableAlias(this=identifier(written.name, self.dialect)))
        node.set("this", identifier(runs, self.dialect))
        self.tables[table.name] = None
        columns: Columns = self.catalogue.columns[table.name] if table.columns else None
        return Source(alias_of(node), columns, table.name, runs != table.name)

    def _add(self, source: Source, node: exp.Expr, frame: Frame) -> None:
        if self.dialect != "sqlite" and source.key and any(other.key == source.key for other in frame.sources):
            self._fault("duplicate_alias", node, frame, source)
        frame.sources.append(source)

    def _using(self, name: exp.Identifier, frame: Frame) -> None:
        *before, last = frame.sources
        for source in (last, next((one for one in before if one.spelling(name.name)), before[0] if before else last)):
            spelling = source.spelling(name.name)
            if spelling is None:
                self._fault("unknown_column", name, frame, source)
            elif source.table:
                self.columns[f"{source.table}.{spelling}"] = None
            if spelling is not None and self.dialect == "postgres":
                name.replace(name := identifier(spelling, self.dialect))
        frame.merged.add(fold(name.name))

    def _walk(self, top: exp.Expr, frame: Frame, commons: Commons, place: Place) -> None:
        stack: list[tuple[exp.Expr, bool]] = [(top, False)]
        sums: list[exp.Expr] = []
        while stack:
            node, is_summed = stack.pop()
            if isinstance(node, exp.Query):
                self._query(node, frame, commons)
                continue
            if isinstance(node, exp.Column):
                self._column(node, frame, place)
                continue
            is_sum = is_aggregate(node)
            if is_sum and (is_summed or place in ("where", "group")):
                self._fault("misuse", node, frame)
            if is_sum:
                sums.append(node)
            stack.extend((child, is_summed or is_sum) for child in node.iter_expressions(reverse=True))
        for each in sums:
            self._check_sum(each, frame)

    def _check_sum(self, node: exp.Expr, frame: Frame) -> None:
        """Refuse an aggregate over columns of the outer query only: it would belong to that query."""
        columns = [self.bound[id(column)] for column in node.find_all(exp.Column) if id(column) in self.bound]
        if columns and not any(source in frame.sources for source in columns):
            self._fault("misuse", node, frame)

    def _column(self, node: exp.Column, frame: Frame, place: Place) -> None:
        if node.table:
            self._qualified(node, frame)
        elif not (isinstance(node.this, exp.Star) or (place == "order" and is_of_result(node, frame, self.dialect))):
            self._unqualified(node, frame, place)

    def _qualified(self, node: exp.Column, frame: Frame) -> None:
        key = fold(node.table)
        for around in frame.around():
            sources = [source for source in around.seen() if source.key == key]
            if len(sources) > 1:
                sources = [one for one in sources if one.spelling(node.name) is not None]
                if len(sources) > 1:
                    self._fault("ambiguous_column", node, frame)
                    return
            if sources:
                node.set("table", sources[0].alias.copy() if sources[0].alias else None)
                self._bind(node, sources[0], frame)
                return
        self._fault("unknown_alias", node, frame)

    def _unqualified(self, node: exp.Column, frame: Frame, place: Place) -> None:
        for around in frame.around():
            sources = [source for source in around.seen() if source.spelling(node.name) is not None]
            known = [source for source in sources if source.columns is not None] or sources[:1]
            if len(known) == 1 or (known and fold(node.name) in around.merged):
                self._bind(node, known[0], frame)
                return
            count = around.named.get(fold(node.name), 0)
            if known and not (count == 1 and self.dialect == "mysql" and place in ("group", "having")):
                self._fault("ambiguous_column", node, frame)
                return
            if known or (count and around is frame and place in ALIASES_SEEN[self.dialect]):
                return
        if self._is_text(node, frame):
            node.replace(exp.Literal.string(node.name))
            return
        self._fault("unknown_column", node, frame)

    def _is_text(self, node: exp.Column, frame: Frame) -> bool:
        """Return whether SQLite means a text: a name in double quotes that is not a column. It is meant as a text where
        it is compared with a column and resembles no name of the schema."""
        if self.dialect != "sqlite" or not node.this.quoted or not is_compared_value(node):
            return False
        columns = (name for source in frame.sources for name in (source.columns or {}).values())
        return not (near(node.name, list(columns)) or self.catalogue.having(node.name, self.allowed))

    def _bind(self, node: exp.Column, source: Source, frame: Frame) -> None:
        self.bound[id(node)] = source
        spelling = "*" if (is_star := isinstance(node.this, exp.Star)) else source.spelling(node.name)
        if spelling is None:
            if not (self.dialect == "sqlite" and source.has_row_id(node.name)):
                self._fault("unknown_column", node, frame, source)
            return
        if source.table:
            self.columns[f"{source.table}.{spelling}"] = None
        if not is_star and (source.table or self.dialect == "postgres"):
            node.set("this", identifier(spelling, self.dialect))
