"""The first and last date of a table's main date column, read once a day for each caller, since callers see different
rows."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeAlias

from sqlglot import exp

from turnkeep_agents.caches import Newest
from turnkeep_agents.database.guard.verdicts import Dialect
from turnkeep_agents.database.joins.records import Table
from turnkeep_agents.database.planning.schema_text import is_audit_moment, main_date
from turnkeep_agents.database.results import Try

MOST_KEPT = 5_000
MOST_ASKED = 12  # statements of one turn

Span: TypeAlias = tuple[str, str]


class DateSpans:
    """`owner` is what the rows depend on: day, tenant, user. Only a digest of it is kept."""

    def __init__(self) -> None:
        self._known: Newest[Span] = Newest(MOST_KEPT)

    def of(self, tables: Iterable[Table], dialect: Dialect, owner: Sequence[object], run: Try) -> dict[str, Span]:
        """Return spans by "table.column", without empty or unreadable ones."""
        named = [(table.name, main_date(table)) for table in tables]
        named = [(table, date) for table, date in named if date and not is_audit_moment(date)][:MOST_ASKED]
        spans = {f"{table}.{date}": self._span(_bounds(table, date, dialect), owner, run) for table, date in named}
        return {name: span for name, span in spans.items() if span[0]}

    def _span(self, sql: str, owner: Sequence[object], run: Try) -> Span:
        key = sha256(repr((*owner, sql)).encode()).hexdigest()
        if (span := self._known.get(key)) is None:
            found = run(sql)
            row = found.rows[0] if found and found.rows else (None, None)
            span = _day(row[0]), _day(row[1])
            self._known.put(key, span)
        return span


def _bounds(table: str, date: str, dialect: Dialect) -> str:
    column = exp.column(date, quoted=True)
    bounds = exp.Min(this=column).as_("first_day"), exp.Max(this=column.copy()).as_("last_day")
    return exp.select(*bounds).from_(exp.to_identifier(table, quoted=True)).sql(dialect)


def _day(cell: object) -> str:
    text = str(cell or "")[:10]
    return text if len(text) == 10 and text[4] == text[7] == "-" else ""
