"""The demo over the bundled corpus: right, or it says that it cannot."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from agent_thread import Thread
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.papers.graph import build
from turnkeep_demo.papers.rules import ASKING, _heads

type Talk = Callable[..., Coroutine[Any, Any, Sequence[Reply]]]
CANNOT = "that I know are, for example:"


@pytest.fixture(scope="module")
def agent() -> Agent:
    return build(Settings(model="demo"))


@pytest.fixture
def talk(agent: Agent, context: RunContext) -> Talk:
    """Says one thing after another in one thread."""
    return lambda *questions: Thread(agent.graph, context).talk(*questions)


def cited(reply: Reply) -> list[str]:
    return [source.id for source in reply.sources if source.cited]


async def test_an_explanation_is_extracted_and_cited(talk: Talk) -> None:
    (reply,) = await talk("What is knowledge distillation?")
    assert cited(reply) == ["1503.02531"]
    assert reply.text.count("[1503.02531]") > 1
    assert reply.warnings == ()


async def test_a_follow_up_on_authors_and_year_keeps_to_the_paper(talk: Talk) -> None:
    replies = await talk("Explain the U-Net architecture", "Who wrote it?", "And when did it come out?")
    assert "Olaf Ronneberger" in replies[1].text
    assert "2015" in replies[2].text
    assert [cited(reply) for reply in replies] == [["1505.04597"]] * 3
    assert "U-Net: Convolutional Networks" in (replies[1].standalone_query or "")


async def test_two_papers_are_compared_side_by_side(talk: Talk) -> None:
    (reply,) = await talk("How does ELECTRA differ from ALBERT?")
    assert cited(reply) == ["2003.10555", "1909.11942"]


async def test_papers_of_an_author_and_papers_that_mention_another_are_listed(talk: Talk) -> None:
    by, mention = await talk("Which papers did Geoffrey Hinton write?", "List papers that mention LoRA")
    assert len(cited(by)) == 3
    assert CANNOT in mention.text
    (mention,) = await talk("Which papers mention LoRA?")
    assert cited(mention) == ["2305.14314"]


async def test_the_last_answer_is_summed_up_without_a_search(talk: Talk) -> None:
    told, summed = await talk("What is Mamba?", "Summarise that in one sentence")
    assert summed.route == "respond"
    assert summed.text == told.text.split(". ")[0] + "."


@pytest.mark.parametrize(
    ("question", "is_understood"),
    [
        ("What is dropout?", True),
        ("Who invented transformers?", True),
        ("What is the accuracy of ResNet on ImageNet?", True),
        ("What should I plant in May?", True),
        ("Was ist der Unterschied zwischen LoRA und QLoRA?", True),
        ("Who wrote it?", True),
        ("Who invented ALBERT and DistilBERT?", False),
        ("In which year was XLNet or ELECTRA released?", False),
        ("Compare ALBERT, BERT and ELECTRA", False),
        ("List papers that use BERT but not ELECTRA", False),
        ("Papers by Quoc Le since 2019", False),
        ("What are the oldest papers on attention?", False),
        ("Describe U-Net in two sentences", False),
        ("What is Big?", False),
    ],
)
async def test_a_partly_understood_question_is_declined_and_nothing_is_denied(
    talk: Talk, question: str, is_understood: bool
) -> None:
    (reply,) = await talk(question)
    assert cited(reply) == []
    assert CANNOT in reply.text
    if is_understood:
        assert (reply.sources, reply.text.count("“")) == ((), 3)
    else:
        assert "not understand" in reply.text
        assert "no paper" not in reply.text


async def test_a_number_belongs_to_the_name_that_is_mentioned(talk: Talk) -> None:
    third, fourth = await talk("Which papers mention GPT-3?", "Which papers mention GPT-4?")
    assert "2304.08485" in cited(fourth)
    assert not {"1706.03762", "2210.17323", "2302.13971"} & {*cited(fourth)}
    assert not {"2305.16291", "2401.04088"} & {*cited(third)}


async def test_each_name_that_it_offers_is_one_that_it_answers_about(talk: Talk) -> None:
    for form in ASKING:
        silent = [head for head in _heads() if not cited((await talk(form.format(head)))[0])]
        assert silent == [], form


ODD = ["?", "🙂", "[2106.09685]", "who", "\u0000", "and", "SELECT * FROM x;", "who wrote \\1 it"]
UNITS = ("a", "who ", "how many ", "- ", "[", " ", "\n", "A1-", "what is and ", "it, ", "GPT-3 ", "the ", "and ")
LONG = [unit * (65_536 // len(unit)) for unit in UNITS]


@pytest.mark.timeout(120)  # it would take minutes
@pytest.mark.parametrize("question", ODD + LONG, ids=lambda question: f"{question[:12]!r} x {len(question)}")
async def test_any_text_gets_an_answer_in_time(talk: Talk, question: str) -> None:
    first, second = await talk(f"GPT-3 {question}"[:65_536], question)
    assert first.text
    assert second.text
    assert len((second.standalone_query or "").encode()) < 4_096
