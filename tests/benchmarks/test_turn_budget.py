"""A turn stays within its budget: 4 requests, 16 WCU, 8 RCU with real text, and 20 and 12 whatever the content."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from capacity_rules import LISTING, READING
from metering import metered
from subjects import papers, six
from texts import REPLY_BYTES, STATE_BYTES, Texts, noise, prose
from turn_cost import (
    FULL_WINDOW,
    PROSE,
    WHATEVER,
    Subject,
    about_somebody,
    asked_of,
    contract,
    measure,
    remembering,
)
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.records import Reply
from turnkeep.settings import Settings

TURNS = 12


def listing(texts: Texts) -> Agent:
    """An agent whose every turn comes with 200 KB of rows that hardly compress."""

    def reply(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(texts.reply())]}

    graph = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply").compile()
    details = {"rows": [[texts.material(1_000)] * 2 for _ in range(100)]}
    return Agent("listing", graph, lambda values: Reply(values["messages"][-1].text, details=details))


def as_built(_: Texts) -> Subject:
    return Subject(
        "papers", "a question", build_agent("papers", Settings(model="demo")), lambda: "What is this?", PROSE
    )


def private(texts: Texts) -> Subject:
    return Subject("private", "prose", papers(texts), about_somebody(texts), WHATEVER, private=True)


def of_noise(build: Callable[[Texts], Agent]) -> Callable[[Texts], Subject]:
    return lambda _: Subject("noise", "noise", build(texts := noise(3)), texts.message, WHATEVER)


SUBJECTS: dict[str, Callable[[Texts], Subject]] = {
    "prose": lambda texts: Subject("papers", "prose", papers(texts), texts.message, PROSE),
    "papers as it is built": as_built,
    "private": private,
    "noise": of_noise(papers),
    "noise of six nodes": of_noise(six),
    "many rows": of_noise(listing),
}


@pytest.mark.parametrize("name", SUBJECTS)
async def test_a_turn_costs_no_more_than_its_budget(name: str, dynamodb_url: str, shared_data: Path) -> None:
    await assert_within(SUBJECTS[name](prose(shared_data)), dynamodb_url)


async def assert_within(subject: Subject, url: str, turns: int = TURNS) -> None:
    with metered(url) as meter:
        costs = await measure(subject, meter, turns)
    missed = [miss for cost in costs[FULL_WINDOW - 1 :] for miss in subject.budget.misses(subject.name, cost)]
    assert missed == []
    assert [cost.requests for cost in costs] == [3] + [4] * (turns - 1)


def test_the_texts_have_the_length_of_the_budget(shared_data: Path) -> None:
    for texts in (prose(shared_data), noise(1)):
        assert len(json.dumps(texts.notes())) == STATE_BYTES
        assert len((texts.message() + texts.reply()).encode()) == 600 + REPLY_BYTES


async def test_regulations_asks_once_a_turn_for_its_documents_and_reads_each_once(
    dynamodb_url: str, shared_data: Path
) -> None:
    agent, asked = build_agent("regulations", Settings(model="demo")), asked_of("regulations")
    with metered(dynamodb_url) as meter:
        without = await measure(Subject("none", "", agent, asked, LISTING, private=True), meter, TURNS)
        text = contract(prose(shared_data))
        one = await measure(Subject("one", "", agent, asked, READING, private=True, document=text), meter, TURNS)
    assert [cost.requests for cost in without] == [4] + [5] * (TURNS - 1)
    assert {cost.requests for cost in one[1:]} == {5, 6}
    missed = [LISTING.misses("none", cost) for cost in without[FULL_WINDOW - 1 :]]
    assert [*missed, *(READING.misses("one", cost) for cost in one[FULL_WINDOW - 1 :])] == [[]] * 2 * (TURNS - 9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["campaigns", "products", "database"])
async def test_no_turn_of_a_long_thread_costs_more_than_the_budget(
    name: str, dynamodb_url: str, long_thread: int
) -> None:
    subject = Subject(name, "questions", remembering(name), asked_of(name), PROSE)
    await assert_within(subject, dynamodb_url, turns=long_thread)
