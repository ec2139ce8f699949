"""Conversations with the demo model over the bundled catalogue: what a newcomer sees."""

import json
from collections.abc import Callable

import pytest
from product_talk import Talk

from turnkeep_agents.products.answers import OFFER, ONLY_ENGLISH
from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.prompts import HISTORY_TOKENS
from turnkeep.records import Reply
from turnkeep.tokens import estimate_tokens

FIRST = "What phones do you have under $500?"


def products(reply: Reply) -> list[str]:
    return list(reply.details["products"])


def brands(reply: Reply, catalogue: Catalogue) -> set[str]:
    return {product.brand for product in catalogue.get(products(reply))}


async def test_the_conversation_of_the_design(talk: Talk, bundled: Catalogue) -> None:
    listed, told, compared, shifted = await talk.all(
        FIRST,
        "Tell me more about the Samsung one",
        "how does it compare to the first?",
        "Do you sell OLED televisions?",
    )
    assert (listed.route, len(products(listed))) == ("retrieve", 5)
    assert all(product.price < 500 and product.category == "phones" for product in bundled.get(products(listed)))
    assert products(told) == ["samsung-galaxy-a55"]
    assert told.standalone_query == "Tell me more about Samsung Galaxy A55"
    assert "costs $449" in told.text
    assert (compared.route, compared.details["tool"]) == ("tool", "compare")
    assert products(compared) == ["samsung-galaxy-a55", products(listed)[0]]
    assert "The Samsung Galaxy A55 is $50 cheaper than the Google Pixel 8a." in compared.text
    assert shifted.standalone_query == "Do you sell OLED televisions?"
    assert {product.category for product in bundled.get(products(shifted))} == {"televisions"}


async def test_a_list_says_how_many_there_are_what_they_cost_and_how_it_is_ordered(talk: Talk) -> None:
    reply = await talk.say(FIRST)
    assert reply.text.startswith("I found 10 matches for phones under $500, from $89 to $499.")
    assert "Here are 5 of them, the best rated first:" in reply.text
    assert "1. Google Pixel 8a, $499, rated 4.6: " in reply.text
    assert [source.cited for source in reply.sources] == [True] * 5


async def test_each_answer_is_that_of_the_demo_model_and_keeps_how_it_came_about(talk: Talk) -> None:
    reply = await talk.say(FIRST)
    assert reply.warnings == ("demo_model",)
    assert reply.details["filters"] == {"categories": ["phones"], "conditions": ["under $500"]}
    assert reply.details["context"] == {"turns_used": 0, "turns_dropped": 0, "truncated": False}
    assert len(reply.details["reasoning_steps"]) == 4
    assert reply.confidence is None


@pytest.mark.parametrize(
    ("follow_up", "query"),
    [
        ("only in black", "phones in black under $500"),
        ("and under $300?", "phones under $300"),
        ("not Samsung", "phones under $500 not by Samsung"),
        ("what about tablets?", "tablets under $500"),
        ("with at least 256 GB", "phones under $500 (storage at least 256 GB)"),
        ("available ones only", "phones under $500 in stock"),
        ("cheaper ones", "phones under $299"),
    ],
)
async def test_a_follow_up_inherits_the_filters(talk: Talk, bundled: Catalogue, follow_up: str, query: str) -> None:
    _, reply = await talk.all(FIRST, follow_up)
    assert reply.standalone_query == query
    assert products(reply)
    assert all(product.price < 500 for product in bundled.get(products(reply)))


@pytest.mark.parametrize("shift", ["Which cameras film in 4K?", "laptops under $1000", "Hello!", "a red stand mixer"])
async def test_a_topic_shift_inherits_nothing(talk: Talk, shift: str) -> None:
    _, reply = await talk.all(FIRST, shift)
    assert reply.standalone_query == shift
    assert "phones" not in json.dumps(reply.details["filters"])


async def test_filters_add_up_over_turns_and_the_last_word_counts(talk: Talk) -> None:
    replies = await talk.all("headphones", "wireless", "under $200", "in white", "in black?", "under $100", "from Sony")
    assert replies[-1].standalone_query == "Sony wireless headphones in black under $100"
    assert products(replies[-1]) == ["sony-wh-ch520"]


async def test_more_shows_what_was_not_shown_yet(talk: Talk) -> None:
    first, second, third = await talk.all(FIRST, "show me more", "any others?")
    assert (len(products(first)), len(products(second))) == (5, 5)
    assert not set(products(first)) & set(products(second))
    assert products(third) == []
    assert "Nothing more" in third.text


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how much is it?", "The Samsung Galaxy A55 costs $449."),
        ("is it in stock?", "The Samsung Galaxy A55 is in stock."),
        ("does it have wireless charging?", "No, the Samsung Galaxy A55 is listed without “wireless charging”"),
        ("is it waterproof?", "Yes, the Samsung Galaxy A55: waterproof."),
        ("what colours are there?", "The colours of the Samsung Galaxy A55: black, blue, lilac."),
        ("how heavy is it?", "The weight of the Samsung Galaxy A55: 213 g."),
        ("what does it weigh?", "The weight of the Samsung Galaxy A55: 213 g."),
        ("does it come with more than 4 GB of RAM?", "Yes, the Samsung Galaxy A55: memory: 8 GB."),
    ],
)
async def test_questions_go_on_about_the_product_in_focus(talk: Talk, question: str, told: str) -> None:
    *_, reply = await talk.all(FIRST, "Tell me more about the Samsung one", question)
    assert products(reply) == ["samsung-galaxy-a55"]
    assert told in reply.text


