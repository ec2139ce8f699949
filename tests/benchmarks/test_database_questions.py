"""The paraphrases and the questions of development: well formed, each with rows that are right, and a program that
measures them."""

import pytest
import sqlglot
from sqlglot import exp

import database_questions
import judged_rows

QUESTIONS = database_questions.read_questions()
DEVELOPMENT = database_questions.read_questions("development_questions")
SQL = {row["id"]: row["sql"] for row in QUESTIONS}


def test_there_are_sixty_questions_with_ids_of_their_own():
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS) == 60
    assert len({tuple(row["chain"]) for row in QUESTIONS}) == 60


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_a_question_is_well_formed_and_its_sql_finds_something(row):
    assert row.keys() <= {"id", "chain", "sql", "is_ordered"}
    assert 1 <= len(row["chain"]) <= 2
    assert all(message.strip() for message in row["chain"])
    found = database_questions.by_hand(row["sql"])
    assert found
    assert not judged_rows.hold([], found, is_ordered=False)


def test_the_questions_of_development_are_at_least_150_over_fifty_tables():
    assert len({row["id"] for row in DEVELOPMENT}) == len({tuple(row["chain"]) for row in DEVELOPMENT}) >= 150
    parsed = [sqlglot.parse_one(row["sql"], read="sqlite") for row in DEVELOPMENT if row["sql"]]
    assert len({table.name for one in parsed for table in one.find_all(exp.Table)}) >= 50


def test_the_sql_of_the_questions_of_development_finds_something():
    found = {row["id"]: database_questions.by_hand(row["sql"]) for row in DEVELOPMENT if row["sql"]}
    assert [name for name, rows in found.items() if not rows or len(rows) > 100 or rows in ([(None,)], [(0,)])] == []


async def test_a_question_without_sql_is_right_where_none_is_run():
    asked = {"id": "x", "chain": ["How many active technicians are there?"], "sql": None}
    unknown = {"id": "y", "chain": ["how many zeppelins do we operate"], "sql": None}
    results = await database_questions.ask_all([asked, unknown])
    assert [one.is_right for one in results] == [False, True]


async def test_a_question_is_right_where_the_rows_are_those_of_the_sql_by_hand():
    known = next(row for row in QUESTIONS if row["id"] == "01b")
    right, wrong = await database_questions.ask_all([known, {**known, "sql": "SELECT COUNT(*) + 1 FROM employee"}])
    assert (right.is_right, wrong.is_right) == (True, False)


@pytest.mark.parametrize(
    ("found", "is_right"),
    [
        ([("a", 1, 2.001), ("b", 1, 3)], True),
        ([("b", 1, 3), ("a", 1, 2)], True),
        ([("a", 1, 3), ("b", 1, 2)], False),
        ([("a", 1, 2)], False),
        ([("a", 1), ("b", 1)], False),
    ],
)
def test_rows_hold_others_whatever_their_order(found, is_right):
    assert judged_rows.hold(found, [("a", 2), ("b", 3)], is_ordered=False) is is_right


def test_an_order_that_counts_is_that_of_the_last_column():
    expected = [("a", 3), ("b", 2), ("c", 2)]
    assert judged_rows.hold([("a", 3), ("c", 2), ("b", 2)], expected, is_ordered=True)
    assert not judged_rows.hold([("b", 2), ("a", 3), ("c", 2)], expected, is_ordered=True)
