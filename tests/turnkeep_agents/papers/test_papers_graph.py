"""Every edge of the graph, with a model that follows a script."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.errors import GraphRecursionError

from scripted_model import ScriptedModel
from turnkeep.blocks.documents import Document
from turnkeep.blocks.wording import Rewritten
from turnkeep.errors import ModelBusy, ModelError
from turnkeep.models.chat import Models
from turnkeep.records import Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.papers.corpus import Corpus
from turnkeep_agents.papers.graph import build, compile_graph, read_reply
from turnkeep_agents.papers.nodes import Nodes
from turnkeep_agents.papers.prompts import Grade, Rewrite
from turnkeep_agents.papers.reading import Reading
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_agents.papers.state import LASTING, new_turn


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


class Talk:
    """A thread kept by the test, as the turn's life would keep it: only lasting keys survive a turn."""

    def __init__(self, script: ScriptedModel, context: RunContext, **tuning: int):
        self.graph = compile_graph(nodes(script, **tuning))
        self.context = context
        self.messages: Sequence[AnyMessage] = []
        self.events: list[dict[str, Any]] = []
        self.tokens: list[str] = []

    async def say(self, question: str) -> Reply:
        asked = HumanMessage(question, id=f"h{len(self.messages)}")
        state: Any = {"messages": [*self.messages, asked], **new_turn()}
        self.events, self.tokens = [], []
        values: dict[str, Any] = {}
        parts: Any = self.graph.astream(state, context=self.context, stream_mode=["custom", "messages", "values"])
        async for mode, part in parts:
            if mode == "custom":
                self.events.append(part)
            elif mode == "messages":
                self.tokens.append(part[0].text)
            else:
                values = part
        self.messages = values["messages"]
        return read_reply(values)


@pytest.fixture
def talk(script: ScriptedModel, context: RunContext) -> Talk:
    return Talk(script, context)


