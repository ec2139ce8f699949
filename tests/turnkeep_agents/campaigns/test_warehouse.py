import re
import sqlite3
import traceback
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from exported import daily_rows, read_tables
from plain_warehouse import FIRST, MAY, Day, flight, on_days, opened, plain_warehouse, run

import silent_driver  # noqa: F401 - makes its URLs known
from turnkeep_agents.campaigns.requests import Period
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse import tables
from turnkeep_agents.campaigns.warehouse.sums import FRESH_SECONDS, Warehouse, open_warehouses
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseError
from turnkeep_demo.campaigns.sample import sample_file

TODAY = date(2026, 6, 18)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_file(TODAY, tmp_path_factory.mktemp("sample"))


@pytest.fixture
def warehouse(file: Path) -> Warehouse:
    return opened(file, max_rows=5000)


# Sums


@pytest.mark.parametrize("by", [(), ("advertiser",), ("week",)])
@pytest.mark.parametrize(
    ("filters", "period"),
    [
        ({"advertiser": ["Nobody"]}, None),
        ({"advertiser": ["Tidewater Audio"], "size": ["160x600"]}, None),
        ({"advertiser": []}, None),
        ({}, Period(start=date(2020, 1, 1), end=date(2020, 2, 1), label="long ago")),
        ({}, Period(start=TODAY, end=TODAY + timedelta(days=30), label="to come")),
    ],
)
def test_what_matches_nothing_has_no_row(warehouse: Warehouse, by: Any, filters: Any, period: Period | None) -> None:
    found = warehouse.rows(by, filters, period)
    assert (found.rows, found.is_cut) == ((), False)


def test_rows_beyond_the_limit_are_omitted_and_flagged(warehouse: Warehouse, file: Path) -> None:
    everything = warehouse.rows(("creative",), {}, None)
    cut = warehouse.rows(("creative",), {}, None, limit=3)
    exact = warehouse.rows(("creative",), {}, None, limit=len(everything.rows))
    bounded = opened(file, max_rows=4).rows(("creative",), {}, None, limit=1000)
    assert (cut.rows, cut.is_cut) == (everything.rows[:3], True)
    assert (exact.rows, exact.is_cut) == (everything.rows, False)
    assert (bounded.rows, bounded.is_cut) == (everything.rows[:4], True)


def test_of_more_weeks_than_a_query_can_hold_the_newest_are_given(tmp_path: Path) -> None:
    years = [date(year, 1, 1) for year in range(1990, 2027)]
    warehouse = opened(on_days(tmp_path / "years", years))
    by_week, by_day = warehouse.rows(("week",), {}, None), warehouse.rows(("day",), {}, None)
    assert (by_week.rows[-1].key, by_week.is_cut) == (("2025-12-28",), True)
    assert 5 < len(by_week.rows) < len(years)
    assert (len(by_day.rows), by_day.is_cut) == (len(years), False)


def test_a_row_with_an_unknown_line_item_counts_in_every_total(tmp_path: Path) -> None:
    warehouse = opened(on_days(tmp_path / "orphans", [FIRST, FIRST]))
    for name in tables.COLUMNS:
        (row,) = warehouse.rows((name,), {}, None).rows
        assert (row.key, row.sums["cost"]) == (("not given",), 3.0)


@pytest.mark.parametrize("name", ["Quiz' OR '1'='1", "'; DROP TABLE daily_metrics; --", "%", "Quiz\0", '"', ":name_1"])
def test_a_name_is_a_value_and_never_sql(warehouse: Warehouse, name: str) -> None:
    assert warehouse.rows((), {"advertiser": [name]}, None).rows == ()
    assert warehouse.flights({"advertiser": [name]}, TODAY) == ()
    assert warehouse.rows((), {}, None).rows


# What there is


def test_coverage_names_and_advertisers_are_those_of_the_tables(warehouse: Warehouse, file: Path) -> None:
    coverage, exported = warehouse.coverage(), daily_rows(read_tables(file))
    assert (coverage.first, coverage.last) == (exported.index.min().date(), exported.index.max().date())
    assert coverage.last == TODAY - timedelta(days=1)
    assert (coverage.rows, coverage.left_out) == (len(exported), {})
    assert warehouse.names() == {name: tuple(sorted(exported[name].unique())) for name in tables.COLUMNS}
    pairs = exported[["insertion_order", "advertiser"]].drop_duplicates()
    assert warehouse.owners() == {name: (owner,) for name, owner in pairs.itertuples(index=False)}


def test_advertisers_who_use_one_name_are_named_together() -> None:
    pairs = [("Spring", "Beta"), ("Spring", "Alpha"), ("Autumn", "Beta")]
    warehouse = plain_warehouse([Day(FIRST, order, owner, line_item=owner) for order, owner in pairs])
    assert warehouse.owners() == {"Autumn": ("Beta",), "Spring": ("Alpha", "Beta")}


