import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.grammar import Reading, is_topic


def phrases(text):
    return [phrase.words for phrase in Reading(text, 1_000).phrases]


def test_runs_of_content_words_are_phrases_in_the_singular():
    assert phrases("How long do the main cables of suspension bridges last?") == [
        ("long",),
        ("main", "cable"),
        ("suspension", "bridge", "last"),
    ]


def test_a_phrase_knows_what_stands_around_it():
    found = Reading("Which towers of the Humber Bridge sway?", 1_000).phrases
    assert [(phrase.before, phrase.after, phrase.is_named) for phrase in found] == [
        ("which", "of", False),
        ("the", "?", True),
    ]


@pytest.mark.parametrize("text", ["It's old", "it\u2019s old", "IT'S old"])
def test_contracted_endings_are_dropped(text):
    assert Reading(text, 1_000).tokens == ["it", "old"]


@pytest.mark.parametrize(("text", "verb"), [("They don't sway", "do"), ("It can't sway", "ca"), ("It isn't", "is")])
def test_a_contracted_not_leaves_its_verb(text, verb):
    assert Reading(text, 1_000).tokens[1] == verb


def test_names_carry_a_capital_inside_a_sentence_or_a_digit():
    assert Reading("Bridges sway. Ferries sank near Tay in 1879, said NATO", 1_000).names == ["tay", "1879", "nato"]


def test_a_complement_is_tied_by_a_linking_word_to_what_comes_before_it():
    reading = Reading("the height and the weight of the towers", 1_000)
    assert [phrase.words for phrase in map(reading.complement, (0, 1)) if phrase] == [("tower",), ("tower",)]
    assert reading.complement(2) is None
    assert Reading("the height of what we and you and they call towers", 1_000).complement(0) is None


def test_what_no_earlier_clause_can_name_is_unbound():
    reading = Reading("Do bridges sway, and why do they?", 1_000)
    assert [reading.tokens[at] for at in reading.unbound()] == ["do", "bridges", "sway", ","]
    assert len(list(Reading("Why do they sway and creak?", 1_000).unbound())) == 7


@pytest.mark.parametrize("word", ["the", "advantage", "best", "week", "tell", "x"])
def test_words_that_say_nothing_of_the_subject_are_no_topics(word):
    assert not is_topic(word)


def test_a_text_is_read_up_to_a_number_of_characters():
    assert Reading("bridges " * 9_000, 16).tokens == ["bridges", "bridges"]


@given(st.text())
def test_any_text_is_read(text):
    reading = Reading(text, 1_000)
    assert list(reading.unbound()) == list(range(len(list(reading.unbound()))))
    assert all(reading.topics >= phrase.topics for phrase in reading.phrases)
    assert isinstance(reading.names, list)
