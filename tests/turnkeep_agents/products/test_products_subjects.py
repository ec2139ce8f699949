"""Wishes that are taken back, kinds that the catalogue lacks, what is described instead of named."""

import pytest
from product_talk import Talk

from turnkeep_agents.products.answers import MAY_MISS
from turnkeep.records import Reply

FIRST = "What phones do you have under $500?"


def products(reply: Reply) -> list[str]:
    return list(reply.details["products"])


async def wishes_after(talk: Talk, *messages: str) -> str:
    replies = await talk.all(*messages)
    return str(replies[-1].standalone_query)


@pytest.mark.parametrize(
    ("taken_back", "left"),
    [
        ("ignore the touchscreen", "laptops under $1,200 not by Apple"),
        ("it doesn't have to have a touchscreen", "laptops under $1,200 not by Apple"),
        ("any price will do", "laptops (touchscreen) not by Apple"),
        ("the budget is not important", "laptops (touchscreen) not by Apple"),
        ("any brand", "laptops under $1,200 (touchscreen)"),
    ],
)
async def test_a_wish_can_be_taken_back_and_the_others_stay(talk: Talk, taken_back: str, left: str) -> None:
    asked = ("laptops with a touchscreen", "under $1200", "no Apple")
    assert await wishes_after(talk, *asked, taken_back) == left


async def test_starting_anew_puts_all_wishes_aside(talk: Talk) -> None:
    _, anew, tablets = await talk.all("phones under $200", "Let's start from scratch", "tablets")
    assert (anew.route, talk.kept["search"]["filters"]["conditions"]) == ("clarify", [])
    assert tablets.details["filters"] == {"categories": ["tablets"]}


async def test_a_wish_said_twice_counts_once(talk: Talk) -> None:
    assert await wishes_after(talk, "laptops with a touchscreen", "with a touchscreen") == "laptops (touchscreen)"


async def test_a_property_that_one_kind_shares_with_another_keeps_the_kind(talk: Talk) -> None:
    assert await wishes_after(talk, "in-ear headphones", "cordless") == "in-ear cordless headphones"


@pytest.mark.parametrize("other", ["a blue wardrobe", "a bathtub under $200", "trousers under $60"])
async def test_a_kind_of_thing_that_there_is_none_of_inherits_no_wishes_and_is_said(talk: Talk, other: str) -> None:
    reply = (await talk.all("phones under $900", other))[-1]
    assert reply.details["products"] == []
    assert "does not mention “" in reply.text
    assert "categories" not in reply.details["filters"]


async def test_a_gift_is_a_subject_of_its_own(talk: Talk) -> None:
    reply = (await talk.all("laptops for gaming", "a present for my father below $90"))[-1]
    assert reply.details["filters"] == {"conditions": ["under $90"]}


@pytest.mark.parametrize(
    ("message", "compared"),
    [
        ("Compare the Nokia G42 with the lightest phone", ["nokia-g42", "nokia-2780-flip"]),
        ("What is the difference between the two cheapest tablets?", ["amazon-fire-hd-10", "samsung-galaxy-tab-a9"]),
    ],
)
async def test_what_is_described_is_compared_like_what_is_named(talk: Talk, message: str, compared: list[str]) -> None:
    reply = await talk.say(message)
    assert (reply.details["tool"], products(reply)) == ("compare", compared)


async def test_a_description_of_too_many_is_asked_about_and_the_answer_compares(talk: Talk) -> None:
    asked, compared = await talk.all("compare the Pixel 9 with a Samsung phone", "the Galaxy S24")
    assert (asked.route, "Which of " in asked.text) == ("clarify", True)
    assert (compared.details["tool"], products(compared)) == ("compare", ["google-pixel-9", "samsung-galaxy-s24"])


async def test_the_second_cheapest_is_not_the_cheapest(talk: Talk) -> None:
    reply = await talk.say("What is the 2nd cheapest phone?")
    assert reply.text.startswith("The Nokia G42 is the second cheapest of 26 phones: $179.")


async def test_an_answer_that_chooses_nothing_is_asked_again(talk: Talk) -> None:
    _, asked, again, told = await talk.all("phones under $250", "is it available?", "both", "the first one")
    assert (asked.route, again.route, told.details["tool"]) == ("clarify", "clarify", "availability")
    assert all(product in asked.text for product in again.text.partition(": ")[2].split(" or ")[0].split(", "))


async def test_a_part_of_a_name_leads_from_one_of_a_family_to_another(talk: Talk) -> None:
    assert products((await talk.all("the Galaxy S24", "and the Ultra?"))[-1]) == ["samsung-galaxy-s24-ultra"]


async def test_how_much_of_something_is_no_question_for_the_price(talk: Talk) -> None:
    reply = (await talk.all("the Nokia G42", "how much memory does it have?"))[-1]
    assert reply.text == "The memory of the Nokia G42: 6 GB."


async def test_a_counted_value_is_found_by_what_is_counted(talk: Talk) -> None:
    reply = await talk.say("Does the LG C4 65 come with HDMI?")
    assert reply.text.startswith("Yes, the LG C4 65")


async def test_a_price_that_is_named_does_not_become_the_price(talk: Talk) -> None:
    assert (await talk.say("Is the Pixel 8a under $300?")).text == "No, the Google Pixel 8a costs $499."


async def test_the_best_of_nothing_is_asked_about(talk: Talk) -> None:
    assert (await talk.say("which one is best?")).route == "clarify"


async def test_of_a_long_message_that_rules_read_in_part_the_client_is_warned(talk: Talk) -> None:
    long, short = await talk.all("phones under $500 " + "and so on " * 200, FIRST)
    assert ("message_cut" in long.warnings, "message_cut" in short.warnings) == (True, False)


async def test_wishes_in_another_language_that_may_be_missed_are_said_to_be(talk: Talk) -> None:
    reply = await talk.say("Haben Sie eine Auswahl an Tablets unter 700 Euro?")
    assert MAY_MISS in reply.text


async def test_words_that_are_looked_for_one_by_one_are_quoted_one_by_one(talk: Talk) -> None:
    reply = await talk.say("washing machines under $500")
    assert "for “washing” or “machines”" in reply.text


async def test_better_than_a_named_product_is_not_answered_from_the_others(talk: Talk) -> None:
    _, asked, compared = await talk.all("phones under $300", "is it better than the Pixel 9?", "the first one")
    assert (asked.route, "which one do you mean" in asked.text.lower()) == ("clarify", True)
    assert products(compared) == ["google-pixel-9", asked.details["products"][0]]


async def test_what_a_product_is_good_for_is_told_in_a_sentence(talk: Talk) -> None:
    reply = (await talk.all("the Apple iPhone SE", "what is it good for?"))[-1]
    assert "The Apple iPhone SE is listed as good for older people." in reply.text


async def test_the_one_with_something_is_one_of_the_last_list(talk: Talk) -> None:
    *_, listed, told = await talk.all("the Samsung The Frame 55", "Garmin watches", "the one with the longest battery")
    assert set(products(told)) <= set(products(listed))
