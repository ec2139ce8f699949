"""The joins that connect the tables of a question."""

from dataclasses import dataclass

from turnkeep_agents.database.joins.records import Relationship


@dataclass(frozen=True, slots=True)
class Choice:
    """Relationships that connect the same two tables equally well: only the user can say which one is meant."""

    tables: tuple[str, str]
    relationships: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True)
class JoinTree:
    """`tables` in an order in which each after the first can be joined to one before it; `joins` has one relationship
    for each table after the first. `added` are those that nobody asked for and a path needs. `unreachable` are asked
    tables that no path of the graph reaches. `choices` is what is ambiguous."""

    tables: tuple[str, ...]
    joins: tuple[Relationship, ...] = ()
    added: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
