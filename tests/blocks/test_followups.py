import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.followups import (
    EARLIER_CHARACTERS,
    MESSAGE_CHARACTERS,
    SIGNS,
    FollowUp,
    Said,
    depends_on_history,
)

BRIDGES = ["What is a suspension bridge?", "How long is the Humber crossing?"]
PHONES = ["Which phones cost less than 500 dollars?"]
LITTLE = "it names too little to stand alone"
ALL_NEW = "nothing of it was asked or answered before"
OFFER = ["Two do: the Pixel 7a at 449 dollars and the Moto G84 at 299 dollars."]


@pytest.mark.parametrize(
    "message",
    [
        "Who designed it?",
        "And the towers?",
        "What about arch ones?",
        "the cables",
        "How heavy is the deck?",
        "What are the main drawbacks?",
        "Tell me more",
        "How does that work?",
        "Which one is longer?",
        "why?",
    ],
)
def test_a_message_that_points_back_or_leaves_out_its_subject_is_a_follow_up(message):
    assert depends_on_history(message, BRIDGES).is_follow_up


@pytest.mark.parametrize(
    "message",
    [
        "What is concrete?",
        "Who designed Tower Bridge?",
        "What is rust and why does it spread?",
        "Is it true that Vitruvius wrote a book about Roman bridges?",
        "Describe how a suspension bridge is built",
    ],
)
def test_a_message_that_names_its_topic_stands_alone(message):
    assert not depends_on_history(message, BRIDGES).is_follow_up


def test_pointing_words_count_as_whole_words_only():
    assert not depends_on_history("Does iron with carbon make italic steel in Thessaly?", BRIDGES).is_follow_up


@pytest.mark.parametrize("history", [[], ["", "  "]])
def test_nothing_depends_on_an_empty_history(history):
    found = depends_on_history("Who designed it?", history)
    assert (found.is_follow_up, found.reason, found.is_sure) == (False, "nothing was said before", True)


SEEN = [
    ("How heavy is the deck?", "it speaks of one thing as known"),
    ("How heavy is the concrete deck?", "it speaks of a kind as known"),
    ("Where is that crossing?", "it shortens what was named before"),
    ("Which famous engineers fell?", "it leaves open among what"),
    ("Are there any painters?", "it leaves open among what"),
    ("Do popular ferries sink?", "it leaves open among what"),
    ("Who is the oldest painter?", "it leaves open among what"),
    ("Does a suspension cable rust?", "it repeats a topic by name"),
    ("Does a suspension bridge rust?", "it repeats a topic in full"),
    ("Did Brunel fall?", "it brings a new name"),
    ("What is concrete?", "it asks what something is"),
    ("What is the history of concrete?", "it says of what"),
    ("What is the role of rust in fatigue?", "it says of what"),
    ("Do painters, welders and riveters fall?", "it brings several new topics"),
]
NOT_SEEN = [
    ("How heavy is the deck of concrete?", "it speaks of one thing as known"),
    ("How heavy is the Tay deck?", "it speaks of a kind as known"),
    ("Where is the Humber crossing?", "it shortens what was named before"),
    ("Is the Humber crossing a good crossing?", "it shortens what was named before"),
    ("Are there painters in Scotland?", "it leaves open among what"),
    ("Who is the oldest painter in Scotland?", "it leaves open among what"),
    ("Did painters paint last week?", "it leaves open among what"),
    ("Do painters fall?", "it repeats a topic by name"),
    ("Does a suspension cable rust?", "it repeats a topic in full"),
    ("Which Tay ferries sank?", "it leaves open among what"),
    ("Did Humber ferries sink?", "it brings a new name"),
    ("Did the Tay ferry sink?", "it brings a new name"),
    ("What is the deck?", "it asks what something is"),
    ("What is wrought iron arch riveting?", "it asks what something is"),
    ("What is the role of rust?", "it says of what"),
    ("Do painters fall?", "it brings several new topics"),
]


@pytest.mark.parametrize(("message", "sign"), SEEN)
def test_a_sign_is_seen(message, sign):
    assert SIGNS[sign].applies(Said(message, BRIDGES, ()))


@pytest.mark.parametrize(("message", "sign"), NOT_SEEN)
def test_a_sign_is_not_seen_where_it_is_not(message, sign):
    assert not SIGNS[sign].applies(Said(message, BRIDGES, ()))


