import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from questions import TODAY

from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.settings import Settings
from turnkeep_agents.database.security.ciphers import decrypt
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_demo.database.field_service import KEY, sample_file


@pytest.fixture(scope="module")
def by_hand() -> Iterator[sqlite3.Connection]:
    """The sample without row-level security."""
    with closing(sqlite3.connect(sample_file(TODAY))) as connection:
        connection.create_function("SHOWN", 1, lambda data: decrypt(data, KEY), deterministic=True)
        yield connection


@pytest.fixture(scope="module", params=["embedded", "sample_server", "sample_on_postgres"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """Over the sample in SQLite, MariaDB and PostgreSQL."""
    own = {} if request.param == "embedded" else request.getfixturevalue(request.param).tuning
    return build_agent("database", Settings(model="demo").with_agents(DatabaseSettings(**own)))
