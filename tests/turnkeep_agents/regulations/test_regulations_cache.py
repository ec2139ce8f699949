"""Answers that are given again without a model: only where nothing that they depend on has changed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
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
BOB = Principal("local", "bob")
EVENING, NEXT_DAY = datetime(2026, 3, 4, 23, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)

type Begin = Callable[..., Thread]


@pytest.fixture
def begin(script: ScriptedModel, context: RunContext) -> Begin:
    """A new thread in the same process, in a context with these changes."""
    cache = Newest[JSON](8)

    def begin(changed: dict[str, Any] | None = None, **setup: Any) -> Thread:
        graph = compile_graph(nodes(script, **{"cache": cache, **setup}))
        return Thread(graph, replace(context, **(changed or {})), script)

    return begin


@pytest.mark.parametrize("changed", [{}, {"principal": BOB}, {"now": EVENING}])
async def test_the_same_question_is_answered_again_without_a_model(
    changed: dict[str, Any], begin: Begin, script: ScriptedModel
) -> None:
    first = await begin().say(ASKED, read(), WELL)
    before = len(script.asked)
    thread = begin(changed)
    again = await thread.say(ASKED)
    assert len(script.asked) == before
    assert (again.text, again.route, again.sources) == (first.text, first.route, first.sources)
    assert again.model == first.model
    assert again.details["context_metadata"] == first.details["context_metadata"]
    assert len(again.details["reasoning_steps"]) == 1
    assert "".join(thread.tokens) == first.text
    assert [message.text for message in thread.messages] == [ASKED, first.text]


@pytest.mark.parametrize(
    ("changed", "setup"),
    [
        ({"principal": Principal("another", "ann")}, {}),
        ({"conversation_window": 3}, {}),
        ({"documents": attached(CONTRACT)}, {}),
        ({"now": NEXT_DAY}, {}),
        ({}, {"held": knowledge(*ARTICLES[1:], {**LEAVE, "text": "Quattro settimane e mezza."})}),
        ({}, {"held": knowledge(*ARTICLES, faq=())}),
        ({}, {"names": ("gpt-4.1-mini", "gpt-4.1-nano")}),
        ({}, {"names": ("gpt-4.1", "gpt-4.1-mini")}),
        ({}, {"top_k": 3}),
    ],
)
async def test_a_change_of_what_it_depends_on_asks_the_model(
    changed: dict[str, Any], setup: dict[str, Any], begin: Begin
) -> None:
    await begin().say(ASKED, read(), WELL)
    assert (await begin(changed, **setup).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_the_conversation_is_part_of_the_cache_key(begin: Begin) -> None:
    await begin().say(ASKED, read(), WELL)
    talk = begin()
    await talk.say("Che cos'è il preavviso?", read("preavviso"), (ANSWER, "Va dato [CC-2118]."))
    assert (await talk.say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


async def test_an_answer_from_a_document_is_not_remembered(begin: Begin) -> None:
    with_document = {"documents": attached(CONTRACT)}
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


async def test_without_pii_detection_an_answer_is_reused_for_its_user_only(begin: Begin) -> None:
    await begin(pii=False).say(ASKED, read(), WELL)
    assert (await begin(pii=False).say(ASKED)).text == WELL[1]
    assert (await begin({"principal": BOB}, pii=False).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS


@pytest.mark.parametrize("room", [0, 1])
async def test_the_oldest_answers_are_forgotten_first(room: int, begin: Begin) -> None:
    cache = Newest[JSON](room)
    for asked in (ASKED, "E poi?"):
        await begin(cache=cache).say(asked, read(), WELL)
    assert (await begin(cache=cache).say(ASKED, read(), (ANSWER, READINGS))).text == READINGS
    if room:
        assert (await begin(cache=cache).say(ASKED)).text == READINGS


async def test_an_answer_with_a_warning_is_not_reused(begin: Begin) -> None:
    assert (await begin().say(ASKED, read(), (ANSWER, "Dipende."))).warnings == ("no_citation",)
    assert (await begin().say(ASKED, read(), WELL)).text == WELL[1]
    assert (await begin().say(ASKED)).text == WELL[1]