def test_a_warehouse_of_ones_own_needs_no_table_of_what_was_left_out(tmp_path: Path) -> None:
    file = on_days(tmp_path / "own", [FIRST])
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE left_out")
    assert opened(file).coverage().left_out == {}


def test_coverage_and_names_are_read_again_after_a_while_only(tmp_path: Path) -> None:
    file, now = on_days(tmp_path / "growing", [FIRST]), [0.0]
    warehouse = opened(file, clock=lambda: now[0])
    assert warehouse.coverage().last == FIRST
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("INSERT INTO daily_metrics VALUES ('2026-05-02', 1, 1, 1, 1, 1, 1, 1)")
        connection.commit()
    now[0] = FRESH_SECONDS - 1
    kept = warehouse.coverage().last
    now[0] = FRESH_SECONDS
    assert (kept, warehouse.coverage().last) == (FIRST, date(2026, 5, 2))


# Flights


def test_the_flights_that_run_on_the_day_are_given_and_no_others() -> None:
    april, today = date(2026, 4, 1), date(2026, 5, 10)
    unlimited: Any = None
    flights = [
        flight("ended", 100, april, date(2026, 5, 9)),
        flight("ends today", 100, april, today),
        flight("begins today", 100, today, date(2026, 5, 20)),
        flight("to come", 100, date(2026, 5, 11), date(2026, 5, 20)),
        flight("without a budget", unlimited, april, date(2026, 6, 1)),
    ]
    days = [day for each in flights for day in run(MAY, insertion_order=each.insertion_order)]
    found = plain_warehouse(days, flights).flights({}, today)
    assert [(flight.insertion_order, flight.spent) for flight in found] == [("begins today", 5), ("ends today", 50)]


# Down


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("no url at all, but a secret", "CAMPAIGNS__WAREHOUSE cannot be read: write dialect"),
        ("snowflake://reader:secret@account/ads", "not installed: snowflake-sqlalchemy"),
        ("postgresql+psycopg2://reader:secret@127.0.0.1/ads", "not installed: psycopg2-binary"),
        ("unheard://reader:secret@127.0.0.1/ads", "not installed: SQLAlchemy's dialect for unheard"),
        ("silent+unfit://reader:secret@127.0.0.1/ads", "asynchronous driver"),
        ("sqlite://", "has no file that can be opened"),
        ("sqlite:////secret/absent.sqlite", "has no file that can be opened"),
    ],
)
def test_a_warehouse_that_cannot_be_opened_is_reported_without_its_url(url: str, told: str) -> None:
    warehouse = open_warehouses(CampaignsSettings(warehouse=url))(TODAY)
    with pytest.raises(DatabaseDown, match=told) as caught:
        warehouse.rows((), {}, None)
    assert not {"secret", "SELECT"} & set(re.findall(r"\w+", "".join(traceback.format_exception(caught.value))))


def spoil(file: Path, *statements: str) -> Warehouse:
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return opened(file)


def test_missing_tables_are_named(tmp_path: Path) -> None:
    file = on_days(tmp_path / "some", [FIRST])
    warehouse = spoil(file, "DROP TABLE daily_metrics", "DROP TABLE creatives")
    with pytest.raises(DatabaseDown, match="lacks these tables or may not show them: creatives, daily_metrics"):
        warehouse.coverage()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("ALTER TABLE daily_metrics RENAME COLUMN cost TO price", "needs? the documented columns"),
        ("UPDATE daily_metrics SET date = 'yesterday'", "invalid dates or numbers"),
        ("DELETE FROM daily_metrics", "holds no daily metrics"),
    ],
)
def test_tables_with_undocumented_contents_are_reported(tmp_path: Path, statement: str, told: str) -> None:
    warehouse = spoil(on_days(tmp_path / "some", [FIRST]), statement)
    with pytest.raises(DatabaseDown, match=told) as caught:
        warehouse.rows((), {}, None)
    assert "SELECT" not in "".join(traceback.format_exception(caught.value))


def test_a_warehouse_that_comes_back_is_used_again(tmp_path: Path) -> None:
    warehouse = opened(tmp_path / "late")
    with pytest.raises(DatabaseError):
        warehouse.coverage()
    (tmp_path / "late").write_text("Not a database, but long enough to be taken for the header of one.\n" * 20)
    with pytest.raises(DatabaseDown, match="is not a SQLite database"):
        warehouse.coverage()
    on_days(tmp_path / "late", [FIRST])
    assert warehouse.coverage().rows == 1


# Opening


def test_the_embedded_sample_ends_the_day_before_and_a_database_of_ones_own_is_as_it_is(tmp_path: Path) -> None:
    own = open_warehouses(CampaignsSettings(warehouse=f"sqlite:///{on_days(tmp_path / 'own', [FIRST])}"))
    embedded = open_warehouses(CampaignsSettings())
    for today in (TODAY, TODAY + timedelta(days=1)):
        assert embedded(today).coverage().last == today - timedelta(days=1)
        assert own(today).coverage().last == FIRST
