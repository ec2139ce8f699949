"""The bundled warehouse: whole on any day, with the troubles that are planted in it and no others."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path

import pandas as pd
import pytest
from exported import daily_rows, read_tables

from turnkeep_agents.campaigns.warehouse.queries import Source
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep_agents.databases.engines import open_file
from turnkeep_agents.databases.errors import DatabaseDown
from turnkeep_demo.campaigns import sample

DAYS = [date(2026, 3, 4), date(2026, 1, 2), date(2026, 4, 1), date(2028, 2, 29), date(2031, 7, 6)]
"""Todays at the edges of months, quarters and years, and of weeks."""
DAY = timedelta(days=1)


@cache
def daily(today: date) -> pd.DataFrame:
    return daily_rows(read_tables(sample.sample_file(today)))


@pytest.fixture(params=DAYS, ids=str)
def today(request: pytest.FixtureRequest) -> date:
    assert isinstance(request.param, date)
    return request.param


def test_every_day_of_thirty_weeks_up_to_yesterday_has_rows(today: date) -> None:
    known = sorted(set(daily(today)["date"]))
    assert known == list(pd.date_range(known[0], today - DAY).strftime("%Y-%m-%d"))
    assert 210 <= len(known) <= 240
    assert pd.Timestamp(known[0]).day_name() == "Monday"


def test_weekdays_keep_their_figures_while_the_window_moves() -> None:
    before, after = daily(DAYS[0]), daily(DAYS[0] + timedelta(days=7))
    assert len(before) == len(after)
    assert (before["clicks"].to_numpy() == after["clicks"].to_numpy()).all()
    assert (after.index - before.index == pd.Timedelta(days=7)).all()


# The file


def test_a_file_that_was_cleared_away_is_built_again_under_an_open_warehouse(tmp_path: Path) -> None:
    warehouse = Warehouse(Source(partial(open_file, partial(sample.sample_file, DAYS[0], tmp_path)), 5), 500)
    before = warehouse.rows((), {}, None)
    for path in tmp_path.iterdir():
        path.unlink()
    assert warehouse.rows((), {}, None) == before


CHILD = """
import sys
from datetime import date
from pathlib import Path
from turnkeep_demo.campaigns.sample import sample_file

sys.stdin.read(1)
print(sample_file(date.fromisoformat(sys.argv[2]), Path(sys.argv[1])))
"""


def test_concurrent_processes_get_the_same_complete_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(DAYS[0])]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for child in children:
        assert child.stdin
        child.stdin.write("g")
        child.stdin.flush()
    files = {child.communicate(timeout=120)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0, 0]
    assert len(files) == 1
    with closing(sqlite3.connect(*files)) as connection:
        assert connection.execute("SELECT count(*) FROM daily_metrics").fetchone() == (len(daily(DAYS[0])),)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_of_another_user_is_not_trusted(tmp_path: Path) -> None:
    """Only root can give one away, with a sample in it."""
    folder = tmp_path if os.getuid() == 0 else Path("/usr")
    if folder == tmp_path:
        sample.sample_file(DAYS[0], folder)
        os.chown(folder, 65534, 65534)
    warehouse = Warehouse(Source(partial(open_file, partial(sample.sample_file, DAYS[0], folder)), 5), 500)
    with pytest.raises(DatabaseDown, match=r"cannot be opened \(Permission denied\)"):
        warehouse.coverage()
