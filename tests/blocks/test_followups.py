import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.followups import depends_on_history, standalone_query

BRIDGES = ["What is a suspension bridge?", "How long is the Humber crossing?"]


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
    assert (found.is_follow_up, found.reason) == (False, "nothing was said before")


def test_a_follow_up_is_weighted_over_the_two_messages_before_it():
    query = standalone_query("Who designed it?", ["oldest", *BRIDGES])
    assert query.count("Who designed it?") == 3
    assert all(query.count(said) == 1 for said in BRIDGES)
    assert "oldest" not in query


def test_a_message_that_stands_alone_is_its_own_query():
    assert standalone_query("Who designed Tower Bridge?", BRIDGES) == "Who designed Tower Bridge?"
    assert standalone_query("Who designed it?", []) == "Who designed it?"


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_text_is_judged(message, history):
    assert depends_on_history(message, history).reason
    assert message in standalone_query(message, history)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["the a ", "it, ", "A", " ", "and is ", "that "])
def test_a_message_of_64_kb_is_judged_in_time(part):
    standalone_query(part * (65_536 // len(part)), BRIDGES)


def test_real_conversations_are_told_apart(shared_data):
    lines = (shared_data / "cast_followup" / "dev_cast2019.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    judged = [
        (row["context_dependent"], depends_on_history(row["utterance"], row["history"]).is_follow_up) for row in rows
    ]
    hits, said = judged.count((True, True)), sum(answer for _, answer in judged)
    precision, recall = hits / said, hits / sum(truth for truth, _ in judged)
    assert 2 * precision * recall / (precision + recall) >= 0.87
    negatives = [answer for truth, answer in judged if not truth]
    assert negatives.count(False) / len(negatives) >= 0.87
