import sqlite3
import subprocess
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from join_graphs import graph

from postgres import PostgresServer, find
from turnkeep.settings import UnusableFile
from turnkeep_agents.database.commands.security import security_script
from turnkeep_agents.database.joins.files import save_graph
from turnkeep_local import LocalError

ACCESS = (
    '{"views": [{"table": "crew", "view": "secure_crew", "company_column": "companyId", "encrypted": ["name"]}],'
    ' "rules": [{"user": "boss", "without": ["audit"]}, {"tables": ["crew", "trade"]}]}'
)


@pytest.fixture
def wanted(tmp_path: Path) -> Any:
    access, joins = tmp_path / "access.json", tmp_path / "joins.json"
    access.write_text(ACCESS)
    save_graph(graph("crew: id, companyId, name\ntrade: id\npay: id\naudit: id"), joins)
    usual = {"access": access, "joins": joins, "dialect": "mysql", "database": "field", "reader": "'r'@'%'"}
    return lambda **more: Namespace(**usual | more)


def script_of(options: Namespace, key: str = "s" * 64) -> str:
    return security_script(options, key)


def test_a_reader_gets_views_and_shared_tables(wanted: Any) -> None:
    granted = [line for line in script_of(wanted()).splitlines() if line.startswith("GRANT") and "TO 'r'@'%'" in line]
    assert [line.split(" ON ")[1].split(" TO ")[0] for line in granted] == [
        "PROCEDURE turnkeep_wall.open_session", "`field`.`secure_crew`", "`field`.`pay`", "`field`.`trade`"
    ]  # fmt: skip


def test_the_script_has_the_signing_key_and_placeholders_for_other_secrets(wanted: Any) -> None:
    script = script_of(wanted())
    assert f"-- DATABASE__SEAL={'s' * 64} " in script
    assert script.count("REPLACE: ") == 3
    assert script.count("DELIMITER $$") == script.count("DELIMITER ;") == 1


def test_a_file_gets_its_hidden_tables(wanted: Any) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script_of(wanted(dialect="sqlite")))
        assert connection.execute("SELECT secret FROM wall_key").fetchone()[0].startswith("REPLACE")
        assert len(connection.execute("SELECT tenant, company FROM wall_company").fetchall()) == 1


@pytest.mark.parametrize(
    ("dialect", "readers", "words"),
    [
        ("mysql", ["reader", "'r'@'%'; DROP TABLE x", "r@%", "''@''", "'a\\'@'%'"], "'name'@'host'"),
        ("postgresql", ["", "'r'@'%'", 'r"', "r\\"], "an existing role"),
    ],
)
def test_an_invalid_account_is_refused(wanted: Any, dialect: str, readers: list[str], words: str) -> None:
    for reader in readers:
        with pytest.raises(LocalError, match=words):
            script_of(wanted(dialect=dialect, reader=reader))


def test_files_that_do_not_match_are_reported(wanted: Any, tmp_path: Path) -> None:
    for tables, words in (
        ("crew: id, companyId", r"crew has no column name in .*old\.json"),
        ("crews: id, companyId, name", r"old\.json has no table crew\. Compare the spelling"),
    ):
        save_graph(graph(tables), tmp_path / "old.json")
        with pytest.raises(LocalError, match=words):
            script_of(wanted(joins=tmp_path / "old.json"))
    with pytest.raises(UnusableFile, match="absent"):
        script_of(wanted(access=tmp_path / "absent.json"))


def test_an_existing_setup_gets_only_new_views_and_rights(wanted: Any) -> None:
    script = script_of(wanted(), "")
    assert not any(word in script for word in ("REPLACE: ", "wall_seal", "DATABASE__SEAL"))
    assert "VIEW `field`.`secure_crew`" in script
    with pytest.raises(LocalError, match="nothing to run again"):
        script_of(wanted(dialect="sqlite"), "")
    with pytest.raises(LocalError, match="--database is missing"):
        script_of(wanted(database=""))


def run_script(server: PostgresServer, script: str, database: str) -> subprocess.CompletedProcess[str]:
    psql = (find() or Path()) / "psql"
    where = ["-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", "-d", database]
    return subprocess.run([psql, "-X", "-q", *where], input=script, capture_output=True, text=True, check=False)


def test_the_script_for_postgresql_runs_as_it_is_printed(
    wanted: Any, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    postgres_server.run("CREATE DATABASE printed", "CREATE ROLE printed_reader")
    tables = ['crew (id int, "companyId" int, name bytea)', "trade (id int)", "pay (id int)", "audit (id int)"]
    postgres_server.run(*(f"CREATE TABLE {table}" for table in tables), database="printed")
    ours = wanted(dialect="postgresql", database="", reader="printed_reader")

    first = script_of(ours).replace("REPLACE: its company", "5")
    assert f"-- DATABASE__SEAL={'s' * 64} " in first
    assert first.count("REPLACE: ") == 2
    for script in (first, script_of(wanted(dialect="postgresql", reader="printed_reader", database="public"), "")):
        done = run_script(postgres_server, script, "printed")
        assert (done.returncode, "ERROR" in done.stderr) == (0, False), done.stderr
        shown = postgres_server.run(
            "SELECT table_name FROM information_schema.role_table_grants WHERE grantee = 'printed_reader' ORDER BY 1",
            database="printed",
        )
        assert [name for (name,) in shown] == ["pay", "secure_crew", "trade"]
        assert postgres_server.run("SELECT company FROM turnkeep_wall.wall_company", database="printed") == [("5",)]
    postgres_server.run("DROP DATABASE printed WITH (FORCE)", "DROP ROLE printed_reader")


def test_a_failed_postgresql_script_changes_nothing(wanted: Any, postgres_server: PostgresServer) -> None:
    postgres_server.run("CREATE DATABASE unchanged")
    done = run_script(postgres_server, script_of(wanted(dialect="postgresql", reader="nobody_there")), "unchanged")
    assert done.returncode != 0
    schemas = postgres_server.run("SELECT nspname FROM pg_namespace", database="unchanged")
    assert not [name for (name,) in schemas if name.startswith("turn")]
    postgres_server.run("DROP DATABASE unchanged")
