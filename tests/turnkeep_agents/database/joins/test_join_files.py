import json
from pathlib import Path
from typing import Any

import pytest
from join_graphs import SERVICE, link

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.joins.files import REBUILD, load_graph, save_graph
from turnkeep_agents.database.joins.records import Column, JoinGraph, Table

PLAIN: dict[str, Any] = {
    "version": 1,
    "tables": {
        "employee": {"columns": ["id", "firstName"], "unique_columns": ["id"]},
        "workTime": {"columns": ["id", "employeeId"], "unique_columns": ["id"]},
    },
    "relationships": [
        {"from_table": "workTime", "from_column": "employeeId", "to_table": "employee", "to_column": "id"}
        | {"type": "foreign_key", "confidence": 1.0, "cardinality": "N:1"}
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "graph.json"


def test_the_plain_shape_is_read(file: Path) -> None:
    file.write_text(json.dumps(PLAIN))
    graph = load_graph(file)
    assert list(graph.tables["employee"].columns) == ["id", "firstName"]
    assert graph.tables["employee"].unique_columns == ("id",)
    assert graph.relationships == (link("workTime.employeeId > employee.id"),)


def test_a_saved_graph_is_loaded_unchanged(file: Path) -> None:
    text = Column("select", "text", "VARCHAR(3)", "what it is", ("kind",), ("a", "b"))
    columns = {"select": text, "of": Column("of", "integer", "INT")}
    rich = Table("größe", columns, ("select", "of"), (), 'a "quoted" comment', ("size",))
    composite = link("größe.select > größe.of", others=(("of", "select"),), role="part of", confidence=0.5)
    dangling = link("gone.id > crew.id")
    graph = JoinGraph({**SERVICE.tables, "größe": rich}, (*SERVICE.relationships, composite, dangling))
    save_graph(graph, file)
    assert load_graph(file) == graph
    lines = [line for line in file.read_text().splitlines() if '"from_table"' in line]
    assert len(lines) == len(graph.relationships)


def with_link(**parts: Any) -> dict[str, Any]:
    return {"relationships": [PLAIN["relationships"][0] | parts]}


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"version": 2}, "version: input should be 1"),
        ({"tables": []}, "tables: write an object"),
        ({"tables": {"a": {}}}, "tables.a.columns: add it"),
        ({"tables": {"a": {"columns": ["x", "x"]}}}, "tables.a: a column is named twice"),
        ({"tables": {"a": {"columns": ["x"], "primary_key": ["y"]}}}, "'y' is not among the columns"),
        ({"tables": {"a": {"columns": ["x"], "kinds": {"x": "big"}}}}, "tables.a.kinds.x: input should be"),
        (with_link(extra=1), "relationships[0].extra: no such field is known; remove it or correct its name"),
        (with_link(confidence=1.5), "relationships[0].confidence: input should be less than or equal to 1"),
        (with_link(confidence=float("nan")), "relationships[0].confidence"),
        (with_link(cardinality="many"), "relationships[0].cardinality"),
        (with_link(type="guess"), "relationships[0].type"),
    ],
)
def test_a_broken_file_is_refused_with_place_and_remedy(file: Path, parts: Any, reason: str) -> None:
    file.write_text(json.dumps(PLAIN | parts))
    with pytest.raises(UnusableFile) as caught:
        load_graph(file)
    assert str(file) in str(caught.value)
    assert reason in str(caught.value)
    assert str(caught.value).endswith(REBUILD)


def test_a_missing_binary_or_empty_file_is_refused(file: Path) -> None:
    with pytest.raises(UnusableFile, match=r"graph\.json: cannot be read \(No such file.*; check the path"):
        load_graph(file)
    file.write_bytes(b'{"tables": "\xff"}')
    with pytest.raises(UnusableFile, match="byte 12 is not UTF-8"):
        load_graph(file)
    file.write_text("{}")
    with pytest.raises(UnusableFile, match=r"tables: add it \(and 1 more\)"):
        load_graph(file)


def test_a_failed_save_leaves_no_draft(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="cannot be written"):
        save_graph(SERVICE, tmp_path / "missing" / "graph.json")
    assert list(tmp_path.iterdir()) == []
