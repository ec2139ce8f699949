import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path

import pandas as pd
import pytest
from exported import daily_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeep_agents.campaigns.warehouse import sample
from turnkeep_agents.campaigns.warehouse.source import Source
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep_agents.campaigns.warehouse.tables import metadata
from turnkeep.databases.engines import open_file
from turnkeep.databases.errors import DatabaseDown
from turnkeep.databases.files import KEPT_FILES, built_once, pack

DAYS = [
    date(2026, 3, 4),
    date(2026, 1, 2),
    date(2026, 4, 1),
    date(2028, 2, 29),
    date(2031, 7, 3),
]
"""Todays at the edges of months, quarters and years, and years apart."""
ANY_DAY = st.dates(date(2020, 1, 1), date(2045, 12, 31))
DAY = timedelta(days=1)


@cache
def frames(today: date) -> dict[str, pd.DataFrame]:
    rows: dict[str, list[object]] = {table.name: [] for table in metadata.sorted_tables}
    for table, pieces in sample.contents(today):
        rows[table.name] += pieces
    return {table.name: pd.DataFrame(rows[table.name], columns=table.c.keys()) for table in metadata.sorted_tables}


@cache
def daily(today: date) -> pd.DataFrame:
    return daily_rows(frames(today))


@pytest.fixture(params=DAYS, ids=str)
def today(request: pytest.FixtureRequest) -> date:
    assert isinstance(request.param, date)
    return request.param


# The window


@given(ANY_DAY)
def test_the_data_begin_with_a_quarter_about_eight_months_ago(today: date) -> None:
    first = sample.first_day(today)

    assert (first.day, first.month % 3) == (1, 1)
    assert 210 <= (today - first).days <= 310


def test_every_day_up_to_yesterday_has_rows(today: date) -> None:
    known = set(daily(today)["date"])

    expected = pd.date_range(sample.first_day(today), today - DAY).strftime("%Y-%m-%d")
    assert known == set(expected)
    assert 20_000 <= len(daily(today)) <= 40_000


@settings(max_examples=3, deadline=None)
@given(ANY_DAY, st.integers(1, 100))
def test_a_past_day_never_changes_while_the_window_moves(today: date, days: int) -> None:
    names = ["date", "advertiser", "insertion_order", "line_item", "audience", "creative", "size", "budget"]
    names += ["start_date", "end_date", "impressions", "clicks", "cost", "conversions", "revenue"]
    later = today + timedelta(days=days)
    begin, end = str(sample.first_day(later)), str(today - DAY)

    before, after = (daily_rows(frames(day))[names].loc[begin:end].reset_index(drop=True) for day in (today, later))

    order = ["date", "line_item", "creative"]
    pd.testing.assert_frame_equal(
        before.sort_values(order, ignore_index=True), after.sort_values(order, ignore_index=True)
    )
    assert len(before) > 10_000


def test_the_figures_are_possible(today: date) -> None:
    rows = daily(today)

    assert (rows["clicks"] <= rows["impressions"]).all()
    assert (rows["conversions"] <= rows["clicks"]).all()
    assert (rows[["impressions", "cost"]] > 0).all(axis=None)
    assert (rows[["clicks", "conversions", "revenue"]] >= 0).all(axis=None)
    assert ((rows["revenue"] > 0) == (rows["conversions"] > 0)).all()
    assert not rows.duplicated(["date", "line_item", "creative"]).any()


def test_there_are_several_advertisers_each_with_two_or_three_insertion_orders(today: date) -> None:
    orders = daily(today).groupby("advertiser")["insertion_order"].nunique()

    assert "Quiz" in orders.index
    assert (len(orders), orders.min(), orders.max()) == (6, 2, 3)
    assert daily(today)["size"].nunique() == 5


# What was planted


def pace(today: date) -> pd.Series:
    """What each flight that ran yesterday has spent, as a share of what its days so far should have cost."""
    rows = daily(today)
    running = rows[rows["end_date"] >= str(today - DAY)]
    flights = running.groupby("insertion_order").agg(
        cost=("cost", "sum"), budget=("budget", "first"), start=("start_date", "first"), end=("end_date", "first")
    )
    start, end = pd.to_datetime(flights["start"]), pd.to_datetime(flights["end"])
    elapsed, whole = (pd.Timestamp(today) - start).dt.days, (end - start).dt.days + 1
    return flights["cost"] / (flights["budget"] * elapsed / whole)


def test_one_order_overspends_one_underdelivers_and_the_others_are_on_track(today: date) -> None:
    paces = pace(today)

    assert len(paces) == 13
    assert 1.25 < paces.pop(sample.OVERSPENDING) < 1.6
    assert 0.4 < paces.pop(sample.UNDERDELIVERING) < 0.6
    assert 0.85 < paces.min() <= paces.max() < 1.15


def test_a_month_of_overspending_ends_over_its_budget() -> None:
    rows = daily(date(2026, 4, 1))
    march = rows[(rows["insertion_order"] == sample.OVERSPENDING) & (rows["start_date"] == "2026-03-01")]

    assert march["cost"].sum() > 1.3 * march["budget"].iloc[0]


