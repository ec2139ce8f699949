"""Two real files of advertising data, loaded as warehouses and asked about over HTTP: the figures are those of the
published aggregates and of pandas, and rows that cannot be right are told and not averaged in."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from calls_of_campaigns import reading
from whole_site import Site, Visitor
from wire import WireServer, calls, says

from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.loading import Options, load_csv

SUMS = ["impressions", "clicks", "spend", "conversions", "revenue"]
SPRING, WINTER = date(2030, 7, 5), date(2026, 1, 5)
"""Days on which the newest day of each file has just gone by."""

DIRTY_ROWS = """April,3,camp 1,High,160 x 600,abc,,900.5,700,0,0,0
May,4,camp 1,High,160 x 600,abc,5000,-80000,90,10,1,1
May,5,camp 3,Low,160 x 600,def,many,1.5,90,99999,1,1
June,6,camp 3,Low,160 x 600,def,10,1.5,250000,99999,1,1
June,31,camp 1,High,160 x 600,def,900000,1.5,9,99999,1,1
"""
"""Without impressions, with negative cost, with unreadable impressions, with more clicks than ever, of no day."""


@pytest.fixture
def ads(shared_data: Path) -> Path:
    return shared_data / "ads"


@pytest.fixture
def truth(ads: Path) -> Mapping[str, Mapping[str, float]]:
    found: Mapping[str, Mapping[str, float]] = json.loads((ads / "truth_aggregates.json").read_text())
    return found


@dataclass
class Reader:
    """Somebody who asks, of a server whose model reads as it is told to."""

    visitor: Visitor
    model: WireServer

    async def ask(self, *metrics: str, intent: str = "figures", **request: Any) -> dict[str, Any]:
        asked = reading("performance_diagnosis", intent, metrics=list(metrics), **request)
        analysed = [calls("Analysis", {"causes": [], "links": [], "recommendations": []})] if intent == "why" else []
        self.model.script += [calls("Reading", asked), *analysed, says("There they are.")]
        return await self.visitor.say("These figures, please", agent="campaigns")


async def open_on(site: Site, file: Path, today: date, model: WireServer) -> Reader:
    """On that day, with a warehouse that was loaded from the file."""
    site.clock.now = datetime(today.year, today.month, today.day, 9, tzinfo=UTC).timestamp()
    warehouse = site.folder / "warehouse.sqlite"
    warehouse.write_bytes(load_csv(file, Options(), today).warehouse)
    own = CampaignsSettings.model_validate({"warehouse": f"sqlite:///{warehouse}"})
    return Reader(await site.open(own, model="openai:test", openai_base_url=model.base_url), model)


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture
async def reader(site: Site, ads: Path, model: WireServer) -> Reader:
    """Of three campaigns that ran from April to June."""
    return await open_on(site, ads / "online_advertising_performance_data.csv", SPRING, model)


def over(start: str, end: str) -> dict[str, str]:
    return {"named": "dates", "start": start, "end": end}


SPRING_DAYS, MAY = over("2030-04-01", "2030-06-30"), over("2030-05-01", "2030-05-31")
APRIL, JUNE = over("2030-04-01", "2030-04-30"), over("2030-06-01", "2030-06-30")


def found_in(answer: Mapping[str, Any]) -> str:
    return "\n".join(one["text"] for one in answer["details"]["findings"])


def told(answer: Mapping[str, Any], metric: str, subjects: Sequence[str]) -> list[float]:
    """One figure for each subject, which the model was also shown."""
    figures = [one for one in answer["details"]["figures"] if one["metric"] == metric]
    chosen = [next(one for one in figures if one["subject"] == subject) for subject in subjects]
    assert [one["text"] for one in chosen if one["text"] not in found_in(answer)] == []
    return [one["value"] for one in chosen]


def months(first: int, last: int, year: int) -> list[str]:
    return [f"{date(year, month, 1):%B %Y}" for month in range(first, last + 1)]


async def test_return_on_ad_spend_falls_month_by_month_as_published(
    reader: Reader, truth: Mapping[str, Mapping[str, float]]
) -> None:
    answer = await reader.ask("roas", by=["month"], period=SPRING_DAYS)
    found = told(answer, "roas", months(4, 6, 2030))
    assert [round(value, 6) for value in found] == [truth[name]["roas"] for name in ("April", "May", "June")]
    assert re.search(r"1\.90\D.*1\.43\D.*0\.92\D", found_in(answer), re.DOTALL)


async def test_the_fall_is_told_between_its_months_and_blamed_on_the_campaign_that_fell(
    reader: Reader, truth: Mapping[str, Mapping[str, float]]
) -> None:
    answer = await reader.ask("roas", intent="why", period=JUNE, compared=APRIL)
    found = {one["period"]: one["value"] for one in of_all(answer, "roas")}
    assert {period: round(value, 6) for period, value in found.items()} == {
        "June 2030": truth["June"]["roas"],
        "April 2030": truth["April"]["roas"],
    }
    issues = {(one["code"], one["subject"]) for one in answer["details"]["issues"]}
    assert {("roas_below_one", "camp 1"), ("delivery_stopped", "camp 2")} <= issues
    assert answer["details"]["diagnosis"]["severity"] == "high"


def of_all(answer: Mapping[str, Any], metric: str) -> list[dict[str, Any]]:
    figures = answer["details"]["figures"]
    return [one for one in figures if (one["metric"], one["subject"]) == (metric, "all campaigns")]


async def test_click_rates_of_months_and_sizes_are_as_published(
    reader: Reader, truth: Mapping[str, Mapping[str, float]]
) -> None:
    answer = await reader.ask("ctr", by=["month"], period=SPRING_DAYS)
    found = told(answer, "ctr", months(4, 6, 2030))
    assert [round(value, 6) for value in found] == [truth[name]["ctr"] for name in ("April", "May", "June")]
    answer = await reader.ask("ctr", by=["size"], period=SPRING_DAYS)
    sizes = {name.partition("|")[2]: sums["ctr"] for name, sums in truth.items() if name.startswith("banner|")}
    found = told(answer, "ctr", [size.replace(" ", "") for size in sizes])
    assert [round(value, 6) for value in found] == list(sizes.values())


async def test_campaign_2_ran_in_april_and_for_may_it_is_said_that_there_is_nothing(
    reader: Reader, truth: Mapping[str, Mapping[str, float]]
) -> None:
    april = await reader.ask("roas", names=["camp 2"], period=APRIL)
    assert round(told(april, "roas", ["camp 2"])[0], 6) == truth["camp 2|April"]["roas"]
    may = await reader.ask("roas", names=["camp 2"], period=MAY)
    assert (may["details"]["figures"], may["warnings"]) == ([], ["no_data"])
    assert re.search(r"\bno data\b[^.]*\bMay 2030\b", found_in(may))


async def test_each_campaign_has_its_published_cost_by_month(
    reader: Reader, truth: Mapping[str, Mapping[str, float]]
) -> None:
    answer = await reader.ask("cost", by=["insertion_order"], period=JUNE)
    found = told(answer, "cost", ["camp 1", "camp 3"])
    assert found == pytest.approx([truth["camp 1|June"]["cost"], truth["camp 3|June"]["cost"]], abs=1e-4)
    assert "camp 2" not in found_in(answer)


async def test_rows_that_cannot_be_right_are_told_and_change_no_figure(
    site: Site, ads: Path, truth: Mapping[str, Mapping[str, float]], tmp_path: Path, model: WireServer
) -> None:
    dirty = tmp_path / "dirty.csv"
    dirty.write_text((ads / "online_advertising_performance_data.csv").read_text().rstrip("\n") + f"\n{DIRTY_ROWS}")
    reader = await open_on(site, dirty, SPRING, model)
    answer = await reader.ask("roas", by=["month"], period=SPRING_DAYS)
    found = told(answer, "roas", months(4, 6, 2030))
    assert [round(value, 6) for value in found] == [truth[name]["roas"] for name in ("April", "May", "June")]
    assert left_out(answer) == DIRTY_ROWS.count("\n")


def left_out(answer: Mapping[str, Any]) -> int:
    """How many rows the model is told to be in no sum."""
    counts = re.findall(r"([\d,]+) rows of the warehouse were left out of all sums", found_in(answer))
    assert ("dirty_rows_left_out" in answer["warnings"]) is bool(counts)
    return sum(int(count.replace(",", "")) for count in counts)


def clean(file: Path) -> tuple[pd.DataFrame, int]:
    """The rows by day that have every sum, each once and under one spelling of its campaign; how many had to go."""
    rows = pd.read_csv(file, parse_dates=["date"])
    known = rows.assign(campaign=rows["campaign"].str.title()).drop_duplicates().dropna(subset=SUMS)
    return known.set_index("date").sort_index(), len(rows) - len(known)


async def test_half_a_year_of_a_shop_equals_pandas_without_its_dirty_rows(
    site: Site, ads: Path, model: WireServer
) -> None:
    file = ads / "mit_campaign_daily_505.csv"
    rows, dirty = clean(file)
    reader = await open_on(site, file, WINTER, model)
    september = rows.loc["2025-09"].groupby("campaign")
    asked = {"by": ["insertion_order"], "period": over("2025-09-01", "2025-09-30")}
    answer = await reader.ask("ctr", **asked)
    expected = september["clicks"].sum() / september["impressions"].sum()
    assert told(answer, "ctr", list(expected.index)) == pytest.approx(list(expected), rel=1e-9)
    assert left_out(answer) == dirty > 0
    answer = await reader.ask("cpa", **asked)
    expected = september["spend"].sum() / september["conversions"].sum()
    assert told(answer, "cpa", list(expected.index)) == pytest.approx(list(expected), rel=1e-9)


async def test_a_trend_over_all_months_of_a_shop_equals_pandas(site: Site, ads: Path, model: WireServer) -> None:
    file = ads / "mit_campaign_daily_505.csv"
    rows, _ = clean(file)
    reader = await open_on(site, file, WINTER, model)
    half_a_year = over("2025-07-01", "2025-12-31")
    answer = await reader.ask("roas", by=["month"], names=["Retargeting"], period=half_a_year)
    own = rows[rows["campaign"] == "Retargeting"]
    monthly = own.groupby(own.index.strftime("%B %Y"))
    expected = monthly["revenue"].sum() / monthly["spend"].sum()
    found = told(answer, "roas", months(7, 12, 2025))
    assert found == pytest.approx(list(expected[months(7, 12, 2025)]), rel=1e-9)
