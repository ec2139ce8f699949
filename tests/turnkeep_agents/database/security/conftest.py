from collections.abc import Iterator
from pathlib import Path

import pytest
from two_companies import LIMITS, PASSWORD, SEAL, fill_postgres, fill_server, opened, write_access, write_file

from mariadb import Server
from postgres import PostgresServer
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.database.settings import DatabaseSettings


@pytest.fixture(scope="session")
def access_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_access(tmp_path_factory.mktemp("access"))


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_file(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def field(mariadb_server: Server, access_file: Path) -> Iterator[Server]:
    fill_server(mariadb_server, "field", access_file)
    yield mariadb_server
    mariadb_server.run("DROP DATABASE field", "DROP DATABASE turnkeep_wall", "DROP USER 'reader'@'127.0.0.1'")


@pytest.fixture(scope="session")
def folded_access_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_access(tmp_path_factory.mktemp("folded"), is_folded=True)


@pytest.fixture(scope="session")
def field_on_postgres(postgres_server: PostgresServer, folded_access_file: Path) -> Iterator[PostgresServer]:
    fill_postgres(postgres_server, "field", folded_access_file)
    yield postgres_server
    postgres_server.run("DROP DATABASE field WITH (FORCE)", "DROP ROLE reader")


@pytest.fixture(params=["sqlite", "mariadb", "postgresql"])
def tuning(request: pytest.FixtureRequest, access_file: Path) -> DatabaseSettings:
    """The settings of a reader's database, one kind after the other."""
    return request.getfixturevalue(f"{request.param}_tuning")


@pytest.fixture
def database(tuning: DatabaseSettings) -> Database:
    return opened(tuning)


@pytest.fixture
def sqlite_tuning(sqlite_file: Path, access_file: Path) -> DatabaseSettings:
    return DatabaseSettings(url=f"sqlite:///{sqlite_file}", access=str(access_file), **LIMITS)


@pytest.fixture
def mariadb_tuning(field: Server, access_file: Path) -> DatabaseSettings:
    url = field.url("field", user="reader", password=PASSWORD)
    return DatabaseSettings(url=url, access=str(access_file), seal=SEAL, **LIMITS)


@pytest.fixture
def postgresql_tuning(field_on_postgres: PostgresServer, folded_access_file: Path) -> DatabaseSettings:
    url = field_on_postgres.url("field", user="reader", password=PASSWORD)
    return DatabaseSettings(url=url, access=str(folded_access_file), seal=SEAL, **LIMITS)