def test_an_audience_spends_without_a_conversion_and_no_other_does(today: date) -> None:
    sums = daily(today).loc[str(today - timedelta(days=28)) :].groupby("audience")[["cost", "conversions"]].sum()

    assert sums["cost"].min() > 100
    assert list(sums.index[sums["conversions"] == 0]) == [sample.FRUITLESS_AUDIENCE]


def test_one_size_is_clicked_far_less_than_any_other(today: date) -> None:
    sums = daily(today).loc[str(today - timedelta(days=7)) :].groupby("size")[["clicks", "impressions"]].sum()
    rates = sums["clicks"] / sums["impressions"]

    assert rates.pop(sample.WEAK_SIZE) < 0.5 * rates.min()


def weekly_rates(today: date, weeks: int) -> pd.DataFrame:
    """The click rate of each creative in each of the last weeks, the oldest first."""
    rows = daily(today).loc[str(today - timedelta(weeks=weeks)) :]
    week = (rows.index - pd.Timestamp(today - timedelta(weeks=weeks))).days // 7
    sums = rows.groupby(["creative", week])[["clicks", "impressions"]].sum()
    return (sums["clicks"] / sums["impressions"]).unstack()


@settings(max_examples=5, deadline=None)
@given(ANY_DAY)
def test_a_creative_tires_over_the_last_six_weeks_whatever_the_day(today: date) -> None:
    rates = weekly_rates(today, 6)
    tired = rates.loc[sample.tired_creative(today)]

    assert tired.is_monotonic_decreasing
    assert tired.iloc[-1] < 0.8 * tired.iloc[0]
    others = rates.drop(index=list(sample.TIRING))
    assert (others.iloc[:, -1] / others.iloc[:, 0]).between(0.9, 1.1).all()


def test_one_advertiser_has_no_trouble_at_all(today: date) -> None:
    rows = daily(today)
    well = rows[rows["advertiser"] == sample.WELL]

    assert pace(today)[well["insertion_order"].unique()].between(0.95, 1.05).all()
    assert sample.WEAK_SIZE not in set(well["size"])
    for name in ("creative", "audience", "line_item"):
        sums = well.groupby(name)[["clicks", "impressions", "conversions", "cost", "revenue"]].sum()
        rates = sums["clicks"] / sums["impressions"]
        assert rates.min() > 0.8 * rates.max()
        assert (sums["revenue"] > 2 * sums["cost"]).all()
    rates = weekly_rates(today, 6).loc[well["creative"].unique()]
    assert (rates.min(axis=1) > 0.9 * rates.max(axis=1)).all()


def test_each_plant_is_documented_by_a_name_of_the_data() -> None:
    rows = daily(DAYS[0])
    known = {
        name for column in ("advertiser", "insertion_order", "audience", "creative", "size") for name in rows[column]
    }

    assert sample.PLANTS.keys() <= known


# The file


def test_the_file_is_built_once(tmp_path: Path) -> None:
    file = sample.sample_file(DAYS[0], tmp_path)
    built = file.stat()

    again = sample.sample_file(DAYS[0], tmp_path)

    assert (again, again.stat().st_ino) == (file, built.st_ino)
    assert built.st_size < 4_000_000
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_each_day_and_each_version_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, other_day = sample.sample_file(DAYS[0], tmp_path), sample.sample_file(DAYS[0] + DAY, tmp_path)
    monkeypatch.setattr(sample, "VERSION", sample.VERSION + 1)

    assert len({first, other_day, sample.sample_file(DAYS[0], tmp_path)}) == 3


def test_files_of_other_days_do_not_pile_up(tmp_path: Path) -> None:
    for age in range(3 * KEPT_FILES):
        newest = built_once(f"day {age}", lambda: b"", tmp_path)
        os.utime(newest, (1000 + age, 1000 + age))

    assert len(list(tmp_path.iterdir())) <= KEPT_FILES
    assert newest.exists()


def test_a_file_that_was_cleared_away_is_built_again_under_an_open_warehouse(tmp_path: Path) -> None:
    warehouse = Warehouse(Source(partial(open_file, partial(sample.sample_file, DAYS[0], tmp_path)), 5), 500)
    before = warehouse.rows((), {}, None)
    for path in tmp_path.iterdir():
        path.unlink()

    assert warehouse.rows((), {}, None) == before


def test_threads_that_come_first_at_once_get_the_same_whole_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        files = set(threads.map(lambda _: sample.sample_file(DAYS[0], tmp_path), range(8)))

    assert len(files) == 1
    assert [path.suffix for path in tmp_path.iterdir()] == [".sqlite"]
    assert count(*files) == len(daily(DAYS[0]))


CHILD = """
import sys
from datetime import date
from pathlib import Path
from turnkeep_agents.campaigns.warehouse.sample import sample_file

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

    files = {child.communicate(timeout=30)[0].strip() for child in children}

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


def test_what_is_packed_is_the_same_each_time() -> None:
    assert pack(metadata, sample.contents(DAYS[0])) == pack(metadata, sample.contents(DAYS[0]))
