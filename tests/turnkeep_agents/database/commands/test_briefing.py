"""What is said of a database at the start: what there is to answer from, or what is wrong with it and with the files of
the settings."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mariadb import Server
from turnkeep_agents.database.commands.briefing import OTHERS_WORK, brief
from turnkeep_agents.database.security.database import NEEDS_JOINS
from turnkeep_agents.database.settings import DatabaseSettings

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, companyId INT);
CREATE TABLE invoice (id INTEGER PRIMARY KEY, customerId INT REFERENCES customer, stateId INT REFERENCES state);
CREATE TABLE payroll (id INTEGER PRIMARY KEY);
CREATE VIEW paid AS SELECT * FROM gone;
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(SHOP)
    return tmp_path / "shop.sqlite"


def said(url: str = "", **files: Path) -> list[str]:
    tuning: Any = {"url": url, **{setting: str(file) for setting, file in files.items()}}
    lines = brief(DatabaseSettings(**tuning))
    assert all(line.startswith("database: ") for line in lines)
    return [line.removeprefix("database: ") for line in lines]


def written(file: Path, content: object) -> Path:
    file.write_text(json.dumps(content))
    return file


def graph_of(*tables: str) -> object:
    return {"tables": {name: {"columns": ["id", "companyId"]} for name in tables}, "relationships": []}


def test_a_database_is_told_with_what_it_holds_and_what_is_left_out(shop: Path) -> None:
    assert said(f"sqlite:///{shop}") == [
        f"{shop}, 3 tables, 1 link",
        "left out: the view paid (the database itself cannot read it: mend or drop it there).",
        "left out: the foreign key invoice.stateId to state (the database lacks it).",
    ]


def test_what_cannot_be_read_is_told_and_that_all_else_works(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "empty.sqlite")):
        pass

    assert said(f"sqlite:///{tmp_path}") == [f"{tmp_path} is a folder. Name the file in it. {OTHERS_WORK}"]
    assert said(f"sqlite:///{tmp_path}/empty.sqlite")[0].startswith(f"{tmp_path}/empty.sqlite has no tables")
    assert said("mysql+pymysql://reader:hush@127.0.0.1:1/shop")[0].startswith("shop at 127.0.0.1:1 cannot be reached")
    assert said("oracle://reader:hush@host/shop")[0].startswith("DATABASE__URL has to begin with sqlite, mysql")
    assert said("mysql+none://reader:hush@host/shop")[0].startswith("The database needs a Python package")


def test_of_the_sample_alone_nothing_is_said() -> None:
    assert said() == []


def test_a_saved_graph_is_named(shop: Path, tmp_path: Path) -> None:
    joins = written(tmp_path / "joins.json", graph_of("customer", "invoice", "paid"))
    assert said(f"sqlite:///{shop}", joins=joins) == [f"{shop}, 3 tables, 0 links, as {joins} has them"]


def test_rules_that_fit_nothing_are_told_for_they_keep_nothing_back(shop: Path, tmp_path: Path) -> None:
    views = [
        {"table": "customers", "view": "secure_customers"},
        {"table": "customer", "view": "secure_customer", "company_column": "companyId", "encrypted": ["nam"]},
    ]
    rules = [{"tenant": "acme", "without": ["pairol*", "pay*"]}, {"tables": ["*"]}]
    access = written(tmp_path / "access.json", {"views": views, "rules": rules})

    lines = said(f"sqlite:///{shop}", access=access)[3:]

    assert lines == [
        f"{access}: views[0] names customers, which the database lacks. Compare the spelling.",
        f"{access}: views[1] names columns that customer does not have: nam. Compare the spelling.",
        f"{access}: rules[0] names what fits no table: pairol*. Compare the spelling.",
    ]


# MariaDB


@pytest.fixture
def reader(mariadb_server: Server) -> Iterator[str]:
    """The URL of a login that sees a secure view in the place of its table, and not all others."""
    statements: Sequence[str] = (
        "CREATE TABLE customer (id INT PRIMARY KEY, companyId INT)",
        "CREATE TABLE invoice (id INT PRIMARY KEY, customerId INT, companyId INT)",
        "CREATE TABLE payroll (id INT PRIMARY KEY)",
        "CREATE VIEW secure_customer AS SELECT * FROM customer",
        "CREATE USER 'briefed'@'127.0.0.1' IDENTIFIED BY 'hush'",
        "GRANT SELECT ON secure_customer TO 'briefed'@'127.0.0.1'",
        "GRANT SELECT ON invoice TO 'briefed'@'127.0.0.1'",
    )
    mariadb_server.run("CREATE DATABASE briefed")
    mariadb_server.run(*statements, database="briefed")
    yield mariadb_server.url("briefed", user="briefed", password="hush")
    mariadb_server.run("DROP DATABASE briefed", "DROP USER 'briefed'@'127.0.0.1'")


def test_a_reader_of_a_server_needs_a_graph_and_sees_views_for_tables(reader: str, tmp_path: Path) -> None:
    access = written(tmp_path / "access.json", {"views": {"customer": "secure_customer"}})
    joins = written(tmp_path / "joins.json", graph_of("customer", "invoice", "payroll"))

    assert said(reader, access=access) == [f"{NEEDS_JOINS} {OTHERS_WORK}"]
    [first] = said(reader, access=access, joins=joins)
    assert first.startswith("briefed at 127.0.0.1:")
    assert "3 tables, 0 links, as " in first
    assert said(reader.replace("hush", "guess"))[0].startswith(f"{first.partition(',')[0]} refuses user and password")
