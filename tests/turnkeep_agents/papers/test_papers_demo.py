"""The agent with the demo model over the bundled corpus: what a newcomer sees."""

import itertools
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from turnkeep.agents import Agent
from turnkeep.records import Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.papers.graph import build

type Talk = Callable[..., Coroutine[Any, Any, list[Reply]]]


@pytest.fixture(scope="module")
def agent() -> Agent:
    return build(Settings(model="demo"))


@pytest.fixture
def talk(agent: Agent, context: RunContext) -> Talk:
    """Says one thing after another in one thread."""
    numbers = itertools.count()

    async def say(*questions: str) -> list[Reply]:
        replies: list[Reply] = []
        messages: list[Any] = []
        for question in questions:
            asked = HumanMessage(question, id=f"h{next(numbers)}")
            state: Any = {"messages": [*messages, asked], **agent.new_turn()}
            values = await agent.graph.ainvoke(state, context=context)
            messages = values["messages"]
            replies.append(agent.read_reply(values))
        return replies

    return say


def first_cited(reply: Reply) -> str:
    return next(source.id for source in reply.sources if source.cited)


async def test_an_explanation_is_extracted_and_cited(talk: Talk) -> None:
    (reply,) = await talk("What is knowledge distillation?")
    assert first_cited(reply) == "1503.02531"
    assert "[1503.02531]" in reply.text
    assert reply.warnings == ("demo_model",)
    assert "demo" not in reply.text


async def test_a_follow_up_on_authors_and_year_keeps_to_the_paper(talk: Talk) -> None:
    replies = await talk("Explain the U-Net architecture", "Who wrote it?", "And when did it come out?")
    assert "Olaf Ronneberger" in replies[1].text
    assert "2015" in replies[2].text
    assert {first_cited(reply) for reply in replies} == {"1505.04597"}


async def test_a_new_name_in_a_follow_up_changes_the_paper(talk: Talk) -> None:
    replies = await talk("What is MoCo?", "What about SimCLR?", "Who wrote it?")
    assert first_cited(replies[1]) == "2002.05709"
    assert "Ting Chen" in replies[2].text


async def test_the_second_of_a_list_can_be_asked_for(talk: Talk) -> None:
    listed, chosen = await talk("Which papers are about image segmentation?", "Tell me more about the second one")
    cited = [source.id for source in listed.sources if source.cited]
    assert first_cited(chosen) == cited[1]


async def test_two_papers_are_compared_side_by_side(talk: Talk) -> None:
    (reply,) = await talk("How does ELECTRA differ from ALBERT?")
    assert "[2003.10555]" in reply.text
    assert "[1909.11942]" in reply.text


@pytest.mark.parametrize(
    "question", ["What should I plant in May?", "Book me a flight to Oslo", "How tall is Mount Everest?"]
)
async def test_what_is_off_topic_is_refused_with_what_can_be_asked(talk: Talk, question: str) -> None:
    (reply,) = await talk(question)
    assert (reply.route, reply.sources) == ("refuse", ())
    assert "machine learning" in reply.text


async def test_an_off_topic_follow_up_is_refused_too(talk: Talk) -> None:
    _, reply = await talk("What is BYOL?", "And what should I plant there in May?")
    assert reply.route == "refuse"


async def test_a_greeting_is_returned(talk: Talk) -> None:
    (reply,) = await talk("Hi there!")
    assert reply.text.startswith("Hello!")


async def test_a_search_for_words_that_no_paper_holds_is_rewritten(talk: Talk) -> None:
    (reply,) = await talk("Qual è la differenza tra ELECTRA e gli altri modelli linguistici?")
    assert reply.route == "retrieve"
    assert reply.details["retrieval_attempts"] <= 3
    assert first_cited(reply) == "2003.10555"


async def test_the_same_question_gets_the_same_answer(talk: Talk) -> None:
    one, other = await talk("What is the Decision Transformer?"), await talk("What is the Decision Transformer?")
    assert one == other


ODD = ["?", "🙂", "[2106.09685]", "who", "\u0000", "and", "SELECT * FROM x;"]
UNITS = ("a", "who ", "how many ", "- ", "[", " ", "\n", "A1-", "what is and ", "it, ", "GPT-3 ", "the ", "about ")
LONG = [unit * (65_536 // len(unit)) for unit in UNITS]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("question", ODD + LONG, ids=lambda question: f"{question[:12]!r} x {len(question)}")
async def test_any_text_gets_an_answer_in_time(talk: Talk, question: str) -> None:
    first, second = await talk(f"GPT-3 {question}"[:65_536], question)
    assert first.text
    assert second.text
    assert len((second.standalone_query or "").encode()) < 4_096
