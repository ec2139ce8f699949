"""Attacks and benign queries, one per line. Row-level security must stop the same attacks without the guard."""

import re
from collections import Counter

import pytest
from guarded import DIALECTS, Dialect, attacks, benign, judged, sample_graph, sample_guard

from turnkeep_agents.database.guard.functions import ALLOWED
from turnkeep_agents.database.guard.guard import Checked, Refused
from turnkeep_agents.database.guard.repairs import repair
from turnkeep_agents.database.security.functions import FUNCTIONS
from turnkeep_demo.database.field_service import access

CLASSES = {
    "ddl", "dml", "stacked", "comments", "hints", "into", "locks", "files", "time_wasters", "catalogs", "variables",
    "base_tables", "fake_views", "bombs", "engine", "users", "procedures", "encoding", "second_order",
}  # fmt: skip

NO_FUNCTIONS = {"exists", "filter", "cast"}
CHANGES = {"ddl", "dml", "stacked", "into", "locks", "files", "variables", "users", "engine", "procedures"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_attack_is_refused(dialect: Dialect) -> None:
    found = attacks(dialect)
    harmful = [row for row in found if "harmless" not in row]
    counts = Counter(row["class"] for row in harmful)
    assert set(counts) == CLASSES
    assert min(counts.values()) >= 10
    assert len(harmful) >= 150
    guard = sample_guard(dialect)
    assert [row["sql"] for row in harmful if isinstance(guard.check(row["sql"]), Checked)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_harmless_variants_read_only_views_and_keep_no_comment(dialect: Dialect) -> None:
    harmless = [row["sql"] for row in attacks(dialect) if "harmless" in row]
    found = [sample_guard(dialect).check(sql) for sql in harmless]
    written = [without_texts(each.sql) for each in found if isinstance(each, Checked)]
    assert len(written) >= len(harmless) - 1
    assert [sql for sql in written if re.search(r"--|/\*|#|;", sql) or not reads_only_views(sql)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_repaired_attack_is_harmless(dialect: Dialect) -> None:
    guard, ran = sample_guard(dialect), []
    for row in attacks(dialect):
        found = guard.check(row["sql"])
        again = repair(row["sql"], found, sample_graph(), dialect) if isinstance(found, Refused) else None
        checked = guard.check(again) if again else None
        ran += [(row["class"], without_texts(checked.sql))] if isinstance(checked, Checked) else []
    assert ran
    assert [(kind, sql) for kind, sql in ran if kind in CHANGES or not reads_only_views(sql)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_at_most_one_in_a_hundred_benign_queries_is_refused(dialect: Dialect) -> None:
    queries = benign(dialect)
    guard = sample_guard(dialect)
    wrong = [sql for sql in queries if judged(guard, sql) is None]
    assert len(set(queries)) >= 300
    assert len(wrong) <= len(queries) / 100, wrong


def test_row_level_security_allows_every_function_that_the_guard_allows() -> None:
    assert {name.lower() for name in ALLOWED["sqlite"].names} <= FUNCTIONS
    found = [sample_guard("sqlite").check(sql) for sql in benign("sqlite")]
    written = "\n".join(without_texts(each.sql) for each in found if isinstance(each, Checked))
    called = {name.lower() for name in re.findall(r"\b(\w+)\(", written)} - NO_FUNCTIONS
    assert len(called) > 20
    assert called <= FUNCTIONS


def without_texts(sql: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "''", sql)


def reads_only_views(sql: str) -> bool:
    named = re.findall(r"(?i)(?:\bfrom|\bjoin)\s+\(?\s*[\"`]?(\w+)", sql)
    based = {table.lower() for table in access().view_of}
    sources = "".join(re.findall(r"(?i)(?:from|join) \S+", sql))
    return not based & {name.lower() for name in named} and "." not in sources
