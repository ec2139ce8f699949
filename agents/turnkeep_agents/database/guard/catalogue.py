"""The tables that a query may name, as its caller sees them: a table that is not allowed looks like one that does not
exist. Case is folded for ASCII letters only, as in databases."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from turnkeep_agents.database.guard.rendering import is_plain
from turnkeep_agents.database.joins.records import JoinGraph, Table

SECURE = "secure_"
MOST_SUGGESTIONS = 3
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    return name.translate(_LOWER)


def bare(name: str) -> str:
    """Drop case, underscores, spaces and hyphens, so that spellings of one name become equal."""
    return "".join(character for character in name.lower() if character.isalnum())


@dataclass(frozen=True)
class Catalogue:
    """`views` maps logical table names to their secure views."""

    graph: JoinGraph
    views: Mapping[str, str]

    @cached_property
    def spellings(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self.graph.tables:
            found[fold(name)] = (*found.get(fold(name), ()), name)
        return found

    @cached_property
    def table_of_view(self) -> Mapping[str, str]:
        return {fold(view): table for table, view in self.views.items()}

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, str]]:
        return {name: {fold(column): column for column in table.columns} for name, table in self.graph.tables.items()}

    @cached_property
    def odd_names(self) -> tuple[str, ...]:
        names = {name for table in self.graph.tables.values() for name in (table.name, *table.columns)}
        return tuple(sorted((name for name in names if not is_plain(name)), key=len, reverse=True))

    def is_taken(self, name: str) -> bool:
        """Return whether a table or view has this name, or whether it looks like a secure view's."""
        key = fold(name)
        return key in self.spellings or key in self.table_of_view or key.startswith(SECURE)

    def free_name(self, name: str, taken: Collection[str]) -> str:
        """Return a name like `name` that no table and none of the keys in `taken` has."""
        stem = f"cte_{name}"
        names = (stem, *(f"{stem}_{number}" for number in range(2, len(taken) + len(self.graph.tables) + 3)))
        return next(each for each in names if not self.is_taken(each) and fold(each) not in taken)

    def find(self, name: str, allowed: Collection[str] | None) -> Table | None:
        """Return the table of this name or of its view; None if it is unknown or not allowed."""
        viewed = self.table_of_view.get(fold(name))
        if viewed is None and fold(name).startswith(SECURE):
            return None
        spellings = (viewed,) if viewed else self.spellings.get(fold(name), ())
        exact = name if name in spellings else spellings[0] if len(spellings) == 1 else None
        if exact is None or (allowed is not None and exact not in allowed):
            return None
        return self.graph.tables.get(exact)

    def runs_as(self, table: str) -> str:
        return self.views.get(table, table)

    def visible(self, allowed: Collection[str] | None) -> Iterator[str]:
        return (name for name in self.graph.tables if self.find(name, allowed))

    def having(self, column: str, allowed: Collection[str] | None) -> list[str]:
        key = fold(column)
        return [name for name in self.visible(allowed) if key in self.columns[name]]


def near(name: str, names: Iterable[str]) -> list[str]:
    by_key: dict[str, str] = {}
    for each in names:
        by_key.setdefault(bare(each), each)
    return [by_key[key] for key in get_close_matches(bare(name), by_key, n=MOST_SUGGESTIONS, cutoff=0.7)]
