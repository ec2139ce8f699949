"""The conversations of the design documents word for word, over HTTP, with the server killed after every turn."""

import uuid
from pathlib import Path

import pytest
from killed_server import KilledServer


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
