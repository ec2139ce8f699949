"""What "it", "the second one" or "the Samsung one" means, and what a thread keeps of the things it speaks of."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.referents import Referents, Thing, named, no_referents, remember, resolve
from turnkeep.blocks.things import MOST_BYTES, MOST_FOCUS, MOST_KNOWN, MOST_LISTED


def thing(id_: str, name: str, kind: str = "phone", *hints: str) -> Thing:
    return Thing(id=id_, name=name, kind=kind, hints=list(hints))


GALAXY = thing("s1", "Samsung Galaxy A35", "phone", "Samsung", "black")
PIXEL = thing("g1", "Google Pixel 8a", "phone", "Google", "blue")
EDGE = thing("m1", "Motorola Edge 40", "phone", "Motorola", "green")
PHONES = remember(no_referents(), listed=[GALAXY, PIXEL, EDGE])
ON_GALAXY = remember(PHONES, focus=[GALAXY])
TWO = remember(PHONES, focus=[PIXEL, EDGE])
QUIZ = thing("c1", "Fabrikam Quiz", "campaign", "Fabrikam")
NORTH, SOUTH = thing("l1", "Quiz North", "line item"), thing("l2", "Quiz South", "line item")
CAMPAIGN = remember(no_referents(), listed=[NORTH, SOUTH], focus=[QUIZ])

words = st.sampled_from(
    re.findall(
        r"\S+",
        "it its them the that this one ones first second last two #2 option 3 both other others which Samsung Pixel 8a "
        "phone is easy to use , . ? and - ' a former of 128 GB naïve 你好",
    )
)
messages = st.text(max_size=80) | st.lists(words, max_size=25).map(" ".join)
things = st.builds(
    thing,
    st.text(max_size=12),
    st.text(max_size=120) | st.sampled_from(["Samsung Galaxy A35", "it", "the one", "8a"]),
    st.text(max_size=12),
    st.text(max_size=40),
    st.text(max_size=40),
)
referents = st.builds(
    lambda listed, focus: remember(remember(no_referents(), listed=listed), focus=focus),
    st.lists(things, max_size=12),
    st.lists(things, max_size=6),
)


def ids(message: str, about: Referents) -> list[str]:
    return [thing["id"] for thing in resolve(message, about).things]


# An ordinal counts in the last list


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("Tell me about the second one", ["g1"]),
        ("the 3rd one please", ["m1"]),
        ("how heavy is the last one", ["m1"]),
        ("#2", ["g1"]),
        ("I would take option 3", ["m1"]),
        ("option two then", ["g1"]),
        ("is number 1 cheaper", ["s1"]),
        ("the first two", ["s1", "g1"]),
        ("weigh the last two for me", ["g1", "m1"]),
        ("the first and the third", ["s1", "m1"]),
        ("the first and third ones", ["s1", "m1"]),
        ("the second phone", ["g1"]),
        ("your second suggestion", ["g1"]),
        ("the second in your list", ["g1"]),
        ("is the second of these in stock", ["g1"]),
        ("is the third of them blue", ["m1"]),
        ("the last of these phones", ["m1"]),
    ],
)
def test_an_ordinal_counts_in_the_last_list(message: str, meant: list[str]) -> None:
    assert ids(message, ON_GALAXY) == meant


def test_an_ordinal_counts_only_what_it_describes() -> None:
    tablet = thing("t1", "Acme Tab", "tablet")
    mixed = remember(no_referents(), listed=[tablet, GALAXY, PIXEL])
    assert ids("the second phone", mixed) == ["g1"]
    assert resolve("the second tablet", remember(mixed, listed=[GALAXY, PIXEL])).text == "the second tablet"
    assert [one.things for one in resolve("the first three phones", mixed).unclear] == [(GALAXY, PIXEL)]
    assert ids("the first two phones", mixed) == ["s1", "g1"]


@pytest.mark.parametrize("message", ["the ninth one", "#7", "what about the fifth", "option 12"])
def test_an_ordinal_beyond_the_list_means_nothing_and_says_so(message: str) -> None:
    resolved = resolve(message, PHONES)
    assert (resolved.text, resolved.things) == (message, ())
    assert [(unclear.phrase in message, unclear.things) for unclear in resolved.unclear] == [(True, ())]


def test_an_ordinal_without_a_list_says_so() -> None:
    assert [unclear.phrase for unclear in resolve("the second one", no_referents()).unclear] == ["the second one"]


@pytest.mark.parametrize(
    "message",
    [
        "the first week of May",
        "since the first",
        "on the 2nd",
        "the first and third week",
        "the last 7 days",
        "First, a question",
        "wait a second",
        "the second-hand market",
        "the first of June",
        "the third Nokia phone",
        "item 4 of the bill",
    ],
)
def test_an_ordinal_of_something_else_is_left_alone(message: str) -> None:
    assert resolve(message, PHONES) == resolve(message, no_referents())
    assert resolve(message, PHONES).text == message


# A pronoun means what was spoken of last


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("how much is it?", "how much is Samsung Galaxy A35?"),
        ("its battery?", "Samsung Galaxy A35's battery?"),
        ("is it easy to use?", "is Samsung Galaxy A35 easy to use?"),
        ("how long does it last", "how long does Samsung Galaxy A35 last"),
        ("I'll take that one.", "I'll take Samsung Galaxy A35."),
        ("ok, and how much is it?", "ok, and how much is Samsung Galaxy A35?"),
        ("tell me quickly, how much is it?", "tell me quickly, how much is Samsung Galaxy A35?"),
        ("more about that", "more about Samsung Galaxy A35"),
        ("is that in stock", "is Samsung Galaxy A35 in stock"),
        ("does this phone have NFC", "does Samsung Galaxy A35 have NFC"),
        ("is it true that it folds", "is it true that Samsung Galaxy A35 folds"),
    ],
)
def test_a_pronoun_means_what_was_spoken_of_last(message: str, text: str) -> None:
    assert resolve(message, ON_GALAXY).text == text
    assert ids(message, ON_GALAXY) == ["s1"]


@pytest.mark.parametrize(
    "message",
    [
        "is it possible to pay later",
        "how long does it take to deliver",
        "is it easy to find a shop in Rome",
        "it depends",
        "it is raining",
        "got it, thanks",
        "that's it",
        "what about IT support",
        "see it.example.com",
        "does the kit fit",
        "I know that you deliver",
        "those who wait",
    ],
)
def test_a_pronoun_that_stands_for_nothing_stays(message: str) -> None:
    resolved = resolve(message, ON_GALAXY)
    assert (resolved.text, resolved.things, resolved.unclear) == (message, (), ())


def test_a_pronoun_takes_a_thing_of_the_message_itself_first() -> None:
    assert resolve("and the Pixel 8a, is it blue?", ON_GALAXY).text == "and the Pixel 8a, is Google Pixel 8a blue?"


@pytest.mark.parametrize("message", ["if I buy a case, does it fit?", "I saw the Zenfone 11, how heavy is it?"])
def test_a_pronoun_for_something_new_in_the_message_is_left_alone(message: str) -> None:
    assert resolve(message, ON_GALAXY).text == message


def test_a_plural_pronoun_does_not_take_one_thing_of_the_message() -> None:
    assert resolve("the Pixel 8a is fine, are they blue?", TWO).text == "the Pixel 8a is fine, are they blue?"


def test_a_pronoun_that_may_mean_several_things_says_which() -> None:
    [unclear] = resolve("how much is it?", PHONES).unclear
    assert (unclear.phrase, unclear.things) == ("it", (GALAXY, PIXEL, EDGE))


def test_a_list_of_one_needs_no_choice() -> None:
    assert ids("is it blue?", remember(no_referents(), listed=[PIXEL])) == ["g1"]


# Several things


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("compare them", ["g1", "m1"]),
        ("both", ["g1", "m1"]),
        ("are these phones waterproof", ["g1", "m1"]),
        ("which one is lighter", ["g1", "m1"]),
        ("the former", ["g1"]),
        ("and the latter?", ["m1"]),
        ("all three", ["s1", "g1", "m1"]),
        ("the other one", ["s1"]),
        ("what about the rest", ["s1"]),
        ("which one of them is lighter", ["g1", "m1"]),
        ("the two phones", ["g1", "m1"]),
        ("all of them", ["g1", "m1"]),
        ("is one of all these two", ["g1", "m1"]),
        ("these Google phones", []),
        ("the Galaxy A35 and the Pixel 8a, are they blue?", ["s1", "g1"]),
    ],
)
def test_several_things_are_those_spoken_of_last(message: str, meant: list[str]) -> None:
    assert ids(message, TWO) == meant


def test_plurals_mean_the_list_where_one_thing_is_spoken_of() -> None:
    assert ids("compare them", ON_GALAXY) == ["s1", "g1", "m1"]
    assert ids("the others", ON_GALAXY) == ["g1", "m1"]


def test_both_means_the_last_two_that_were_spoken_of_one_by_one() -> None:
    assert ids("compare both", remember(ON_GALAXY, focus=[EDGE])) == ["s1", "m1"]
    assert ids("compare both", ON_GALAXY) == []


def test_the_previous_one_is_the_thing_spoken_of_before() -> None:
    assert ids("the previous one", remember(ON_GALAXY, focus=[QUIZ])) == ["s1"]
    assert ids("the previous week", remember(ON_GALAXY, focus=[QUIZ])) == []


def test_names_are_listed_as_people_would() -> None:
    text = "compare Samsung Galaxy A35, Google Pixel 8a and Motorola Edge 40"
    assert resolve("compare all three", PHONES).text == text


def test_the_other_one_of_three_is_unclear() -> None:
    [unclear] = resolve("the other one", ON_GALAXY).unclear
    assert unclear.things == (PIXEL, EDGE)


@pytest.mark.parametrize(
    "message",
    [
        "both Rome and Milan",
        "those under $300",
        "the other day",
        "the two of us",
        "which one of the shops",
        "the rest of the month",
        "I hope that Google answers",
        "all of Rome",
        "is that because of the rain",
        "I know what that means",
        "I bought a lamp, are they sold in pairs",
    ],
)
def test_several_other_things_are_left_alone(message: str) -> None:
    assert resolve(message, TWO).text == message


# A description means what fits it


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Tell me more about the Samsung one", "Tell me more about Samsung Galaxy A35"),
        ("is the blue one waterproof", "is Google Pixel 8a waterproof"),
        ("does the Samsung support NFC", "does Samsung Galaxy A35 support NFC"),
        ("the google phone", "Google Pixel 8a"),
        ("the one from Motorola", "Motorola Edge 40"),
        ("how does the Pixel compare to the first?", "how does Google Pixel 8a compare to Samsung Galaxy A35?"),
    ],
)
def test_a_description_means_what_fits_it(message: str, text: str) -> None:
    assert resolve(message, PHONES).text == text


def test_a_description_prefers_the_last_list_and_then_the_newest() -> None:
    older = thing("s0", "Samsung Galaxy S10", "phone", "Samsung")
    assert ids("the Samsung one", remember(remember(no_referents(), focus=[older]), listed=[GALAXY, PIXEL])) == ["s1"]
    seen = remember(remember(remember(no_referents(), focus=[GALAXY]), focus=[older]), listed=[PIXEL])
    assert ids("the Samsung one", seen) == ["s0"]


def test_a_description_that_fits_several_says_which() -> None:
    other = thing("s2", "Samsung Galaxy A55", "phone", "Samsung")
    resolved = resolve("the Samsung one", remember(no_referents(), listed=[GALAXY, other]))
    assert (resolved.text, resolved.things) == ("the Samsung one", ())
    assert [unclear.things for unclear in resolved.unclear] == [(GALAXY, other)]


@pytest.mark.parametrize(
    "message", ["the Samsung ones", "those Samsung phones", "the two Samsung phones", "these Samsungs"]
)
def test_a_plural_description_means_all_that_it_fits(message: str) -> None:
    other = thing("s2", "Samsung Galaxy A55", "phone", "Samsung")
    assert ids(message, remember(no_referents(), listed=[GALAXY, other, PIXEL])) == ["s1", "s2"]


def test_a_comparison_is_left_to_whoever_knows_the_prices() -> None:
    [unclear] = resolve("the cheaper one", TWO).unclear
    assert unclear.things == (PIXEL, EDGE)


def test_what_fits_nothing_is_unclear_only_where_it_must_be_a_reference() -> None:
    assert [unclear.things for unclear in resolve("the Nokia one", PHONES).unclear] == [()]
    assert resolve("the weather in Rome", PHONES).unclear == ()


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("how is this campaign doing", ["c1"]),
        ("why did it drop last week", ["c1"]),
        ("the second line item", ["l2"]),
        ("compare both line items", ["l1", "l2"]),
        ("spend of the Fabrikam campaign in June", ["c1"]),
        ("and Quiz South in May?", ["l2"]),
    ],
)
def test_other_kinds_of_things_are_pointed_at_alike(message: str, meant: list[str]) -> None:
    assert ids(message, CAMPAIGN) == meant


# Names


@pytest.mark.parametrize(
    "message", ["Is the pixel 8a in stock", "GOOGLE PIXEL 8A?", "Pixel 8a price", "Gòogle Píxel 8a"]
)
def test_a_name_in_the_message_is_found_and_stays_as_written(message: str) -> None:
    assert [one["id"] for one in named(message, PHONES)] == ["g1"]
    assert "8a" in resolve(message, PHONES).text.lower()


def test_a_name_and_a_pronoun_stand_in_the_order_of_mention() -> None:
    resolved = resolve("compare it with Pixel 8a", ON_GALAXY)
    assert resolved.text == "compare Samsung Galaxy A35 with Pixel 8a"
    assert [one["id"] for one in resolved.things] == ["s1", "g1"]


def test_a_name_without_its_brand_is_told_from_a_longer_one() -> None:
    phones = remember(no_referents(), listed=[thing("p1", "Apple iPhone 15"), thing("p2", "Apple iPhone 15 Pro")])
    assert ids("iphone 15 pro", phones) == ["p2"]
    assert ids("is the iPhone 15 in stock", phones) == ["p1"]


def test_a_thing_whose_name_is_a_pronoun_is_not_found_in_every_message() -> None:
    film = remember(no_referents(), listed=[thing("f1", "It", "film"), GALAXY])
    assert named("is it blue", film) == ()
    assert ids("the first film", film) == ["f1"]


def test_a_size_in_a_name_is_no_name() -> None:
    assert named("with 10 inch", remember(no_referents(), focus=[thing("t", "Acme Tab 10 inch")])) == ()


def test_words_written_as_a_name_are_one_though_no_number_is_in_them() -> None:
    laptops = remember(no_referents(), listed=[thing("b1", "Apple MacBook Air 13"), thing("b2", "Apple iMac")])
    assert ids("is the MacBook Air silent", laptops) == ["b1"]
    assert ids("is air a conductor", laptops) == []


def test_an_article_does_not_hide_a_name_nor_a_name_the_phrase_around_it() -> None:
    assert resolve("is the Galaxy A35 blue", PHONES).text == "is the Galaxy A35 blue"
    assert resolve("the Galaxy A35 one is blue", PHONES).text == "Samsung Galaxy A35 is blue"


@pytest.mark.parametrize("message", ["What Samsung phones are there?", "a phone with 128 GB", "the edge of a table"])
def test_a_word_of_a_name_alone_is_no_name(message: str) -> None:
    assert named(message, PHONES) == ()


def test_two_things_with_one_id_are_two_things_if_their_kinds_differ() -> None:
    order, item = thing("7", "Autumn", "insertion order"), thing("7", "Winter", "line item")
    assert remember(no_referents(), focus=[order, item])["known"] == [order, item]


# What is kept


def test_the_last_list_stays_until_there_is_another() -> None:
    assert ON_GALAXY["listed"] == [GALAXY, PIXEL, EDGE]
    assert remember(ON_GALAXY, listed=[])["listed"] == []
    assert remember(ON_GALAXY)["focus"] == []


def test_what_was_mentioned_stays_known_the_newest_last() -> None:
    assert remember(ON_GALAXY, listed=[QUIZ])["known"] == [PIXEL, EDGE, GALAXY, QUIZ]


def test_typical_things_are_all_kept() -> None:
    kept = no_referents()
    for n in range(40):
        kept = remember(kept, focus=[thing(f"brand-model-{n}", f"Brand Model {n}", "product", "Brand", "phones")])
    listed = [thing(f"brand-item-{n}", f"Brand Item {n}", "product", "Brand", "phones") for n in range(12)]
    kept = remember(kept, listed=listed, focus=listed[:1])
    assert (len(kept["focus"]), len(kept["listed"])) == (1, MOST_LISTED)
    assert len(kept["known"]) >= 20
    assert kept["known"][-1]["id"] == "brand-item-0"


@given(st.lists(st.lists(things, max_size=12), max_size=6), st.lists(things, max_size=6))
def test_referents_stay_small_and_plain_whatever_things_are_called(
    lists: list[list[Thing]], focus: list[Thing]
) -> None:
    kept = no_referents()
    for listed in lists:
        kept = remember(kept, listed=listed, focus=focus)
    packed = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    assert json.loads(packed) == kept
    assert len(packed.encode(errors="replace")) <= MOST_BYTES
    assert (len(kept["focus"]) <= MOST_FOCUS, len(kept["listed"]) <= MOST_LISTED) == (True, True)
    assert len(kept["known"]) <= MOST_KNOWN


@given(messages, referents)
def test_no_text_outside_the_replaced_phrases_is_lost(message: str, about: Referents) -> None:
    resolved = resolve(message, about)
    done, old, new = 0, "", ""
    for start, end, text in resolved.replaced:
        assert done <= start < end
        old, new = f"{old}{message[done:start]}{message[start:end]}", f"{new}{message[done:start]}{text}"
        done = end
    assert (old + message[done:], new + message[done:]) == (message, resolved.text)
    for one in resolved.things:
        assert one in [*about["known"], *about["listed"], *about["focus"]]


@pytest.mark.parametrize(
    "unit", ["it ", "the others ", "the first and ", "the ", "Pixel ", "is it easy to ", "#2 ", "- ", " ", "a, "]
)
@pytest.mark.timeout(30)  # what backtracks would take minutes
def test_a_message_of_the_greatest_length_is_read(unit: str) -> None:
    message = (unit * 65536)[:65536]
    resolved = resolve(message, ON_GALAXY)
    assert len(resolved.text) < 2 * len(message)
