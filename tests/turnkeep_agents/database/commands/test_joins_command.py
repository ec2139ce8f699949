import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.security.database import sample_joins
from turnkeep_local.cli import main

SCRIPT = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customerId INTEGER REFERENCES customer, approver INTEGER, state TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, customerId INTEGER);
INSERT INTO orders VALUES (1, 1, 1, 'open'), (2, 1, 1, 'open'), (3, 1, 1, 'held'), (4, 1, 1, 'held');
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(SCRIPT)
    return f"sqlite:///{tmp_path / 'shop.sqlite'}"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "graph.json"


def edges(out: Path) -> dict[str, str]:
    return {f"{link.from_table}.{link.from_column}": link.type for link in load_graph(out).relationships}


def test_a_graph_is_built_from_a_live_database_and_checked(
    url: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["joins", "build", url, "--out", str(out)]) == 0
    assert edges(out) == {"orders.customerId": "foreign_key", "note.customerId": "inferred"}
    reason = capsys.readouterr().out
    assert "3 tables, 2 relationships (1 foreign key, 1 inferred)" in reason
    assert f"DATABASE__JOINS={out}" in reason
    assert main(["joins", "check", str(out)]) == 0
    assert "0 errors" in capsys.readouterr().out
    out.write_text(out.read_text().replace('"from_column": "customerId"', '"from_column": "gone"'))
    assert main(["joins", "check", str(out)]) == 1
    assert "error: orders.gone = customer.id: the graph has no column orders.gone." in capsys.readouterr().out


def test_the_url_defaults_to_the_settings_then_the_sample(url: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["joins", "build", "--out", str(out)]) == 0
    assert len(load_graph(out).tables) >= 122
    monkeypatch.setenv("DATABASE__URL", url)
    assert main(["joins", "build", "--out", str(out)]) == 0
    assert set(load_graph(out).tables) == {"customer", "orders", "note"}


def test_associations_corrections_and_values_are_included(
    url: str, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extract, corrections = tmp_path / "models.json", tmp_path / "corrections.json"
    link = {"type": "belongsTo", "source": "orders", "target": "customer", "foreignKey": "approver"}
    extract.write_text(json.dumps({"associations": [link, link | {"target": "planet"}]}))
    corrections.write_text(json.dumps({"hidden": ["note"], "tables": {"orders": {"synonyms": ["jobs"]}}}))

    more = ["--associations", str(extract), "--overrides", str(corrections), "--values"]
    assert main(["joins", "build", url, "--out", str(out), *more]) == 0

    assert edges(out) == {"orders.customerId": "foreign_key", "orders.approver": "association"}
    orders = load_graph(out).tables["orders"]
    assert orders.synonyms == ("jobs",)
    assert orders.columns["state"].values == ("held", "open")
    assert "Left out, because the database does not have it: associations[1]" in capsys.readouterr().out


def test_no_graph_is_written_without_tables(
    url: str, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.sqlite").touch()
    (tmp_path / "all.json").write_text('{"hidden": ["*"]}')
    assert main(["joins", "build", f"sqlite:///{tmp_path / 'empty.sqlite'}", "--out", str(out)]) == 1
    assert "The database has no tables that its login may read" in capsys.readouterr().err
    assert main(["joins", "build", url, "--out", str(out), "--overrides", str(tmp_path / "all.json")]) == 1
    assert "The overrides hide all tables" in capsys.readouterr().err
    assert not out.exists()


def test_secure_views_and_encrypted_values_are_left_out(
    url: str, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript("CREATE VIEW secure_orders AS SELECT * FROM orders;")
    access = tmp_path / "access.json"
    access.write_text(json.dumps({"views": [{"table": "orders", "view": "secure_orders", "encrypted": ["state"]}]}))
    monkeypatch.setenv("DATABASE__ACCESS", str(access))

    main(["joins", "build", url, "--out", str(out), "--values"])

    graph = load_graph(out)
    assert "secure_orders" not in graph.tables
    assert graph.tables["orders"].columns["state"].values == ()


@pytest.mark.parametrize("options", [["--model"], ["--associations", "gone.json"], ["--overrides", "gone.json"]])
def test_a_missing_model_or_source_is_reported(
    options: list[str], url: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["joins", "build", url, "--out", str(out), *options]) == 1
    missing = "gone.json: cannot be read (No such file or directory)"
    assert ("Set OPENAI_API_KEY" if options == ["--model"] else missing) in capsys.readouterr().err


def test_a_closed_pipe_is_no_error() -> None:
    command = [sys.executable, "-m", "turnkeep_local.cli", "joins", "check", str(sample_joins())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as shown:
        assert shown.stdout
        assert shown.stderr
        shown.stdout.close()
        assert (shown.stderr.read(), shown.wait(120)) == ("", 0)
