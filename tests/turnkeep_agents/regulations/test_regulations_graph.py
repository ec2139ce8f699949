"""Every edge of the graph, with a model that follows a script, and what a turn tells of how its reply came about."""

from dataclasses import replace
from typing import Any

import pytest
from law_samples import (
    ANSWER,
    CALCULATE,
    CONTRACT,
    FAQ_QUESTION,
    LABEL,
    READ,
    REFUSE,
    RESPOND,
    WELL,
    attached,
    knowledge,
    nodes,
    plan,
    read,
)

from agent_thread import Thread
from scripted_model import ScriptedModel
from turnkeep.records import RunContext
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.graph import compile_graph

TAX = "Quanta imposta pago su 20000 euro?"


def begin(script: ScriptedModel, context: RunContext, **setup: Any) -> Thread:
    return Thread(compile_graph(nodes(script, **setup)), context, script)


@pytest.fixture
def talk(script: ScriptedModel, context: RunContext) -> Thread:
    return begin(script, context)


async def test_a_question_of_the_faq_is_answered_without_a_model(talk: Thread) -> None:
    reply = await talk.say(FAQ_QUESTION)
    assert (reply.text, reply.route) == ("Almeno quattro settimane [DLGS-66-2003-10].", "faq")
    assert [(source.id, source.cited) for source in reply.sources] == [("DLGS-66-2003-10", True)]
    assert (reply.details["domain"], reply.details["query_composition"]) == ("labour", "pure_kb")
    assert (await talk.say("How long is annual leave?")).text == "At least four weeks [DLGS-66-2003-10]."


async def test_a_document_may_say_something_else_than_the_faq(script: ScriptedModel, context: RunContext) -> None:
    talk = begin(script, replace(context, documents=attached(CONTRACT)))
    assert (await talk.say(FAQ_QUESTION, read(composition="hybrid"), WELL)).route == "retrieve"


async def test_a_question_of_law_is_answered_from_articles_that_it_cites(talk: Thread, script: ScriptedModel) -> None:
    reply = await talk.say("Quali ferie spettano?", read(), WELL)
    assert (reply.text, reply.route, reply.warnings) == (WELL[1], "retrieve", ())
    assert [source.id for source in reply.sources if source.cited] == ["DLGS-66-2003-10"]
    details = reply.details
    assert (details["domain"], details["action"], details["query_composition"]) == ("labour", "explain", "pure_kb")
    assert details["confidences"] == {"domain": 0.9, "composition": 0.8}
    assert details["context_metadata"]["token_count"] <= details["context_metadata"]["budget_tokens"]
    assert details["context_metadata"]["source_distribution"] == {"knowledge": 1.0}
    assert len(details["reasoning_steps"]) == 6
    assert "quattro settimane" in script.prompt(ANSWER)


async def test_talk_is_answered_from_the_conversation(talk: Thread, script: ScriptedModel) -> None:
    await talk.say("Quali ferie spettano?", read(), WELL)
    script.play(read(composition="chat", action="talk", searches=[]), (RESPOND, "Quattro settimane [DLGS-66-2003-10]."))
    reply = await talk.say("In breve?")
    assert (reply.route, reply.warnings) == ("respond", ())
    assert [source.id for source in reply.sources] == ["DLGS-66-2003-10"]
    assert reply.details["context_metadata"]["source_distribution"] == {"conversation": 1.0}
    assert WELL[1] in script.prompt(RESPOND)


async def test_a_question_outside_the_domains_is_refused_by_the_model(talk: Thread) -> None:
    outside = read("Chi vince il campionato?", domain="none")
    reply = await talk.say("Chi vince il campionato?", outside, (REFUSE, "Rispondo su fisco e lavoro."))
    assert (reply.text, reply.route, reply.sources) == ("Rispondo su fisco e lavoro.", "refuse", ())


async def test_a_step_that_cannot_be_carried_out_is_planned_once_more(talk: Thread, script: ScriptedModel) -> None:
    script.play(read(TAX, domain="tax", action="calculate"), plan("20000 * 27 / 100"), plan("20000 * 23 / 100"))
    assert (await talk.say(TAX, (ANSWER, "Sono 4600 euro [TUIR-11]."))).text == "Sono 4600 euro [TUIR-11]."
    assert "27 is neither in the documents nor in the message" in script.prompt(CALCULATE)


async def test_without_a_computation_the_answer_is_to_say_what_is_missing(talk: Thread, script: ScriptedModel) -> None:
    script.play(read(TAX, domain="tax", action="calculate"), plan("20000 * 27"), plan("20000 * 28"))
    reply = await talk.say(TAX, (ANSWER, "Manca l'aliquota [TUIR-11]."))
    assert reply.details["computed"] == []
    assert prompts.NOT_COMPUTED in script.prompt(ANSWER)


async def test_a_document_is_searched_with_the_law_and_shown_by_its_label(
    script: ScriptedModel, context: RunContext
) -> None:
    talk = begin(script, replace(context, documents=attached(CONTRACT)))
    script.play(read("Il preavviso del contratto è valido?", composition="hybrid"))
    reply = await talk.say("È valido?", (ANSWER, f"Il contratto dice 45 giorni [{LABEL}-1], la legge [CC-2118]."))
    assert {source.id for source in reply.sources if source.cited} == {f"{LABEL}-1", "CC-2118"}
    assert reply.details["context_metadata"]["source_distribution"].keys() == {"knowledge", "documents"}
    assert f"“contratto.pdf” ({LABEL}, 1 pages)" in script.prompt(READ)


async def test_events_contain_the_route_and_the_search(talk: Thread) -> None:
    await talk.say("Quali ferie spettano?", read(), WELL)
    assert talk.told[:2] == [
        {"event": "route_decision", "route": "retrieve"},
        {"event": "tool_start", "tool": "retrieve"},
    ]
    assert "".join(talk.tokens) == WELL[1]


async def test_omitted_articles_cannot_be_cited(script: ScriptedModel, context: RunContext) -> None:
    texts = (" ".join(f"ferie{at}parola{n}" for n in range(900)) for at in range(4))
    rows = [{"id": f"X-{at}", "title": f"Ferie {at}", "text": f"Ferie. {text}"} for at, text in enumerate(texts)]
    talk = begin(script, context, held=knowledge(*rows, faq=()))
    reply = await talk.say("Ferie?", read("ferie"), (ANSWER, "Ecco [X-0]."))
    kept = reply.details["context_metadata"]
    assert kept["truncated"]
    assert kept["cut"] or kept["left_out"]
    assert not {source.id for source in reply.sources} & {*kept["left_out"]}
    assert prompts.CUT in script.prompt(ANSWER)
