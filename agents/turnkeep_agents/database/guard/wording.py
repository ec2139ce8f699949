"""Faults in words: what is wrong, where the name is found, what there is instead. Lists are cut short, and nothing is
named that the caller may not see."""

from collections.abc import Collection, Iterable

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import SECURE, Catalogue, fold, near
from turnkeep_agents.database.guard.scopes import Fault, Source
from turnkeep_agents.database.guard.verdicts import Problem

MOST_COLUMNS = 100
MOST_TABLES = 5
MOST_TELLING = 12
LONGEST_NAME = 80
MISUSE = "Aggregate functions stand neither in WHERE, ON or GROUP BY nor inside each other. Use HAVING."
ORDER_OF_SETS = "After UNION, ORDER BY takes the names or numbers of the result's columns."
_CATALOGS = ("information_schema", "performance_schema", "sqlite_", "pg_", "mysql", "sys")


class Wording:
    """Speaks about one check. `tables` are those that the query reads."""

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
        match fault.code:
            case "unknown_column" if fault.source:
                message = self._column(fault.node.name, fault.source)
            case "unknown_column":
                message = self._unqualified(fault.node, fault)
            case "unknown_alias":
                message = self._alias(fault.node, fault)
            case "ambiguous_column":
                message = self._ambiguous(fault.node, fault)
            case "duplicate_alias":
                name = _short(fault.node.alias or fault.node.name)
                message = f"The name '{name}' is given twice. Give each table a different alias."
            case "misuse":
                message = MISUSE
            case _:
                message = ORDER_OF_SETS
        return message

    def _table(self, name: str) -> Problem:
        key = fold(name)
        if key.startswith(_CATALOGS) and not self.catalogue.find(name, None):
            return Problem("catalog", f"The database's own tables may not be read: '{_short(name)}'.")
        if key.startswith(SECURE):
            return self._secure(name)
        found = near(name, self.catalogue.visible(self.allowed))
        hint = f" Did you mean: {', '.join(found)}?" if found else ""
        return Problem("unknown_table", f"Table '{_short(name)}' does NOT exist.{hint}")

    def _secure(self, name: str) -> Problem:
        """Nobody but the map of secure views makes names like these."""
        rest = name[len(SECURE) :]
        table = self.catalogue.find(rest, self.allowed)
        found = [table.name] if table else near(rest, self.catalogue.visible(self.allowed))
        hint = f" Use '{found[0]}'." if table else f" Did you mean: {', '.join(found)}?" if found else ""
        return Problem("secure_view", f"Table '{_short(name)}' does NOT exist: no secure view has this name.{hint}")

    def _column(self, name: str, source: Source) -> str:
        title = source.table or (source.alias.name if source.alias else "the sub-query")
        columns = list((source.columns or {}).values())
        told = f"Column '{_short(title)}.{_short(name)}' does NOT exist in table '{_short(title)}'."
        listed = f" Available columns in {_listed(title, columns, self.most_columns)}"
        return f"{told}{self._found_in(name)}{_meant(name, columns)}{listed}"

    def _unqualified(self, node: exp.Expr, fault: Fault) -> str:
        sources = fault.frame.sources if fault.frame else []
        columns = [name for source in sources for name in (source.columns or {}).values()]
        titles = [source.table or source.key for source in sources if source.table or source.key]
        told = f"Column '{_short(node.name)}' does NOT exist{_inside(titles)}."
        if isinstance(node.this, exp.Identifier) and node.this.quoted:
            told += " A text stands in single quotes."
        listed = f" Available columns in {_listed(titles[0], columns, self.most_columns)}" if len(titles) == 1 else ""
        return f"{told}{self._found_in(node.name)}{_meant(node.name, columns)}{listed}"

    def _alias(self, node: exp.Expr, fault: Fault) -> str:
        name = node.text("table")
        sources = fault.frame.sources if fault.frame else []
        told = f"'{_short(name)}' in '{_short(name)}.{_short(node.name)}' is no table or alias of this query."
        renamed = [one.alias.name for one in sources if one.alias and fold(one.table) == fold(name)]
        if renamed:
            return f"{told} The table has the alias '{renamed[0]}' here."
        known = [source.alias.name for source in sources if source.alias]
        return f"{told} It reads from: {_some(known, MOST_TABLES)}." if known else told

    def _ambiguous(self, node: exp.Expr, fault: Fault) -> str:
        sources = fault.frame.sources if fault.frame else []
        names = [one.alias.name for one in sources if one.alias and one.spelling(node.name) is not None]
        ways = " or ".join(f"{name}.{_short(node.name)}" for name in dict.fromkeys(names[:MOST_TABLES]))
        return f"Column '{_short(node.name)}' is ambiguous. Write {ways}."

    def _found_in(self, name: str) -> str:
        """Tables that the query reads come first; a name that many have says nothing about the others."""
        found = sorted(self.catalogue.having(name, self.allowed), key=lambda table: table not in self.tables)
        if len(found) > MOST_TELLING:
            found = [table for table in found if table in self.tables]
        return f" Found in: {_some(found, MOST_TABLES)}." if found else ""


def _listed(title: str, columns: list[str], most: int) -> str:
    names = _some(columns, most)
    return f"{_short(title)}: {names}{'' if names.endswith('...') else '.'}"


def _inside(titles: list[str]) -> str:
    if len(titles) == 1:
        return f" in table '{_short(titles[0])}'"
    return f" in {_some(titles, MOST_TABLES)}" if titles else ""


def _meant(name: str, columns: Iterable[str]) -> str:
    found = near(name, columns)
    return f" Did you mean: {', '.join(found)}?" if found else ""


def _some(names: Iterable[str], most: int) -> str:
    listed = [_short(name) for name in names]
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."
