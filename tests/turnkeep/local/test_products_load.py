"""`turnkeep products load`: a user's catalogue is checked whole, kept as JSONL, and used from the next start on."""

from pathlib import Path

import pytest

from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep.cli import main
from turnkeep.local.home import Home
from turnkeep.local.server import local_settings

TENT = "id;name;price;category;availability;weight_kg\na;Trail Tent;199,00;tents;3 left;2,1\n".replace("199,00", "199")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    return Home(tmp_path / "home")


def test_products_are_checked_and_written_to_where_the_server_looks(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(TENT)

    assert main(["products", "load", str(file)]) == 0

    assert load_products(home.products) == load_products(file)
    assert load_products(home.products)[0].attributes == {"weight": ("2.1 kg",)}
    assert "1 products in " in capsys.readouterr().out


@pytest.mark.parametrize("text", [f"{TENT}b;Stove;free;stoves;;\n", f"{TENT}a;Stove;9;stoves;;\n", "", None])
def test_a_bad_catalogue_is_refused_whole_and_the_old_one_kept(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    home.path.mkdir()
    home.products.write_text("old")
    file = tmp_path / "mine.csv"
    if text is not None:
        file.write_text(text)

    assert main(["products", "load", str(file)]) == 1

    assert home.products.read_text() == "old"
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"turnkeep: {file}")
    assert complaint.count("\n") == 1


def test_the_server_uses_loaded_products_unless_the_environment_names_others(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.path.mkdir()
    home.products.write_text("{}")
    monkeypatch.setenv("PRODUCTS__TOP_K", "3")

    found = local_settings(home, {}).products
    assert (found.catalogue, found.top_k) == (str(home.products), 3)

    monkeypatch.setenv("PRODUCTS__CATALOGUE", "mine.csv")
    assert local_settings(home, {"PRODUCTS__CATALOGUE": "mine.csv"}).products.catalogue == "mine.csv"
