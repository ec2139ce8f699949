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
from exported import daily_rows, flights, read_tables

from turnkeep_agents.campaigns.warehouse.source import Source
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep_agents.databases.engines import open_file
from turnkeep_agents.databases.errors import DatabaseDown
from turnkeep_demo.campaigns import sample

DAYS = [date(2026, 3, 4), date(2026, 1, 2), date(2026, 4, 1), date(2028, 2, 29), date(2031, 7, 6)]
"""Todays at the edges of months, quarters and years, and of weeks."""
DAY = timedelta(days=1)
OVERSPENDING, UNDERDELIVERING = "Brightway City Breaks", "Oakmere Showroom"
FRUITLESS_AUDIENCE, WEAK_SIZE, TIRED, WELL = "Coupon Collectors", "160x600", "Lookbook 970x250", "Tidewater Audio"


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


def test_the_figures_are_possible(today: date) -> None:
    rows = daily(today)
    assert (rows["clicks"] <= rows["impressions"]).all()
    assert (rows["conversions"] <= rows["clicks"]).all()
    assert (rows[["impressions", "cost"]] > 0).all(axis=None)
    assert ((rows["revenue"] > 0) == (rows["conversions"] > 0)).all()
    assert not rows.duplicated(["date", "line_item", "creative"]).any()


def test_there_are_several_advertisers_each_with_two_or_three_insertion_orders(today: date) -> None:
    orders = daily(today).groupby("advertiser")["insertion_order"].nunique()
    assert "Quiz" in orders.index
    assert (len(orders), orders.min(), orders.max()) == (6, 2, 3)
    assert daily(today)["size"].nunique() == 5


def test_one_order_overspends_one_underdelivers_and_the_others_are_on_track(today: date) -> None:
    paces = flights(read_tables(sample.sample_file(today)), str(today - DAY))["pacing"]
    assert len(paces) == 13
    assert 1.25 < paces.pop(OVERSPENDING) < 1.6
    assert 0.4 < paces.pop(UNDERDELIVERING) < 0.6
    assert 0.85 < paces.min() <= paces.max() < 1.15


def test_an_audience_spends_without_a_conversion_and_no_other_does(today: date) -> None:
    sums = daily(today).loc[str(today - timedelta(days=28)) :].groupby("audience")[["cost", "conversions"]].sum()
    assert sums["cost"].min() > 100
    assert list(sums.index[sums["conversions"] == 0]) == [FRUITLESS_AUDIENCE]


def test_one_size_is_clicked_far_less_than_any_other_and_the_good_advertiser_has_none_of_it(today: date) -> None:
    sums = daily(today).loc[str(today - timedelta(days=7)) :].groupby("size")[["clicks", "impressions"]].sum()
    rates = sums["clicks"] / sums["impressions"]
    assert rates.pop(WEAK_SIZE) < 0.5 * rates.min()
    well = daily(today)[daily(today)["advertiser"] == WELL]
    assert WEAK_SIZE not in set(well["size"])
    assert well["revenue"].sum() > 2 * well["cost"].sum()


def test_one_creative_tires_over_the_last_six_weeks_whatever_the_day(today: date) -> None:
    rows = daily(today).loc[str(today - timedelta(weeks=6)) :]
    week = (rows.index - pd.Timestamp(today - timedelta(weeks=6))).days // 7
    sums = rows.groupby(["creative", week])[["clicks", "impressions"]].sum()
    rates = (sums["clicks"] / sums["impressions"]).unstack()
    assert rates.loc[TIRED].iloc[-1] < 0.8 * rates.loc[TIRED].iloc[0]
    others = rates.drop(index=[TIRED, "Runway 970x250"])
    assert (others.iloc[:, -1] / others.iloc[:, 0]).between(0.85, 1.15).all()


# The file


def test_the_file_is_built_once(tmp_path: Path) -> None:
    file = sample.sample_file(DAYS[0], tmp_path)
    built = file.stat()
    again = sample.sample_file(DAYS[0], tmp_path)
    assert (again, again.stat().st_ino) == (file, built.st_ino)
    assert built.st_size < 4_000_000
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


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


def test_processes_that_come_first_at_once_get_the_same_whole_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(DAYS[0])]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for child in children:
        assert child.stdin
        child.stdin.write("g")
        child.stdin.flush()
    files = {child.communicate(timeout=120)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0, 0]
    assert len(files) == 1
    assert count(Path(*files)) == len(daily(DAYS[0]))


def count(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM daily_metrics").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return int(rows)


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder that belongs to somebody else; only root can give one away, with a sample in it."""
    if os.getuid() != 0:
        return Path("/usr")
    sample.sample_file(DAYS[0], tmp_path)
    os.chown(tmp_path, 65534, 65534)
    return tmp_path


def test_a_folder_of_somebody_else_is_not_trusted(foreign: Path) -> None:
    warehouse = Warehouse(Source(partial(open_file, partial(sample.sample_file, DAYS[0], foreign)), 5), 500)
    with pytest.raises(DatabaseDown, match=r"cannot be opened \(Permission denied\)"):
        warehouse.coverage()
