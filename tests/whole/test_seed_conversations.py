"""The conversations of the design documents word for word, over HTTP, with the server killed after every turn."""

import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from document_site import Site

from turnkeep_demo.database.field_service import sample_file

ACTIVE = "SELECT COUNT(*) FROM employee WHERE companyId = 1 AND position = 'technician' AND status = 'active'"
# Who was active then is not on record, so whoever was employed on a day of the month counts, on leave or gone by now.
THEN = """SELECT {shown} FROM employee {joined} WHERE employee.companyId = 1 AND position = 'technician'
    AND hiredOn < '{next}' AND (terminatedOn IS NULL OR terminatedOn >= '{first}')"""
CREWS = """LEFT JOIN employeeCrew ON employeeCrew.employeeId = employee.id AND employeeCrew.joinedOn < '{next}'
    AND (employeeCrew.leftOn IS NULL OR employeeCrew.leftOn >= '{first}') LEFT JOIN crew ON crew.id = crewId"""


type Say = Callable[..., dict[str, Any]]


@pytest.fixture
def say(dynamodb_url: str, whole_table: str, tmp_path: Path) -> Say:
    """One turn of the thread, of a server that then dies."""
    site = Site(tmp_path, dynamodb_url, whole_table, "papers", {"MODEL": "demo"})
    return partial(site.say, thread=f"seed-{uuid.uuid4().hex}")


@pytest.mark.slow
def test_campaigns_asks_confirms_and_runs_with_a_kill_between_all_turns(say: Say) -> None:
    asked = say("123", agent="campaigns")
    assert (asked["turn_number"], asked["route"], asked["confidence"]) == (1, "clarify", 0.0)
    assert asked["reply"].endswith("?")

    confirming = say("quiz performance for two weeks")
    assert (confirming["turn_number"], confirming["route"], confirming["confidence"]) == (2, "clarify", 0.0)
    assert "Sunday" in confirming["reply"]
    assert "Saturday" in confirming["reply"]

    ran = say("Bang on thank you")
    assert (ran["turn_number"], ran["route"], ran["persisted"]) == (3, "specialists", True)
    assert ran["details"]["specialists"] == [{"name": "performance_diagnosis", "status": "ok"}]
    assert ran["details"]["gate"]["valid"]
    assert "Quiz" in ran["reply"]
    assert ran["details"]["requests"][0]["period"]["start"] in confirming["reply"]
    assert ran["details"]["figures"]


@pytest.mark.slow
def test_products_resolves_the_samsung_one_and_the_first_with_a_kill_between_all_turns(say: Say) -> None:
    listed = say("What phones do you have under $500?", agent="products")
    assert listed["route"] == "retrieve"
    first, *_ = listed["details"]["products"]

    told = say("Tell me more about the Samsung one")
    [samsung] = told["details"]["products"]
    assert samsung in listed["details"]["products"]
    assert "Samsung" in told["standalone_query"].replace("Samsung one", "")

    compared = say("how does it compare to the first?")
    assert compared["route"] == "tool"
    assert compared["details"]["products"] == [samsung, first]

    shifted = say("Which televisions have an OLED panel?")
    assert shifted["turn_number"] == 4
    assert shifted["standalone_query"] == "Which televisions have an OLED panel?"
    assert not {samsung, first} & set(shifted["details"]["products"])


@pytest.mark.slow
def test_database_counts_goes_back_a_month_and_groups_with_a_kill_between_all_turns(say: Say) -> None:
    """The rows are those of SQL by hand over the same data."""
    following = datetime.now(UTC).date().replace(day=1)
    month = {"next": following, "first": (following - timedelta(days=1)).replace(day=1)}
    counted = say("how many technicians are active?", agent="database")
    earlier = say("and last month?")
    grouped = say("show them by crew")
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
