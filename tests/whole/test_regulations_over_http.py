"""The regulations agent as a caller meets it: every edge of its graph with a served model, and what costs no call."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from calls_of_regulations import ANSWER, FAQ, LEAVE, WELL, knowledge_in, plans, reads
from whole_site import Site, Visitor, edges_of, edges_taken, nodes_of
from wire import Answer, WireServer, says

from turnkeep_agents.regulations.settings import RegulationsSettings

MUCH = "Quanta imposta pago su 20000 euro?"
SEARCHED = ["match_faq", "recall", "read", "check_facts", "retrieve", "build_context"]


@dataclass(frozen=True)
class Way:
    """A message, what the model answers and the nodes that it takes; `before` was answered in another thread."""

    message: str
    answers: Sequence[Answer]
    nodes: Sequence[str]
    before: Sequence[Answer] = ()


WAYS = {
    "a question of the FAQ": Way(FAQ, [], ["match_faq"]),
    "an answer given before": Way(LEAVE, [], ["match_faq", "recall"], before=WELL),
    "the law": Way(LEAVE, WELL, [*SEARCHED, "choose_model", "answer"]),
    "a computation": Way(
        MUCH,
        [
            reads(question=MUCH, domain="tax", action="calculate", searches=["aliquote imposta reddito"]),
            plans("20000 * 23 / 100"),
            says("Sono 4600 euro [TUIR-11]."),
        ],
        [*SEARCHED, "calculate", "choose_model", "answer"],
    ),
    "talk": Way(
        "Ciao!",
        [reads(question="Ciao!", domain="none", action="talk", composition="chat", searches=[]), says("Ciao!")],
        ["match_faq", "recall", "read", "respond"],
    ),
    "another field": Way(
        "Chi vince il campionato?",
        [reads(question="Chi vince il campionato?", domain="none"), says("Rispondo su fisco e lavoro.")],
        ["match_faq", "recall", "read", "refuse"],
    ),
}
"""Together they take every edge of the graph."""


@pytest.fixture
async def visitor(site: Site, model: WireServer) -> Visitor:
    own = RegulationsSettings(knowledge=knowledge_in(site.folder))
    return await site.serve(model, own, default_agent="regulations")


def test_every_edge_of_the_graph_is_taken_by_a_way() -> None:
    assert edges_of("regulations") == set().union(*(edges_taken(way.nodes) for way in WAYS.values()))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_a_message_takes_its_way_with_as_many_calls_as_it_needs(
    way: Way, visitor: Visitor, model: WireServer
) -> None:
    if way.before:
        model.script += way.before
        await visitor.say(way.message, "before")
    model.script += way.answers
    before = len(model.bodies)
    answer = await visitor.http.post("/chat/stream", json={"message": way.message, "session_id": "t1"})
    assert nodes_of(answer) == list(way.nodes)
    assert len(model.bodies) - before == len(way.answers)


async def test_an_answer_that_is_given_again_is_a_turn_like_every_other(
    site: Site, visitor: Visitor, model: WireServer
) -> None:
    model.script += WELL
    first = await visitor.say(LEAVE, "t1")
    again = await visitor.say(LEAVE, "t2")
    assert again["reply"] == first["reply"] == ANSWER
    assert (again["sources"], again["route"], again["model"]) == (first["sources"], "retrieve", "test")
    assert again["usage"]["input_tokens"] == 0 < first["usage"]["input_tokens"]
    kept = await visitor.get("/threads/t2/turns/1")
    assert kept == {name: value for name, value in again.items() if name not in ("session_id", "thread_created")}


async def test_a_call_over_its_limit_is_refused_and_stores_nothing(site: Site, model: WireServer) -> None:
    own = RegulationsSettings(knowledge=knowledge_in(site.folder), answer_usd=0.00001)
    poor = await site.serve(model, own, default_agent="regulations", model="openai:gpt-4.1")
    model.script.append(reads())
    refused = await poor.http.post("/chat", json={"message": LEAVE, "session_id": "t1"})
    assert (refused.status_code, refused.json()["code"]) == (429, "budget_exceeded")
    assert "REGULATIONS__ANSWER_USD" in refused.json()["detail"]
    assert len(model.bodies) == 1
    assert (await poor.get("/threads/t1"))["turn_count"] == 0
    assert site.lying("t1") == {"HEAD"}
