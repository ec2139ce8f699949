"""What an interrupted run asks, in the forms that graphs ask in."""

from typing import Any

import pytest
from langgraph.types import Interrupt

from turnkeep.saver.turns import question_of

MAIL = {"name": "send_mail", "args": {"to": "ann"}}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Which one?", "Which one?"),
        ({"question": "Which one?", "options": [1]}, "Which one?"),
        ({"action_requests": [MAIL], "review_configs": []}, 'send_mail {"to": "ann"}'),
        ({"action_requests": [{**MAIL, "description": "Send it?"}, MAIL]}, 'Send it?\nsend_mail {"to": "ann"}'),
        ({"kind": "approval"}, '{"kind": "approval"}'),
        ({"action_requests": []}, '{"action_requests": []}'),
    ],
)
def test_a_question_is_text(value: Any, text: str) -> None:
    assert question_of((Interrupt(value, id="i"),)) == text


def test_a_run_that_stops_without_a_question_says_that_it_waits() -> None:
    assert question_of(()) == "The run waits to be continued."
