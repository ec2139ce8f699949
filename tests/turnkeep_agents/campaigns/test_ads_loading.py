import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_warehouse import opened

from turnkeep.kit.documents import CorpusError
from turnkeep_agents.campaigns.metrics import METRICS, SUMS
from turnkeep_agents.campaigns.warehouse.lines import Options
from turnkeep_agents.campaigns.warehouse.loading import Loaded, load_csv
from turnkeep_agents.campaigns.warehouse.sums import Warehouse
from turnkeep_agents.campaigns.warehouse.totals import Line, without_sums

TODAY = date(2026, 9, 1)
HEADINGS = "date,campaign,channel,device,impressions,clicks,spend,conversions,revenue"
FIGURES = "impressions,clicks,cost,conversions,revenue"
CLEAN = "2026-05-01,Spring,Search,Mobile,1000,20,30.5,2,61"


# The real files


@pytest.fixture(scope="module")
def online_loaded(shared_data: Path) -> Loaded:
    return load_csv(shared_data / "ads" / "online_advertising_performance_data.csv", Options(), TODAY)


@pytest.fixture(scope="module")
def online(online_loaded: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    file = tmp_path_factory.mktemp("online") / "warehouse"
    file.write_bytes(online_loaded.warehouse)
    return opened(file, max_rows=5000)


def sums_of(key: str, warehouse: Warehouse) -> dict[str, float]:
    """What the warehouse holds for a key of the truth, such as "camp 1|April" or "banner|300 x 250"."""
    months = {"April": "2026-04", "May": "2026-05", "June": "2026-06"}
    dimensions: dict[str, Any] = {"placement": "line_item", "banner": "creative", "eng": "audience"}
    first, _, second = key.partition("|")
    month = months.get(second or first)
    filters: Any = {}
    if first in dimensions:
        filters = {dimensions[first]: [second]}
    elif first not in (*months, "all"):
        filters = {"insertion_order": [first]}
    rows = warehouse.rows(("month",), filters, None).rows
    chosen = [row.sums for row in rows if month in (None, *row.key)]
    return {name: sum(sums[name] for sums in chosen) for name in chosen[0]}


def test_every_aggregate_of_the_truth_is_met(online: Warehouse, shared_data: Path) -> None:
    truth = json.loads((shared_data / "ads" / "truth_aggregates.json").read_text())
    assert len(truth) == 31
    for key, expected in truth.items():
        sums = sums_of(key, online)
        found = {"displays": sums["impressions"], "clicks": sums["clicks"], "conversions": sums["conversions"]}
        found |= {"cost": round(sums["cost"], 4), "revenue": round(sums["revenue"], 4)}
        rates = {name: METRICS[name].value(sums) for name in ("ctr", "cpc", "cpa", "roas")}
        found |= {name: value and round(value, 6) for name, value in rates.items()}
        assert found == {name: expected[name] for name in found}, key


def test_the_real_file_is_whole_and_what_looks_odd_in_it_is_counted(online_loaded: Loaded, online: Warehouse) -> None:
    """A placement that is spelled like a missing value is a name; banners have their sizes as names."""
    loaded = online_loaded
    assert (loaded.lines.read, len(loaded.lines.usable), loaded.lines.left_out) == (15_408, 15_408, {})
    assert loaded.lines.kept == {"repeated": 5, "with more clicks than impressions": 2}
    assert (loaded.first, loaded.last) == (date(2026, 4, 1), date(2026, 6, 30))
    assert (online.coverage().rows, online.coverage().left_out) == (15_408, {})
    assert online.names()["line_item"] == ("#N/A", "abc", "def", "ghi", "jkl", "mno")
    by_name = online.rows((), {"creative": ["300 x 250"]}, None)
    assert online.rows((), {"size": ["300x250"]}, None) == by_name
    assert len(by_name.rows) == 1


MEASURED = ["impressions", "clicks", "spend", "conversions", "revenue"]


def test_dirty_rows_of_a_real_file_are_left_out_and_counted_by_their_reasons(shared_data: Path, tmp_path: Path) -> None:
    file = shared_data / "ads" / "mit_campaign_daily_505.csv"
    frame = pd.read_csv(file).drop_duplicates()
    clean = frame.dropna(subset=MEASURED)
    warehouse = tmp_path / "warehouse"
    loaded = load_csv(file, Options(), TODAY)
    warehouse.write_bytes(loaded.warehouse)
    assert (loaded.lines.read, len(loaded.lines.usable)) == (505, len(clean))
    assert loaded.lines.left_out["repeated"] == 5 == 505 - len(frame)
    assert sum(loaded.lines.left_out.values()) == 505 - len(clean)
    assert loaded.lines.left_out.keys() == {"repeated", *(f"without {name}" for name in SUMS)}
    assert opened(warehouse).coverage().left_out == loaded.lines.left_out
    expected = clean.groupby([clean["campaign"].str.title(), "channel", "device"])[MEASURED].sum()
    for row in opened(warehouse).rows(("insertion_order", "line_item", "audience"), {}, None).rows:
        assert list(row.sums.values()) == pytest.approx(list(expected.loc[row.key]), rel=1e-9)
    assert len(opened(warehouse).rows(("insertion_order", "line_item", "audience"), {}, None).rows) == len(expected)


# Rows


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def loaded(*rows: str, headings: str = HEADINGS, **options: Any) -> Loaded:
        file = tmp_path / "mine.csv"
        file.write_text("\n".join([headings, *rows]))
        return load_csv(file, Options(**options), TODAY)

    return loaded


def stored(loaded: Loaded, query: str) -> list[Any]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(loaded.warehouse)
        return connection.execute(query).fetchall()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",Spring,Search,Mobile,1000,20,30.5,2,61", "without a date"),
        ("soon,Spring,Search,Mobile,1000,20,30.5,2,61", "with an unreadable date"),
        ("2026-02-30,Spring,Search,Mobile,1000,20,30.5,2,61", "with an unreadable date"),
        ("2026-05-01,Spring,Search,Mobile,,20,30.5,2,61", "without impressions"),
        ("2026-05-01,Spring,Search,Mobile,1000,NaN,30.5,2,61", "without clicks"),
        ("2026-05-01,Spring,Search,Mobile,1000,20,n/a,2,61", "without cost"),
        ("2026-05-01,Spring,Search,Mobile,1000,20,30.5,few,61", "with unreadable conversions"),
        ("2026-05-01,Spring,Search,Mobile,1000,20,30.5,2,inf", "with unreadable revenue"),
        ("2026-05-01,Spring,Search,Mobile,1000,20,-30.5,2,61", "with negative cost"),
        ("2026-05-01,Spring,Search,Mobile,1000,20,30.5,2", "with another number of fields"),
        (CLEAN, "repeated"),
        (CLEAN.replace("Spring", " spring "), "repeated"),
    ],
)
def test_an_impossible_row_is_left_out_and_counted(load: Any, row: str, reason: str) -> None:
    loaded = load(CLEAN, row)
    assert (loaded.lines.read, len(loaded.lines.usable), loaded.lines.left_out) == (2, 1, {reason: 1})
    assert stored(loaded, "SELECT count(*), sum(cost) FROM daily_metrics") == [(1, 30.5)]
    assert stored(loaded, "SELECT reason, rows FROM left_out") == [(reason, 1)]


