"""`turnkeep AGENT load`: a user's own file is checked whole, kept, and used from the next start on."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.sums import Warehouse, open_warehouses
from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_agents.regulations.knowledge.folder import load_knowledge, open_knowledge
from turnkeep_local.cli import main
from turnkeep_local.home import Home
from turnkeep_local.server import local_settings

PAPER = '{"id": "0000.00001", "title": "A title", "abstract": "An abstract.", "authors": ["A. Author"], "year": 2020}\n'
TENT = "id;name;price;category;availability;weight_kg\na;Trail Tent;199;tents;3 left;2,1\n"
HEADINGS = "date,campaign,channel,device,impressions,clicks,spend,conversions,revenue\n"
ROWS = "2026-05-01,Spring,Search,Mobile,1000,20,30.5,2,61\n2026-05-02,Spring,Search,Mobile,900,18,,2,61\n"
LEAVE = {"id": "L-33", "law": "L. 104/1992", "article": "33", "title": "Permessi", "text": "Tre giorni al mese."}
ANSWER = {"id": "faq", "questions": ["Quanti giorni?"], "answer": "Tre [L-33].", "articles": ["L-33"]}
KEPT = {"papers": "papers.jsonl", "products": "products.jsonl", "campaigns": "campaigns.sqlite"}

type Load = Callable[..., int]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "a home"))
    return Home(tmp_path / "a home")


@pytest.fixture
def load(home: Home, tmp_path: Path) -> Load:
    def load(agent: str, text: str, *options: str) -> int:
        (tmp_path / "mine.csv").write_text(text)
        return main([agent, "load", str(tmp_path / "mine.csv"), *options])

    return load


def warehouse(home: Home) -> Warehouse:
    """As the next server opens it."""
    return open_warehouses(local_settings(home, {}).of(CampaignsSettings))(date(2026, 9, 1))


def test_papers_are_copied_as_they_are(load: Load, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert load("papers", PAPER) == 0
    assert (home.path / "papers.jsonl").read_text() == PAPER
    assert "1 papers" in capsys.readouterr().out


def test_products_are_kept_as_they_are_read(
    load: Load, home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("products", TENT) == 0
    assert load_products(home.path / "products.jsonl") == load_products(tmp_path / "mine.csv")
    assert load_products(tmp_path / "mine.csv")[0].attributes == {"weight": ("2.1 kg",)}
    assert "1 products in " in capsys.readouterr().out


def test_daily_rows_are_reported_and_become_the_warehouse(
    load: Load, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load("campaigns", HEADINGS + ROWS) == 0
    assert warehouse(home).rows(("insertion_order",), {}, None).rows[0].sums["cost"] == 30.5
    assert warehouse(home).coverage().left_out == {"without cost": 1}
    printed = capsys.readouterr().out
    assert f"1 of 2 rows, 2026-05-01 to 2026-05-01, in {home.path / 'campaigns.sqlite'}." in printed
    assert "Read as:\n  01 May 2026, Spring, Search, Mobile, impressions 1,000, clicks 20, cost 30.5," in printed
    assert printed.index("Left out: 1 without cost.") < printed.index("1 of 2 rows")
    assert (home.path / "campaigns.sqlite").stat().st_mode & 0o777 == 0o600


def test_options_reach_the_loader_of_daily_rows(load: Load, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    rows = HEADINGS.replace("date", "month,day") + 2 * "April,1,Spring,Search,Mobile,1000,20,30.5,2,61\n"
    mapped = ["--map", "audience=channel", "line_item=device"]
    assert load("campaigns", rows, "--year", "2019", "--advertiser", "Acme", *mapped) == 0
    assert warehouse(home).coverage().first == date(2019, 4, 1)
    names = warehouse(home).names()
    assert (names["advertiser"], names["audience"], names["line_item"]) == (("Acme",), ("Search",), ("Mobile",))
    doubtful = HEADINGS + ROWS.replace("30.5", "1.250").replace("2026-05-01", "01/02/2026 10:00")
    assert load("campaigns", doubtful, "--decimal", ",", "--dates", "dmy") == 0
    read = "01 February 2026, Spring, Search, Mobile, impressions 1,000, clicks 20, cost 1,250,"
    assert read in capsys.readouterr().out


@pytest.mark.parametrize(
    ("agent", "text", "options", "reason"),
    [
        ("papers", PAPER + PAPER, [], "mine.csv:2: "),
        ("papers", "", [], "mine.csv"),
        ("products", f"{TENT}b;Stove;free;stoves;;\n", [], "mine.csv:3: "),
        ("campaigns", "", [], "mine.csv:1: has no headings"),
        ("campaigns", HEADINGS + ROWS, ["--map", "audience"], "--map audience: write FIELD=HEADING"),
        ("campaigns", HEADINGS + ROWS, ["--map", "=device"], "--map =device: write FIELD=HEADING"),
        ("campaigns", HEADINGS + ROWS, ["--year", "0"], "--year 0: use a year"),
    ],
)
def test_a_failed_load_prints_one_line_and_keeps_the_old_file(  # noqa: PLR0917 - a table and fixtures
    load: Load, home: Home, capsys: pytest.CaptureFixture[str], agent: str, text: str, options: list[str], reason: str
) -> None:
    home.path.mkdir()
    (home.path / KEPT[agent]).write_text("old")
    assert load(agent, text, *options) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("turnkeep: ")
    assert reason in complaint
    assert complaint.count("\n") == 1
    assert (home.path / KEPT[agent]).read_text() == "old"


def test_a_folder_of_law_is_kept_and_replaced_whole(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    assert main(["regulations", "load", str(own)]) == 1
    assert "holds no articles" in capsys.readouterr().err
    assert not (home.path / "regulations").exists()
    files = {"a.jsonl": json.dumps(LEAVE), "faq.jsonl": json.dumps(ANSWER), "b.md": "# L. 1/2020\n\nTesto."}
    for name, text in files.items():
        (own / name).write_text(text)
    assert main(["regulations", "load", str(own)]) == 0
    assert "2 articles and 1 answers" in capsys.readouterr().out
    assert open_knowledge(str(home.path / "regulations")).digest == load_knowledge(own).digest
    (own / "faq.jsonl").unlink()
    assert main(["regulations", "load", str(own)]) == 0
    assert open_knowledge(str(home.path / "regulations")).faq.answers == ()
