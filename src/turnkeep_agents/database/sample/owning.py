"""Rows as they lie in the database: with their company, with who entered them when, and with ciphers for secrets.

The second company is a canary: each of its texts begins with its name, and its ids begin where no others are.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from sqlalchemy import String, Table

from turnkeep_agents.database.sample.access import CANARY_TENANT, SAMPLE_KEY
from turnkeep_agents.database.sample.rows.dice import at
from turnkeep_agents.database.sample.rows.shapes import Row
from turnkeep_agents.database.sample.rows.staff import SYSTEM_USER
from turnkeep_agents.database.sample.rows.world import World
from turnkeep_agents.database.sample.tables.columns import AUDITS, COMPANY_COLUMN, secrets_of
from turnkeep_agents.database.wall.ciphers import encrypt
from turnkeep.databases.files import Values

CANARY_IDS = 100_000_000
"""Added to all ids of the second company."""

type Stored = tuple[Values, ...]

_encrypted = cache(lambda text: encrypt(text, SAMPLE_KEY))


class Owner:
    """A company that rows are given to."""

    def __init__(self, company: int, world: World, *, is_canary: bool):
        self._company, self._is_canary = company, is_canary
        self._begun = at(world.first, 0)
        clerks = [place for name in ("dispatcher", "accountant", "sales") for place in world.staff.places[name]]
        self._terms = [
            [(person.hired_at, person.user) for person in world.staff.people if person.place == place][::-1]
            for place in clerks
        ]

    def stored(self, table: Table, rows: Iterable[Row]) -> Iterator[Stored]:
        """The rows in the order of the table's columns."""
        columns = [column for column in table.columns if column.name not in AUDITS]
        width = len(columns) - 1
        secrets = [place for place, column in enumerate(columns) if column.name in secrets_of(table)]
        change = self._changing(table) if self._is_canary else None
        for row in rows:
            values: list[Values] = [row[0], self._company, *row[1:width]]
            if len(row) > width:
                values += self._audits(int(row[0] or 0), str(row[width]), str(row[-1]))
            if change:
                change(values)
            for place in secrets:
                if values[place] is not None:
                    values[place] = _encrypted(values[place])
            yield tuple(values)

    def _audits(self, roll: int, entered: str, changed: str) -> tuple[Values, ...]:
        return self._clerk(roll, entered), self._clerk(roll + 1, changed), entered, changed

    def _clerk(self, roll: int, moment: str) -> int:
        """Who was in the office then; what is older than the data was entered by the system."""
        terms = self._terms[roll % len(self._terms)] if moment >= self._begun else ()
        return next((user for hired, user in terms if hired <= moment), SYSTEM_USER)

    def _changing(self, table: Table) -> Callable[[list[Values]], None]:
        ids = [place for place, column in enumerate(table.columns) if _is_own_id(table, column.name)]
        texts = [
            place
            for place, column in enumerate(table.columns)
            if isinstance(column.type, String) or column.name in secrets_of(table)
        ]

        def change(values: list[Values]) -> None:
            for place in ids:
                if values[place] is not None:
                    values[place] = int(values[place] or 0) + CANARY_IDS
            for place in texts:
                if values[place] is not None:
                    values[place] = f"{CANARY_TENANT} {values[place]!s}"

        return change


def _is_own_id(table: Table, name: str) -> bool:
    """Whether the column holds ids of companies' rows: of the table itself, or of one that it points at."""
    column = table.columns[name]
    if name == COMPANY_COLUMN:
        return False
    if not column.foreign_keys:
        return name == "id"
    return any(COMPANY_COLUMN in key.column.table.columns for key in column.foreign_keys)
