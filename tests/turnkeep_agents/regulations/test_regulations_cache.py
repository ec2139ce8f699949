"""Answers that are given again without a model: only where nothing that they depend on is another."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from law_samples import ANSWER, ARTICLES, CONTRACT, LABEL, LEAVE, WELL, attached, knowledge, nodes, read

from agent_thread import Thread
from scripted_model import ScriptedModel
from turnkeep.records import JSON, Principal, RunContext
from turnkeep_agents.caches import Newest
from turnkeep_agents.regulations.graph import compile_graph

ASKED = "Quali ferie spettano?"
READINGS = "Quattro settimane, del resto [DLGS-66-2003-10]."
SOMEBODY = "Mi chiamo [PERSON_1a2b3c4d], quali ferie spettano?"

type Begin = Callable[..., Thread]


@pytest.fixture
def begin(script: ScriptedModel, context: RunContext) -> Begin:
    """A new thread in the same process, which may differ in what it is told."""
    cache = Newest[JSON](8)

    def begin(said: RunContext = context, **setup: Any) -> Thread:
        return Thread(compile_graph(nodes(script, **{"cache": cache, **setup})), said, script)

    return begin


def asked(script: ScriptedModel) -> int:
    return len(script.asked)


async def test_the_same_question_is_answered_again_without_a_model(begin: Begin, script: ScriptedModel) -> None:
    first = await begin().say(ASKED, read(), WELL)
    before = asked(script)
    thread = begin()
    again = await thread.say(ASKED)
    assert asked(script) == before
    assert (again.text, again.route, again.sources, again.model) == (
        first.text,
        first.route,
        first.sources,
        first.model,
    )
    assert again.details["context_metadata"] == first.details["context_metadata"]
    assert len(again.details["reasoning_steps"]) == 1
    assert "".join(thread.tokens) == first.text
    assert [message.text for message in thread.messages] == [ASKED, first.text]


async def test_another_user_of_the_tenant_is_given_it_too(begin: Begin, context: RunContext) -> None:
    await begin().say(ASKED, read(), WELL)
    bob = replace(context, principal=Principal("local", "bob"))
    assert (await begin(bob).say(ASKED)).text == WELL[1]


@pytest.mark.parametrize(
    "changed",
    [{"principal": Principal("another", "ann")}, {"conversation_window": 3}, {"documents": attached(CONTRACT)}],
    ids=lambda changed: next(iter(changed)),
)
async def test_another_tenant_window_or_document_asks_the_model(
    changed: dict[str, Any], begin: Begin, context: RunContext
) -> None:
    await begin().say(ASKED, read(), WELL)
    assert (await begin(replace(context, **changed)).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_the_next_day_asks_the_model(begin: Begin, context: RunContext) -> None:
    await begin().say(ASKED, read(), WELL)
    evening, morning = (replace(context, now=context.now + timedelta(hours=hours)) for hours in (23, 24))
    assert (await begin(evening).say(ASKED)).text == WELL[1]
    assert (await begin(morning).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


@pytest.mark.parametrize(
    "setup",
    [
        {"held": knowledge(*ARTICLES[1:], {**LEAVE, "text": "Quattro settimane e mezza."})},
        {"held": knowledge(*ARTICLES, faq=())},
        {"names": ("gpt-4.1-mini", "gpt-4.1-nano")},
        {"names": ("gpt-4.1", "gpt-4.1-mini")},
        {"top_k": 3},
    ],
    ids=["article", "faq", "model", "small model", "tuning"],
)
async def test_other_knowledge_models_or_tuning_ask_the_model(setup: dict[str, Any], begin: Begin) -> None:
    await begin().say(ASKED, read(), WELL)
    assert (await begin(**setup).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_the_conversation_is_part_of_the_cache_key(begin: Begin) -> None:
    await begin().say(ASKED, read(), WELL)
    talk = begin()
    await talk.say("Che cos'è il preavviso?", read("preavviso"), (ANSWER, "Va dato [CC-2118]."))
    assert (await talk.say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_an_answer_from_a_document_is_not_remembered(begin: Begin, context: RunContext) -> None:
    with_document = replace(context, documents=attached(CONTRACT))
    own = (ANSWER, f"Il contratto dice 45 giorni [{LABEL}-1].")
    await begin(with_document).say(ASKED, read(composition="hybrid"), own)
    assert (await begin(with_document).say(ASKED, read(), WELL)).text == WELL[1]
    assert (await begin().say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_an_answer_with_personal_data_is_never_reused(begin: Begin) -> None:
    await begin().say(SOMEBODY, read(), WELL)
    talk = begin()
    assert (await talk.say(SOMEBODY, read(), (ANSWER, READINGS))).text == READINGS
    assert (await talk.say(ASKED, read(), WELL)).text == WELL[1]
    assert (await begin().say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_without_pii_detection_an_answer_is_reused_for_its_user_only(begin: Begin, context: RunContext) -> None:
    await begin(pii=False).say(ASKED, read(), WELL)
    assert (await begin(pii=False).say(ASKED)).text == WELL[1]
    bob = replace(context, principal=Principal("local", "bob"))
    assert (await begin(bob, pii=False).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_the_oldest_answers_are_forgotten_first(script: ScriptedModel, begin: Begin) -> None:
    cache = Newest[JSON](1)
    await begin(cache=cache).say(ASKED, read(), WELL)
    await begin(cache=cache).say("E poi?", read(), WELL)
    assert (await begin(cache=cache).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_without_room_nothing_is_remembered(begin: Begin) -> None:
    for answer in (WELL, (ANSWER, READINGS)):
        assert (await begin(cache=Newest[JSON](0)).say(ASKED, read(), answer)).text == answer[1]


async def test_an_answer_with_a_warning_is_not_reused(begin: Begin) -> None:
    assert (await begin().say(ASKED, read(), (ANSWER, "Dipende."))).warnings == ("no_citation",)
    assert (await begin().say(ASKED, read(), WELL)).text == WELL[1]
    assert (await begin().say(ASKED)).text == WELL[1]
