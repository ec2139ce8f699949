"""The benchmarks on real data reach the promised figures, and rank by the published formula."""

from pathlib import Path

import pytest

import joins
import retrieval
import table_selection


def test_a_collection_is_measured_by_the_published_formula(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "kite", "text": "A red kite"}\n{"_id": "owl", "text": "An owl"}')
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "red kite"}\n{"_id": "2", "text": "in winter"}')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tkite\t2\n2\towl\t1\n")
    rows = {row.system: row for row in retrieval.measure(tmp_path, dense=False)}
    assert (rows["turnkeep"].queries, rows["turnkeep"].recall_at_10, rows["turnkeep"].ndcg_at_10) == (2, 0.5, 0.5)
    gain = (1 + 2 / 1.58496) / (2 + 1 / 1.58496)
    assert retrieval.ndcg(["b", "a"], {"a": 2, "b": 1}) == pytest.approx(gain, abs=1e-4)


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


def test_three_quarters_of_the_tables_of_a_question_are_among_the_first_eight(shared_data: Path) -> None:
    rows = {(row.set, row.ranker, row.depth): row for row in table_selection.selection(shared_data)}
    alone, among_all = (rows[name, "turnkeep", 8] for name in ("beaver dw", "beaver dw among all databases"))
    assert alone.recall >= 0.75
    assert among_all.tables == 463
    assert among_all.recall >= 0.75
    assert rows["bird, each database", "turnkeep", 5].recall >= 0.9
