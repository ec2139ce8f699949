"""Rows on their way into the database: the values of a table's own columns, without `companyId`, and at the end, of
audited tables, the moment at which the row was entered; a second one there is that of the last change."""

from collections.abc import Iterable

type Value = str | int | float | None
type Row = tuple[Value, ...]
type Pieces = tuple[str, Iterable[Row]]
"""Rows of a table, by its name. A table may come in several pieces."""


def pounds(pence: int) -> float:
    return pence / 100