@pytest.mark.parametrize(
    ("question", "winner"),
    [
        ("which one is the cheapest?", "xiaomi-redmi-note-13-pro"),
        ("Which of these is the lightest?", "apple-iphone-se"),
        ("the one with the biggest battery", "oneplus-nord-4"),
        ("which has the best camera?", "xiaomi-redmi-note-13-pro"),
    ],
)
async def test_a_superlative_picks_from_what_was_listed(talk: Talk, question: str, winner: str) -> None:
    listed, picked = await talk.all(FIRST, question)
    assert products(picked)[0] == winner
    assert set(products(picked)) <= set(products(listed))


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("what does it weigh?", "what does Samsung Galaxy A55 weigh?"),
        ("how long does the battery last?", "how long does the battery last? (Samsung Galaxy A55)"),
        ("is the 5000 mAh one in stock?", "is the 5000 mAh one in stock? (Samsung Galaxy A55)"),
    ],
)
async def test_a_standalone_query_names_the_product(talk: Talk, question: str, query: str) -> None:
    *_, reply = await talk.all(FIRST, "Tell me more about the Samsung one", question)
    assert (reply.standalone_query, products(reply)) == (query, ["samsung-galaxy-a55"])


async def test_a_winner_is_what_the_next_question_is_about(talk: Talk) -> None:
    _, won, price = await talk.all("tablets", "which one is the cheapest?", "how much is it?")
    assert price.details["tool"] == "price"
    assert products(price) == products(won)[:1]


@pytest.mark.parametrize(
    ("question", "tool", "ids"),
    [
        ("Compare the Pixel 8 with the Galaxy S24", "compare", ["google-pixel-8", "samsung-galaxy-s24"]),
        ("Galaxy S24 versus iPhone 15", "compare", ["samsung-galaxy-s24", "apple-iphone-15"]),
        ("Is the Roomba j7 cheaper than the Dyson V8?", "compare", ["irobot-roomba-j7", "dyson-v8"]),
        ("Kindle or Kobo Clara?", "compare", ["amazon-kindle", "kobo-clara-bw"]),
        ("What does the LG B4 cost?", "price", ["lg-b4-48"]),
        ("Is the Nokia G42 available?", "availability", ["nokia-g42"]),
        ("when will the AirPods Max be back?", "availability", ["apple-airpods-max"]),
    ],
)
async def test_a_tool_keyword_with_a_product_uses_the_tool(
    talk: Talk, question: str, tool: str, ids: list[str]
) -> None:
    reply = await talk.say(question)
    assert (reply.route, reply.details["tool"], products(reply)) == ("tool", tool, ids)


async def test_a_tool_keyword_without_a_product_searches_a_category(talk: Talk, bundled: Catalogue) -> None:
    reply = await talk.say("Which tablets are available?")
    assert reply.route == "retrieve"
    assert all(product.stock.is_in for product in bundled.get(products(reply)))


async def test_a_tool_keyword_without_anything_asks_and_takes_the_answer(talk: Talk) -> None:
    asked, answered = await talk.all("how much is it?", "the Pixel 8")
    assert (asked.route, asked.text[-1]) == ("clarify", "?")
    assert answered.text == "The Google Pixel 8 costs $599."


async def test_a_comparison_with_one_product_asks_for_the_other(talk: Talk) -> None:
    asked, answered = await talk.all("Compare the Dell XPS 13", "the HP Spectre")
    assert asked.route == "clarify"
    assert "compare the Dell XPS 13 with" in asked.text
    assert (answered.details["tool"], products(answered)) == ("compare", ["dell-xps-13", "hp-spectre-x360"])


async def test_a_word_that_may_mean_several_products_asks_which(talk: Talk) -> None:
    _, asked, chosen = await talk.all("Samsung phones", "how much is it?", "the second one")
    assert asked.route == "clarify"
    assert "Samsung Galaxy S24 Ultra" in asked.text
    assert (chosen.details["tool"], products(chosen)) == ("price", products(asked)[1:2])


async def test_contradictory_wishes_are_said_and_the_rest_is_kept(talk: Talk) -> None:
    asked, answered = await talk.all("phones under $100 and over $500", "under $100")
    assert (asked.route, products(asked)) == ("clarify", [])
    assert "$100" in asked.text
    assert answered.standalone_query == "phones under $100"
    assert products(answered) == ["nokia-2780-flip"]


