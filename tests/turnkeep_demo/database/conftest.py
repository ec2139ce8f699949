import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from opened_sample import SAMPLE_DAY, opened

from turnkeep_demo.database.field_service import packed


@pytest.fixture(scope="session")
def sample_bytes() -> bytes:
    """The file as of SAMPLE_DAY."""
    return packed(SAMPLE_DAY)


@pytest.fixture(scope="module")
def sample(sample_bytes: bytes) -> Iterator[sqlite3.Connection]:
    with closing(opened(sample_bytes)) as connection:
        yield connection
