"""What the demo answers in place of a model: whole questions rightly, and of all others that it does not understand."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from agent_thread import Thread
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.settings import Settings
from turnkeep_agents.products.catalogue.products import Catalogue, open_catalogue
from turnkeep_agents.products.graph import build
from turnkeep_demo.products.forms import known_questions
from turnkeep_demo.products.rules import UNKNOWN, answer, read
from turnkeep_demo.products.thread import thread_of

AGENT = build(Settings(model="demo"))
CONTEXT = RunContext(5, datetime(2026, 3, 4, tzinfo=UTC), Principal("local", "ann"))
NOTHING = "does not understand that whole"
FIRST = "What phones do you have under $500?"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return open_catalogue(None)


async def talk(*messages: str) -> Sequence[Reply]:
    return await Thread(AGENT.graph, CONTEXT).talk(*messages)


async def test_the_conversation_of_the_design() -> None:
    listed, told, compared, narrowed = await talk(
        FIRST, "Tell me more about the Samsung one", "how does it compare to the first?", "and under $300?"
    )
    assert [reply.route for reply in (listed, told, compared, narrowed)] == ["retrieve", "retrieve", "tool", "retrieve"]
    assert "10 fit, from $89 to $499; 4 shown" in listed.text
    assert told.text.startswith("The Samsung Galaxy A55 costs $449: in stock;")
    assert told.standalone_query == "tell me about Samsung Galaxy A55"
    assert "The Samsung Galaxy A55 is $50 cheaper than the Google Pixel 8a." in compared.text
    assert "5 fit, from $89 to $299" in narrowed.text
    assert not any(reply.warnings for reply in (listed, told, compared, narrowed))


@pytest.mark.parametrize(
    ("message", "args"),
    [
        ("noise-canceling headphones for less than 200 dollars", ("headphones", 199.99, ["noise cancelling"])),
        ("Show me waterproof phones up to $1,000 please", ("phones", 1000, ["waterproof"])),
        ("which e-readers have warm light?", ("e-readers", None, ["warm light"])),
        ("do you have kettles", ("kitchen appliances", None, ["type kettle"])),
    ],
)
async def test_kinds_prices_and_properties_become_a_search(message: str, args: tuple[str, float, list[str]]) -> None:
    [reply] = await talk(message)
    [filters] = reply.details["filters"]
    assert (filters["category"], filters.get("price_max"), filters["terms"]) == args


async def test_brands_are_wanted_or_not(catalogue: Catalogue) -> None:
    wanted, unwanted = await talk("65-inch TVs from Samsung or LG", "phones that are not from Apple")
    assert {product.brand for product in catalogue.get(wanted.details["products"])} == {"Samsung", "LG"}
    assert unwanted.details["filters"] == [{"category": "phones", "not_terms": ["Apple"]}]


@pytest.mark.parametrize(
    ("message", "unwanted"),
    [
        ("speakers except Bose, Sonos and JBL", ["Bose", "Sonos", "JBL"]),
        ("Do you have monitors that are not by Dell or by Asus?", ["Dell", "Asus"]),
        ("cameras without Canon ones nor Sony ones", ["Canon", "Sony"]),
        ("headphones, no Beyerdynamic and no Sony", ["Beyerdynamic", "Sony"]),
    ],
)
async def test_none_of_a_list_is_wanted_where_a_negation_stands_before_it(message: str, unwanted: list[str]) -> None:
    [reply] = await talk(message)
    assert (reply.details["filters"][0].get("terms"), reply.details["filters"][0]["not_terms"]) == (None, unwanted)


async def test_what_is_not_wanted_adds_up_and_takes_back_what_was_wanted() -> None:
    *_, last = await talk("Speakers from Sonos or Bose", "not Bose", "without JBL ones")
    assert last.details["filters"] == [{"category": "speakers", "terms": ["Sonos"], "not_terms": ["Bose", "JBL"]}]


async def test_an_amount_is_exact_where_nothing_else_is_said(catalogue: Catalogue) -> None:
    exact, least = await talk("Tablets with 8 GB of memory", "Tablets with at least 8 GB of memory")
    memory = {product.number("memory") for product in catalogue.get(exact.details["products"])}
    assert memory == {8}
    assert "max" not in least.details["filters"][0]["ranges"][0]


async def test_a_number_like_a_year_is_a_price_only_with_its_currency() -> None:
    year, years, price = await talk("Monitors from 2022", "Laptops between 2021 and 2023", "Laptops from $2023")
    assert NOTHING in year.text
    assert NOTHING in years.text
    assert price.details["filters"] == [{"category": "laptops", "price_min": 2023}]


async def test_a_follow_up_changes_the_last_search_and_anything_else_is_not_guessed() -> None:
    _, red, sony = await talk("Which headphones are wireless?", "do you have red ones?", "What do you have from Sony?")
    assert red.details["filters"] == [{"category": "headphones", "terms": ["wireless", "red"]}]
    assert NOTHING in sony.text


async def test_a_superlative_orders_and_shows_what_it_orders_by(catalogue: Catalogue) -> None:
    [light] = await talk("Which is the lightest laptop?")
    weights = [product.measure("weight") for product in catalogue.get(light.details["products"])]
    values = [measure.value for measure in weights if measure]
    assert values == sorted(values)
    assert "weight 1." in light.text


async def test_prices_stock_and_single_attributes_are_looked_up() -> None:
    told = await talk("How much are two Dyson V8?", "how much does it weigh?", "Is the Nespresso Vertuo Next in stock?")
    assert "2 x Dyson V8: $798 together" in told[0].text
    assert told[1].text == "Dyson V8: weight 2.6 kg."
    assert told[2].text == "Nespresso Vertuo Next: out of stock, back on 15 December 2026"


@pytest.mark.parametrize(
    "message",
    [
        "What phones under 400 have a good camera?",
        "do you ship to Italy?",
        "phones on offer",
        "which phones don't have 5G",
        "something cheaper than the Bose QuietComfort Ultra",
        "Is the Galaxy S25 in stock?",
        "headphones and a tablet under $400",
        "hola, ¿tienen auriculares?",
        "phones for about $300",
        "How many phones do you have?",
        "which of them is best for football",
        "anything waterproof",
        "Speakers not from Bose, Sonos",
        "cameras not from Sony but from Canon",
        "phones not from Nokia and foldable",
        "tablets without a stylus and 5G",
        "speakers that are not black or blue",
        "headphones that are not on-ear",
        "which headphones are in-ear?",
        "televisions without LED",
        "headphones with 20 hours of battery life",
    ],
)
async def test_what_is_not_understood_whole_is_said_with_three_questions_that_are(message: str) -> None:
    [reply] = await talk(message)
    assert NOTHING in reply.text
    assert reply.text.count("\n- ") == 3
    assert (reply.route, reply.warnings) == ("respond", ())


async def test_each_question_that_it_names_is_one_that_it_understands() -> None:
    notes = {"notes": ["The catalogue: 26 phones, 17 televisions."], "query": "?"}
    for question in known_questions("televisions?", ["Dyson V8", "Sonos Beam"], thread_of(notes)):
        [reply] = await talk(question)
        assert NOTHING not in reply.text, question


def test_in_a_catalogue_of_ones_own_it_knows_kinds_and_what_the_thread_named() -> None:
    notes = ["The catalogue: 12 tents, 3 stoves.", "Last list: 1. Trail Tent ($199.50), 2. Basecamp Dome ($1,449)"]
    wanted: Any = read({"query": "which tents are under $300", "notes": notes})
    assert wanted[0]["args"] == {"wish": "which tents are under $300", "category": "tents", "price_max": 299.99}
    compared: Any = read({"query": "compare the Trail Tent with the second one", "notes": notes})
    assert compared[0]["args"]["names"] == ["Trail Tent", "Basecamp Dome"]
    assert NOTHING in str(read({"query": "What phones do you sell?", "notes": notes}))


def test_an_answer_without_results_is_no_answer() -> None:
    assert answer({"tool_results": []}) == UNKNOWN
