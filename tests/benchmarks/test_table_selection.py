"""The benchmark of table selection measures what it says; and the measure that is promised is reached."""

import json
import sys
from pathlib import Path

import pytest

import table_selection

DW = {
    "tables": {
        "BOATS": {"columns": [["ID", "int"], ["LENGTH", "int"]]},
        "HARBOURS": {"columns": [["ID", "int"], ["CITY", "text"]]},
    },
    "foreign_keys": [],
}
OTHER = {"tables": {"BOATS": {"columns": [["ID", "int"], ["COLOUR", "text"]]}}, "foreign_keys": []}
BIRDS = {
    "tables": {"nests": [["id", "integer"], ["eggs", "integer"]], "trees": [["id", "integer"]]},
    "foreign_keys": [["nests", "id", "trees", "id"]],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "beaver_sql" / "schemas.json", [{"dw": DW, "cloud": OTHER}])
    asked = {"question": "length of boats", "gold_tables": ["BOATS", "HARBOURS"]}
    write(tmp_path / "beaver_sql" / "dev_dw.jsonl", [asked, {"question": "city", "gold_tables": ["HARBOURS"]}])
    write(tmp_path / "bird_minidev_sql" / "schemas.json", [{"birds": BIRDS}])
    gold = {"db_id": "birds", "question": "how many eggs", "sql": "WITH n AS (SELECT eggs FROM Nests) SELECT * FROM n"}
    write(tmp_path / "bird_minidev_sql" / "gold_sqlite.jsonl", [gold])
    return tmp_path


def write(path: Path, rows: list[object]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)))


def test_recall_is_the_mean_share_of_the_gold_tables_that_are_found(data: Path) -> None:
    rows = {(row.set, row.ranker, row.depth): row for row in table_selection.selection(data)}
    assert len(rows) == 8
    alone = rows["beaver dw", "turnkeep", 8]
    assert (alone.tables, alone.questions, alone.recall, alone.whole) == (2, 2, 0.75, 0.5)
    assert rows["beaver dw among all databases", "turnkeep", 8].tables == 3
    assert rows["bird, each database", "BM25F", 3].recall == 1.0


def test_the_last_line_is_json(data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["table_selection.py", "--data", str(data)])
    table_selection.main()
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["benchmark"], len(last["rows"])) == ("table_selection", 8)


def test_a_folder_without_the_sets_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["table_selection.py", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match="--data"):
        table_selection.main()


def test_three_quarters_of_the_tables_of_a_question_are_among_the_first_eight(shared_data: Path) -> None:
    rows = {(row.set, row.ranker, row.depth): row for row in table_selection.selection(shared_data)}
    alone, among_all = (rows[name, "turnkeep", 8] for name in ("beaver dw", "beaver dw among all databases"))
    assert alone.recall >= 0.75
    assert among_all.tables == 463
    assert among_all.recall >= 0.75
    assert rows["bird, each database", "turnkeep", 5].recall >= 0.9
