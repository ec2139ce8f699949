"""`turnkeep products load`: a user's catalogue is checked whole, kept as JSONL, and used from the next start on."""

from pathlib import Path

import pytest

from turnkeep_agents.products.catalogue.loading import load_products
from turnkeep_local.cli import main

TENT = "id;name;price;category;availability;weight_kg\na;Trail Tent;199,00;tents;3 left;2,1\n".replace("199,00", "199")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the server looks."""
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "products.jsonl"


def test_products_are_checked_and_written_to_where_the_server_looks(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(TENT)

    assert main(["products", "load", str(file)]) == 0

    assert load_products(kept) == load_products(file)
    assert load_products(kept)[0].attributes == {"weight": ("2.1 kg",)}
    assert "1 products in " in capsys.readouterr().out


@pytest.mark.parametrize("text", [f"{TENT}b;Stove;free;stoves;;\n", f"{TENT}a;Stove;9;stoves;;\n", "", None])
def test_a_bad_catalogue_is_refused_whole_and_the_old_one_kept(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    kept.parent.mkdir()
    kept.write_text("old")
    file = tmp_path / "mine.csv"
    if text is not None:
        file.write_text(text)

    assert main(["products", "load", str(file)]) == 1

    assert kept.read_text() == "old"
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"turnkeep: {file}")
    assert complaint.count("\n") == 1