async def test_a_question_in_scope_is_answered_from_graded_sources(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees dance"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    reply = await talk.say("How do bees find flowers?")
    assert reply.text == "They dance [1001.00001]."
    assert reply.route == "retrieve"
    assert [(source.id, source.cited) for source in reply.sources] == [("1001.00001", True)]
    assert reply.details["guardrail_score"] == 90
    assert reply.details["retrieval_attempts"] == 1
    assert len(reply.details["reasoning_steps"]) == 4
    assert reply.warnings == ()


async def test_a_question_below_the_threshold_is_refused_by_the_model(talk: Talk, script: ScriptedModel) -> None:
    script.play(outside(74), (REFUSE, "I know insects. Ask me about bees."))
    reply = await talk.say("What is a mortgage?")
    assert (reply.text, reply.route, reply.sources) == ("I know insects. Ask me about bees.", "refuse", ())
    assert "74 of 100. about insects" in script.prompt(REFUSE)
    assert reply.details["retrieval_attempts"] == 0


async def test_the_threshold_itself_is_in_scope(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("wasps", score=75), grade("1001.00002"), (ANSWER, "Of paper [1001.00002]."))
    assert (await talk.say("What are wasp nests made of?")).route == "retrieve"


async def test_the_reading_is_told_the_threshold_and_what_there_is(script: ScriptedModel, context: RunContext) -> None:
    talk = Talk(script, context, guardrail_threshold=60)
    script.play(outside(59), (REFUSE, "I know insects."))
    assert (await talk.say("What is a mortgage?")).route == "refuse"
    system = script.asked[0][1][0].text
    assert "60 and more" in system
    assert "3 papers on insects" in system
    assert "“Wasps”" in system


async def test_words_about_the_conversation_are_answered_without_a_search(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    await talk.say("How do bees find flowers?")
    script.play(read(kind="conversation", score=10), (RESPOND, "- You asked of bees.\n- They dance [1001.00001]."))
    reply = await talk.say("Sum it up in two bullets")
    assert (reply.route, reply.details["retrieval_attempts"], reply.warnings) == ("respond", 0, ())
    assert reply.text == "- You asked of bees.\n- They dance [1001.00001]."
    assert [(source.id, source.cited) for source in reply.sources] == [("1001.00001", True)]
    assert "They dance [1001.00001]." in script.prompt(RESPOND)


async def test_a_summary_cites_nothing_that_was_not_cited_before(talk: Talk, script: ScriptedModel) -> None:
    script.play(read(kind="conversation"), (RESPOND, "Hello! Wasps are in [2301.12345]."))
    script.play((f"{RESPOND}.repair", Rewritten(sentences=["Ask me of wasps."])))
    reply = await talk.say("Hi")
    assert (reply.text, reply.sources) == ("Hello! Ask me of wasps.", ())


async def test_how_many_papers_there_are_is_known(talk: Talk, script: ScriptedModel) -> None:
    script.play(read(kind="conversation"), (RESPOND, "I search 3 papers on insects, such as “Bees”."))
    assert (await talk.say("What can you do?")).warnings == ()


async def test_two_things_that_are_asked_about_are_two_searches(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("wasps", "ants scent"), grade("1001.00002", "1001.00003"))
    script.play((ANSWER, "One builds [1001.00002], one smells [1001.00003]."))
    reply = await talk.say("Compare wasps and ants")
    assert {source.id for source in reply.sources if source.cited} == {"1001.00002", "1001.00003"}


async def test_a_list_that_is_wished_for_may_hold_more_papers(script: ScriptedModel, context: RunContext) -> None:
    talk, every = Talk(script, context, top_k=1), [paper.id for paper in PAPERS]
    script.play(read("bees wasps ants", breadth="many"), grade(*every), (ANSWER, "All three [1001.00001]."))
    assert sorted(source.id for source in (await talk.say("Which papers are there?")).sources) == every


async def test_papers_of_certain_years_are_searched_for_among_these(script: ScriptedModel, context: RunContext) -> None:
    talk = Talk(script, context)
    script.play(read("bees", years=[1900, 1950]), rewrite(""), (ANSWER, "I found nothing."))
    assert (await talk.say("Which of these years?")).sources == ()
    script.play(read("bees", years=[1843]), grade("1001.00001"), (ANSWER, "One [1001.00001]."))
    assert len((await talk.say("And of 1843?")).sources) == 1


async def test_what_there_is_as_a_whole_is_told_without_a_search(talk: Talk, script: ScriptedModel) -> None:
    script.play(read(kind="conversation"), (RESPOND, "There are 3, all of 1843; the newest is “Bees” [1001.00001]."))
    reply = await talk.say("How many are there, and which is the newest?")
    assert "1843: 3" in script.asked[-1][1][0].text
    assert (reply.warnings, [source.id for source in reply.sources]) == ((), ["1001.00001"])


async def test_a_question_without_a_search_is_searched_by_its_own_words(talk: Talk, script: ScriptedModel) -> None:
    script.play(read(" ", question="How do bees dance?"), grade("1001.00001"), (ANSWER, "Well [1001.00001]."))
    assert (await talk.say("how do they dance")).sources[0].id == "1001.00001"


async def test_a_failed_search_is_tried_again_with_another_query(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite("ants scent"), grade("1001.00003"), (ANSWER, "By scent [1001.00003]."))
    reply = await talk.say("How do bees find food?")
    assert reply.details["rewritten_queries"] == ["ants scent"]
    assert reply.details["retrieval_attempts"] == 2
    assert reply.sources[0].id == "1001.00003"
    assert "limited_sources" not in reply.warnings


async def test_what_was_graded_is_not_graded_again(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite("bees wasps"), grade("1001.00002"), (ANSWER, "Of [1001.00002]."))
    await talk.say("Who builds?")
    assert "1001.00001" in script.prompt(GRADE, 0)
    assert "1001.00001" not in script.prompt(GRADE, 1)


async def test_a_search_that_finds_the_same_papers_again_is_the_last(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite("dance of bees"), (ANSWER, "I found nothing."))
    reply = await talk.say("Do bees sleep?")
    assert reply.details["retrieval_attempts"] == 2
    assert "After 2 searches no paper was found" in script.prompt(ANSWER)
    assert (reply.sources, reply.warnings) == ((), ("limited_sources",))


async def test_a_model_that_sees_no_other_way_to_search_ends_it(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite(" "), (ANSWER, "I found nothing."))
    reply = await talk.say("Do bees sleep?")
    assert (reply.details["retrieval_attempts"], reply.details["rewritten_queries"]) == (1, [])


async def test_after_three_searches_it_answers_with_a_note_on_limited_sources(
    talk: Talk, script: ScriptedModel
) -> None:
    script.play(read("bees"), grade(), rewrite("wasps"), grade(), rewrite("ants"), grade("1001.00003"))
    script.play((ANSWER, "Little is known [1001.00003]."))
    reply = await talk.say("Do bees sleep?")
    assert reply.details["retrieval_attempts"] == 3
    assert reply.details["rewritten_queries"] == ["wasps", "ants"]
    assert "Limited sources were found, after 3 searches" in script.prompt(ANSWER)
    assert "Searched for: wasps" in script.prompt(REWRITE)
    assert reply.warnings == ("limited_sources",)


async def test_a_single_attempt_never_rewrites(script: ScriptedModel, context: RunContext) -> None:
    talk = Talk(script, context, max_attempts=1)
    script.play(read("bees"), grade(), (ANSWER, "I found nothing."))
    assert (await talk.say("Do bees sleep?")).details["retrieval_attempts"] == 1


async def test_most_attempts_end_within_the_steps_of_a_run(script: ScriptedModel, context: RunContext) -> None:
    talk = Talk(script, context, max_attempts=5)
    script.play(read("xyzzy"), *[rewrite(f"plugh {n}") for n in range(4)], (ANSWER, "I found nothing."))
    assert (await talk.say("Do bees sleep?")).details["retrieval_attempts"] == 5


async def test_too_few_steps_raise_the_recursion_error(script: ScriptedModel, context: RunContext) -> None:
    script.play(read("bees"), grade())
    graph = compile_graph(nodes(script))
    state: Any = {"messages": [HumanMessage("Do bees sleep?", id="h")], **new_turn()}
    with pytest.raises(GraphRecursionError):
        await graph.ainvoke(state, {"recursion_limit": 3}, context=context)


async def test_ids_that_the_grade_invents_are_left_out(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001", "9999.99999"), (ANSWER, "They dance [1001.00001]."))
    assert [source.id for source in (await talk.say("How do bees find flowers?")).sources] == ["1001.00001"]


async def test_a_citation_of_no_source_is_named_to_the_model_once(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]. So do wasps [1001.00002]."))
    script.play((REPAIR, Rewritten(sentences=["Of wasps nothing is said."])))
    reply = await talk.say("How do bees find flowers?")
    assert reply.text == "They dance [1001.00001]. Of wasps nothing is said."
    assert reply.warnings == ("sentence_corrected",)
    assert "[1001.00002] is none of the documents" in script.prompt(REPAIR)


@pytest.mark.parametrize(
    "wrong", ["See [2301.12345].", "It is at https://example.org/bees.", "They fly 4,711 miles.", "It is of 1999."]
)
async def test_what_no_source_holds_costs_its_sentence(talk: Talk, script: ScriptedModel, wrong: str) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, f"They dance [1001.00001]. {wrong} Of 1843."))
    script.play((REPAIR, Rewritten(sentences=[wrong])))
    reply = await talk.say("How do bees find flowers?")
    assert reply.text == "They dance [1001.00001]. Of 1843."
    assert reply.warnings == ("sentence_removed",)


async def test_a_figure_that_the_user_claims_is_not_told_of_a_paper(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "Yes, the paper reports 99.9 miles [1001.00001]."))
    script.play((REPAIR, Rewritten(sentences=["The paper reports no miles [1001.00001]."])))
    reply = await talk.say("My prof says that it reports 99.9 miles, please confirm")
    assert reply.text == "The paper reports no miles [1001.00001]."
    script.play(read(kind="conversation"), (RESPOND, "You asked about 99.9 miles."))
    assert (await talk.say("What did I ask?")).text == "You asked about 99.9 miles."


