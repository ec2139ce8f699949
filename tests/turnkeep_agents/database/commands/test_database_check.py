import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from turnkeep_local.cli import main

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, companyId INT);
CREATE TABLE invoice (id INTEGER PRIMARY KEY, customerId INT REFERENCES customer);
CREATE TABLE payroll (id INTEGER PRIMARY KEY);
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(SHOP)
    monkeypatch.setenv("DATABASE__URL", f"sqlite:///{tmp_path / 'shop.sqlite'}")
    return tmp_path


def check(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["database", "check"])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_a_database_is_reported_with_its_tables_and_links(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys) == (0, "DATABASE__URL answers. Tables: 3. Links: 1.\n")


def test_without_a_database_the_sample_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    code, report = check(capsys)
    assert (code, report.startswith("The sample answers. Tables: 158.")) == (0, True)


@pytest.mark.usefixtures("shop")
def test_a_graph_file_does_not_hide_a_database_that_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    joins = tmp_path / "joins.json"
    joins.write_text('{"tables": {"customer": {"columns": ["id"]}}, "relationships": []}')
    monkeypatch.setenv("DATABASE__JOINS", str(joins))
    assert check(capsys) == (0, "DATABASE__URL answers. Tables: 1. Links: 0.\n")
    (tmp_path / "shop.sqlite").write_text("not a database " * 90)
    assert check(capsys)[0] == 1


def test_rules_that_match_nothing_are_reported_because_they_protect_nothing(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    views = [
        {"table": "customers", "view": "secure_customers"},
        {"table": "customer", "view": "secure_customer", "company_column": "companyId", "encrypted": ["nam"]},
    ]
    rules = [{"tenant": "acme", "without": ["pairol*", "pay*"]}, {"tables": ["*"]}]
    access = shop / "access.json"
    access.write_text(json.dumps({"views": views, "rules": rules}))
    monkeypatch.setenv("DATABASE__ACCESS", str(access))
    code, report = check(capsys)
    assert code == 1
    assert report.splitlines()[1:4] == [
        f"{access}: views[0] names customers, which the database lacks. Compare the spelling.",
        f"{access}: views[1] names columns that customer does not have: nam. Compare the spelling.",
        f"{access}: rules[0] names what matches no table: pairol*. Compare the spelling.",
    ]
