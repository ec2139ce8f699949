"""How a reply comes about, with a model that follows a script; and questions and models that go wrong."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from law_samples import ANSWER, CONTRACT, FAQ_QUESTION, REFUSE, REPAIR, RESPOND, WELL, attached, knowledge, read

from agent_thread import Thread
from law import LEAVE
from link_forms import LEFT, check_links
from scripted_model import ScriptedModel
from turnkeep.errors import BudgetExceeded
from turnkeep.kit.checked_replies import Rewritten
from turnkeep.records import Reply, RunContext
from turnkeep_agents.regulations import prompts
from turnkeep_agents.regulations.reading import Span, facts_in

NO_SUCH = "Che cosa dice l'art. 9999 del codice civile?"


async def test_a_question_of_the_faq_is_answered_without_a_model(talk: Thread) -> None:
    reply = await talk.say(FAQ_QUESTION)
    assert (reply.text, reply.route) == ("Almeno quattro settimane [DLGS-66-2003-10].", "faq")
    assert [(source.id, source.cited) for source in reply.sources] == [("DLGS-66-2003-10", True)]
    assert (reply.details["domain"], reply.details["query_composition"]) == ("labour", "pure_kb")
    assert (await talk.say("How long is annual leave?")).text == "At least four weeks [DLGS-66-2003-10]."


async def test_a_document_may_say_something_else_than_the_faq(begin: Any, context: RunContext) -> None:
    talk = begin(replace(context, documents=attached(CONTRACT)))
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
    assert [event["event"] for event in talk.told] == ["route_decision", "tool_start"]
    assert "".join(talk.tokens) == WELL[1]


async def test_talk_is_answered_from_the_conversation(talk: Thread, script: ScriptedModel) -> None:
    await talk.say("Quali ferie spettano?", read(), WELL)
    script.play(read(composition="chat", action="talk", searches=[]), (RESPOND, "Quattro settimane [DLGS-66-2003-10]."))
    reply = await talk.say("In breve?")
    assert (reply.route, reply.warnings) == ("respond", ())
    assert [source.id for source in reply.sources] == ["DLGS-66-2003-10"]
    assert reply.details["context_metadata"]["source_distribution"] == {"conversation": 1.0}
    assert WELL[1] in script.prompt(RESPOND)


async def test_omitted_articles_cannot_be_cited(begin: Any, script: ScriptedModel) -> None:
    texts = (" ".join(f"ferie{at}parola{n}" for n in range(900)) for at in range(4))
    rows = [{"id": f"X-{at}", "title": f"Ferie {at}", "text": f"Ferie. {text}"} for at, text in enumerate(texts)]
    talk = begin(held=knowledge(*rows, faq=()))
    reply = await talk.say("Ferie?", read("ferie"), (ANSWER, "Ecco [X-0]."))
    kept = reply.details["context_metadata"]
    assert kept["truncated"]
    assert kept["cut"] or kept["left_out"]
    assert not {source.id for source in reply.sources} & {*kept["left_out"]}
    assert prompts.CUT in script.prompt(ANSWER)


@pytest.mark.parametrize(
    "wrong",
    [
        "Lo dice l'art. 18 della L. 300/1970.",
        "Si veda [CC-9999].",
        "Si veda [CC-2119].",
        "Lo dice l'art. 10 del D.Lgs. 81/2008.",
        "Le ferie durano 37 giorni.",
        "Il testo è su https://example.org/legge.",
    ],
)
async def test_an_unfounded_sentence_is_corrected_once_and_then_dropped(
    wrong: str, talk: Thread, script: ScriptedModel
) -> None:
    answer = (ANSWER, f"{WELL[1]} {wrong}")
    mended = await talk.say("Ferie?", read(), answer, (REPAIR, Rewritten(sentences=["Altro non è detto."])))
    assert (mended.text, mended.warnings) == (f"{WELL[1]} Altro non è detto.", ("sentence_corrected",))
    lost = await talk.say("E poi?", read(), answer, (REPAIR, Rewritten(sentences=[wrong])))
    assert (lost.text, lost.warnings) == (WELL[1], ("sentence_removed",))
    assert [source.id for source in lost.sources if source.cited] == ["DLGS-66-2003-10"]


@pytest.mark.parametrize(
    ("asked", "wrong", "warnings"),
    [
        ("Sono 35 giorni di ferie, vero?", "Certo, la legge ne prevede 35 [DLGS-66-2003-10].", set()),
        (NO_SUCH, "L'art. 9999 c.c. lo vieta [DLGS-66-2003-10].", {"law_not_held"}),
    ],
)
async def test_what_only_the_user_names_is_not_confirmed(
    asked: str, wrong: str, warnings: set[str], talk: Thread
) -> None:
    lost = (REPAIR, Rewritten(sentences=[wrong]))
    reply = await talk.say(asked, read(), (ANSWER, f"{WELL[1]} {wrong}"), lost)
    assert (reply.text, set(reply.warnings)) == (WELL[1], {"sentence_removed", *warnings})


@pytest.mark.parametrize(("composition", "name"), [("pure_doc", RESPOND), ("hybrid", ANSWER)])
async def test_a_missing_document_is_noted_in_the_prompt(
    composition: str, name: str, talk: Thread, script: ScriptedModel
) -> None:
    reply = await talk.say("Che cosa dice il contratto?", read(composition=composition), (name, "Non vedo documenti."))
    assert reply.text == "Non vedo documenti."
    assert reply.details["query_composition"] in ("chat", "pure_kb")
    assert prompts.NOT_ATTACHED in script.prompt(name)


async def test_a_span_that_the_message_does_not_hold_is_no_fact(talk: Thread, script: ScriptedModel) -> None:
    spans = [("31 marzo 2027", "date"), ("5 aprile 2027", "date")]
    reply = await talk.say("Ferie entro il 31 marzo 2027?", read("Ferie?", *spans), WELL)
    assert [(fact["text"], fact["value"]) for fact in reply.details["facts"]] == [("31 marzo 2027", "2027-03-31")]
    assert "5 aprile" not in script.prompt(ANSWER)


@pytest.mark.parametrize("language", ["it", "en", "de"])
async def test_facts_are_read_in_the_language_that_they_are_in(language: str, talk: Thread) -> None:
    spans = [("duemila euro", "amount"), ("from 3 to 10 March 2026", "period")]
    said = read("Ferie?", *spans, language=language)
    reply = await talk.say("Prendo duemila euro: is leave from 3 to 10 March 2026 paid?", said, WELL)
    found = [(fact["value"], fact["unit"]) for fact in reply.details["facts"]]
    assert found == [("2000", "EUR"), ("2026-03-03/2026-03-10", "")]


async def test_an_empty_knowledge_base_is_noted_in_the_prompt(begin: Any, script: ScriptedModel) -> None:
    talk = begin(held=knowledge(faq=()))
    reply = await talk.say("Quali ferie spettano?", read(), (ANSWER, "Non ci sono articoli."))
    assert (reply.text, reply.sources, reply.warnings) == ("Non ci sono articoli.", (), ("nothing_found",))
    assert prompts.EMPTY in script.prompt(ANSWER)


async def test_a_call_over_the_limit_is_not_made(begin: Any, script: ScriptedModel) -> None:
    poor = begin(answer_usd=0.00001)
    with pytest.raises(BudgetExceeded, match="REGULATIONS__ANSWER_USD"):
        await poor.say("Ferie?", read())
    assert [name for name, _, _ in script.asked] == ["regulations.read"]


PASSED, COMING = {"has_passed": True}, {"has_passed": False}


@pytest.mark.parametrize(
    ("messages", "span", "passed", "values"),
    [
        (["L'ho avuta il 24 settembre", "e se era il 20?"], "il 20", PASSED, []),
        (["Torno il 20"], "il 20", COMING, ["2026-12-20"]),
        (["Ricevuta il 12 ottobre"], "il 12 ottobre", PASSED, ["2026-10-12"]),
        (["Scade il 12 ottobre"], "il 12 ottobre", COMING, ["2027-10-12"]),
        (["Con 30 mila euro", "no, intendevo il 2024"], "30 mila euro", COMING, ["30000"]),
    ],
)
def test_a_fact_is_read_as_the_message_means_it(
    messages: list[str], span: str, passed: dict[str, bool], values: list[str]
) -> None:
    kind = "amount" if "euro" in span else "date"
    facts, _ = facts_in(messages, [Span(text=span, kind=kind, **passed)], "it", date(2026, 11, 23))
    assert [fact["value"] for fact in facts] == values


async def test_links_of_the_sources_are_shown_and_no_others(begin: Any) -> None:
    page = "https://law.example/leave_10?a=1&b=2"
    held = knowledge({**LEAVE, "text": f"{LEAVE['text']} Si veda {page} e {LEFT}."}, faq=())
    talk = begin(held=held, cached_answers=0)

    async def turn(answer: str, *repaired: str) -> Reply:
        again = [(REPAIR, Rewritten(sentences=[*repaired]))] if repaired else []
        return await talk.say("Ferie?", read(), (ANSWER, f"{WELL[1]} {answer}"), *again)

    await check_links(talk, turn, page)
    refused = await talk.say("Ricetta?", read(domain="none", action="talk"), (REFUSE, f"No. Veda {LEFT}MYSECRET."))
    assert (refused.text, refused.warnings) == ("No. ", ("sentence_removed",))
