"""Messages as colleagues write them go where they belong; small talk is nothing else and leans on nothing."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from everyday_talk import LATER_ROUTES, LATER_TALK, ROUTES, TALK
from langchain_core.messages import HumanMessage

from turnkeep.agents import Agent, build_agent
from turnkeep_agents.database import sample
from turnkeep_agents.database.generalities import general_answer
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.manual.manual import open_manual
from turnkeep_agents.database.routing import SURE, route_by_rules
from turnkeep_agents.database.signs.smalltalk import small_talk
from turnkeep_agents.database.state import LASTING
from turnkeep_agents.database.vocabulary import Vocabulary, vocabulary_of
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.settings import Settings

CONTEXT = RunContext(10, datetime(2026, 3, 4, tzinfo=UTC), Principal("local", "local"))
KINDS = {"closing": {"thanks", "leave"}, "opening": {"greeting"}}


@pytest.fixture(scope="module")
def names() -> Vocabulary:
    graph = load_graph(Path(sample.__file__).with_name("joins.json"))
    return vocabulary_of(graph, open_manual(None))


def test_everyday_messages_go_where_they_belong(names: Vocabulary) -> None:
    missed = [
        message
        for message, last, is_follow_up, route in (*ROUTES, *LATER_ROUTES)
        if route_by_rules(message, names=names, last_route=last, is_follow_up=is_follow_up).route != route
    ]
    assert len(missed) <= 3, missed


@pytest.mark.parametrize(("message", "kind"), [*TALK, *LATER_TALK])
def test_small_talk_is_told_from_questions(message: str, kind: str) -> None:
    assert small_talk(message) in KINDS[kind]


@pytest.mark.parametrize("last", [None, "sql", "rag"])
def test_small_talk_is_no_follow_up_whatever_went_before(names: Vocabulary, last: str | None) -> None:
    for message, _ in (*TALK, *LATER_TALK):
        found = route_by_rules(message, names=names, last_route=last, is_follow_up=True)
        assert found.route == "general", message
        assert found.confidence > SURE


@pytest.mark.parametrize(
    "message",
    [
        "thanks, and how many crews are there?",
        "ok and now?",
        "great, the last one",
        "perfect, and those of May",
        "is that all?",
        "hi, which vans are free?",
        "thanks. cancel the second one",
        "good customers",
        "all right angles",
        "cheers " * 30,
        "",
    ],
)
def test_a_message_that_asks_for_something_is_no_small_talk(message: str) -> None:
    assert small_talk(message) is None


@pytest.mark.parametrize(
    ("message", "held"), [("morning all", "Hello!"), ("ta mate", "welcome!"), ("catch you later", "Goodbye!")]
)
def test_small_talk_is_answered_in_kind(message: str, held: str) -> None:
    assert held in general_answer({"query": message, "notes": []})


@pytest.mark.parametrize("text", ["that s ", "have a ", "you ve been ", "very ", "ok ", "see "])
@pytest.mark.timeout(20)  # a pattern that backtracks would take minutes
def test_a_hostile_message_costs_nothing(text: str) -> None:
    assert small_talk(text * 20_000) is None


@pytest.mark.parametrize("message", ["who won the world cup in 2018?", "who painted the ceiling of the chapel in 1512"])
def test_what_the_data_does_not_speak_of_is_general_though_it_holds_a_year(names: Vocabulary, message: str) -> None:
    assert route_by_rules(message, names=names).route == "general"


async def talk(agent: Agent, *messages: str) -> list[Reply]:
    kept: Mapping[str, Any] = {}
    replies = []
    for number, message in enumerate(messages):
        said = [*kept.get("messages", []), HumanMessage(message, id=f"m{number}")]
        values = await agent.graph.ainvoke({**kept, **agent.new_turn(), "messages": said}, context=CONTEXT)
        kept = {key: value for key, value in values.items() if key in LASTING}
        replies.append(agent.read_reply(values))
    return replies


async def test_thanks_and_a_question_with_a_subject_of_its_own_stand_alone_in_a_thread() -> None:
    messages = (
        "How do I plan an inspection?",
        "Sorry, I meant: how do I void an invoice?",
        "and how do I undo that?",
        "lovely, ta",
    )
    replies = await talk(build_agent("database", Settings(model="demo")), *messages)
    assert [reply.route for reply in replies] == ["rag", "rag", "rag", "general"]
    standalone = [reply.standalone_query for reply in replies]
    assert [standalone[at] == messages[at] for at in range(4)] == [True, True, False, True]
    assert "[invoices#void-an-invoice]" in replies[1].text
    assert "welcome!" in replies[3].text