def test_every_sign_that_needs_no_replies_is_tested():
    assert {sign for _, sign in SEEN} == {sign for _, sign in NOT_SEEN} == SIGNS.keys() - {ALL_NEW}


def test_the_strongest_sign_for_the_verdict_is_its_reason():
    found = depends_on_history("Is the deck made of Humber concrete?", BRIDGES)
    assert (found.is_follow_up, found.reason) == (False, "it repeats a topic by name")
    found = depends_on_history("How heavy is the concrete deck?", BRIDGES)
    assert (found.is_follow_up, found.reason) == (True, "it speaks of a kind as known")


def test_few_or_opposing_signs_leave_the_rules_unsure():
    assert depends_on_history("Do painters fall?", BRIDGES) == FollowUp(True, LITTLE, is_sure=False)
    assert not depends_on_history("Did the painters and welders meet Brunel?", BRIDGES).is_sure
    assert depends_on_history("How heavy is the deck?", BRIDGES).is_sure


def test_a_fragment_with_several_new_words_may_be_a_search_of_its_own():
    assert depends_on_history("the cables", BRIDGES).is_sure
    assert not depends_on_history("concrete arch repair", BRIDGES).is_sure


def test_replies_tell_a_new_subject_from_one_that_has_come_up():
    assert depends_on_history("Do you sell washing machines?", PHONES).is_follow_up
    assert not depends_on_history("Do you sell washing machines?", PHONES, replies=OFFER).is_follow_up
    assert Said("Do motos beat pixels?", PHONES, ()).new == {"moto", "beat", "pixel"}
    assert Said("Do motos beat pixels?", PHONES, OFFER).new == {"beat"}


def test_one_new_word_is_no_new_subject():
    assert SIGNS[ALL_NEW].applies(Said("Do trams derail?", PHONES, OFFER))
    assert not SIGNS[ALL_NEW].applies(Said("Do trams derail?", PHONES, ()))
    assert not SIGNS[ALL_NEW].applies(Said("Is there a tram?", PHONES, OFFER))
    assert not SIGNS[ALL_NEW].applies(Said("Do trams carry phones?", PHONES, OFFER))


def test_of_a_long_conversation_the_newest_messages_count():
    said = Said("why?", ["Do trams derail?", *["Do ferries sink?"] * 10], ["Trams do.", *["Ferries do."] * 3])
    assert (said.asked, said.heard) == ({"ferry", "sink"}, {"ferry"})


def test_a_seed_conversation_is_followed_until_it_changes_its_subject():
    asked, replies = list(PHONES), list(OFFER)
    for message in ("Tell me more about the Moto one", "how does it compare to the first?", "and in blue?"):
        assert depends_on_history(message, asked, replies=replies).is_follow_up
        asked, replies = [*asked, message], [*replies, "The Moto G84 comes in blue."]
    shift = depends_on_history("Which washing machines spin at 1600 rounds?", asked, replies=replies)
    assert not shift.is_follow_up


@given(st.text(), st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_any_text_is_judged(message, history, replies):
    assert depends_on_history(message, history, replies=replies).reason


@pytest.mark.parametrize("part", ["the a ", "it, ", "A", " ", "and is ", "that ", "the Tay of ", "x, and it ", "- "])
def test_of_a_long_message_only_the_beginning_is_read(part):
    message = part * (65_536 // len(part))
    history, replies = [message] * 50, [message] * 50
    found = depends_on_history(message, history, replies=replies)
    assert found == depends_on_history(message[:MESSAGE_CHARACTERS], history[-10:], replies=replies[-3:])
    beginnings = [text[:EARLIER_CHARACTERS] for text in history]
    assert found == depends_on_history(message, beginnings, replies=[text[:MESSAGE_CHARACTERS] for text in replies])


def test_real_conversations_are_told_apart(shared_data):
    lines = (shared_data / "cast_followup" / "dev_cast2019.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    judged = [
        (row["context_dependent"], depends_on_history(row["utterance"], row["history"]).is_follow_up) for row in rows
    ]
    hits, said = judged.count((True, True)), sum(answer for _, answer in judged)
    precision, recall = hits / said, hits / sum(truth for truth, _ in judged)
    assert 2 * precision * recall / (precision + recall) >= 0.92
    negatives = [answer for truth, answer in judged if not truth]
    assert negatives.count(False) / len(negatives) >= 0.79
