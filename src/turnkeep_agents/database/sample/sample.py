"""The embedded database of a field service company, as of a day: 14 months up to the day before, and what is ahead."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from sqlalchemy import Table

from turnkeep_agents.database.sample.access import CANARY_TENANT, SAMPLE_ACCESS, SAMPLE_KEY
from turnkeep_agents.database.sample.owning import Owner
from turnkeep_agents.database.sample.rows import all_rows
from turnkeep_agents.database.sample.rows.lookups import CANARY, COMPANY, lookups
from turnkeep_agents.database.sample.rows.world import LARGE, SMALL, World, first_day
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.wall.hidden import ANY_TENANT, COMPANY_TABLE, KEY_TABLE, literal
from turnkeep.databases.files import Values, built_once, pack, temporary_folder

__all__ = ["CANARY_TENANT", "SAMPLE_ACCESS", "SAMPLE_KEY", "companies", "contents", "sample_file"]

VERSION = 1
"""To be raised with every change of the figures, so that no file of an older version is taken."""

_SIZES = {COMPANY: LARGE, CANARY: SMALL}


def companies() -> dict[str, int]:
    """Which company's rows a tenant sees."""
    return {ANY_TENANT: COMPANY, CANARY_TENANT: CANARY}


def contents(
    today: date, only: Collection[int] = (COMPANY, CANARY)
) -> Iterator[tuple[Table, Iterable[Sequence[Values]]]]:
    """The rows of all tables, with those of the companies named; a table may come in pieces."""
    for name, shared in lookups(first_day(today), today.toordinal(), only):
        yield metadata.tables[name], shared
    for company in only:
        world = World(_SIZES[company], today)
        owner = Owner(company, world, is_canary=company == CANARY)
        for name, rows in all_rows(world):
            table = metadata.tables[name]
            yield table, owner.stored(table, rows)


def sample_file(today: date, folder: Path | None = None) -> Path:
    """The SQLite file with data up to the day before `today`, built on its first use; raises OSError."""
    name = f"database sample {VERSION} {today}"
    return built_once(name, lambda: packed(today), folder or temporary_folder("database"))


def packed(today: date) -> bytes:
    """The bytes of the SQLite file, with what its wall needs: the key of the ciphers, and whose company is whose."""
    tenants = [f"({literal(tenant)}, {company})" for tenant, company in companies().items()]
    statements = (
        f"CREATE TABLE {KEY_TABLE} (secret TEXT NOT NULL)",
        f"INSERT INTO {KEY_TABLE} VALUES ({literal(SAMPLE_KEY)})",  # noqa: S608
        f"CREATE TABLE {COMPANY_TABLE} (tenant TEXT PRIMARY KEY, company INTEGER NOT NULL)",
        f"INSERT INTO {COMPANY_TABLE} VALUES {', '.join(tenants)}",  # noqa: S608
    )
    return pack(metadata, contents(today), statements)
