"""Every edge of the graph, with a model that follows a script."""

from typing import Any

import pytest

from agent_thread import Thread
from link_forms import LEFT, check_links
from scripted_model import ScriptedModel
from turnkeep.kit.checked_replies import Rewritten
from turnkeep.kit.documents import Document
from turnkeep.models.chat import Models
from turnkeep.records import Reply, RunContext
from turnkeep_agents.papers.corpus import Corpus
from turnkeep_agents.papers.graph import compile_graph
from turnkeep_agents.papers.nodes import Nodes
from turnkeep_agents.papers.prompts import Grade, Rewrite
from turnkeep_agents.papers.reading import Reading
from turnkeep_agents.papers.settings import PapersSettings


def paper(id_: str, title: str, text: str) -> Document:
    return Document(id_, title, text, f"https://arxiv.org/abs/{id_}", {"authors": ["Ada Lovelace"], "year": 1843})


PAPERS = [
    paper("1001.00001", "Bees", "Bees dance to show each other the way to flowers."),
    paper("1001.00002", "Wasps", "Wasps build paper nests under roofs."),
    paper("1001.00003", "Ants", "Ants follow scent to food and flowers."),
]
READ, GRADE, REWRITE = "papers.read", "papers.grade", "papers.rewrite"
ANSWER, REPAIR = "papers.answer", "papers.answer.repair"
RESPOND, REFUSE = "papers.respond", "papers.refuse"


def read(*searches: str, question: str = "How do bees find flowers?", **fields: Any) -> tuple[str, Reading]:
    known = {
        "kind": "question",
        "score": 90,
        "reason": "about insects",
        "language": "en",
        "breadth": "few",
        "years": [],
        "searches": list(searches),
    }
    return READ, Reading(question=question, **{**known, **fields})


def outside(score: int = 0) -> tuple[str, Reading]:
    return read(question="What is a mortgage?", score=score)


def grade(*ids: str) -> tuple[str, Grade]:
    return GRADE, Grade(relevant_ids=list(ids))


def rewrite(query: str) -> tuple[str, Rewrite]:
    return REWRITE, Rewrite(query=query)


def nodes(script: ScriptedModel, **tuning: int) -> Nodes:
    return Nodes(Models(script, script, "openai", "m"), Corpus(PAPERS, field="insects"), PapersSettings(**tuning))


def begin(script: ScriptedModel, context: RunContext, **tuning: int) -> Thread:
    return Thread(compile_graph(nodes(script, **tuning)), context, script)


@pytest.fixture
def talk(script: ScriptedModel, context: RunContext) -> Thread:
    return begin(script, context)


