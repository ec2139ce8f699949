"""The nouns of the join graph. Relationships are directed as foreign keys are, and two between the same tables stay
two: which one is meant changes the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, with_config

from turnkeep_agents.database.shapes import CLOSED, Text

Kind: TypeAlias = Literal["integer", "number", "text", "date", "datetime", "time", "boolean", "binary", "other"]
Origin: TypeAlias = Literal["foreign_key", "association", "manual", "inferred"]
Cardinality: TypeAlias = Literal["N:1", "1:1", "1:N", "N:N"]

CONFIDENCE_THRESHOLD = 0.7
MAX_HOPS = 4


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is as the database spells it, `kind` what can be done with it. `values` are all distinct values of a
    column that has few, and empty for every other."""

    name: str
    kind: Kind = "other"
    type: str = ""
    comment: str = ""
    synonyms: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view; `columns` in the order of the database. `unique_columns` identify a row each on its own."""

    name: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    unique_columns: tuple[str, ...] = ()
    comment: str = ""
    synonyms: tuple[str, ...] = ()


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Relationship:
    """Rows of `from_table` point at rows of `to_table`. `others` are the further column pairs of a composite key.
    `role` is what the link says in words, where somebody named it: "assigned to". `confidence` is from 0 to 1. What is
    read from a file is checked for it."""

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


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """Tables by name, and every relationship between them."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    relationships: tuple[Relationship, ...] = ()
