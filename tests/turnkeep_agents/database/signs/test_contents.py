"""Questions about what there is to ask about, and messages that ask nothing."""

import pytest

from turnkeep_agents.database.signs.bare import is_bare
from turnkeep_agents.database.signs.contents import asks_for_contents


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Which tables are there?", "tables"),
        ("list all tables", "tables"),
        ("How many tables do you have?", "tables"),
        ("describe the schema please", "tables"),
        ("What is in the database?", "overview"),
        ("what data do you have?", "overview"),
        ("What kind of information can I ask about?", "overview"),
        ("Which tables have the most rows?", None),
        ("show me the data", None),
        ("How many records are there?", None),
        ("What can I ask?", None),
        ("data", None),
        ("", None),
        ("tables " * 100, None),
    ],
)
def test_what_is_asked_for(message: str, asked: str | None) -> None:
    assert asks_for_contents(message, ()) == asked


def test_a_table_of_that_name_is_meant_itself() -> None:
    assert asks_for_contents("How many tables are there?", {"table", "guest"}) is None


@pytest.mark.parametrize("message", ["??", "Why?", "how come?", "what?", "...", "and so?", "you mean what?"])
def test_messages_that_say_nothing(message: str) -> None:
    assert is_bare(message)


@pytest.mark.parametrize("message", ["why 46?", "who?", "which?", "again", "by crew", "all", "?" * 200, "how many"])
def test_messages_that_say_something(message: str) -> None:
    assert not is_bare(message)