async def test_nothing_that_fits_is_said_with_the_nearest_and_what_was_given_up(talk: Talk) -> None:
    reply = await talk.say("laptops under $200")
    assert "Nothing in the catalogue matches laptops under $200. Without “under $200”, the nearest are:" in reply.text
    assert products(reply)[0] == "acer-aspire-3"
    brand = await talk.say("laptops by Bose")
    assert "Without “Bose”" in brand.text


async def test_an_unknown_product_is_said_with_the_nearest(talk: Talk, bundled: Catalogue) -> None:
    reply = await talk.say("Do you have the iPhone 27?")
    assert "Nothing called “iPhone 27” is in the catalogue." in reply.text
    assert brands(reply, bundled) == {"Apple"}
    assert "27" not in reply.text.replace("iPhone 27", "")
    other = await talk.say("Do you sell bicycles?")
    assert "does not mention “bicycles”" in other.text
    assert products(other) == []


async def test_nothing_cheaper_says_which_comes_first_already(talk: Talk) -> None:
    _, _, reply = await talk.all("phones", "which phone is the cheapest?", "anything cheaper?")
    assert products(reply) == ["nokia-2780-flip"]
    assert "comes first already" in reply.text


async def test_something_similar_is_of_the_same_kind_and_near_in_price(talk: Talk, bundled: Catalogue) -> None:
    reply = await talk.say("something like the Galaxy S24")
    assert all(
        product.category == "phones" and 519 <= product.price <= 1079 for product in bundled.get(products(reply))
    )
    assert "samsung-galaxy-s24" not in products(reply)


async def test_words_of_descriptions_find_products(talk: Talk) -> None:
    reply = await talk.say("I need something that turns vegetables into soup for my aunt")
    assert reply.route == "retrieve"
    assert products(reply)[0] == "vitamix-e310"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Hi!", "Hello!"),
        ("thanks a lot", "welcome!"),
        ("what can you do?", OFFER),
        ("are you a robot?", "automatic adviser"),
        ("What's the weather in Paris?", "outside of what I know"),
        ("asdf qwer", "outside of what I know"),
    ],
)
async def test_small_talk_and_what_is_out_of_scope_are_answered_without_products(
    talk: Talk, message: str, told: str
) -> None:
    reply = await talk.say(message)
    assert (reply.route, products(reply), reply.sources) == ("respond", [], ())
    assert told in reply.text


async def test_small_talk_in_between_forgets_nothing(talk: Talk) -> None:
    *_, reply = await talk.all(FIRST, "Tell me more about the Samsung one", "thank you!", "how much is it?")
    assert products(reply) == ["samsung-galaxy-a55"]


async def test_another_language_is_said_and_names_are_found_all_the_same(talk: Talk) -> None:
    general, named = await talk.all("Quali telefoni avete sotto 500 dollari?", "Quanto costa il Galaxy A55?")
    assert (general.route, general.text.startswith(ONLY_ENGLISH)) == ("respond", True)
    assert products(named) == ["samsung-galaxy-a55"]
    assert "$449" in named.text


async def test_two_hundred_turns_keep_little_and_prompt_little(start: Callable[..., Talk]) -> None:
    talk = start(memory="tiered")
    asked = [
        FIRST,
        "the second one",
        "how much is it?",
        "laptops with 16 GB of RAM",
        "cheaper ones",
        "compare the first two",
    ]
    asked += [
        "headphones without noise cancelling in black",
        "show me more",
        "Hello",
        "4K OLED televisions under $2000",
    ]
    for turn in range(200):
        await talk.say(asked[turn % len(asked)])
        lasting = {key: value for key, value in talk.kept.items() if key != "messages"}
        assert len(json.dumps(lasting)) < 8_000
        assert talk.values["context"]["turns_used"] <= 12
    assert lasting["memory"]["recent"]
    assert lasting["memory"]["older"]
    assert estimate_tokens(json.dumps(lasting["search"])) < HISTORY_TOKENS


ODD = ["?", "🙂", "", "\u0000", "and", "the first", "SELECT * FROM x;", "$", "under $", "9" * 400, "vs", "iPhone or"]
UNITS = (
    "a",
    "who ",
    "under $5 ",
    "- ",
    " ",
    "\n",
    "A1-",
    "it, ",
    "Galaxy S24 ",
    "not ",
    "5 GB ",
    "one hundred ",
    "$",
    '"',
)
LONG = [unit * (65_536 // len(unit)) for unit in UNITS]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("message", ODD + LONG, ids=lambda message: f"{message[:12]!r} x {len(message)}")
async def test_any_text_gets_an_answer_in_time(talk: Talk, message: str) -> None:
    _, reply, _ = await talk.all(FIRST, message, "how much is it?")
    assert reply.text
    assert len((reply.standalone_query or "").encode()) < 4_096
    assert len(json.dumps(talk.kept["search"])) < 4_000
