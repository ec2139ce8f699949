"""Small talk, sums and dates are answered; the world is not."""

from datetime import date

import pytest

from turnkeep_agents.database import prompts
from turnkeep_agents.database.generalities import general_answer
from turnkeep_agents.database.reckoning import reckon, tell_date

NOTES = [f"{prompts.ABOUT_DATA}pumps, wells.", f"{prompts.ABOUT_MANUAL}Getting wet.", f"{prompts.TODAY}2026-03-04."]
TODAY = date(2026, 3, 4)


def said(question: str, notes: list[str] | None = None) -> str:
    return general_answer({"query": question, "notes": NOTES if notes is None else notes})


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("Hello!", "Hello!"),
        ("good evening everyone", "Hello!"),
        ("Thanks, that helped.", "welcome!"),
        ("perfect", "welcome!"),
        ("See you later", "Goodbye!"),
        ("What can you do?", "into SQL that is checked"),
        ("help", "into SQL that is checked"),
        ("Who are you?", "am the demo model"),
        ("are you a robot", "am the demo model"),
        ("Who won the cup in 1998?", "neither in the database nor in the manual"),
        ("Write a sonnet.", "neither in the database nor in the manual"),
    ],
)
def test_small_talk_is_answered_and_the_world_is_not(question: str, held: str) -> None:
    assert held in said(question)


@pytest.mark.parametrize("question", ["Hello!", "What can you do?", "Who are you?", "Who won the cup in 1998?"])
def test_what_can_be_asked_is_from_the_notes(question: str) -> None:
    assert "the data (pumps, wells)" in said(question)
    assert "the manual (Getting wet)" in said(question)
    assert said(question, []).endswith("ask me about the data and the manual.")


def test_no_figure_comes_from_nowhere() -> None:
    assert not any(letter.isdigit() for letter in said("How many people live in Norway?"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 12 * 7?", "12 * 7 = 84"),
        ("15% of 240", "15% of 240 = 36"),
        ("what is seventeen plus three", "seventeen plus three = 20"),
        ("-5 + 2", "-5 + 2 = -3"),
        ("0.1+0.2", "0.1+0.2 = 0.3"),
        ("1,200 + 300.5", "1,200 + 300.5 = 1,500.5"),
        ("(2 + 3) * 4", "(2 + 3) * 4 = 20"),
        ("2^10", "2^10 = 1,024"),
        ("10/3", "10/3 is about 3.333333"),
        ("-10/4", "-10/4 = -2.5"),
        ("the sum of 3, 7, 9, and 24", "the sum of 3, 7, 9, and 24 = 43"),
        ("subtract 3 from 10", "subtract 3 from 10 = 7"),
    ],
)
def test_sums_are_exact(question: str, answer: str) -> None:
    assert said(question) == answer


def test_nothing_is_divided_by_zero() -> None:
    assert "by zero" in said("5/0")


@pytest.mark.parametrize(
    "question",
    [
        "7", "2012/8/24", "1-800-555-0199", "9**9**9", "2 to the power of 300", "(" * 50, "3 4 + 2", "1" * 30 + "+1",
        "+".join("1" * 200), "how many wells", "__import__('os')", "2+os", "1e9+1", "1_0+1", "5 +", "10 % 3",
    ],
)  # fmt: skip
def test_what_is_no_sum_within_limits_is_not_reckoned(question: str) -> None:
    assert reckon(question) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What day is it?", "Today is Wednesday, 4 March 2026."),
        ("what is the date tomorrow", "Tomorrow is Thursday, 5 March 2026."),
        ("which day was it yesterday", "Yesterday was Tuesday, 3 March 2026."),
        ("What date will it be in 30 days?", "In 30 days it is Friday, 3 April 2026."),
        ("what day was it 2 weeks ago", "14 days ago it was Wednesday, 18 February 2026."),
    ],
)
def test_dates_are_counted_from_today(question: str, answer: str) -> None:
    assert said(question) == answer


@pytest.mark.parametrize("question", ["What date will it be in 9999999 days?", "When is Easter?", "hello"])
def test_other_questions_about_time_are_not_guessed(question: str) -> None:
    assert tell_date(question, TODAY) is None


def test_without_a_date_none_is_told() -> None:
    assert "2026" not in said("What day is it?", NOTES[:2])
