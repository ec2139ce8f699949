from typing import Any

import pytest

from turnkeep.agents.database.nodes.outcomes import CHANGED, in_words


@pytest.mark.parametrize("problem", ["Table 'crew' doesn't exist", "Table 'crew' doesn't exist."])
def test_what_changed_is_told_with_its_remedy_and_without_a_wish_for_other_words(problem: str) -> None:
    state: Any = {"told": "", "problem": problem, "warnings": [CHANGED]}

    said = in_words(state)

    assert "Table 'crew' doesn't exist. Its tables" in said
    assert "`turnkeep joins build`" in said
    assert "in its words" not in said


def test_what_could_not_be_asked_is_told_with_a_wish_for_other_words() -> None:
    state: Any = {"told": "", "problem": "", "warnings": []}

    assert in_words(state).endswith("of which period.")
