from functools import partial

import pytest
from sqlalchemy import Connection, literal, select

from silent_driver import SilentDialect
from turnkeep_agents.databases.engines import Called, open_url
from turnkeep_agents.databases.errors import DatabaseDown, DatabaseSlow
from turnkeep_agents.databases.sessions import Sessions

CALLED = Called("The ledger", "LEDGER__URL")


def silent(*talk: str, seconds: float = 0.1) -> Sessions:
    SilentDialect.talk = list(talk)
    return Sessions(CALLED, partial(open_url, CALLED, "silent://"), seconds, lambda _: DatabaseDown("refused"), 0.1)


def ask_one(connection: Connection) -> int:
    ((value,),) = connection.execute(select(literal(1))).all()
    return int(value)


def test_a_driver_that_would_wait_for_ever_is_cut_off() -> None:
    with pytest.raises(DatabaseSlow, match=r"The ledger did not answer within 0\.1 seconds\."):
        silent("silence").ask(ask_one)


def test_a_pooled_connection_that_died_unused_is_replaced_once() -> None:
    sessions = silent("answer", "dead", "answer", "dead", "dead", seconds=5)
    assert sessions.ask(ask_one) == 1

    assert sessions.ask(ask_one) == 1
    with pytest.raises(DatabaseDown, match="refused"):
        sessions.ask(ask_one)


def test_after_an_error_no_rollback_is_awaited() -> None:
    sessions = silent("answer", "refusal", "answer", seconds=5)
    assert sessions.ask(ask_one) == 1

    with pytest.raises(DatabaseDown, match="refused"):
        sessions.ask(ask_one)

    assert SilentDialect.rollbacks_after_an_error == 0
    assert sessions.ask(ask_one) == 1
