import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from questions import TODAY

from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.settings import Settings
from turnkeep_agents.database.security.ciphers import decrypt
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_demo.database.field_service import KEY, sample_file

if TYPE_CHECKING:
    from sample_on_servers import SampleOn

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))  # how rows are compared


@pytest.fixture(scope="module")
def by_hand() -> Iterator[sqlite3.Connection]:
    """The sample without row-level security."""
    with closing(sqlite3.connect(sample_file(TODAY))) as connection:
        connection.create_function("SHOWN", 1, lambda data: decrypt(data, KEY), deterministic=True)
        yield connection


@pytest.fixture(scope="module")
def agent_on_sqlite() -> Agent:
    return build_agent("database", Settings(model="demo"))


@pytest.fixture(scope="module")
def agent_on_mariadb(sample_server: "SampleOn") -> Agent:
    return _on_server(sample_server.tuning)


@pytest.fixture(scope="module")
def agent_on_postgresql(sample_on_postgres: "SampleOn") -> Agent:
    return _on_server(sample_on_postgres.tuning)


def _on_server(tuning: dict[str, Any]) -> Agent:
    return build_agent("database", Settings(model="demo").with_agents(DatabaseSettings(**tuning)))
