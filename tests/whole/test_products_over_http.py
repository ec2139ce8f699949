"""The products agent as a caller meets it: every edge of its graph, what a turn keeps, a user's catalogue, and search
by meaning."""

import pytest
from whole_site import Site, Visitor, edges_of, edges_taken, nodes_of
from wire import WireServer, calls, says

from turnkeep.demo import sample
from turnkeep_agents.products.catalogue.products import SAMPLE, VECTORS

PHONES = "What phones do you have under $500?"

REQUESTS = {
    PHONES: ["read", "retrieve", "answer"],
    "Compare the Pixel 8a with the Galaxy A55": ["read", "use_tool", "answer"],
    "How much is the Dyson V8 and which speakers do you have?": ["read", "use_tool", "retrieve", "answer"],
    "Good morning!": ["read", "respond"],
    "How much is it?": ["read", "clarify"],
}
"""Messages with their ways, which together take every edge of the graph."""


def test_every_edge_of_the_graph_has_a_request() -> None:
    assert edges_of("products") == set().union(*map(edges_taken, REQUESTS.values()))


@pytest.mark.parametrize("message", REQUESTS)
async def test_a_message_takes_its_way(message: str, visitor: Visitor) -> None:
    body = {"message": message, "session_id": "t1", "agent": "products"}
    answer = await visitor.http.post("/chat/stream", json=body)
    assert REQUESTS[message] == nodes_of(answer)


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


async def test_hybrid_search_finds_by_meaning_from_the_bundled_vectors(
    site: Site, model: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    novels, vectors = (
        calls("Search", {"wish": PHONES, "terms": ["a gadget for novels"]}),
        sample(SAMPLE, "").with_suffix(VECTORS),
    )
    found = {}
    before = vectors.stat().st_mtime_ns
    for retrieval in ("lexical", "hybrid"):
        monkeypatch.setenv("PRODUCTS__RETRIEVAL", retrieval)
        model.script += [novels, says("Here they are.")]
        found[retrieval] = (await (await site.serve(model, default_agent="products")).say("something for novels"))[
            "details"
        ]["products"]
    assert found["hybrid"] == ["kobo-elipsa-2e", "amazon-kindle-scribe"]
    assert not set(found["lexical"]) & set(found["hybrid"])
    assert vectors.stat().st_mtime_ns == before