SPLIT = "year,month,day,campaign,impressions,clicks,cost,conversions,revenue"


@pytest.mark.parametrize(
    ("days", "year"),
    [(["April,1", "August,31"], 2026), (["April,1", "September,2"], 2025), (["September,1"], 2026),
     (["February,29"], 2024)],
)  # fmt: skip
def test_a_missing_year_is_the_newest_that_fits(load: Any, days: list[str], year: int) -> None:
    rows = [f"{day},Spring,1000,20,30.5,2,61" for day in days]
    loaded = load(*rows, headings=SPLIT.removeprefix("year,"))
    assert (loaded.first.year, loaded.last.year, len(loaded.lines.usable)) == (year, year, len(days))


SPRING = "April,1,Spring,1000,20,30.5,2,61"


def test_equal_rows_are_repeats_if_the_file_has_the_year(load: Any) -> None:
    split = SPLIT.removeprefix("year,")
    assert load(CLEAN, CLEAN).lines.left_out == {"repeated": 1}
    assert load(f"2025,{SPRING}", f"2025,{SPRING}", headings=SPLIT).lines.left_out == {"repeated": 1}
    kept = load(SPRING, SPRING, headings=split)
    assert (kept.lines.left_out, kept.lines.kept, len(kept.lines.usable)) == ({}, {"repeated": 1}, 2)
    assert load(SPRING, SPRING, headings=split, year=2025).lines.left_out == {}


