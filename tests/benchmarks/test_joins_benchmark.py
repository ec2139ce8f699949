"""The benchmark of the join graph measures what it says."""

import json
import random
import sys
from pathlib import Path

import pytest

import joins
from turnkeep_agents.database.joins.records import JoinGraph

SCRIPT = "CREATE TABLE ROOMS (ROOM_KEY TEXT, HOUSE_KEY TEXT); CREATE TABLE HOUSES (HOUSE_KEY TEXT, TOWN_KEY TEXT);"
QUESTIONS = [
    {"gold_tables": ["rooms", "HOUSES"], "join_keys": [["ROOMS.HOUSE_KEY", "HOUSES.HOUSE_KEY"]]},
    {"gold_tables": ["ROOMS", "TOWNS"], "join_keys": [["ROOMS.ROOM_KEY", "TOWNS.TOWN_KEY"]]},
    {"gold_tables": ["ROOMS"], "join_keys": []},
]


@pytest.fixture
def houses() -> JoinGraph:
    return joins.of_script(SCRIPT + "CREATE TABLE TOWNS (TOWN_KEY TEXT, TOWN_NAME TEXT);")


def test_a_table_set_is_exact_only_without_further_tables(houses: JoinGraph) -> None:
    exact, keys, sound = joins.answered("here", houses, QUESTIONS, "2")

    assert (exact.value, exact.note, exact.wanted) == (1, "of 2", "2")
    assert (keys.value, keys.note) == (0.5, "of 2")
    assert sound.value == 1.0


def test_a_gold_key_counts_where_a_third_column_makes_it_equal() -> None:
    script = "; ".join(f"CREATE TABLE T{n} (THING_KEY TEXT, X{n} TEXT)" for n in "ABC")
    question = {"gold_tables": ["TA", "TB", "TC"], "join_keys": [["TA.THING_KEY", "TB.THING_KEY"]] * 3}
    question["join_keys"] = [[f"T{a}.THING_KEY", f"T{b}.THING_KEY"] for a, b in ("AB", "BC", "AC")]

    _, keys, _ = joins.answered("here", joins.of_script(script), [question])

    assert (keys.value, keys.note) == (1.0, "of 3")


def test_the_made_graph_is_as_large_as_it_says_and_always_the_same() -> None:
    graph = joins.made_graph(random.Random(joins.SEED))

    assert (len(graph.tables), len(graph.relationships)) == (122, 1801)
    assert graph == joins.made_graph(random.Random(joins.SEED))


def test_real_schemas_load_whole_and_gold_tables_are_joined_without_others(shared_data: Path) -> None:
    rows = {row.what: row.value for row in joins.beaver(shared_data / "beaver_sql")}

    assert rows["beaver_sql: tables loaded"] == 463
    assert rows["beaver_sql: declared foreign keys found"] == 1.0
    assert rows["dw, names and the published keys: table set exact"] >= 108
    assert rows["dw, names and the published keys: every edge used exists"] == 1.0


def test_the_audit_rule_matters_on_a_schema_where_everything_has_a_creator(shared_data: Path) -> None:
    rows = {row.what: row.value for row in joins.openmrs(shared_data / "big_schemas")}

    assert rows["OpenMRS, with the audit rule: paths over audit columns"] < 0.1
    assert rows["OpenMRS, without the audit rule: paths over audit columns"] > 0.5
    assert rows["OpenMRS: foreign keys found"] == 1.0


def test_a_folder_without_the_data_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beaver_sql").mkdir()
    monkeypatch.setattr(sys, "argv", ["joins.py", "--data", str(tmp_path)])

    with pytest.raises(SystemExit, match="holds no big_schemas"):
        joins.main()


def test_the_last_line_is_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("beaver_sql", "big_schemas"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sys, "argv", ["joins.py", "--data", str(tmp_path)])
    for name in ("beaver", "openmrs", "selected", "made"):
        monkeypatch.setattr(joins, name, lambda *_: iter([joins.Measured("x", 1.23456)]))

    joins.main()

    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["benchmark"] == "joins"
    assert [row["value"] for row in last["rows"]] == [1.2346] * 4
