import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest

from turnkeep_agents.database.sample.sample import SAMPLE_KEY, packed
from turnkeep_agents.database.wall.ciphers import decrypt

SAMPLE_DAY = date(2026, 3, 4)


@pytest.fixture(scope="session")
def sample_bytes() -> bytes:
    """The file as of SAMPLE_DAY."""
    return packed(SAMPLE_DAY)


@pytest.fixture(scope="module")
def sample(sample_bytes: bytes) -> Iterator[sqlite3.Connection]:
    """The sample as of SAMPLE_DAY, without any wall; `SHOWN` decrypts."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(sample_bytes)
        connection.create_function("SHOWN", 1, lambda data: None if data is None else decrypt(data, SAMPLE_KEY))
        yield connection