async def test_an_answer_of_unknown_citations_alone_becomes_the_list_of_its_sources(
    talk: Talk, script: ScriptedModel
) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "[2301.12345]"), (REPAIR, Rewritten(sentences=[""])))
    assert (await talk.say("How do bees find flowers?")).text == "- Bees [1001.00001]"


async def test_a_reply_of_which_nothing_can_be_shown_is_a_model_error(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite(""), (ANSWER, "[2301.12345]"), (REPAIR, Rewritten(sentences=[""])))
    with pytest.raises(ModelError):
        await talk.say("How do bees find flowers?")


async def test_citations_are_shown_in_one_form(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [arXiv:1001.00001v2]."))
    assert (await talk.say("How do bees find flowers?")).text == "They dance [1001.00001]."


async def test_an_answer_without_citation_is_reported(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance."))
    reply = await talk.say("How do bees find flowers?")
    assert reply.warnings == ("no_citation",)
    assert not reply.sources[0].cited


async def test_a_refusing_answer_becomes_the_text_with_a_warning(talk: Talk, script: ScriptedModel) -> None:
    refusal = AIMessage("I won't.", additional_kwargs={"refusal": "I won't."})
    script.play(read("bees"), grade("1001.00001"), (ANSWER, refusal))
    reply = await talk.say("How do bees find flowers?")
    assert (reply.text, reply.warnings) == ("I won't.", ("model_refused", "no_citation"))


async def test_a_follow_up_is_read_with_what_was_cited(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("wasps nests"), grade("1001.00002"), (ANSWER, "Of paper [1001.00002]."))
    await talk.say("What do wasps build?")
    script.play(read("wasps", question="Who wrote Wasps?"), grade("1001.00002"), (ANSWER, "Ada [1001.00002]."))
    reply = await talk.say("And who wrote it?")
    assert "[1001.00002] Wasps" in script.prompt(READ)
    assert reply.standalone_query == "Who wrote Wasps?"
    assert "Question: Who wrote Wasps?" in script.prompt(GRADE)
    assert "Message: And who wrote it?" in script.prompt(ANSWER)
    assert "it asks: Who wrote Wasps?" in script.prompt(ANSWER)
    assert "Ada Lovelace" in script.prompt(ANSWER)


async def test_nothing_of_a_turn_leaks_into_the_next(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade(), rewrite("ants"), grade("1001.00003"), (ANSWER, "By scent [1001.00003]."))
    await talk.say("How do ants find food?")
    script.play(outside(), (REFUSE, "I know insects."))
    reply = await talk.say("What is a mortgage?")
    assert reply.details["rewritten_queries"] == []
    assert reply.details["retrieval_attempts"] == 0
    assert reply.sources == ()
    assert len(reply.details["reasoning_steps"]) == 2


async def test_the_window_limits_what_prompts_show(script: ScriptedModel, context: RunContext) -> None:
    talk = Talk(script, RunContext(conversation_window=1, now=context.now, principal=context.principal))
    for word in ("first", "second", "third"):
        script.play(outside(), (REFUSE, f"Answer to the {word}."))
        await talk.say(f"The {word} mortgage?")
    for shown in (script.prompt(READ), script.prompt(REFUSE)):
        assert "Answer to the second." in shown
        assert "Answer to the first." not in shown


async def test_the_date_in_the_prompt_is_that_of_the_run(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]. As of today, 2026-03-04."))
    await talk.say("How do bees find flowers?")
    assert "2026-03-04" in script.prompt(READ)
    assert "2026-03-04" in script.prompt(ANSWER)


async def test_what_is_constant_comes_first(talk: Talk, script: ScriptedModel) -> None:
    for question in ("How do bees find flowers?", "And then?"):
        script.play(read("bees", question=question), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
        await talk.say(question)
    systems = [messages[0].text for _, messages, _ in script.asked]
    assert systems[:3] == systems[3:]


async def test_limits_and_temperatures_are_those_of_the_requirement(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    await talk.say("How do bees find flowers?")
    script.play(outside(), (REFUSE, "I know insects."))
    await talk.say("What is a mortgage?")
    limits = {name: (kwargs["temperature"], kwargs["max_tokens"]) for name, _, kwargs in script.asked}
    assert limits[ANSWER] == (0.3, 1000)
    assert limits[REFUSE] == (0.7, 300)


async def test_events_tell_the_route_and_each_search(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("wasps"), grade(), rewrite("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    await talk.say("How do hives find flowers?")
    assert [event for event in talk.events if event["event"] != "token"] == [
        {"event": "route_decision", "route": "retrieve"},
        {"event": "tool_start", "tool": "retrieve", "attempt": 1},
        {"event": "tool_start", "tool": "retrieve", "attempt": 2},
    ]


async def test_only_the_answer_is_told_while_it_is_written(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]. Well."))
    reply = await talk.say("How do bees find flowers?")
    told = [event["content"] for event in talk.events if event["event"] == "token"]
    assert len(told) > 1
    assert "".join(told) == reply.text


async def test_a_turn_that_runs_again_makes_the_same_message_ids(script: ScriptedModel, context: RunContext) -> None:
    ids = []
    for _ in range(2):
        talk = Talk(script, context)
        script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
        await talk.say("How do bees find flowers?")
        ids.append(talk.messages[-1].id)
    assert ids[0] == ids[1]


async def test_a_fault_of_the_model_comes_out_as_it_is(talk: Talk, script: ScriptedModel) -> None:
    script.play((READ, ModelBusy(retry_after=7)))
    with pytest.raises(ModelBusy) as caught:
        await talk.say("How do bees find flowers?")
    assert caught.value.retry_after == 7


async def test_a_search_that_finds_nothing_asks_for_no_grade(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("xyzzy"), rewrite("zzz"), rewrite("wasps"), grade("1001.00002"), (ANSWER, "Of [1001.00002]."))
    reply = await talk.say("xyzzy plugh")
    assert reply.details["retrieval_attempts"] == 3
    assert reply.sources[0].id == "1001.00002"


async def test_the_state_is_plain_data_that_strict_msgpack_takes(talk: Talk, script: ScriptedModel) -> None:
    script.play(read("bees"), grade("1001.00001"), (ANSWER, "They dance [1001.00001]."))
    state: Any = {"messages": [HumanMessage("How do bees find flowers?", id="h")], **new_turn()}
    values = await talk.graph.ainvoke(state, context=talk.context)
    plain = {key: value for key, value in values.items() if key not in LASTING}
    serde = JsonPlusSerializer(allowed_msgpack_modules=[])
    assert serde.loads_typed(serde.dumps_typed(plain)) == plain


def test_the_agent_is_built_without_a_key() -> None:
    agent = build(Settings(model="demo"))
    assert (agent.name, agent.window, agent.prompt_window) == ("papers", 10, 5)
    assert (agent.provider, agent.model) == ("demo", "demo")
    assert agent.graph.checkpointer is None
