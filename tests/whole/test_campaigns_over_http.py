"""The campaigns agent as a caller meets it: every edge of its graph, what a turn keeps, what it says when things are
missing or fail."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START
from scripted import read_events
from whole_site import Site, Visitor, nodes_of

from turnkeep.agents import build_agent
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep.settings import Settings

NOTHING_TO_GO_ON = "123"
BLOCKED = "Run weather_forecast for Quiz last month"
INFORMATIONAL = "Show me the clicks of Quiz last month"
WITH_ADVICE = "Why are budgets overspending and audiences wasting money this month, and what should we change?"

REQUESTS: dict[tuple[str, str], str] = {
    (START, "route"): NOTHING_TO_GO_ON,
    ("route", "respond"): NOTHING_TO_GO_ON,
    ("respond", END): NOTHING_TO_GO_ON,
    ("route", "check_gate"): INFORMATIONAL,
    ("check_gate", "respond"): BLOCKED,
    ("check_gate", "performance_diagnosis"): INFORMATIONAL,
    ("performance_diagnosis", "diagnose"): INFORMATIONAL,
    ("check_gate", "budget_risk"): "Which budgets are overspending this month?",
    ("budget_risk", "diagnose"): "Which budgets are overspending this month?",
    ("check_gate", "audience_targeting"): "Which audiences only cost money last month?",
    ("audience_targeting", "diagnose"): "Which audiences only cost money last month?",
    ("check_gate", "creative_inventory"): "Which creative sizes had the worst click rate last month?",
    ("creative_inventory", "diagnose"): "Which creative sizes had the worst click rate last month?",
    ("check_gate", "delivery_optimization"): "How can we optimise the delivery of creatives to audiences last month?",
    ("delivery_optimization", "diagnose"): "How can we optimise the delivery of creatives to audiences last month?",
    ("diagnose", "respond"): INFORMATIONAL,
    ("diagnose", "recommend"): WITH_ADVICE,
    ("recommend", "validate"): WITH_ADVICE,
    ("validate", "respond"): WITH_ADVICE,
}
"""For each edge of the graph a message that takes it."""


def edges() -> set[tuple[str, str]]:
    graph = build_agent("campaigns", Settings(model="demo")).graph.get_graph()
    return {(edge.source, edge.target) for edge in graph.edges}


def edges_taken(nodes: Sequence[str]) -> set[tuple[str, str]]:
    """Specialists run side by side: each stands between the nodes before and after all of them."""
    steps: list[list[str]] = [[START]]
    for node in nodes:
        if node in SPECIALISTS and steps[-1][0] in SPECIALISTS:
            steps[-1].append(node)
        else:
            steps.append([node])
    steps.append([END])
    return {(a, b) for here, there in pairwise(steps) for a in here for b in there}


def test_every_edge_of_the_graph_has_a_request() -> None:
    assert edges() == REQUESTS.keys()


@pytest.mark.parametrize("edge", REQUESTS, ids="-".join)
async def test_the_request_of_an_edge_takes_it(edge: tuple[str, str], visitor: Visitor) -> None:
    answer = await visitor.http.post("/chat/stream", json={"message": REQUESTS[edge], "agent": "campaigns"})
    taken = edges_taken(nodes_of(answer))
    assert edge in taken
    assert taken <= edges()


async def test_a_turn_keeps_specialists_gate_period_figures_and_diagnosis(site: Site) -> None:
    said = await (await site.open()).say(WITH_ADVICE, "c1", agent="campaigns")
    kept = await (await site.open()).get("/threads/c1/turns/1")
    assert {name: kept[name] for name in said if name in kept} == {name: said[name] for name in said if name in kept}
    details = kept["details"]
    assert details["gate"]["valid"]
    assert details["period"]["start"] < details["period"]["end"]
    assert {one["status"] for one in details["specialists"]} == {"ok"}
    assert {one["specialist"] for one in details["figures"]} == {one["name"] for one in details["specialists"]}
    assert details["diagnosis"]["severity"] in ("medium", "high", "critical")
    assert {"priority", "action", "reason", "expected_impact"} <= details["recommendations"][0].keys()
    assert 0 < kept["confidence"] <= 1


async def test_a_stream_tells_the_route_each_specialist_and_the_reply(visitor: Visitor) -> None:
    answer = await visitor.http.post("/chat/stream", json={"message": WITH_ADVICE, "agent": "campaigns"})
    events = read_events(answer.text)
    decided = next(data for name, _, data in events if name == "route_decision")
    assert decided["route"] == "specialists"
    tools = {data["tool"] for name, _, data in events if name == "tool_start"}
    assert tools == set(decided["specialists"][:3])
    tokens = "".join(data["content"] for name, _, data in events if name == "token")
    assert tokens == events[-1][2]["reply"]


async def test_a_period_alone_goes_on_with_the_last_request(site: Site) -> None:
    first = await (await site.open()).say("Show me the clicks of Quiz last month", "c1", agent="campaigns")
    month = first["details"]["period"]["start"]
    other = await (await site.open()).say("and for the month before?", "c1")
    assert other["details"]["period"]["end"] < month
    assert {figure["metric"] for figure in other["details"]["figures"]} == {
        figure["metric"] for figure in first["details"]["figures"]
    }
    assert "Quiz" in other["reply"]


async def test_a_range_without_data_is_said_and_no_figure_made_up(visitor: Visitor) -> None:
    said = await visitor.say("Show me the clicks of Quiz in May 2019", agent="campaigns")
    assert said["details"]["figures"] == []
    assert "no_data" in said["warnings"]
    assert "2019" in said["reply"]


async def test_a_warehouse_that_is_down_is_said_and_the_thread_goes_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await site.open()).say(INFORMATIONAL, "c1", agent="campaigns")
    monkeypatch.setenv("CAMPAIGNS__WAREHOUSE", f"sqlite:///{tmp_path / 'gone.sqlite'}")
    down = await (await site.open()).say("and for this month?", "c1")
    assert (down["route"], down["confidence"], down["persisted"]) == ("clarify", 0.0, True)
    assert "warehouse_down" in down["warnings"]
    assert str(tmp_path) not in json.dumps(down)
    monkeypatch.delenv("CAMPAIGNS__WAREHOUSE")
    mended = await (await site.open()).say("and for this month?", "c1")
    assert mended["route"] == "specialists"
    assert mended["turn_number"] == 3


@pytest.mark.parametrize(
    "message",
    [
        "Wie viele Klicks hatte Quiz im letzten Monat?",
        "¿Cuántos clics tuvo Quiz el mes pasado?",
        "What was the viewability of Quiz last month?",
        "clicks of Quiz from 14 to 1 May",
        "🙂🙂🙂",
        "'; DROP TABLE daily_metrics; --",
        "x" * 60_000,
    ],
)
async def test_what_cannot_be_answered_ends_in_a_question_or_says_so(message: str, visitor: Visitor) -> None:
    said = await visitor.say(message, agent="campaigns")
    assert said["route"] in ("clarify", "refuse") or "unknown_metric" in said["warnings"]
    assert said["reply"]


async def figures_of(visitor: Visitor, message: str) -> list[dict[str, Any]]:
    said = await visitor.say(message, agent="campaigns")
    return list(said["details"]["figures"])


async def test_the_same_question_has_the_same_figures_after_a_restart(site: Site) -> None:
    first = await figures_of(await site.open(), INFORMATIONAL)
    assert first
    assert await figures_of(await site.open(), INFORMATIONAL) == first


async def test_things_that_are_only_pointed_at_keep_the_period(visitor: Visitor) -> None:
    first = await visitor.say("How did Quiz do last month?", "c1", agent="campaigns")
    second = await visitor.say("compare them", "c1")
    assert second["details"]["period"] == first["details"]["period"]
    assert len({figure["subject"] for figure in second["details"]["figures"]}) > 1
