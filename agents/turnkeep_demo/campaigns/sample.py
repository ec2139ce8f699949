"""The warehouse of the sample: tables as CSV, whose dates count days from a Monday. They are shifted by whole weeks, so
that weekdays stay and the figures end the day before."""

import csv
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

from sqlalchemy import Date, Table

from turnkeep.demo import sample
from turnkeep_agents.campaigns.warehouse.tables import REQUIRED, Contents, Values, daily_metrics, pack
from turnkeep_demo.files import built_once, temporary_folder

VERSION = 3  # increment with every change of the figures, so that no file of an older version is used


def sample_file(today: date, folder: Path | None = None) -> Path:
    """Return the SQLite file with data up to the day before `today`, built on first use; raises OSError."""
    place = folder or temporary_folder("campaigns")
    return built_once(f"sample {VERSION} {today}", lambda: pack(contents(today)), place)


def contents(today: date) -> Contents:
    """Yield the rows of all tables."""
    files = sample("campaigns", "CAMPAIGNS__WAREHOUSE")
    for table in REQUIRED:
        with (files / f"{table.name}.csv").open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            yield table, list(_rows(table, next(rows), rows, today))


def _rows(table: Table, heading: Sequence[str], rows: Iterator[list[str]], today: date) -> Iterator[tuple[Values, ...]]:
    monday = today - timedelta(days=today.weekday())
    dated = [at for at, name in enumerate(heading) if isinstance(table.c[name].type, Date)]
    for row in rows:
        days = {at: monday + timedelta(days=int(row[at])) for at in dated}
        if table is not daily_metrics or min(days.values()) < today:
            yield tuple(days[at].isoformat() if at in days else cell for at, cell in enumerate(row))