def test_odd_rows_are_kept_and_counted_and_the_usual_spelling_wins(load: Any) -> None:
    rows = [
        CLEAN.replace("Spring", name).replace("-01", f"-0{day}").replace("1000", "19" if day == 4 else "1000")
        for day, name in enumerate(["SPRING", "Spring", "Spring ", "spring"], 1)
    ]
    loaded = load(*rows)
    assert stored(loaded, "SELECT name FROM insertion_orders") == [("Spring",)]
    assert len(loaded.lines.usable) == 4
    assert loaded.lines.kept == {"with another spelling of a name": 2, "with more clicks than impressions": 1}


# Conventions, totals, lines above

FEW = f"date;campaign;{FIGURES.replace(',', ';')}"


def test_counts_are_whole_and_a_doubtful_amount_is_refused(load: Any) -> None:
    rows = ["2025-01-05;Alpha;12.500;300;{};0;0", "2025-01-06;Alpha;1.300;40;{};0;0"]
    told = [one.format(cost) for one, cost in zip(rows, ("1.234,56", "1.250"), strict=True)]
    assert stored(load(*told, headings=FEW), "SELECT sum(impressions), sum(cost) FROM daily_metrics") == [
        (13_800, 2484.56)
    ]
    with pytest.raises(CorpusError, match=r'column "cost".*1\.250, can be read in two ways; add --decimal'):
        load(told[1], headings=FEW)
    assert stored(load(told[1], headings=FEW, decimal=","), "SELECT cost FROM daily_metrics") == [(1250.0,)]


A_DAY = ["2025-01-05;Alpha;1000;20;5;1;9", "2025-01-05;Beta;500;10;2,5;1;4"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2025-01-05;;1500;30;7,5;2;13", "without a campaign, where others have one"),
        ("2025-01-05;Total;1;1;1;1;1", "of totals"),
        ("2025-01-05;Gesamtsumme:;1;1;1;1;1", "of totals"),
        ("2025-01-05;All of it;1500;30;7,51;2;13", "of totals"),
        ("Total;1500", "of totals"),
        ("Total: Campaigns; --;1500;30;7,5;2;13", "of totals"),
        ("Exported on 5 January", "with another number of fields"),
    ],
)
def test_a_row_of_sums_is_left_out_by_its_name_or_its_figures(load: Any, row: str, reason: str) -> None:
    loaded = load(*A_DAY, row, headings=FEW)
    assert (len(loaded.lines.usable), loaded.lines.left_out) == (2, {reason: 1})
    assert stored(loaded, "SELECT sum(impressions) FROM daily_metrics") == [(1500,)]


def test_sums_of_a_campaign_and_of_a_file_are_left_out_where_the_rows_are_finer(load: Any) -> None:
    rows = ["Alpha;Search;100;10;1;1;1", "Alpha;Video;50;5;2;1;1", "Alpha;;150;15;3;2;2", "Beta;Search;7;1;1;1;1"]
    days = [f"2025-01-0{day};{row}" for day in (5, 6) for row in rows]
    whole = "2025-01-07;Everything;Everywhere;314;32;8;6;6"
    loaded = load(*days, whole, headings=FEW.replace("campaign", "campaign;channel"))
    assert (len(loaded.lines.usable), loaded.lines.left_out) == (6, {"of totals": 3})


