"""The papers agent as a caller meets it: every edge of its graph, follow-ups after a restart, what a turn keeps."""

import pytest
from whole_site import Site, Visitor, edges_of, edges_taken, nodes_of

ABOUT_PAPERS = "What is low-rank adaptation of large language models?"
OUT_OF_SCOPE = "Where can I buy fresh bread on Sunday?"
SMALL_TALK = "Good morning!"
HARD_TO_FIND = "What is bird song recognition?"
NOWHERE = "What is beekeeping?"


async def test_every_edge_of_the_graph_is_taken(visitor: Visitor) -> None:
    taken: set[tuple[str, str]] = set()
    for message in (ABOUT_PAPERS, OUT_OF_SCOPE, SMALL_TALK, HARD_TO_FIND, NOWHERE):
        taken |= edges_taken(nodes_of(await visitor.http.post("/chat/stream", json={"message": message})))
    assert taken == edges_of("papers")


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


async def test_the_window_of_a_request_else_that_of_the_deployment_decides_what_the_agent_sees(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = await site.open()
    for message in ("What is low-rank adaptation?", OUT_OF_SCOPE):
        await wide.say(message, "t1")
    monkeypatch.setenv("PAPERS__WINDOW", "1")
    narrow = await site.open()
    for visitor, window, is_seen in ((wide, {"conversation_window": 1}, False), (narrow, {}, False), (wide, {}, True)):
        told = await visitor.say("And who wrote it?", "t1", **window)
        assert ("LoRA: Low-Rank Adaptation" in told["standalone_query"]) is is_seen, window
