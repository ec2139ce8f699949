"""The names that settings have in the design document for SQL agents, as far as they are the backend's."""

import pytest
from pydantic import ValidationError

from turnkeep.aliases import ALIASES, read_aliases
from turnkeep.settings import Settings, explain


def test_the_age_of_a_conversation_is_that_of_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERSATION_MAX_AGE_HOURS", "12")
    assert Settings().thread_hours == 12
    monkeypatch.setenv("THREAD_HOURS", "13")
    assert Settings().thread_hours == 13


def test_a_fault_is_told_by_the_name_that_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERSATION_MAX_AGE_HOURS", "long")
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert explain(caught.value).startswith("CONVERSATION_MAX_AGE_HOURS: ")


def test_the_name_of_a_model_alone_is_no_wish_to_use_it() -> None:
    named = {"OPENAI_MODEL": "gpt-4o-mini"}
    assert read_aliases(ALIASES, named) == {}
    assert read_aliases(ALIASES, named | {"OPENAI_API_KEY": "k"}) == {"model": "openai:gpt-4o-mini"}