@given(st.lists(st.lists(st.integers(1, 10**6), min_size=5, max_size=5), min_size=2, max_size=6), st.integers(0, 9))
def test_a_row_that_sums_the_others_is_left_out(rows: list[list[int]], at: int) -> None:
    lines = [
        Line(TODAY, {"insertion_order": str(number)}, dict(zip(SUMS, row, strict=True)))
        for number, row in enumerate(rows)
    ]
    total = Line(TODAY, {"insertion_order": "x"}, {name: sum(line.sums[name] for line in lines) for name in SUMS})
    left_out: Counter[str] = Counter()
    assert total not in without_sums([*lines[:at], total, *lines[at:]], left_out)
    assert left_out == {"of totals": 1}


def test_lines_above_the_headings_are_skipped_and_units_in_headings_read_over(load: Any) -> None:
    headings = FEW.replace("cost", "Amount spent (EUR)").replace("revenue", "revenue_eur")
    loaded = load("Report;;;;;;", "1 to 5 January 2025", headings, *A_DAY, headings="Ads")
    assert (len(loaded.lines.usable), loaded.lines.above, loaded.lines.left_out) == (2, 3, {})


# Columns

PLAIN, UNNAMED = "2026-05-01,Spring,10,1,2,0,0", {"headings": f"date,campaign,{FIGURES}"}


@pytest.mark.parametrize(
    ("row", "options", "query", "value"),
    [
        ("Acme,2026-05-01,Spring,10,1,2,0,0", {"headings": f"client,date,campaign,{FIGURES}", "advertiser": "Other"},
         "SELECT name FROM advertisers", "Acme"),
        (CLEAN, {"advertiser": "Other"}, "SELECT name FROM advertisers", "Other"),
        (CLEAN, {"mapped": {"audience": "Channel"}}, "SELECT name FROM audiences", "Search"),
        (CLEAN, {"mapped": {"line_item": "device"}}, "SELECT name FROM line_items", "Mobile"),
        (CLEAN, {"mapped": {"audience": "channel"}}, "SELECT name FROM line_items", "Spring"),  # it is taken once
        (PLAIN, UNNAMED, "SELECT count(*) FROM audiences", 0),
        (PLAIN, UNNAMED, "SELECT creative_id FROM daily_metrics", None),
        (PLAIN, UNNAMED, "SELECT name FROM line_items", "Spring"),
        (PLAIN, UNNAMED, "SELECT name FROM advertisers", "My campaigns"),
        (f"{CLEAN},19", {"headings": f"{HEADINGS},Clicks"}, "SELECT clicks FROM daily_metrics", 20),  # the first counts
    ],
)  # fmt: skip
def test_a_column_is_found_by_its_heading_or_by_option_or_has_no_name(
    load: Any, row: str, options: dict[str, Any], query: str, value: object
) -> None:
    assert stored(load(row, **options), query) == [(value,)]


REPORT = (
    "Reporting starts,Reporting ends,Campaign name,Impressions,Clicks,Cost,Results,Revenue,Currency,Result indicator"
)
Reported = st.tuples(
    st.integers(1, 9), st.integers(0, 2), st.sampled_from(["USD", "EUR"]), st.sampled_from(["buy", ""])
)


