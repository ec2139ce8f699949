"""The names that settings have in the design document for SQL agents."""

from typing import Any

import pytest
from pydantic import ValidationError

from turnkeep.aliases import ALIASES, read_aliases
from turnkeep.settings import Settings, explain
from turnkeep_agents.database.settings import DatabaseSettings


def field_at(settings: Settings, path: tuple[str, ...]) -> Any:
    value: Any = settings
    for name in path:
        value = getattr(value, name)
    return value


@pytest.mark.parametrize(
    ("alias", "value", "meant"),
    [
        ("MAX_QUERY_ROWS", "7", 7),
        ("SQL_PRE_VALIDATION_ENABLED", "false", False),
        ("SQL_CONFIDENCE_THRESHOLD", "0.5", 0.5),
        ("SQL_MAX_SQL_HISTORY_LENGTH", "99", 99),
        ("CONVERSATION_MEMORY_STRATEGY", "simple", "window"),
        ("CONVERSATION_MEMORY_STRATEGY", "tiered", "tiered"),
        ("CONVERSATION_MAX_AGE_HOURS", "12", 12.0),
        ("MAX_CONVERSATION_MESSAGES", "20", 10),
        ("MAX_CONVERSATION_MESSAGES", "6", 3),
        ("MAX_CONVERSATION_MESSAGES", "1", 1),
        ("OPENAI_TEMPERATURE", "0.4", 0.4),
    ],
)
def test_an_alias_sets_its_field(alias: str, value: str, meant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(alias, value)
    assert field_at(Settings(), ALIASES[alias][0]) == meant


def test_every_alias_names_a_field() -> None:
    for path, _ in ALIASES.values():
        field_at(Settings(), path)


def test_our_own_name_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_QUERY_ROWS", "7")
    monkeypatch.setenv("DATABASE__MAX_ROWS", "8")
    monkeypatch.setenv("DATABASE__MAX_HOPS", "2")
    assert (Settings().database.max_rows, Settings().database.max_hops) == (8, 2)


def test_the_variables_of_a_login_make_one_url(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "HOST": "db.example",
        "PORT": "3307",
        "USER": "reader",
        "PWD": "p@ss/",
        "NAME": "field",
    }.items():
        monkeypatch.setenv(f"DB_{name}", value)
    assert Settings().database.url.get_secret_value() == "mysql+pymysql://reader:p%40ss%2F@db.example:3307/field"
    assert "p%40ss" not in repr(Settings())


def test_a_host_alone_is_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_HOST", "db.example")
    assert Settings().database == DatabaseSettings()


def test_a_fault_is_told_by_the_name_that_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_QUERY_ROWS", "many")
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert explain(caught.value).startswith("MAX_QUERY_ROWS: ")


def test_the_name_of_a_model_alone_is_no_wish_to_use_it() -> None:
    assert read_aliases({"OPENAI_MODEL": "gpt-4o-mini"}) == {}
    assert read_aliases({"OPENAI_MODEL": "gpt-4o-mini", "OPENAI_API_KEY": "k"}) == {"model": "openai:gpt-4o-mini"}