async def test_a_question_in_scope_is_answered_from_graded_sources(talk: Thread, script: ScriptedModel) -> None:
    script.play(read("bees dance"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    reply = await talk.say("How do bees find flowers?")
    assert reply.text == "They dance [1001.00001]."
    assert reply.route == "retrieve"
    assert [(source.id, source.cited) for source in reply.sources] == [("1001.00001", True)]
    assert reply.details["guardrail_score"] == 90
    assert reply.details["retrieval_attempts"] == 1
    assert len(reply.details["reasoning_steps"]) == 4
    assert reply.warnings == ()


@pytest.mark.parametrize(("score", "route", "attempts"), [(74, "refuse", 0), (75, "retrieve", 1)])
async def test_a_question_below_the_threshold_is_refused_by_the_model(
    script: ScriptedModel, context: RunContext, score: int, route: str, attempts: int
) -> None:
    """With one attempt the query is never rewritten."""
    talk = begin(script, context, max_attempts=1)
    answers = [(REFUSE, "I know insects.")] if route == "refuse" else [grade(), (ANSWER, "I found nothing.")]
    reply = await talk.say("Do bees sleep?", read("bees", score=score), *answers)
    assert (reply.route, reply.sources, reply.details["retrieval_attempts"]) == (route, (), attempts)
    assert route == "retrieve" or "74 of 100. about insects" in script.prompt(REFUSE)


async def test_papers_of_certain_years_are_searched_for_among_these(script: ScriptedModel, context: RunContext) -> None:
    talk = begin(script, context)
    script.play(read("bees", years=[1900, 1950]), rewrite(""), (ANSWER, "I found nothing."))
    assert (await talk.say("Which of these years?")).sources == ()
    script.play(read("bees", years=[1843]), grade("1001.00001"), (ANSWER, "One [1001.00001]."))
    assert len((await talk.say("And of 1843?")).sources) == 1


async def test_what_was_graded_is_not_graded_again(talk: Thread, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite("bees wasps"), grade("1001.00002"), (ANSWER, "Of [1001.00002]."))
    await talk.say("Who builds?")
    assert "1001.00001" in script.prompt(GRADE, 0)
    assert "1001.00001" not in script.prompt(GRADE, 1)


@pytest.mark.parametrize(("query", "attempts", "rewritten"), [("dance of bees", 2, ["dance of bees"]), (" ", 1, [])])
async def test_a_search_that_finds_the_same_papers_or_cannot_be_rewritten_is_the_last(
    talk: Thread, script: ScriptedModel, query: str, attempts: int, rewritten: list[str]
) -> None:
    script.play(read("bees"), grade(), rewrite(query), (ANSWER, "I found nothing."))
    reply = await talk.say("Do bees sleep?")
    assert (reply.details["retrieval_attempts"], reply.details["rewritten_queries"]) == (attempts, rewritten)
    assert f"After {attempts} searches no paper was found" in script.prompt(ANSWER)
    assert (reply.sources, reply.warnings) == ((), ("limited_sources",))


async def test_after_three_searches_it_answers_with_a_note_on_limited_sources(
    talk: Thread, script: ScriptedModel
) -> None:
    script.play(read("bees"), grade(), rewrite("wasps"), grade(), rewrite("ants"), grade("1001.00003"))
    reply = await talk.say("Do bees sleep?", (ANSWER, "Little is known [1001.00003]."))
    assert reply.details["retrieval_attempts"] == 3
    assert reply.details["rewritten_queries"] == ["wasps", "ants"]
    route = {"event": "route_decision", "route": "retrieve"}
    assert talk.told == [route, *({"event": "tool_start", "tool": "retrieve", "attempt": at} for at in (1, 2, 3))]
    assert "Limited sources were found, after 3 searches" in script.prompt(ANSWER)
    assert "Searched for: wasps" in script.prompt(REWRITE)
    assert reply.warnings == ("limited_sources",)


async def test_most_attempts_end_within_the_steps_of_a_run(script: ScriptedModel, context: RunContext) -> None:
    talk = begin(script, context, max_attempts=5)
    script.play(read("xyzzy"), *[rewrite(f"plugh {n}") for n in range(4)], (ANSWER, "I found nothing."))
    assert (await talk.say("Do bees sleep?")).details["retrieval_attempts"] == 5


@pytest.mark.parametrize(
    ("wrong", "mended"),
    [
        ("So do wasps [1001.00002].", "Of wasps nothing is said."),
        ("See [2301.12345].", None),
        ("It is at https://example.org/bees.", None),
        ("They fly 4,711 miles.", None),
        ("It is of 1999.", None),
    ],
)
async def test_an_unfounded_sentence_is_corrected_once_and_then_dropped(
    talk: Thread, script: ScriptedModel, wrong: str, mended: str | None
) -> None:
    """An id that the grade invents is left out."""
    script.play(read("bees"), grade("1001.00001", "9999.99999"), (ANSWER, f"They dance [1001.00001]. {wrong} Of 1843."))
    reply = await talk.say("How do bees find flowers?", (REPAIR, Rewritten(sentences=[mended or wrong])))
    assert reply.text == " ".join(filter(None, ["They dance [1001.00001].", mended, "Of 1843."]))
    assert reply.warnings == ("sentence_corrected" if mended else "sentence_removed",)
    assert [source.id for source in reply.sources] == ["1001.00001"]


async def test_a_figure_that_only_the_user_claims_is_not_attributed_to_a_paper(
    talk: Thread, script: ScriptedModel
) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "Yes, the paper reports 99.9 miles [1001.00001]."))
    script.play((REPAIR, Rewritten(sentences=["The paper reports no miles [1001.00001]."])))
    reply = await talk.say("My prof says that it reports 99.9 miles, please confirm")
    assert reply.text == "The paper reports no miles [1001.00001]."
    script.play(read(kind="conversation"), (RESPOND, "You asked about 99.9 miles."))
    assert (await talk.say("What did I ask?")).text == "You asked about 99.9 miles."


async def test_an_answer_without_citation_is_reported(talk: Thread) -> None:
    reply = await talk.say("How do bees find flowers?", read("bees"), grade("1001.00001"), (ANSWER, "They dance."))
    assert reply.warnings == ("no_citation",)
    assert not reply.sources[0].cited


async def test_links_of_the_papers_are_shown_and_no_others(script: ScriptedModel, context: RunContext) -> None:
    page = "https://insects.example/bees_1?a=1&b=2"
    held = Corpus([paper("1001.00001", "Bees", f"Bees dance, see {page} and {LEFT}.")], field="insects")
    models = Models(script, script, "openai", "m")
    talk = Thread(compile_graph(Nodes(models, held, PapersSettings())), context, script)

    async def turn(answer: str, *repaired: str) -> Reply:
        again = [(REPAIR, Rewritten(sentences=[*repaired]))] if repaired else []
        cited = f"They dance [1001.00001]. {answer}"
        return await talk.say("How?", read("bees"), grade("1001.00001"), (ANSWER, cited), *again)

    await check_links(talk, turn, page)
    await check_links(talk, turn, "https://arxiv.org/abs/1001.00001")
    refused = await talk.say("My wasps?", outside(), (REFUSE, f"No. See {LEFT}MYSECRET there."))
    assert (refused.text, refused.warnings) == ("No. ", ("sentence_removed",))
