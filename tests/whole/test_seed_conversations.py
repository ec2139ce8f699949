"""The conversations of the design documents word for word, over HTTP, with the server killed after every turn."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from killed_server import KilledServer

from sample_on_mariadb import DATABASE, SampleServer

ACTIVE = "FROM employee WHERE companyId = 1 AND position = 'technician' AND status = 'active'"


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
    assert ran["details"]["period"]["start"] in confirming["reply"] or ran["details"]["period"]["label"] in ran["reply"]
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


def converse_about_technicians(server: KilledServer, thread: str) -> list[dict[str, Any]]:
    counted = server.ask("how many technicians are active?", thread, agent="database")
    earlier = server.ask("and last month?", thread)
    grouped = server.ask("show them by crew", thread)
    turns = [counted, earlier, grouped]
    assert [(turn["turn_number"], turn["route"], turn["persisted"]) for turn in turns] == [
        (number, "sql", True) for number in (1, 2, 3)
    ]
    [[then]] = earlier["details"]["rows"]
    assert "last month" in earlier["reply"]
    assert "hired" not in earlier["reply"], "who was hired before is there too"
    groups = grouped["details"]["rows"]
    assert len(groups) > 3
    assert sum(size for *_, size in groups) >= then > 0
    assert "employeeCrew" in grouped["details"]["tables"]
    return turns


@pytest.mark.slow
def test_database_counts_goes_back_a_month_and_groups_with_a_kill_between_all_turns(
    server: KilledServer, thread: str
) -> None:
    counted, *_ = converse_about_technicians(server, thread)
    [[now]] = counted["details"]["rows"]
    assert f"{now} active technicians" in counted["reply"]


@pytest.mark.slow
def test_database_does_the_same_on_mariadb(
    dynamodb_url: str, whole_table: str, tmp_path: Path, thread: str, sample_server: SampleServer
) -> None:
    facts = {f"DATABASE__{name.upper()}": value for name, value in sample_server.tuning.items()}
    server = KilledServer(tmp_path, dynamodb_url, whole_table, {"MODEL": "demo", **facts})
    counted, *_ = converse_about_technicians(server, thread)
    [(now,)] = sample_server.server.run(f"SELECT COUNT(*) {ACTIVE}", database=DATABASE)
    assert counted["details"]["rows"] == [[now]]
    assert "secure_employee" in counted["details"]["sql"]
