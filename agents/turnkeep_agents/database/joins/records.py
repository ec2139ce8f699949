"""Tables, columns and the relationships between them. Relationships point as foreign keys do. Two between the same
tables stay two, because the one that is meant changes the answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, with_config

from turnkeep_agents.database.json_files import CLOSED, Text

Kind: TypeAlias = Literal["integer", "number", "text", "date", "datetime", "time", "boolean", "binary", "other"]
Origin: TypeAlias = Literal["foreign_key", "association", "manual", "inferred"]
Cardinality: TypeAlias = Literal["N:1", "1:1", "1:N", "N:N"]
Ends: TypeAlias = frozenset[tuple[str, str, str, str]]

CONFIDENCE_THRESHOLD = 0.7
MAX_HOPS = 4
PRECEDENCE: tuple[Origin, ...] = ("manual", "foreign_key", "association", "inferred")


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is the database's spelling, `kind` is ours. `values` lists all distinct values of a column with few."""

    name: str
    kind: Kind = "other"
    type: str = ""
    comment: str = ""
    synonyms: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view, its columns in the database's order. Each of `unique_columns` identifies a row by itself."""

    name: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    unique_columns: tuple[str, ...] = ()
    comment: str = ""
    synonyms: tuple[str, ...] = ()


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Relationship:
    """Rows of `from_table` point at rows of `to_table`. `others` are further column pairs of a composite key; `role` is
    the meaning in words, such as "assigned to"."""

    from_table: Text
    from_column: Text
    to_table: Text
    to_column: Text
    type: Origin = "foreign_key"
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    cardinality: Cardinality = "N:1"
    role: str = ""
    others: tuple[tuple[Text, Text], ...] = ()

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All column pairs, from and to."""
        return ((self.from_column, self.to_column), *self.others)

    @property
    def ends(self) -> Ends:
        """The joined columns in either direction: equal for links that are the same."""
        sides = ((self.from_table, a, self.to_table, b) for a, b in self.pairs)
        return frozenset(min(side, (side[2], side[3], side[0], side[1])) for side in sides)

    @property
    def condition(self) -> str:
        return " and ".join(f"{self.from_table}.{a} = {self.to_table}.{b}" for a, b in self.pairs)


@dataclass(frozen=True, slots=True)
class JoinGraph:
    tables: Mapping[str, Table] = field(default_factory=dict)
    relationships: tuple[Relationship, ...] = ()


def merged(*sources: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """Merge links over the same columns: the most trusted source describes the link, the highest confidence counts
    unless a person set one."""
    found: dict[Ends, Relationship] = {}
    for link in (link for source in sources for link in source):
        known = found.setdefault(link.ends, link)
        first, second = sorted((known, link), key=lambda each: PRECEDENCE.index(each.type))
        confidence = first.confidence if first.type == "manual" else max(first.confidence, second.confidence)
        found[link.ends] = replace(first, confidence=confidence, role=first.role or second.role)
    return tuple(found.values())
