import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mariadb import MISSING, Server, find_or_fetch, mariadb

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))  # where it is said how rows are compared


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[Server]:
    """One MariaDB for the whole session of this worker."""
    programs = find_or_fetch()
    if programs is None:
        pytest.skip(MISSING)
    with mariadb(programs) as server:
        yield server
