"""The inner calls with a model that follows a script: valid, malformed, refusing, and with figures of its own."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from product_talk import Talk
from scripted_model import ScriptedModel

from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.graph import build, compile_graph
from turnkeep_agents.products.nodes import WHICH_PRODUCT, Nodes
from turnkeep_agents.products.prompts import RouteResult
from turnkeep_agents.products.search import Finder
from turnkeep_agents.products.state import LASTING, new_turn
from turnkeep.blocks.memory import Summaries
from turnkeep.blocks.understanding import Reading
from turnkeep.errors import ModelBusy
from turnkeep.models.chat import Models
from turnkeep.records import Principal, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.products.settings import ProductsSettings

ANSWER, RESPOND, ROUTE, READ = "products.answer", "products.respond", "products.route", "understand.read"
PHONES = "What phones do you have under $500?"
UNSURE = "Which one suits a gardener?"


@pytest.fixture
def talk(script: ScriptedModel, bundled: Catalogue, context: RunContext) -> Talk:
    tuning = ProductsSettings()
    nodes = Nodes(Models(script, script, "openai", "m"), bundled, Finder(bundled, tuning.top_k), tuning)
    return Talk(compile_graph(nodes), context)


def read(query: str, *, depends: bool = True) -> tuple[str, Reading]:
    return READ, Reading(depends_on_history=depends, standalone_query=query)


def route(name: Any, text: str = "") -> tuple[str, RouteResult]:
    return ROUTE, RouteResult(route=name, text=text)


async def test_a_keyword_decides_the_route_without_a_model(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "The Google Pixel 8a costs $499."))
    reply = await talk.say(PHONES)
    assert (reply.route, reply.text, reply.warnings) == ("retrieve", "The Google Pixel 8a costs $499.", ())
    assert [(source.id, source.cited) for source in reply.sources][:2] == [
        ("google-pixel-8a", True),
        ("samsung-galaxy-a55", False),
    ]


async def test_the_answer_is_asked_from_documents_notes_and_the_question(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "Here they are."))
    await talk.say(PHONES)
    prompt = script.prompt(ANSWER)
    assert '<document id="google-pixel-8a">' in prompt
    assert "price: $499" in prompt
    assert "Say: I found 10 matches for phones under $500" in prompt
    assert prompt.endswith(f"Question: {PHONES}")


async def test_a_tool_result_stands_in_the_prompt_as_one(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "The first is cheaper."))
    reply = await talk.say("Compare the Pixel 8a with the Galaxy A55")
    assert '<tool_result tool="compare">' in script.prompt(ANSWER)
    assert "| price | $499 | $449 |" in script.prompt(ANSWER)
    assert (reply.route, reply.warnings) == ("tool", ())


@pytest.mark.parametrize(
    "said",
    [
        "The Google Pixel 8a costs $459.",
        "It costs about 450 dollars.",
        "All of them are 20% off today.",
        "The Galaxy A55 has a 6000 mAh battery.",
    ],
)
async def test_an_answer_with_a_foreign_figure_gives_way_to_the_rules(
    talk: Talk, script: ScriptedModel, said: str
) -> None:
    script.play((ANSWER, said))
    reply = await talk.say(PHONES)
    assert reply.warnings == ("figure_removed",)
    assert reply.text.startswith("I found 10 matches")
    assert talk.messages[-1].text == reply.text


async def test_a_price_of_an_earlier_answer_is_foreign_to_one_that_was_not_given_it(
    talk: Talk, script: ScriptedModel
) -> None:
    script.play((ANSWER, "The Google Pixel 8a costs $499."), (ANSWER, "This one is dearer than the $499 of the Pixel."))
    _, reply = await talk.all("How much is the Pixel 8a?", "How much is the Galaxy S24 Ultra?")
    assert reply.warnings == ("figure_removed",)
    assert reply.text == "The Samsung Galaxy S24 Ultra costs $1,199."


async def test_figures_of_sources_question_and_lists_are_the_models_to_use(talk: Talk, script: ScriptedModel) -> None:
    said = "Below $500 there are 10:\n1. Google Pixel 8a ($499.00, 6.1 in)\n2. Samsung Galaxy A55 ($449, 5,000 mAh)"
    script.play((ANSWER, said))
    reply = await talk.say(PHONES)
    assert (reply.text, reply.warnings) == (said, ())


async def test_small_talk_with_a_foreign_figure_gives_way_too(talk: Talk, script: ScriptedModel) -> None:
    script.play((RESPOND, "Hi! Today everything is 20% off."))
    reply = await talk.say("Hello!")
    assert reply.warnings == ("figure_removed",)
    assert reply.text.startswith("Hello!")


async def test_a_refusing_answer_becomes_the_text_with_a_warning(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, AIMessage("I won't.", additional_kwargs={"refusal": "I won't."})))
    reply = await talk.say(PHONES)
    assert (reply.text, reply.warnings) == ("I won't.", ("model_refused",))


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        (route("retrieve", "products for the garden"), "retrieve"),
        (route("respond"), "respond"),
        (route("clarify", "What do you do in the garden?"), "clarify"),
    ],
)
async def test_where_rules_are_unsure_a_model_names_the_route(
    talk: Talk, script: ScriptedModel, found: tuple[str, RouteResult], taken: str
) -> None:
    script.play(found)
    if taken != "clarify":
        script.play((ANSWER if taken == "retrieve" else RESPOND, "Gladly."))
    reply = await talk.say(UNSURE)
    assert (reply.route, reply.warnings) == (taken, ())
    if taken == "retrieve":
        assert reply.details["filters"] == {"conditions": ["garden"]}
    if taken == "clarify":
        assert reply.text == "What do you do in the garden?"


async def test_a_question_back_with_a_foreign_figure_is_asked_in_the_words_of_the_rules(
    talk: Talk, script: ScriptedModel
) -> None:
    script.play(route("clarify", "Do you mean the one for $99?"))
    reply = await talk.say(UNSURE)
    assert reply.text == WHICH_PRODUCT


@pytest.mark.parametrize("said", ["nonsense", '{"route": "campaigns"}'])
async def test_a_malformed_route_falls_back_to_the_rules(talk: Talk, script: ScriptedModel, said: str) -> None:
    script.play((ROUTE, said), (ROUTE, said), (RESPOND, "That I cannot say."))
    reply = await talk.say("Who painted the ceiling?")
    assert (reply.route, reply.warnings) == ("respond", ("routed_by_rules",))


async def test_a_follow_up_is_read_by_the_model_where_rules_cannot(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "Five of them."))
    await talk.say(PHONES)
    script.play(read("Compare the Samsung Galaxy A55 with the Google Pixel 8a"), (ANSWER, "They are alike."))
    reply = await talk.say("And next to the one at the top?")
    assert reply.details["tool"] == "compare"
    assert reply.standalone_query == "Compare the Samsung Galaxy A55 with the Google Pixel 8a"


async def test_a_follow_up_that_rules_understand_costs_no_inner_call(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "Five of them."), (ANSWER, "Gladly."))
    _, reply = await talk.all(PHONES, "and under $300?")
    assert reply.standalone_query == "phones under $300"


async def test_events_tell_the_route_and_the_tool(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "In stock."), (ANSWER, "Five."))
    await talk.say("Is the Pixel 8a in stock?")
    assert talk.events == [
        {"event": "route_decision", "route": "tool", "tool": "availability"},
        {"event": "tool_start", "tool": "availability"},
    ]
    await talk.say(PHONES)
    assert talk.events == [
        {"event": "route_decision", "route": "retrieve"},
        {"event": "tool_start", "tool": "retrieve"},
    ]


async def test_only_the_answer_is_streamed_and_only_once(talk: Talk, script: ScriptedModel) -> None:
    script.play(route("respond"), (RESPOND, "Ask me for a product."))
    await talk.say(UNSURE)
    assert talk.tokens.count("Ask me for a product.") == 1
    assert "respond" not in "".join(talk.tokens)


async def test_a_turn_that_runs_again_makes_the_same_message_ids(talk: Talk, script: ScriptedModel) -> None:
    ids = []
    for _ in range(2):
        script.play((ANSWER, "Five."))
        state: Any = {**new_turn(), "messages": [HumanMessage(PHONES, id="h")]}
        values = await talk.graph.ainvoke(state, context=talk.context)
        ids.append(values["messages"][-1].id)
    assert ids[0] == ids[1]


async def test_a_fault_of_the_model_comes_out_as_it_is(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, ModelBusy(retry_after=7)))
    with pytest.raises(ModelBusy):
        await talk.say(PHONES)


async def test_nothing_of_a_turn_leaks_into_the_next(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "Five."), (RESPOND, "Hello."))
    _, reply = await talk.all(PHONES, "Hello!")
    assert (reply.sources, reply.details["filters"], reply.details["tool"]) == ((), {}, None)
    assert reply.details["products"] == []


async def test_the_window_limits_what_prompts_show(script: ScriptedModel, bundled: Catalogue) -> None:
    narrow = RunContext(
        conversation_window=1, now=datetime(2026, 3, 4, tzinfo=UTC), principal=Principal("local", "ann")
    )
    nodes = Nodes(Models(script, script, "openai", "m"), bundled, Finder(bundled, 5), ProductsSettings())
    talk = Talk(compile_graph(nodes), narrow)
    script.play(*[(RESPOND, f"Reply {word}.") for word in ("one", "two", "three")])
    *_, reply = await talk.all("Hello!", "Hi!", "Hey!")
    assert "Reply two." in script.prompt(RESPOND)
    assert "Reply one." not in script.prompt(RESPOND)
    assert reply.details["context"] == {"turns_used": 1, "turns_dropped": 1, "truncated": False}


async def test_tiered_memory_shows_summaries_and_all_that_they_do_not_cover(
    script: ScriptedModel, bundled: Catalogue, context: RunContext
) -> None:
    tuning = ProductsSettings(memory="tiered")
    nodes = Nodes(Models(script, script, "openai", "m"), bundled, Finder(bundled, 5), tuning)
    talk = Talk(compile_graph(nodes), replace(context, conversation_window=1))
    for turn in range(11):
        if turn == 10:
            script.play(("memory.fold", Summaries(messages="They greeted five times.", merged="")))
        script.play((RESPOND, f"Reply {'abcdefghijk'[turn]}."))
        await talk.say("Hello!")
    shown = script.prompt(RESPOND)
    assert "<memory>" in shown
    assert "They greeted five times." in shown
    assert "Reply f." in shown
    assert "Reply e." not in shown


async def test_what_is_due_is_told_as_of_the_day_of_the_run(bundled: Catalogue, script: ScriptedModel) -> None:
    for year, told in ((2026, "back on 22 January 2027"), (2028, "was due back on 22 January 2027")):
        context = RunContext(
            conversation_window=5, now=datetime(year, 3, 4, tzinfo=UTC), principal=Principal("local", "ann")
        )
        nodes = Nodes(Models(script, script, "openai", "m"), bundled, Finder(bundled, 5), ProductsSettings())
        script.play((ANSWER, "Later."))
        await Talk(compile_graph(nodes), context).say("When will the AirPods Max be back?")
        assert told in script.prompt(ANSWER)


async def test_a_product_that_has_left_the_catalogue_is_forgotten(
    talk: Talk, script: ScriptedModel, bundled: Catalogue, context: RunContext
) -> None:
    script.play((ANSWER, "Fine."), (ANSWER, "Five."))
    await talk.say("Tell me about the Pixel 8a")
    rest = Catalogue([product for product in bundled.products if product.id != "google-pixel-8a"])
    nodes = Nodes(Models(script, script, "openai", "m"), rest, Finder(rest, 5), ProductsSettings())
    later = Talk(compile_graph(nodes), context)
    later.kept = talk.kept
    reply = await later.say(PHONES)
    assert "google-pixel-8a" not in reply.details["products"]


async def test_the_state_is_plain_data_that_strict_msgpack_takes(talk: Talk, script: ScriptedModel) -> None:
    script.play((ANSWER, "Five."), (ANSWER, "So."))
    await talk.all(PHONES, "Compare the Pixel 8a with the Galaxy A55")
    plain = {key: value for key, value in talk.values.items() if key != "messages"}
    serde = JsonPlusSerializer(allowed_msgpack_modules=[])
    assert serde.loads_typed(serde.dumps_typed(plain)) == plain
    assert {"referents", "memory", "search"} == LASTING - {"messages"}


@pytest.mark.parametrize("tuning", [{}, {"catalogue": "absent.csv"}])
def test_the_agent_is_built_without_a_key_and_only_with_a_catalogue(tuning: dict[str, str]) -> None:
    settings = Settings(model="demo", products=ProductsSettings.model_validate(tuning))
    attempt: Callable[[], Any] = lambda: build(settings)  # noqa: E731
    if tuning:
        with pytest.raises(ValueError, match=r"absent\.csv: cannot be read"):
            attempt()
    else:
        agent = attempt()
        assert (agent.name, agent.window, agent.prompt_window, agent.model) == ("products", 12, 5, "demo")