@given(st.lists(Reported, min_size=1, max_size=4, unique_by=lambda row: row[0]))
def test_only_days_of_one_currency_are_added_up(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    """A row of several days is of none; what differs from row to row cannot be added."""
    file = tmp_path_factory.mktemp("report") / "mine.csv"
    told = [f"2026-05-{day:02},2026-05-{day + more:02},A,9,1,2,3,4,{code},{kind}" for day, more, code, kind in rows]
    file.write_text("\n".join([REPORT, *told]))
    days = [row for row in rows if not row[1]]
    if not days or len({row[2] for row in rows}) > 1:
        with pytest.raises(CorpusError, match=r"over several days|EUR and USD; keep the rows of one"):
            load_csv(file, Options(), TODAY)
    else:
        loaded = load_csv(file, Options(), TODAY)
        assert (len(loaded.lines.usable), loaded.lines.currencies["cost"]) == (len(days), rows[0][2])


def test_results_of_several_kinds_are_no_conversions(load: Any) -> None:
    rows = [f"2026-05-01,2026-05-01,{kind},9,1,2,3,4,USD,{kind}" for kind in ("buy", "click")]
    with pytest.raises(CorpusError, match=r'"indicator".* buy and click; .* --map conversions=HEADING'):
        load(*rows, headings=REPORT)
    assert len(load(*rows, headings=REPORT, mapped={"conversions": "Results"}).lines.usable) == 2


def test_the_day_of_a_row_is_distinguished_from_the_period_of_its_report(load: Any) -> None:
    rows = [f"2026-05-0{day},{CLEAN[11:]},2026-05-01,2026-05-31" for day in (3, 5)]
    loaded = load(*rows, headings=f"Day{HEADINGS[4:]},Reporting starts,Reporting ends")
    assert (loaded.first, loaded.last) == (date(2026, 5, 3), date(2026, 5, 5))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_of_the_encoding_and_blank_lines_do_no_harm(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(f'"date"{HEADINGS[4:]}\r\n\r\n{CLEAN}\r\n'.encode(encoding))
    assert len(load_csv(file, Options(), TODAY).lines.usable) == 1


@pytest.mark.parametrize(
    ("headings", "cells", "creatives"),
    [
        ("creative", ["Rose 300x250", "728 X 90", "Tulip"],
         [("Rose 300x250", "300x250"), ("728 X 90", "728x90"), ("Tulip", None)]),
        ("banner,size", ["Rose,300 x 250", ",728 X 90", "Tulip,Full page"],
         [("Rose", "300x250"), ("728 X 90", "728x90"), ("Tulip", "Full page")]),
    ],
)  # fmt: skip
def test_a_size_comes_with_the_creative_or_in_a_column_and_is_spelled_as_sizes_are(
    load: Any, headings: str, cells: list[str], creatives: list[Any]
) -> None:
    rows = (f"2026-05-01,Spring,{cell},10,1,2,0,0" for cell in cells)
    loaded = load(*rows, headings=f"date,campaign,{headings},{FIGURES}")
    assert stored(loaded, "SELECT name, size FROM creatives ORDER BY id") == creatives


# Files that cannot be loaded


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", r"mine\.csv:1: has no headings; write them"),
        (HEADINGS.encode(), r"mine\.csv: none of its 0 rows can be used; correct or add some"),
        (f"{HEADINGS}\n{CLEAN[:-2]}".encode(), r"none of its 1 rows can be used \(1 without revenue\)"),
        (
            b"date,campaign,clicks\n",
            r"mine\.csv:1: no column for impressions, cost, conversions, revenue; .*--map impressions=",
        ),
        (b"campaign,impressions,clicks,cost,conversions,revenue\n", r"no column for date .*--map date=HEADING"),
        (f"{HEADINGS}\n{CLEAN}\n".encode() + b"caf\xe9", r"mine\.csv:3: byte \d+ is not UTF-8; save the file as UTF-8"),
        (f'{HEADINGS}\n{CLEAN}\n"a"b,c'.encode(), r"mine\.csv:3: not valid CSV .*correct the quotes"),
        (f"{HEADINGS}\n00/00/2026{CLEAN[10:]}".encode(), r"1 with an unreadable date"),
        (f"{HEADINGS}\n01/02/2026{CLEAN[10:]}".encode(), r"mine\.csv: .*01/02/2026.*two ways.*YYYY-MM-DD"),
    ],
)
def test_a_bad_file_is_reported_with_line_and_remedy(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(content)
    with pytest.raises(CorpusError, match=told):
        load_csv(file, Options(), TODAY)


@pytest.mark.parametrize(
    ("mapped", "told"),
    [
        ({"viewers": "device"}, 'there is no field "viewers" to map; use one of date'),
        ({"audience": "gadget"}, 'there is no column "gadget"; the columns are date, campaign'),
    ],
)
def test_an_invalid_mapping_is_reported(load: Any, mapped: dict[str, str], told: str) -> None:
    with pytest.raises(CorpusError, match=told):
        load(CLEAN, mapped=mapped)
