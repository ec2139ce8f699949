"""The products agent as a caller meets it: every edge of its graph, follow-ups after a restart, a user's catalogue."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START
from scripted import read_events
from whole_site import Site, Visitor, nodes_of

from turnkeep.agents import build_agent
from turnkeep_agents.products.catalogue.products import BUNDLED, VECTORS
from turnkeep.settings import Settings

PHONES = "What phones do you have under $500?"
COMPARED = "Compare the Pixel 8a with the Galaxy A55"
GREETING = "Good morning!"
CONTRADICTORY = "laptops under $300 but over $900"
NARROWED = "and under $300?"

REQUESTS: dict[tuple[str, str], str] = {
    (START, "understand"): PHONES,
    ("understand", "choose_route"): PHONES,
    ("choose_route", "retrieve"): PHONES,
    ("retrieve", "answer"): PHONES,
    ("answer", END): PHONES,
    ("choose_route", "reformulate"): NARROWED,
    ("reformulate", "retrieve"): NARROWED,
    ("choose_route", "use_tool"): COMPARED,
    ("use_tool", "answer"): COMPARED,
    ("choose_route", "respond"): GREETING,
    ("respond", END): GREETING,
    ("choose_route", "clarify"): CONTRADICTORY,
    ("clarify", END): CONTRADICTORY,
}
"""For each edge of the graph a message that takes it, after one about phones."""

MESSAGES = [PHONES, NARROWED, COMPARED, GREETING, CONTRADICTORY]


def edges() -> set[tuple[str, str]]:
    graph = build_agent("products", Settings()).graph.get_graph()
    return {(edge.source, edge.target) for edge in graph.edges}


def test_every_edge_of_the_graph_has_a_request() -> None:
    assert edges() == REQUESTS.keys()


@pytest.mark.parametrize("message", MESSAGES)
async def test_the_requests_of_the_edges_take_them(message: str, visitor: Visitor) -> None:
    await visitor.say(PHONES, "t1", agent="products")
    answer = await visitor.http.post("/chat/stream", json={"message": message, "session_id": "t1"})
    taken = set(pairwise([START, *nodes_of(answer), END]))
    assert {edge for edge, request in REQUESTS.items() if request == message} <= taken <= edges()


async def test_the_conversation_of_the_design_with_a_restart_between_all_turns(site: Site) -> None:
    async def say(message: str) -> dict[str, Any]:
        return await (await site.open(default_agent="products")).say(message, "seed")

    listed = await say(PHONES)
    told = await say("Tell me more about the Samsung one")
    compared = await say("how does it compare to the first?")
    shifted = await say("Which speakers can I take to the pool?")
    first, [samsung] = listed["details"]["products"][0], told["details"]["products"]
    assert [turn["turn_number"] for turn in (listed, told, compared, shifted)] == [1, 2, 3, 4]
    assert [turn["route"] for turn in (listed, told, compared, shifted)] == ["retrieve", "retrieve", "tool", "retrieve"]
    assert samsung in listed["details"]["products"]
    assert "Samsung Galaxy" in told["standalone_query"]
    assert compared["details"]["products"] == [samsung, first]
    assert shifted["standalone_query"] == "Which speakers can I take to the pool?"
    assert not set(listed["details"]["products"]) & set(shifted["details"]["products"])


async def test_a_question_back_is_answered_after_a_restart(site: Site) -> None:
    asked = await (await site.open()).say("How much does it cost?", "t1", agent="products")
    answered = await (await site.open()).say("the Kindle Scribe", "t1")
    assert (asked["route"], answered["route"], answered["details"]["tool"]) == ("clarify", "tool", "price")
    assert answered["reply"] == "The Amazon Kindle Scribe costs $339."


async def test_a_turn_keeps_how_its_reply_came_about(visitor: Visitor) -> None:
    told = await visitor.say(PHONES, "t1", agent="products")
    kept = await visitor.get("/threads/t1/turns/1")
    assert kept == {name: value for name, value in told.items() if name not in ("session_id", "thread_created")}
    details = kept["details"]
    assert details.keys() == {"products", "filters", "tool", "context", "reasoning_steps"}
    assert details["filters"] == {"categories": ["phones"], "conditions": ["under $500"]}
    assert [source["id"] for source in kept["sources"]] == details["products"]
    assert all(source["title"] in kept["reply"] for source in kept["sources"] if source["cited"])
    assert (kept["model"], kept["warnings"], kept["confidence"]) == ("demo", ["demo_model"], None)


async def test_the_tokens_of_a_stream_are_the_reply_and_its_events_tell_the_way(visitor: Visitor) -> None:
    for message in MESSAGES:
        body = {"message": message, "agent": "products"}
        events = read_events((await visitor.http.post("/chat/stream", json=body)).text)
        tokens = [data["content"] for name, _, data in events if name == "token"]
        assert "".join(tokens) == events[-1][2]["reply"]
        [decided] = [data for name, _, data in events if name == "route_decision"]
        assert decided["route"] == events[-1][2]["route"]
        tools = [data["tool"] for name, _, data in events if name == "tool_start"]
        assert tools == {"retrieve": ["retrieve"], "tool": ["compare"]}.get(decided["route"], [])


async def test_the_window_of_a_request_is_what_prompts_show(visitor: Visitor) -> None:
    for message in (GREETING, PHONES, COMPARED):
        await visitor.say(message, "t1", agent="products")
    narrow = await visitor.say(GREETING, "t1", conversation_window=2)
    assert narrow["details"]["context"] == {"turns_used": 2, "turns_dropped": 1, "truncated": False}


@pytest.fixture
def tents(tmp_path: Path) -> Path:
    """A user's own catalogue."""
    file = tmp_path / "tents.csv"
    rows = [
        "id,name,price,category,brand,availability,weight_kg,people,description",
        't1,Trail Tent,199.50,tents,Alpina,in stock,1.9,2,"Stands in a storm."',
        't2,Basecamp Dome,449,tents,Alpina,back on 2090-05-01,6.2,4,"Room for all boots."',
        't3,Featherlite Solo,320,tents,Primus,2 left,0.9,1,"Light as a jacket."',
    ]
    file.write_text("\n".join(rows))
    return file


