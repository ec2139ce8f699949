"""The sample's file without its wall, as of one day."""

import sqlite3
from datetime import date

from turnkeep_agents.database.security.ciphers import decrypt
from turnkeep_demo.database.field_service import KEY

SAMPLE_DAY = date(2026, 3, 4)


def opened(file: bytes) -> sqlite3.Connection:
    """`SHOWN` decrypts."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(file)
    connection.create_function("SHOWN", 1, lambda data: None if data is None else decrypt(data, KEY))
    return connection
