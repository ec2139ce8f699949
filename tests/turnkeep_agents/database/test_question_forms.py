"""Several figures, shares, comparisons, averages of counts, days between dates: asked the agent with the demo model
over the embedded sample, in a file and on real servers."""

import sqlite3

import pytest
from forms_of_questions import FORMS
from questions import Question
from sample_talk import ask

from judged_rows import hold

NAMES = [" / ".join(question.chain) for question in FORMS]


@pytest.mark.parametrize("question", FORMS, ids=NAMES)
def test_the_sql_by_hand_finds_something(question: Question, by_hand: sqlite3.Connection) -> None:
    rows = by_hand.execute(question.sql).fetchall()
    assert rows
    assert all(cell is not None for cell in rows[0])


@pytest.mark.parametrize("server", ["sqlite", "mariadb", "postgresql"])
@pytest.mark.parametrize("question", FORMS, ids=NAMES)
async def test_the_rows_of_the_answer_equal_the_sql_by_hand(
    question: Question, server: str, request: pytest.FixtureRequest, by_hand: sqlite3.Connection
) -> None:
    reply = await ask(request.getfixturevalue(f"agent_on_{server}"), *question.chain)
    expected = by_hand.execute(question.sql).fetchall()
    rows = reply.details.get("rows") or []
    told = f"{reply.details.get('sql')}\n{reply.text[:600]}\nfound {rows[:5]}\nexpected {expected[:5]}"
    assert hold(rows, expected, is_ordered=False), told
