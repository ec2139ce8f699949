import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest

from turnkeep_agents.database.wall.ciphers import decrypt
from turnkeep_demo.database.loading import KEY, packed

SAMPLE_DAY = date(2026, 3, 4)


def opened(file: bytes) -> sqlite3.Connection:
    """The sample without any wall; `SHOWN` decrypts."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(file)
    connection.create_function("SHOWN", 1, lambda data: None if data is None else decrypt(data, KEY))
    return connection


@pytest.fixture(scope="session")
def sample_bytes() -> bytes:
    """The file as of SAMPLE_DAY."""
    return packed(SAMPLE_DAY)


@pytest.fixture(scope="module")
def sample(sample_bytes: bytes) -> Iterator[sqlite3.Connection]:
    with closing(opened(sample_bytes)) as connection:
        yield connection
