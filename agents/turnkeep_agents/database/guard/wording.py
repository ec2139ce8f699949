"""Describe faults: what is wrong, where the name is found, what exists instead. Lists are cut short, and nothing is
named that the caller may not see."""

from collections.abc import Collection, Iterable, Sequence

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import SECURE, Catalogue, fold, near
from turnkeep_agents.database.guard.scopes import Fault, Source
from turnkeep_agents.database.guard.verdicts import Problem

MOST_COLUMNS = 100
MOST_TABLES = 5
MOST_HOLDERS = 12
LONGEST_NAME = 80
MISUSE = "Aggregate functions stand neither in WHERE, ON or GROUP BY nor inside each other. Use HAVING."
ORDER_OF_SETS = "After UNION, ORDER BY takes the names or numbers of the result's columns."
_CATALOGS = ("information_schema", "performance_schema", "sqlite_", "pg_", "mysql", "sys")


class Wording:
    """Describes the faults of one check. `tables` are those that the query reads."""

    def __init__(
        self,
        catalogue: Catalogue,
        allowed: Collection[str] | None,
        tables: Collection[str],
        most_columns: int = MOST_COLUMNS,
    ) -> None:
        self.catalogue, self.allowed, self.tables, self.most_columns = catalogue, allowed, tables, most_columns

    def problem(self, fault: Fault) -> Problem:
        if fault.code == "unknown_table":
            return self._table(fault.node.name)
        return Problem(fault.code, self._message(fault))

    def _message(self, fault: Fault) -> str:
        node, sources = fault.node, fault.frame.sources if fault.frame else []
        match fault.code:
            case "unknown_column" if fault.source:
                return self._column(node.name, fault.source)
            case "unknown_column":
                return self._unqualified(node, sources)
            case "unknown_alias":
                return _alias(node, sources)
            case "ambiguous_column":
                names = [one.alias.name for one in sources if one.alias and one.spelling(node.name) is not None]
                ways = " or ".join(f"{name}.{_short(node.name)}" for name in dict.fromkeys(names[:MOST_TABLES]))
                return f"Column '{_short(node.name)}' is ambiguous. Write {ways}."
            case "duplicate_alias":
                return (
                    f"The name '{_short(node.alias or node.name)}' is given twice. Give each table a different alias."
                )
        return MISUSE if fault.code == "misuse" else ORDER_OF_SETS

    def _table(self, name: str) -> Problem:
        key = fold(name)
        if key.startswith(_CATALOGS) and not self.catalogue.find(name, None):
            return Problem("catalog", f"The database's own tables may not be read: '{_short(name)}'.")
        if not key.startswith(SECURE):
            hint = _meant(name, self.catalogue.visible(self.allowed))
            return Problem("unknown_table", f"Table '{_short(name)}' does NOT exist.{hint}")
        rest = name[len(SECURE) :]  # only the map of secure views makes such names
        table = self.catalogue.find(rest, self.allowed)
        hint = f" Use '{table.name}'." if table else _meant(rest, self.catalogue.visible(self.allowed))
        return Problem("secure_view", f"Table '{_short(name)}' does NOT exist: no secure view has this name.{hint}")

    def _column(self, name: str, source: Source) -> str:
        title = source.table or (source.alias.name if source.alias else "the sub-query")
        columns = list((source.columns or {}).values())
        missing = f"Column '{_short(title)}.{_short(name)}' does NOT exist in table '{_short(title)}'."
        return f"{missing}{self._found_in(name)}{_meant(name, columns)}{self._listed(title, columns)}"

    def _unqualified(self, node: exp.Expr, sources: Sequence[Source]) -> str:
        columns = [name for source in sources for name in (source.columns or {}).values()]
        titles = [source.table or source.key for source in sources if source.table or source.key]
        inside = f" in {_some(titles, MOST_TABLES)}" if titles else ""
        inside = f" in table '{_short(titles[0])}'" if len(titles) == 1 else inside
        missing = f"Column '{_short(node.name)}' does NOT exist{inside}."
        if isinstance(node.this, exp.Identifier) and node.this.quoted:
            missing += " A text stands in single quotes."
        listed = self._listed(titles[0], columns) if len(titles) == 1 else ""
        return f"{missing}{self._found_in(node.name)}{_meant(node.name, columns)}{listed}"

    def _found_in(self, name: str) -> str:
        """List tables with the column, those of the query first. If many have it, only those of the query are
        listed."""
        found = sorted(self.catalogue.having(name, self.allowed), key=lambda table: table not in self.tables)
        if len(found) > MOST_HOLDERS:
            found = [table for table in found if table in self.tables]
        return f" Found in: {_some(found, MOST_TABLES)}." if found else ""

    def _listed(self, title: str, columns: list[str]) -> str:
        names = _some(columns, self.most_columns)
        return f" Available columns in {_short(title)}: {names}{'' if names.endswith('...') else '.'}"


def _alias(node: exp.Expr, sources: Sequence[Source]) -> str:
    name = node.text("table")
    unknown = f"'{_short(name)}' in '{_short(name)}.{_short(node.name)}' is no table or alias of this query."
    renamed = [one.alias.name for one in sources if one.alias and fold(one.table) == fold(name)]
    if renamed:
        return f"{unknown} The table has the alias '{renamed[0]}' here."
    known = [source.alias.name for source in sources if source.alias]
    return f"{unknown} It reads from: {_some(known, MOST_TABLES)}." if known else unknown


def _meant(name: str, columns: Iterable[str]) -> str:
    found = near(name, columns)
    return f" Did you mean: {', '.join(found)}?" if found else ""


def _some(names: Iterable[str], most: int) -> str:
    listed = [_short(name) for name in names]
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."
