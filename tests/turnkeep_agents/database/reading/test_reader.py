import math
from datetime import date
from pathlib import Path

import pytest
from asked_in_words import in_words
from clinic import clinic
from clinic_questions import READ_AT_THE_CLINIC
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_questions import READ

from turnkeep_agents.database import sample
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.reading.reader import Reader, restate, tables_of

TODAY = date(2026, 11, 22)
SAMPLE = load_graph(Path(sample.__file__).parent / "joins.json")
CLINIC = clinic()


def reader_of(graph: JoinGraph) -> Reader:
    return Reader(graph, PathFinder(graph))


FIELD_SERVICE, AT_THE_CLINIC = reader_of(SAMPLE), reader_of(CLINIC)


@pytest.mark.parametrize("said", READ)
def test_questions_about_the_sample_are_read_as_they_are_meant(said: str) -> None:
    assert in_words(FIELD_SERVICE.read(said.split(" // "), today=TODAY)) == READ[said]


@pytest.mark.parametrize("said", READ_AT_THE_CLINIC)
def test_the_rules_know_nothing_of_the_sample(said: str) -> None:
    assert in_words(AT_THE_CLINIC.read(said.split(" // "), today=TODAY)) == READ_AT_THE_CLINIC[said]


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   ",
        "?",
        "Tell me a joke.",
        "How many unicorns are there?",
        "Thanks, bye",
        "Why is the sky blue?",
        "And last month?",
    ],
)
def test_what_says_nothing_of_the_schema_is_no_question_to_it(said: str) -> None:
    assert AT_THE_CLINIC.read([said], today=TODAY) is None


def test_an_empty_chain_asks_nothing() -> None:
    assert AT_THE_CLINIC.read([], today=TODAY) is None


def test_a_later_line_that_says_nothing_leaves_the_question_as_it_was() -> None:
    first = AT_THE_CLINIC.read(["How many patients are there?"], today=TODAY)
    assert AT_THE_CLINIC.read(["How many patients are there?", "thank you"], today=TODAY) == first


def test_tables_that_are_not_allowed_do_not_exist() -> None:
    allowed = CLINIC.tables.keys() - {"bill", "patient"}
    assert AT_THE_CLINIC.read(["How many unpaid bills?"], today=TODAY, allowed=allowed) is None
    asked = AT_THE_CLINIC.read(["Appointments for Maria Lopez"], today=TODAY, allowed=allowed)
    assert asked is not None
    assert set(tables_of(asked)) <= allowed


def test_words_that_nothing_answers_to_are_said() -> None:
    asked = AT_THE_CLINIC.read(["How many purple patients are there?"], today=TODAY)
    assert asked is not None
    assert asked.unread == ("purple",)


def test_a_line_of_which_most_is_unread_is_not_answered() -> None:
    asked = AT_THE_CLINIC.read(["purple shiny wobbly patients"], today=TODAY)
    assert asked is None or asked.missing
    asked = AT_THE_CLINIC.read(["How much do patients wobble?"], today=TODAY)
    assert asked is None or asked.missing


def test_things_that_the_schema_does_not_have_are_not_taken_for_others() -> None:
    assert FIELD_SERVICE.read(["How many robots work at the Leeds branch?"], today=TODAY) is None
    assert FIELD_SERVICE.read(["How many people work at the Leeds branch?"], today=TODAY) is not None


def test_a_later_line_that_is_not_understood_is_said() -> None:
    asked = AT_THE_CLINIC.read(["How many patients are there?", "fizzle the wobbly gizmos"], today=TODAY)
    assert asked is not None
    assert set(asked.unread) >= {"fizzle", "wobbly", "gizmos"}


def test_words_of_the_rules_are_told_as_people_say_them() -> None:
    asked = AT_THE_CLINIC.read(["list the bills", "who looks after them?"], today=TODAY)
    assert asked is not None
    assert asked.unread == ("in charge",)


def test_what_is_owed_is_an_amount_less_what_was_paid_of_it() -> None:
    asked = FIELD_SERVICE.read(["how much is owed to us?"], today=TODAY)
    assert asked is not None
    assert asked.of is not None
    assert asked.less is not None
    assert (asked.of.column, asked.less.column) == ("totalAmount", "paidAmount")


def test_a_reading_over_its_own_tables_stays_the_same() -> None:
    changed = []
    for said in READ:
        asked = FIELD_SERVICE.read(said.split(" // "), today=TODAY)
        if asked is not None and FIELD_SERVICE.read(said.split(" // "), today=TODAY, allowed=tables_of(asked)) is None:
            changed.append(said)
    assert changed == []


@pytest.mark.parametrize(
    ("chain", "restated"),
    [
        (["unpaid bills over 300"], "Show bills with total amount over 300 and without paid on."),
        (
            ["How many patients in Leeds?", "by insurer"],
            "How many patients with city containing “Leeds” are there, by insurer?",
        ),
        (
            ["average fee by doctor", "top 3"],
            "What is the average fee of appointments, by doctor, sorted by that figure, largest or newest first,"
            " the first 3 only?",
        ),
    ],
)
def test_a_chain_is_restated_as_one_question(chain: list[str], restated: str) -> None:
    asked = AT_THE_CLINIC.read(chain, today=TODAY)
    assert asked is not None
    assert restate(asked, CLINIC) == restated


VOCABULARY = """
how many the of by per and not without which who most top last next month patients doctors bills fee total average over
under between 5 300 due paid missed with more than Adams Leeds 'x y' B-12 (and " ? , no highest
"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60), max_size=3))
def test_no_text_whatever_breaks_the_reader(chain: list[str]) -> None:
    asked = AT_THE_CLINIC.read(chain, today=TODAY)
    if asked is not None:
        assert set(tables_of(asked)) <= CLINIC.tables.keys()
        assert restate(asked, CLINIC)
        assert asked.limit is None or (asked.limit > 0 and math.isfinite(asked.limit))
