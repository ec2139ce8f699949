"""The sample's file: built once a week, always alike; and read as its tenant may, on every database."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from opened_sample import SAMPLE_DAY

from turnkeep.records import Principal
from turnkeep_agents.database.security.database import Database, open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import QueryFailed
from turnkeep_demo.database.field_service import CANARY_TENANT, packed, sample_file

OURS, CANARY = Principal("acme", "ann"), Principal(CANARY_TENANT, "ben")


@pytest.fixture(params=["embedded", "sample_server", "sample_on_postgres"])
def database(request: pytest.FixtureRequest) -> Database:
    """The sample behind its wall, in SQLite, MariaDB and PostgreSQL."""
    own = {} if request.param == "embedded" else request.getfixturevalue(request.param).tuning
    return open_databases(DatabaseSettings(**own))(SAMPLE_DAY)


def test_a_file_is_built_once_a_week_and_always_alike(tmp_path: Path, sample_bytes: bytes) -> None:
    file = sample_file(SAMPLE_DAY, tmp_path)
    assert file.read_bytes() == sample_bytes == packed(SAMPLE_DAY)
    built = file.stat().st_mtime_ns
    days = [SAMPLE_DAY + timedelta(days) for days in range(-2, 5)]
    assert {sample_file(day, tmp_path) for day in days} == {file}
    assert (file.stat().st_mtime_ns, len(list(tmp_path.iterdir()))) == (built, 1)
    assert sample_file(SAMPLE_DAY + timedelta(5), tmp_path) != file


def test_a_tenant_sees_the_rows_of_its_company_in_clear_and_no_others(
    database: Database, sample: sqlite3.Connection
) -> None:
    sql = "SELECT name FROM secure_customer"
    ours, canary = database.run(sql, OURS), database.run(sql, CANARY)
    assert len(ours.rows) == 100
    assert not any(CANARY_TENANT in str(name) for (name,) in ours.rows)
    assert all(str(name).startswith(f"{CANARY_TENANT} ") for (name,) in canary.rows)
    quote = '"' if database.dialect == "postgres" else ""
    sql = "SELECT {0}id{0}, {1}, {2} FROM {3} WHERE {0}companyId{0} = 1 ORDER BY {0}id{0} LIMIT 50"
    names = [f"{quote}{name}{quote}" for name in ("firstName", "lastName")]
    shown = sample.execute(sql.format("", "SHOWN(firstName)", "SHOWN(lastName)", "employee"))
    assert database.run(sql.format(quote, *names, "secure_employee"), OURS).rows == tuple(shown)
    for table in ("employee", "apiKey", "secure_usercredential"):
        with pytest.raises(QueryFailed):
            database.run(f"SELECT * FROM {table}", OURS)
