"""The products agent as a caller meets it: every edge of its graph, follow-ups after a restart, a user's catalogue, and
its reading over the wire."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from calls_of_products import SEARCH, search
from langgraph.graph import END, START
from scripted import read_events
from whole_site import Site, Visitor, nodes_of
from wire import WireServer, calls, garbles, refuses, says

from turnkeep.agents import build_agent
from turnkeep.demo import sample
from turnkeep.settings import Settings
from turnkeep_agents.products.catalogue.products import SAMPLE, VECTORS

PHONES = "What phones do you have under $500?"
COMPARED = "Compare the Pixel 8a with the Galaxy A55"
BOTH = "How much is the Dyson V8 and which speakers do you have?"
GREETING = "Good morning!"
POINTLESS = "How much is it?"

REQUESTS: dict[tuple[str, str], str] = {
    (START, "read"): PHONES,
    ("read", "retrieve"): PHONES,
    ("retrieve", "answer"): PHONES,
    ("answer", END): PHONES,
    ("read", "use_tool"): COMPARED,
    ("use_tool", "answer"): COMPARED,
    ("use_tool", "retrieve"): BOTH,
    ("read", "respond"): GREETING,
    ("respond", END): GREETING,
    ("read", "clarify"): POINTLESS,
    ("clarify", END): POINTLESS,
}
"""For each edge of the graph a message that takes it."""

MESSAGES = [PHONES, COMPARED, BOTH, GREETING, POINTLESS]
READ_TWICE = [calls("Search", {"category": "boats"}), calls("Nothing", {"wish": "half"})]


def edges() -> set[tuple[str, str]]:
    graph = build_agent("products", Settings(model="demo")).graph.get_graph()
    return {(edge.source, edge.target) for edge in graph.edges}


def test_every_edge_of_the_graph_has_a_request() -> None:
    assert edges() == REQUESTS.keys()


@pytest.mark.parametrize("message", MESSAGES)
async def test_the_requests_of_the_edges_take_them(message: str, visitor: Visitor) -> None:
    body = {"message": message, "session_id": "t1", "agent": "products"}
    answer = await visitor.http.post("/chat/stream", json=body)
    taken = set(pairwise([START, *nodes_of(answer), END]))
    assert {edge for edge, request in REQUESTS.items() if request == message} <= taken <= edges()


async def test_the_conversation_of_the_design_with_a_restart_between_all_turns(site: Site) -> None:
    async def say(message: str) -> dict[str, Any]:
        return await (await site.open(default_agent="products")).say(message, "seed")

    listed = await say(PHONES)
    told = await say("Tell me more about the Samsung one")
    compared = await say("how does it compare to the first?")
    shifted = await say("Which speakers are waterproof?")
    first, [samsung] = listed["details"]["products"][0], told["details"]["products"]
    assert [turn["turn_number"] for turn in (listed, told, compared, shifted)] == [1, 2, 3, 4]
    assert [turn["route"] for turn in (listed, told, compared, shifted)] == ["retrieve", "retrieve", "tool", "retrieve"]
    assert samsung in listed["details"]["products"]
    assert "Samsung Galaxy" in told["standalone_query"]
    assert compared["details"]["products"] == [samsung, first]
    assert shifted["standalone_query"] == "Which speakers are waterproof?"
    assert not set(listed["details"]["products"]) & set(shifted["details"]["products"])


async def test_a_question_back_is_answered_after_a_restart(site: Site) -> None:
    asked = await (await site.open()).say(POINTLESS, "t1", agent="products")
    answered = await (await site.open()).say("the Kindle Scribe", "t1")
    assert (asked["route"], answered["route"]) == ("clarify", "retrieve")
    assert answered["reply"].startswith("The Amazon Kindle Scribe costs $339")


async def test_a_turn_keeps_how_its_reply_came_about(visitor: Visitor) -> None:
    told = await visitor.say(PHONES, "t1", agent="products")
    kept = await visitor.get("/threads/t1/turns/1")
    assert kept == {name: value for name, value in told.items() if name not in ("session_id", "thread_created")}
    details = kept["details"]
    assert details.keys() == {"products", "filters", "tool", "context"}
    assert details["filters"] == [{"category": "phones", "price_max": 499.99}]
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
        assert tools == {PHONES: ["search"], COMPARED: ["compare"], BOTH: ["price", "search"]}.get(message, [])


async def test_the_window_of_a_request_is_what_the_reading_is_shown(visitor: Visitor) -> None:
    for message in ("Thanks!", "Thank you", "Many thanks"):
        await visitor.say(message, "t1", agent="products")
    narrow = await visitor.say("Thanks!", "t1", conversation_window=2)
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


async def test_a_users_catalogue_brings_its_own_kinds(site: Site, tents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRODUCTS__CATALOGUE", str(tents))
    visitor = await site.open(default_agent="products")
    cheap = await visitor.say("Which tents cost less than $400?", "t1")
    assert cheap["details"]["products"] == ["t1", "t3"]
    stock = await visitor.say("is the second one in stock?", "t1")
    assert stock["reply"] == "Featherlite Solo: in stock, only 2 left"
    assert "$120.50 cheaper" in (await visitor.say("compare it with the Trail Tent", "t1"))["reply"]
    assert (await visitor.say(PHONES))["details"]["products"] == []


async def test_a_catalogue_that_cannot_be_read_costs_the_thread_nothing(
    site: Site, tents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await site.open()).say(PHONES, "t1", agent="products")
    tents.write_text("id,name\n")
    monkeypatch.setenv("PRODUCTS__CATALOGUE", str(tents))
    broken, body = await site.open(), {"message": "and under $300?"}
    failed = await broken.http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (failed.status_code, failed.headers["content-type"]) == (503, "application/problem+json")
    monkeypatch.delenv("PRODUCTS__CATALOGUE")
    again = await (await site.open()).http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["details"]["filters"][0]["price_max"]) == (200, 299.99)


@pytest.fixture
def model() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


async def served(site: Site, model: WireServer) -> Visitor:
    facts = {"models": {"timeout_seconds": 20, "max_retries": 0}, "default_agent": "products"}
    return await site.open(model="openai:test", openai_base_url=model.base_url, **facts)


async def test_hybrid_search_finds_by_meaning_from_the_bundled_vectors(
    site: Site, model: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    novels, vectors = search(terms=["a gadget for novels"]), sample(SAMPLE, "").with_suffix(VECTORS)
    found = {}
    before = vectors.stat().st_mtime_ns
    for retrieval in ("lexical", "hybrid"):
        monkeypatch.setenv("PRODUCTS__RETRIEVAL", retrieval)
        model.script += [novels, says("Here they are.")]
        found[retrieval] = (await (await served(site, model)).say("something for novels"))["details"]["products"]
    assert found["hybrid"] == ["kobo-elipsa-2e", "amazon-kindle-scribe"]
    assert not set(found["lexical"]) & set(found["hybrid"])
    assert vectors.stat().st_mtime_ns == before


async def test_a_reading_that_cannot_be_used_is_asked_for_once_more_and_then_fails_the_turn(
    site: Site, model: WireServer
) -> None:
    visitor = await served(site, model)
    model.script += [READ_TWICE[0], SEARCH, says("The Google Pixel 8a ($499).")]
    assert (await visitor.say(PHONES, "t1"))["route"] == "retrieve"
    assert "there is no kind" in str(model.bodies[1])
    model.script += READ_TWICE
    failed = await visitor.http.post("/chat", json={"message": PHONES, "session_id": "t1"})
    assert (failed.status_code, failed.json()["code"], model.script) == (502, "model_error", [])
    assert await visitor.messages("t1") == [PHONES]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (calls("Search", '{"wish": "half of', "length"), "model_truncated"),
        (calls("Search", {"wish": "phones"}, None), "model_truncated"),
        (garbles, "model_error"),
        (says(""), "model_error"),
    ],
)
async def test_a_reading_that_is_cut_off_fails_the_turn_and_the_same_request_succeeds_once(
    site: Site, model: WireServer, answer: Any, code: str
) -> None:
    visitor = await served(site, model)
    body, key = {"message": PHONES, "session_id": "t1"}, {"Idempotency-Key": "k"}
    model.script += [answer]
    failed = await visitor.http.post("/chat", json=body, headers=key)
    assert (failed.status_code, failed.json()["code"]) == (502, code)
    model.script += [SEARCH, says("The Google Pixel 8a ($499).")]
    kept = await visitor.http.post("/chat", json=body, headers=key)
    assert (kept.status_code, kept.json()["reply"]) == (200, "The Google Pixel 8a ($499).")
    again = await visitor.http.post("/chat", json=body, headers=key)
    assert (again.status_code, "idempotency-replayed" in again.headers) == (200, True)


async def test_a_reading_that_refuses_is_the_reply(site: Site, model: WireServer) -> None:
    model.script += [refuses("I will not say.")]
    turn = await (await served(site, model)).say("something foul", "t1")
    assert (turn["route"], turn["reply"], turn["persisted"]) == ("respond", "I will not say.", True)
