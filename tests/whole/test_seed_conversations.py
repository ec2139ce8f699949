"""The conversations of the design documents word for word, over HTTP, with the server killed after every turn."""

import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from killed_server import KilledServer

from turnkeep_demo.database.field_service import sample_file

ACTIVE = "SELECT COUNT(*) FROM employee WHERE companyId = 1 AND position = 'technician' AND status = 'active'"
# Who was active then is not on record, so whoever was employed on a day of the month counts, on leave or gone by now.
THEN = """SELECT {shown} FROM employee {joined} WHERE employee.companyId = 1 AND position = 'technician'
    AND hiredOn < '{next}' AND (terminatedOn IS NULL OR terminatedOn >= '{first}')"""
CREWS = """LEFT JOIN employeeCrew ON employeeCrew.employeeId = employee.id AND employeeCrew.joinedOn < '{next}'
    AND (employeeCrew.leftOn IS NULL OR employeeCrew.leftOn >= '{first}') LEFT JOIN crew ON crew.id = crewId"""


@pytest.fixture
def server(dynamodb_url: str, whole_table: str, tmp_path: Path) -> KilledServer:
    return KilledServer(tmp_path, dynamodb_url, whole_table, {"MODEL": "demo"})


@pytest.fixture
def thread() -> str:
    return f"seed-{uuid.uuid4().hex}"


@pytest.mark.slow
def test_campaigns_asks_confirms_and_runs_with_a_kill_between_all_turns(server: KilledServer, thread: str) -> None:
    asked = server.ask("123", thread, agent="campaigns")
    assert (asked["turn_number"], asked["route"], asked["confidence"]) == (1, "clarify", 0.0)
    assert asked["reply"].endswith("?")

    confirming = server.ask("quiz performance for two weeks", thread)
    assert (confirming["turn_number"], confirming["route"], confirming["confidence"]) == (2, "clarify", 0.0)
    assert "Sunday" in confirming["reply"]
    assert "Saturday" in confirming["reply"]

    ran = server.ask("Bang on thank you", thread)
    assert (ran["turn_number"], ran["route"], ran["persisted"]) == (3, "specialists", True)
    assert ran["details"]["specialists"] == [{"name": "performance_diagnosis", "status": "ok"}]
    assert ran["details"]["gate"]["valid"]
    assert "Quiz" in ran["reply"]
    assert ran["details"]["requests"][0]["period"]["start"] in confirming["reply"]
    assert ran["details"]["figures"]


@pytest.mark.slow
def test_products_resolves_the_samsung_one_and_the_first_with_a_kill_between_all_turns(
    server: KilledServer, thread: str
) -> None:
    listed = server.ask("What phones do you have under $500?", thread, agent="products")
    assert listed["route"] == "retrieve"
    first, *_ = listed["details"]["products"]

    told = server.ask("Tell me more about the Samsung one", thread)
    [samsung] = told["details"]["products"]
    assert samsung in listed["details"]["products"]
    assert "Samsung" in told["standalone_query"].replace("Samsung one", "")

    compared = server.ask("how does it compare to the first?", thread)
    assert compared["route"] == "tool"
    assert compared["details"]["products"] == [samsung, first]

    shifted = server.ask("Which televisions have an OLED panel?", thread)
    assert shifted["turn_number"] == 4
    assert shifted["standalone_query"] == "Which televisions have an OLED panel?"
    assert not {samsung, first} & set(shifted["details"]["products"])


@pytest.mark.slow
def test_database_counts_goes_back_a_month_and_groups_with_a_kill_between_all_turns(
    server: KilledServer, thread: str
) -> None:
    """The rows are those of SQL by hand over the same data."""
    following = datetime.now(UTC).date().replace(day=1)
    month = {"next": following, "first": (following - timedelta(days=1)).replace(day=1)}
    counted = server.ask("how many technicians are active?", thread, agent="database")
    earlier = server.ask("and last month?", thread)
    grouped = server.ask("show them by crew", thread)
    kept = [(turn["turn_number"], turn["route"], turn["persisted"]) for turn in (counted, earlier, grouped)]
    assert kept == [(number, "sql", True) for number in (1, 2, 3)]
    by_crew = THEN.format(shown="crew.name, COUNT(DISTINCT employee.id)", joined=CREWS.format(**month), **month)
    with closing(sqlite3.connect(sample_file(datetime.now(UTC).date()))) as connection:
        now, then, crews = (
            [list(row) for row in connection.execute(sql)]
            for sql in (ACTIVE, THEN.format(shown="COUNT(*)", joined="", **month), f"{by_crew} GROUP BY crew.id")
        )
    assert (counted["details"]["rows"], earlier["details"]["rows"]) == (now, then)
    assert str(now[0][0]) in counted["reply"]
    assert str(month["first"]) in earlier["reply"]
    assert "not on record" in earlier["reply"], "the state of today says nothing of last month"
    assert sorted(grouped["details"]["rows"], key=str) == sorted(crews, key=str)
    assert len(crews) > 3
    assert sum(size for *_, size in crews) >= then[0][0] > 0