async def test_a_users_catalogue_brings_its_own_words(site: Site, tents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRODUCTS__CATALOGUE", str(tents))
    visitor = await site.open(default_agent="products")
    light = await visitor.say("Which tents weigh less than 2 kg?", "t1")
    assert light["details"]["products"] == ["t1", "t3"]
    assert (await visitor.say("the Primus one, is it in stock?", "t1"))["reply"] == (
        "The Featherlite Solo is in stock, only 2 left."
    )
    assert "$120.50 cheaper" in (await visitor.say("compare it with the Trail Tent", "t1"))["reply"]
    assert (await visitor.say(PHONES))["details"]["products"] == []


async def test_a_catalogue_that_cannot_be_read_costs_the_thread_nothing(
    site: Site, tents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await site.open()).say(PHONES, "t1", agent="products")
    tents.write_text("id,name\n")
    monkeypatch.setenv("PRODUCTS__CATALOGUE", str(tents))
    broken, body = await site.open(), {"message": NARROWED}
    failed = await broken.http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (failed.status_code, failed.headers["content-type"]) == (503, "application/problem+json")
    monkeypatch.delenv("PRODUCTS__CATALOGUE")
    again = await (await site.open()).http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["standalone_query"]) == (200, "phones under $300")


async def test_hybrid_search_finds_by_meaning_from_the_bundled_vectors(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    message, vectors = "something to read in bed at night", BUNDLED.with_suffix(VECTORS)
    lexical = await (await site.open(default_agent="products")).say(message)
    before = vectors.stat().st_mtime_ns
    monkeypatch.setenv("PRODUCTS__RETRIEVAL", "hybrid")
    hybrid = await (await site.open(default_agent="products")).say(message)
    assert lexical["details"]["products"] == ["amazon-kindle-paperwhite"]
    assert hybrid["details"]["products"][0] == "amazon-kindle-paperwhite"
    assert "kobo-clara-bw" in hybrid["details"]["products"]
    assert vectors.stat().st_mtime_ns == before
