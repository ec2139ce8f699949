"""The benchmark of retrieval measures what it says, on a collection small enough to reckon by hand."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import retrieval

CORPUS = [
    {"_id": "kite", "title": "", "text": "A red kite circles above the hill"},
    {"_id": "owl", "title": "", "text": "An owl hunts by night"},
    {"_id": "boat", "title": "", "text": "A dinghy crosses the lake"},
]
QUERIES = [
    {"_id": "1", "text": "red kite"},
    {"_id": "2", "text": "does it sleep in winter"},
    {"_id": "3", "text": "nobody judged this one"},
]
JUDGEMENTS = "query-id\tcorpus-id\tscore\n1\tkite\t2\n2\towl\t1\n2\tboat\t0\n"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "birds"
    folder.mkdir(parents=True)
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "qrels.tsv").write_text(JUDGEMENTS)
    return folder


def test_each_system_is_asked_what_is_judged(collection: Path) -> None:
    rows = {row.system: row for row in retrieval.measure(collection)}
    assert {"turnkeep", "turnkeep, hybrid"} <= rows.keys()
    assert {row.queries for row in rows.values()} == {2}
    assert rows["turnkeep"].recall_at_10 == rows["turnkeep"].ndcg_at_10 == 0.5


def test_the_extra_can_be_left_out(collection: Path) -> None:
    assert not any("hybrid" in row.system for row in retrieval.measure(collection, dense=False))


def test_in_italian_the_dense_one_and_english_stop_words_are_left_out(collection: Path) -> None:
    rows = {row.system: row for row in retrieval.measure(collection, language="it")}
    assert rows["turnkeep"].ndcg_at_10 == 0.5
    assert not any("hybrid" in system for system in rows)


def case(id_: str, query: str, *expected: str) -> dict[str, Any]:
    texts = {"leave": "Permessi L. 104...", "levy": "Aliquote dell'imposta...", "fees": "Compensi..."}
    documents = [{"id": name, "score": 0.9, "content": text} for name, text in texts.items()]
    return {"id": id_, "query": query, "expected_sources": expected, "actual_output": {"documents": documents}}


def test_a_case_is_right_where_all_that_is_expected_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([case("a", "aliquota imposte", "levy"), case("b", "permesso 104", "leave", "fees")]))
    assert retrieval.known_good(file) == {"cases": {"right": 1, "of": 2, "missed": ["b"]}}
    assert retrieval.known_good(tmp_path / "none.json") == {}


def test_the_last_line_is_json_and_vectors_are_kept(
    collection: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "kept" / "vectors"
    monkeypatch.setattr(sys, "argv", ["retrieval.py", "--data", str(collection.parent), "--vectors", str(kept)])
    retrieval.main()
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {row["set"] for row in told["rows"]} == {"birds"}
    assert [file.name for file in kept.iterdir()] == ["birds.npz"]


def test_a_folder_without_collections_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["retrieval.py", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"no collection with corpus\.jsonl"):
        retrieval.main()


def test_gain_is_linear_and_counts_less_from_rank_to_rank() -> None:
    assert retrieval.ndcg(["b", "a"], {"a": 2, "b": 1}) == pytest.approx(
        (1 + 2 / 1.58496) / (2 + 1 / 1.58496), abs=1e-4
    )
    assert retrieval.recall(["x"] * 10 + ["a"], {"a": 1}) == 0
