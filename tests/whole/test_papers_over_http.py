"""The papers agent as a caller meets it: every edge of its graph, follow-ups after a restart, what a turn keeps."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START
from scripted import read_events
from whole_site import Site, Visitor, nodes_of

from turnkeep.agents import build_agent
from turnkeep.settings import Settings

ABOUT_PAPERS = "What is low-rank adaptation of large language models?"
OUT_OF_SCOPE = "Where can I buy fresh bread on Sunday?"
SMALL_TALK = "Good morning!"
HARD_TO_FIND = "What is bird song recognition?"
NOWHERE = "What is beekeeping?"

REQUESTS: dict[tuple[str, str], str] = {
    (START, "read"): ABOUT_PAPERS,
    ("read", "refuse"): OUT_OF_SCOPE,
    ("refuse", END): OUT_OF_SCOPE,
    ("read", "respond"): SMALL_TALK,
    ("respond", END): SMALL_TALK,
    ("read", "retrieve"): ABOUT_PAPERS,
    ("retrieve", "grade_documents"): ABOUT_PAPERS,
    ("grade_documents", "answer"): ABOUT_PAPERS,
    ("grade_documents", "rewrite_query"): HARD_TO_FIND,
    ("rewrite_query", "retrieve"): HARD_TO_FIND,
    ("retrieve", "answer"): HARD_TO_FIND,
    ("retrieve", "rewrite_query"): NOWHERE,
    ("rewrite_query", "answer"): NOWHERE,
    ("answer", END): ABOUT_PAPERS,
}
"""For each edge of the graph a message that takes it."""


def edges() -> set[tuple[str, str]]:
    graph = build_agent("papers", Settings()).graph.get_graph()
    return {(edge.source, edge.target) for edge in graph.edges}


def test_every_edge_of_the_graph_has_a_request() -> None:
    assert edges() == REQUESTS.keys()


@pytest.mark.parametrize("edge", REQUESTS, ids="-".join)
async def test_the_request_of_an_edge_takes_it(edge: tuple[str, str], visitor: Visitor) -> None:
    answer = await visitor.http.post("/chat/stream", json={"message": REQUESTS[edge]})
    taken = set(pairwise([START, *nodes_of(answer), END]))
    assert edge in taken
    assert taken <= edges()


async def test_a_follow_up_after_a_restart_is_about_the_first_turns_paper(site: Site) -> None:
    first = await (await site.open()).say("What is low-rank adaptation?", "first")
    [cited] = [source["id"] for source in first["sources"] if source["cited"]][:1]
    later = await site.open()
    second = await later.say("And who wrote it?", "first")
    assert (second["turn_number"], second["thread_created"], second["route"]) == (2, False, "retrieve")
    assert [source["id"] for source in second["sources"] if source["cited"]] == [cited]
    assert "Edward J. Hu" in second["reply"]
    assert first["sources"][0]["title"] in second["standalone_query"]
    assert await later.messages("first") == ["What is low-rank adaptation?", "And who wrote it?"]


async def test_a_digression_does_not_end_the_topic(visitor: Visitor) -> None:
    first = await visitor.say("What is low-rank adaptation?", "digression")
    assert (await visitor.say(OUT_OF_SCOPE, "digression"))["route"] == "refuse"
    third = await visitor.say("And who wrote it?", "digression")
    assert [source["id"] for source in third["sources"] if source["cited"]] == [first["sources"][0]["id"]]


async def test_the_same_words_without_a_thread_have_nothing_to_go_on_from(visitor: Visitor) -> None:
    alone = await visitor.say("And who wrote it?")
    assert (alone["standalone_query"], alone["route"], alone["sources"]) == ("And who wrote it?", "refuse", [])


@pytest.mark.parametrize("message", [ABOUT_PAPERS, OUT_OF_SCOPE, SMALL_TALK, HARD_TO_FIND])
async def test_what_a_turn_was_told_is_found_again_after_a_restart(message: str, site: Site) -> None:
    told = await (await site.open()).say(message, "t1")
    kept = await (await site.open()).get("/threads/t1/turns/1")
    assert kept == {name: value for name, value in told.items() if name not in ("session_id", "thread_created")}


async def test_a_turn_keeps_how_its_reply_came_about(visitor: Visitor) -> None:
    await visitor.say(HARD_TO_FIND, "t1")
    kept = await visitor.get("/threads/t1/turns/1")
    details = kept["details"]
    assert details.keys() == {"guardrail_score", "retrieval_attempts", "rewritten_queries", "reasoning_steps"}
    assert 75 <= details["guardrail_score"] <= 100
    assert details["retrieval_attempts"] == 3 == len(details["rewritten_queries"]) + 1
    assert len(details["reasoning_steps"]) == 9
    assert (kept["model"], kept["provider"]) == ("demo", "demo")
    assert kept["warnings"] == ["demo_model", "limited_sources"]
    assert kept["usage"]["input_tokens"] > kept["usage"]["output_tokens"] > 0


async def test_a_turn_keeps_the_sources_of_its_reply(visitor: Visitor) -> None:
    await visitor.say(ABOUT_PAPERS, "t1")
    kept = await visitor.get("/threads/t1/turns/1")
    assert [source["cited"] for source in kept["sources"]] == [True]
    assert all(f"[{source['id']}]" in kept["reply"] for source in kept["sources"])
    assert kept["warnings"] == ["demo_model"]


async def test_a_refused_turn_says_so_and_names_no_source(visitor: Visitor) -> None:
    await visitor.say(OUT_OF_SCOPE, "t1")
    kept = await visitor.get("/threads/t1/turns/1")
    assert (kept["route"], kept["sources"], kept["details"]["retrieval_attempts"]) == ("refuse", [], 0)
    assert kept["details"]["guardrail_score"] < 75


async def test_the_tokens_of_a_stream_are_the_reply(visitor: Visitor) -> None:
    for message in (ABOUT_PAPERS, OUT_OF_SCOPE, SMALL_TALK):
        answer = await visitor.http.post("/chat/stream", json={"message": message})
        events = read_events(answer.text)
        tokens = [data["content"] for name, _, data in events if name == "token"]
        assert len(tokens) > 2
        assert "".join(tokens) == events[-1][2]["reply"]


async def test_a_stream_tells_the_route_and_each_search(visitor: Visitor) -> None:
    answer = await visitor.http.post("/chat/stream", json={"message": HARD_TO_FIND})
    told: list[Any] = [data for name, _, data in read_events(answer.text) if name in ("route_decision", "tool_start")]
    assert told == [
        {"event": "route_decision", "route": "retrieve"},
        {"event": "tool_start", "tool": "retrieve", "attempt": 1},
        {"event": "tool_start", "tool": "retrieve", "attempt": 2},
        {"event": "tool_start", "tool": "retrieve", "attempt": 3},
    ]


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_a_chat_without_a_session_leaves_no_item(path: str, site: Site, visitor: Visitor) -> None:
    before = site.count()
    answer = await visitor.http.post(path, json={"message": ABOUT_PAPERS})
    assert answer.status_code == 200
    assert site.count() == before
    assert (await visitor.http.post("/threads/search")).json() == []


@pytest.fixture
def paper_and_detour() -> list[str]:
    """Two turns; who goes on from the first has to see more than the last one."""
    return ["What is low-rank adaptation?", OUT_OF_SCOPE]


async def leans_on_the_paper(visitor: Visitor, thread: str, **more: Any) -> bool:
    told = await visitor.say("And who wrote it?", thread, **more)
    return "LoRA: Low-Rank Adaptation" in told["standalone_query"]


async def test_the_window_of_a_request_decides_what_the_agent_sees(
    visitor: Visitor, paper_and_detour: list[str]
) -> None:
    for message in paper_and_detour:
        await visitor.say(message, "t1")
    assert not await leans_on_the_paper(visitor, "t1", conversation_window=1)
    assert await leans_on_the_paper(visitor, "t1", conversation_window=5)


async def test_the_window_of_the_deployment_counts_where_a_request_names_none(
    site: Site, paper_and_detour: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = await site.open()
    for message in paper_and_detour:
        await wide.say(message, "t1")
    monkeypatch.setenv("PAPERS__WINDOW", "1")
    assert not await leans_on_the_paper(await site.open(), "t1")
    assert await leans_on_the_paper(wide, "t1")


@pytest.fixture
def bees(tmp_path: Path) -> Path:
    """A user's own papers."""
    rows = [
        {"id": "bee-1", "title": "Waggle Dances", "abstract": "Bees dance to share the way to nectar.", "year": 1923},
        {"id": "bee-2", "title": "Wax", "text": "Bees build combs of wax.", "authors": ["Ada Huber"]},
    ]
    path = tmp_path / "bees.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


async def test_a_users_papers_take_the_place_of_the_bundled_ones(
    site: Site, bees: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERS__CORPUS", str(bees))
    visitor = await site.open()
    told = await visitor.say("What is wax?", "t1")
    assert told["sources"][0] | {"score": 0} == {"id": "bee-2", "title": "Wax", "url": None, "score": 0, "cited": True}
    assert "Ada Huber" in (await visitor.say("Who wrote it?", "t1"))["reply"]
    assert (await visitor.say(ABOUT_PAPERS))["sources"] == []


async def test_a_corpus_that_cannot_be_read_costs_the_thread_nothing(
    site: Site, bees: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await site.open()).say(ABOUT_PAPERS, "t1")
    bees.write_text("not json\n")
    monkeypatch.setenv("PAPERS__CORPUS", str(bees))
    broken, body = await site.open(), {"message": "And who wrote it?"}
    failed = await broken.http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (failed.status_code, failed.headers["content-type"]) == (503, "application/problem+json")
    monkeypatch.delenv("PAPERS__CORPUS")
    mended = await site.open()
    again = await mended.http.post("/threads/t1/turns", json=body, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["turn_number"]) == (200, 2)
