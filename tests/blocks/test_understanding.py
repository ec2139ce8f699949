"""Rules decide alone where they can; a model is asked once where they cannot, and its answer has to be usable."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from agents.scripted_model import ScriptedModel
from turnkeep.blocks.referents import Thing, no_referents, remember
from turnkeep.blocks.understanding import Reading, understand
from turnkeep.errors import ModelBusy

GALAXY = Thing(id="s1", name="Samsung Galaxy A35", kind="phone", hints=["Samsung"])
PIXEL = Thing(id="g1", name="Google Pixel 8a", kind="phone", hints=["Google"])
LISTED = remember(no_referents(), listed=[GALAXY, PIXEL])
ON_PIXEL = remember(LISTED, focus=[PIXEL])
HISTORY: list[AnyMessage] = [
    HumanMessage("Which phones cost less than $500?", id="h1"),
    AIMessage("The Samsung Galaxy A35 and the Google Pixel 8a.", id="a1"),
]
CALL = "understand.read"


@pytest.fixture
def script():
    model = ScriptedModel()
    yield model
    model.check_finished()


def reads(query, *, depends=True):
    return CALL, Reading(depends_on_history=depends, standalone_query=query)


async def test_a_message_that_stands_alone_costs_no_call_and_is_its_own_query(script):
    message = "What is a suspension bridge?"
    understood = await understand(message, HISTORY, LISTED, window=5, model=script)
    assert (understood.is_follow_up, understood.standalone_query, understood.search_query) == (False, message, message)
    assert script.asked == []


async def test_a_first_message_costs_no_call(script):
    understood = await understand("And how heavy is it?", [], no_referents(), window=5, model=script)
    assert (understood.is_follow_up, understood.standalone_query) == (False, "And how heavy is it?")


async def test_a_reference_is_replaced_by_the_name_without_a_model():
    understood = await understand("Tell me more about the Samsung one", HISTORY, LISTED, window=5, model=None)
    assert understood.is_follow_up
    assert understood.standalone_query == "Tell me more about Samsung Galaxy A35"
    assert "Samsung Galaxy A35" in understood.search_query
    assert understood.things == (GALAXY,)


async def test_a_reference_makes_a_follow_up_of_what_reads_as_complete():
    message = "Does the Google phone support two SIM cards of different providers in Italy?"
    understood = await understand(message, HISTORY, LISTED, window=5, model=None)
    assert (understood.is_follow_up, understood.things) == (True, (PIXEL,))


async def test_what_is_only_left_out_is_put_in_brackets_without_a_model():
    understood = await understand("and the price?", HISTORY, ON_PIXEL, window=5, model=None)
    assert understood.standalone_query == "and the price? (Google Pixel 8a; Which phones cost less than $500?)"
    assert "Google Pixel 8a" in understood.search_query


async def test_only_the_window_is_leant_on():
    earlier: list[AnyMessage] = [HumanMessage("Where is Rome?", id="h0"), AIMessage("In Italy.", id="a0")]
    understood = await understand("and the price?", [*earlier, *HISTORY], no_referents(), window=1, model=None)
    assert "Rome" not in understood.search_query + understood.standalone_query


async def test_what_is_unclear_is_handed_on():
    understood = await understand("how much is it?", HISTORY, LISTED, window=5, model=None)
    assert [(one.phrase, one.things) for one in understood.unclear] == [("it", (GALAXY, PIXEL))]


async def test_a_model_rewrites_a_follow_up_in_one_call(script):
    script.play(reads("How much is the Google Pixel 8a with 256 GB?"))
    understood = await understand("and with 256 GB?", HISTORY, ON_PIXEL, window=5, model=script)
    assert understood.is_follow_up
    assert understood.standalone_query == understood.search_query == "How much is the Google Pixel 8a with 256 GB?"
    assert understood.things == (PIXEL,)
    assert understood.warnings == ()


async def test_the_prompt_shows_the_window_what_was_spoken_of_and_the_last_list(script):
    earlier: list[AnyMessage] = [HumanMessage("Where is Rome?", id="h0"), AIMessage("In Italy.", id="a0")]
    script.play(reads("x"))
    await understand("and the price?", [*earlier, *HISTORY], ON_PIXEL, window=1, model=script)
    prompt = script.prompt(CALL)
    assert "Spoken of last: Google Pixel 8a." in prompt
    assert "1. Samsung Galaxy A35; 2. Google Pixel 8a" in prompt
    assert ("cost less than $500" in prompt, "Rome" in prompt) == (True, False)


async def test_a_model_that_sees_no_follow_up_keeps_the_message(script):
    script.play(reads("something else", depends=False))
    message = "And the price of the Google Pixel 8a?"
    understood = await understand(message, HISTORY, ON_PIXEL, window=5, model=script)
    assert (understood.is_follow_up, understood.standalone_query) == (False, message)
    assert understood.search_query == message
    assert understood.things == (PIXEL,)


async def test_a_model_that_rewrites_nothing_leaves_the_rules_query(script):
    script.play(reads("how much is it?"))
    understood = await understand("how much is it?", HISTORY, ON_PIXEL, window=5, model=script)
    assert understood.standalone_query == "how much is Google Pixel 8a?"


async def test_a_model_settles_what_the_rules_could_not(script):
    script.play(reads("How much is the Samsung Galaxy A35?"))
    understood = await understand("how much is it?", HISTORY, LISTED, window=5, model=script)
    assert (understood.things, understood.unclear) == ((GALAXY,), ())


@pytest.mark.parametrize("answer", ["", "   ", "x" * 1001])
async def test_an_unusable_rewrite_falls_back_to_the_rules_with_a_warning(script, answer):
    wrong = AIMessage(
        "",
        tool_calls=[{"name": "Reading", "args": {"depends_on_history": True, "standalone_query": answer}, "id": "1"}],
    )
    script.play((CALL, wrong), (CALL, wrong))
    understood = await understand("how much is it?", HISTORY, ON_PIXEL, window=5, model=script)
    assert understood.standalone_query == "how much is Google Pixel 8a?"
    assert understood.warnings == ("reformulation_failed",)


@pytest.mark.parametrize(
    "wrong",
    [
        AIMessage("I would rather not.", additional_kwargs={"refusal": "no"}),
        AIMessage("They ask for the price."),
        AIMessage("", tool_calls=[{"name": "Other", "args": {}, "id": "1"}]),
        AIMessage("", invalid_tool_calls=[{"name": "Reading", "args": "{", "id": "1", "error": "not JSON"}]),
    ],
)
async def test_a_refusal_or_malformed_answer_falls_back_too(script, wrong):
    script.play((CALL, wrong), (CALL, wrong))
    understood = await understand("how much is it?", HISTORY, ON_PIXEL, window=5, model=script)
    assert (understood.things, understood.warnings) == ((PIXEL,), ("reformulation_failed",))


async def test_a_fault_of_the_model_ends_the_run(script):
    script.play((CALL, ModelBusy()))
    with pytest.raises(ModelBusy):
        await understand("how much is it?", HISTORY, ON_PIXEL, window=5, model=script)


@pytest.mark.parametrize("message", ["them " * 13_000, "Which shop in Rome sells tripods? " * 1900])
async def test_a_long_message_is_read_by_its_beginning(message):
    understood = await understand(message, HISTORY, LISTED, window=5, model=None)
    assert len(understood.standalone_query) <= 2_000
    assert len(understood.search_query) <= 10_000


async def test_a_name_alone_makes_no_follow_up():
    message = "Does the Google Pixel 8a run Android 15?"
    understood = await understand(message, HISTORY, LISTED, window=5, model=None)
    assert (understood.standalone_query, understood.things) == (message, (PIXEL,))
