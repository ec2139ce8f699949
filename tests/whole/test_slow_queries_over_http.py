"""Queries that run for ever, written by a served model: they are ended in time and told, and a turn that is over before
its query leaves nothing behind."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from calls_of_database import COUNTED, READ, STAFF, TOLD, ask, reads, writes
from whole_site import Site, Visitor
from wire import WireServer, says

from turnkeep.settings import AgentSettings
from turnkeep_agents.database.settings import DatabaseSettings

THREES = (
    "SELECT COUNT(*) AS threes FROM workTime AS a JOIN workTime AS b ON a.id < b.id JOIN workTime AS c ON b.id < c.id"
)
ENDLESS = writes(THREES)
"""Lets no index help; the guard has nothing against it."""
WORKED = reads(ask("How many threes of hours are there?", "workTime"))
LATE = says("It took too long.")
BODY = {"session_id": "t1", "message": COUNTED, "agent": "database"}
KEY = {"Idempotency-Key": "k-1"}
QUERY_SECONDS = 1


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


async def open_with(site: Site, model: WireServer, *agents: AgentSettings, **settings: Any) -> Visitor:
    patient = {"timeout_seconds": 20, "max_retries": 0}
    return await site.open(*agents, model="openai:test", openai_base_url=model.base_url, models=patient, **settings)


async def test_a_query_that_runs_for_ever_is_ended_and_told_and_the_thread_goes_on(
    site: Site, model: WireServer
) -> None:
    visitor = await open_with(site, model, DatabaseSettings(query_seconds=QUERY_SECONDS))
    model.script += [READ, STAFF, TOLD]
    await visitor.say(COUNTED, agent="database")
    model.script += [WORKED, ENDLESS, LATE]
    slow = await visitor.say(COUNTED, "t1", agent="database")
    assert (slow["warnings"], slow["persisted"], slow["details"]["rows"]) == (["database_slow"], True, [])
    assert slow["reply"] == "It took too long."
    assert f"did not answer within {QUERY_SECONDS:g} seconds" in model.bodies[-1]["messages"][-1]["content"]
    model.script += [READ, STAFF, TOLD]
    assert (await visitor.say(COUNTED, "t1"))["turn_number"] == 2


async def test_a_slow_view_of_ones_own_is_ended_too(site: Site, model: WireServer, tmp_path: Path) -> None:
    file = tmp_path / "own.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE visit (day INTEGER)")
        connection.executemany("INSERT INTO visit VALUES (?)", [(day,) for day in range(300)])
        connection.execute("CREATE VIEW report AS SELECT a.day FROM visit a, visit b, visit c, visit d")
        connection.commit()
    visitor = await open_with(site, model, DatabaseSettings(url=f"sqlite:///{file}", query_seconds=QUERY_SECONDS))
    report = writes("SELECT COUNT(*) AS rows_of_it FROM report")
    model.script += [reads(ask("How many reports are there?", "report")), report, LATE]
    slow = await visitor.say("How many reports are there?", agent="database")
    assert (slow["route"], slow["warnings"]) == ("sql", ["database_slow"])


async def warm_up(hasty: Visitor, model: WireServer) -> None:
    """Until all is built that a turn needs, which may take longer than the turn has."""
    for _ in range(4):
        model.script += [READ, STAFF, TOLD]
        answer = await hasty.http.post("/chat", json={"message": COUNTED, "agent": "database"})
        model.script.clear()
        if answer.status_code == 200:
            return
    raise AssertionError("it never got warm")


async def test_a_turn_that_is_over_before_its_query_leaves_nothing_and_its_key_is_free(
    site: Site, model: WireServer
) -> None:
    short = {"seconds": 5.8, "commit_seconds": 2.8}
    hasty = await open_with(site, model, DatabaseSettings(query_seconds=4.5), turn=short)
    patient = await open_with(site, model)
    await warm_up(hasty, model)
    model.script += [WORKED, ENDLESS]
    late = await hasty.http.post("/chat", json=BODY, headers=KEY)
    assert not model.script  # the statement was written, so it ran
    assert (late.status_code, late.json()["code"]) == (504, "model_timeout")
    assert await patient.messages("t1") == []
    assert not [sk for sk in site.lying("t1") if sk.startswith(("TURN", "CP"))]
    model.script += [READ, STAFF, TOLD]
    for is_replay in (False, True):
        answer = await patient.http.post("/chat", json=BODY, headers=KEY)
        assert (answer.status_code, answer.json()["turn_number"]) == (200, 1)
        assert ("idempotency-replayed" in answer.headers) == is_replay
    assert await patient.messages("t1") == [COUNTED]
