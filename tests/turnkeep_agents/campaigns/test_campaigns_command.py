from datetime import date
from pathlib import Path

import pytest

from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.sums import open_warehouses
from turnkeep_local.cli import main
from turnkeep_local.home import Home
from turnkeep_local.server import local_settings

HEADINGS = "date,campaign,channel,device,impressions,clicks,spend,conversions,revenue\n"
ROWS = "2026-05-01,Spring,Search,Mobile,1000,20,30.5,2,61\n2026-05-02,Spring,Search,Mobile,900,18,,2,61\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "a home"))
    return Home(tmp_path / "a home")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    mine = tmp_path / "mine.csv"
    mine.write_text(HEADINGS + ROWS)
    return mine


def test_a_loaded_file_is_the_warehouse_from_the_next_start_on(
    home: Home, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["campaigns", "load", str(file)]) == 0
    warehouse = open_warehouses(local_settings(home, {}).of(CampaignsSettings))(date(2026, 9, 1))
    assert warehouse.rows(("insertion_order",), {}, None).rows[0].sums["cost"] == 30.5
    assert warehouse.coverage().left_out == {"without cost": 1}
    told = capsys.readouterr().out
    assert f"1 of 2 rows, 2026-05-01 to 2026-05-01, in {(home.path / 'campaigns.sqlite')}." in told
    assert "Read as:\n  01 May 2026, Spring, Search, Mobile, impressions 1,000, clicks 20, cost 30.5," in told
    assert told.index("Left out: 1 without cost.") < told.index("1 of 2 rows")
    assert (home.path / "campaigns.sqlite").stat().st_mode & 0o777 == 0o600


def test_the_options_reach_the_loader(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.csv"
    row = "April,1,Spring,Search,Mobile,1000,20,30.5,2,61\n"
    file.write_text(HEADINGS.replace("date", "month,day") + 2 * row)
    options = ["--year", "2019", "--advertiser", "Acme", "--map", "audience=channel", "line_item=device"]
    assert main(["campaigns", "load", str(file), *options]) == 0
    warehouse = open_warehouses(local_settings(home, {}).of(CampaignsSettings))(date(2026, 9, 1))
    assert warehouse.coverage().first == date(2019, 4, 1)
    names = warehouse.names()
    assert (names["advertiser"], names["audience"], names["line_item"]) == (("Acme",), ("Search",), ("Mobile",))
    file.write_text(HEADINGS + ROWS.replace("30.5", "1.250").replace("2026-05-01", "01/02/2026 10:00"))
    assert main(["campaigns", "load", str(file), "--decimal", ",", "--dates", "dmy"]) == 0
    assert (
        "01 February 2026, Spring, Search, Mobile, impressions 1,000, clicks 20, cost 1,250," in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        ("", [], "mine.csv:1: has no headings"),
        (HEADINGS + ROWS, ["--map", "audience"], "--map audience: write FIELD=HEADING"),
        (HEADINGS + ROWS, ["--map", "=device"], "--map =device: write FIELD=HEADING"),
        (HEADINGS + ROWS, ["--year", "0"], "--year 0: use a year"),
    ],
)
def test_a_failed_load_prints_one_line_and_keeps_the_old_file(  # noqa: PLR0917  # cases and fixtures
    home: Home, file: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], told: str
) -> None:
    home.path.mkdir()
    (home.path / "campaigns.sqlite").write_text("old")
    file.write_text(content)
    assert main(["campaigns", "load", str(file), *options]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("turnkeep: ")
    assert told in complaint
    assert complaint.count("\n") == 1
    assert (home.path / "campaigns.sqlite").read_text() == "old"
