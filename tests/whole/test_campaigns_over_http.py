"""The campaigns agent as a caller meets it with a served model: every edge of its graph, what a turn keeps, what it
says when things are missing or fail. The demo's conversations stand at the end."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from calls_of_campaigns import ADVICE, CLICKS, PERFORMANCE, READ, READ_BUDGETS, TOLD, analysis, reading
from langgraph.graph import END, START
from scripted import read_events
from whole_site import Site, Visitor, nodes_of
from wire import Answer, WireServer, calls, says

from turnkeep.agents import build_agent, read_settings
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep_agents.campaigns.settings import CampaignsSettings

ASKS = calls("Reading", {**PERFORMANCE, "kind": "clarify", "requests": [], "reply": "Which campaigns do you mean?"})
ADVISED = (READ_BUDGETS, calls("Analysis", analysis("Slow Brightway City Breaks down.")), TOLD)
ONE_EACH = tuple((calls("Reading", reading(name)), TOLD) for name in SPECIALISTS)
WAYS: Sequence[tuple[Answer, ...]] = ((ASKS,), *ONE_EACH, ADVISED)
"""What a model says in one turn; together they take every edge but one: no reading can name nobody that is known."""
NEVER_READ = ("check_gate", "respond")


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture
async def served(site: Site, model: WireServer) -> Visitor:
    return await open_served(site, model)


async def open_served(site: Site, model: WireServer, **own: Any) -> Visitor:
    return await site.open(CampaignsSettings(**own), model="openai:test", openai_base_url=model.base_url)


def edges() -> set[tuple[str, str]]:
    graph = build_agent("campaigns", read_settings(model="demo")).graph.get_graph()
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


async def test_every_edge_of_the_graph_is_taken(served: Visitor, model: WireServer) -> None:
    taken: set[tuple[str, str]] = set()
    for way in WAYS:
        model.script += way
        answer = await served.http.post("/chat/stream", json={"message": CLICKS, "agent": "campaigns"})
        taken |= edges_taken(nodes_of(answer))
    assert taken == edges() - {NEVER_READ}


async def test_a_turn_keeps_specialists_gate_requests_figures_and_diagnosis(site: Site, model: WireServer) -> None:
    model.script += ADVISED
    said = await (await open_served(site, model)).say(ADVICE, "c1", agent="campaigns")
    kept = await (await site.open()).get("/threads/c1/turns/1")
    assert {name: kept[name] for name in said if name in kept} == {name: said[name] for name in said if name in kept}
    details = kept["details"]
    assert details["gate"]["valid"]
    assert {one["status"] for one in details["specialists"]} == {"ok"}
    assert {one["specialist"] for one in details["figures"]} == {one["name"] for one in details["specialists"]}
    assert details["diagnosis"]["severity"] in ("medium", "high", "critical")
    assert {"priority", "action", "reason", "expected_impact"} <= details["recommendations"][0].keys()
    assert kept["confidence"] == 0.7


async def test_a_stream_tells_the_route_each_specialist_and_the_reply_once(served: Visitor, model: WireServer) -> None:
    model.script += ADVISED
    answer = await served.http.post("/chat/stream", json={"message": ADVICE, "agent": "campaigns"})
    events = read_events(answer.text)
    decided = next(data for name, _, data in events if name == "route_decision")
    assert decided["route"] == "specialists"
    tools = {data["tool"] for name, _, data in events if name == "tool_start"}
    assert tools == set(decided["specialists"])
    tokens = "".join(data["content"] for name, _, data in events if name == "token")
    assert tokens == events[-1][2]["reply"]


async def test_a_sentence_that_was_streamed_is_never_taken_back(served: Visitor, model: WireServer) -> None:
    dropped = calls("Rewritten", {"sentences": [""]})
    model.script += (READ, says("Quiz did well. It lost £98,765. So it goes."), dropped)
    answer = await served.http.post("/chat/stream", json={"message": CLICKS, "agent": "campaigns"})
    events = read_events(answer.text)
    tokens = "".join(data["content"] for name, _, data in events if name == "token")
    assert tokens == events[-1][2]["reply"] == "Quiz did well. So it goes."
    assert events[-1][2]["warnings"] == ["sentence_removed"]


async def test_a_range_without_data_is_told_to_whoever_answers(served: Visitor, model: WireServer) -> None:
    long_ago = {"named": "dates", "start": "2019-05-01", "end": "2019-05-31"}
    model.script += (calls("Reading", reading("performance_diagnosis", period=long_ago)), says("There is nothing."))
    said = await served.say(CLICKS, agent="campaigns")
    assert (said["details"]["figures"], said["warnings"]) == ([], ["no_data"])
    assert "There is no data for May 2019" in json.dumps(model.bodies[-1])


async def test_a_warehouse_that_is_down_is_said_and_the_thread_goes_on(
    site: Site, model: WireServer, tmp_path: Path
) -> None:
    model.script += (READ, TOLD)
    await (await open_served(site, model)).say(CLICKS, "c1", agent="campaigns")
    gone = await open_served(site, model, warehouse=f"sqlite:///{tmp_path / 'gone.sqlite'}")
    down = await gone.say("and for this month?", "c1")
    assert (down["route"], down["confidence"], down["persisted"]) == ("clarify", 0.0, True)
    assert "warehouse_down" in down["warnings"]
    assert str(tmp_path) not in json.dumps(down)
    model.script += (READ, TOLD)
    mended = await (await open_served(site, model)).say("and for this month?", "c1")
    assert (mended["route"], mended["turn_number"]) == ("specialists", 3)


# The demo


async def test_the_demo_asks_which_week_and_runs_what_it_asked_about(site: Site) -> None:
    asked = await (await site.open()).say("quiz performance for two weeks", "c1", agent="campaigns")
    assert (asked["route"], asked["details"]["figures"]) == ("clarify", [])
    ran = await (await site.open()).say("Bang on thank you", "c1")
    [request] = ran["details"]["requests"]
    assert f"({request['period']['start']} - {request['period']['end']})" in asked["reply"]
    assert next(one["text"] for one in ran["details"]["figures"] if one["metric"] == "cost") in ran["reply"]


@pytest.mark.parametrize(
    "message",
    [
        "123",
        "Wie viele Klicks hatte Quiz im letzten Monat?",
        "What was the viewability of Quiz last month?",
        "clicks of Quiz from 14 to 1 May",
        "🙂🙂🙂",
        "'; DROP TABLE daily_metrics; --",
        "x" * 60_000,
    ],
)
async def test_what_the_demo_does_not_understand_it_says(message: str, visitor: Visitor) -> None:
    said = await visitor.say(message, agent="campaigns")
    assert (said["route"], said["details"]["figures"]) == ("clarify", [])
    assert said["reply"].count("“") == 3


async def test_the_same_question_has_the_same_figures_after_a_restart(site: Site) -> None:
    first = await (await site.open()).say(CLICKS, agent="campaigns")
    again = await (await site.open()).say(CLICKS, agent="campaigns")
    assert first["details"]["figures"] == again["details"]["figures"] != []
