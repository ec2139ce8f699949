from datetime import date
from pathlib import Path

import pytest

from turnkeep_agents.database.sample.sample import CANARY_TENANT, sample_file
from turnkeep_agents.database.wall.database import Database, QueryFailed, open_databases
from turnkeep.records import Principal
from turnkeep_agents.database.settings import DatabaseSettings

SAMPLE_DAY = date(2026, 3, 4)
OURS, CANARY = Principal("acme", "ann"), Principal(CANARY_TENANT, "ben")


@pytest.fixture(scope="module")
def database() -> Database:
    return open_databases(DatabaseSettings())(SAMPLE_DAY)


def test_a_file_is_built_once_a_day_and_always_alike(tmp_path: Path, sample_bytes: bytes) -> None:
    file = sample_file(SAMPLE_DAY, tmp_path)
    assert file.read_bytes() == sample_bytes
    built = file.stat().st_mtime_ns
    assert sample_file(SAMPLE_DAY, tmp_path) == file
    assert (file.stat().st_mtime_ns, len(list(tmp_path.iterdir()))) == (built, 1)


def test_a_tenant_sees_the_rows_of_its_company_in_clear(database: Database) -> None:
    sql = "SELECT name FROM secure_customer"
    ours, canary = database.run(sql, OURS), database.run(sql, CANARY)
    assert len(ours.rows) == 100
    assert not any(CANARY_TENANT in str(name) for (name,) in ours.rows)
    assert all(str(name).startswith(f"{CANARY_TENANT} ") for (name,) in canary.rows)


def test_a_tenant_sees_no_other_company(database: Database) -> None:
    assert database.run("SELECT name FROM secure_company", OURS).rows == (("Northlight",),)
    assert database.run("SELECT name FROM secure_company", CANARY).rows == (("Brightwater",),)


@pytest.mark.parametrize("table", ["employee", "apiKey", "wall_key", "secure_usercredential"])
def test_tables_behind_the_wall_cannot_be_read(database: Database, table: str) -> None:
    with pytest.raises(QueryFailed):
        database.run(f"SELECT * FROM {table}", OURS)
