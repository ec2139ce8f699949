from typing import Any

import pytest

from turnkeep_agents.database.nodes.outcomes import CHANGED, NARROWER, failed, in_words
from turnkeep.databases.errors import DatabaseBusy, DatabaseDown, DatabaseSlow


@pytest.mark.parametrize("problem", ["Table 'crew' doesn't exist", "Table 'crew' doesn't exist."])
def test_what_changed_is_told_without_the_databases_words_and_without_a_wish_for_others(problem: str) -> None:
    state: Any = {"told": "", "problem": problem, "warnings": [CHANGED]}

    said = in_words(state)

    assert "have changed since" in said
    assert "Table" not in said
    assert "`" not in said
    assert "in its words" not in said


def test_what_could_not_be_asked_is_told_with_a_wish_for_other_words() -> None:
    state: Any = {"told": "", "problem": "", "warnings": []}

    assert in_words(state).endswith("of which period.")


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (DatabaseSlow("It was slow."), "database_slow", f"It was slow. {NARROWER}"),
        (DatabaseBusy("It is busy."), "database_slow", "It is busy."),
        (DatabaseDown("It is away."), "database_down", "It is away."),
    ],
)
def test_only_a_question_that_took_too_long_is_to_ask_for_less(error: Any, code: str, told: str) -> None:
    state: Any = {"reasoning_steps": [], "steps": 0}

    found = failed(state, error)

    assert (found["failure"], found["told"]) == (code, told)
