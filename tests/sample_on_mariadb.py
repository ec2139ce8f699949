"""The embedded sample in a real MariaDB, behind its wall: what a deployment over a server of its own would have."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine

from mariadb import Server
from turnkeep.agents.database.sample.access import SAMPLE_ACCESS
from turnkeep.agents.database.sample.loading import load_into, wall_statements
from turnkeep.agents.database.wall.database import SAMPLE_JOINS

DAY = date(2026, 3, 4)
DATABASE, READER, PASSWORD, SEAL = "fieldservice", "sample_reader", "read-only", "a seal of the tests"


@dataclass(frozen=True)
class SampleServer:
    server: Server
    access: Path

    @property
    def url(self) -> str:
        """With the reader's login."""
        return self.server.url(DATABASE, user=READER, password=PASSWORD)

    @property
    def tuning(self) -> dict[str, Any]:
        """What settings of the agent say about it."""
        return {"url": self.url, "seal": SEAL, "access": str(self.access), "joins": str(SAMPLE_JOINS)}


def load_sample(server: Server, folder: Path) -> SampleServer:
    """Fills the server, which has to be new; takes two seconds."""
    server.run(
        f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4",
        f"CREATE USER {READER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
    )
    engine = create_engine(server.url(DATABASE))
    with engine.connect() as connection:
        load_into(connection, DAY)
    engine.dispose()
    server.run(*wall_statements(DATABASE, f"'{READER}'@'127.0.0.1'", SEAL), database=DATABASE)
    access = folder / "access.json"
    access.write_text(json.dumps(asdict(SAMPLE_ACCESS)))
    return SampleServer(server, access)
