"""Settings from the environment, also by the names of the design document."""

from typing import Any

import pytest

from turnkeep.settings import UnusableSetting
from turnkeep_agents.database.settings import ALIASES, DatabaseSettings

read = DatabaseSettings.read


@pytest.mark.parametrize(
    ("alias", "value", "meant"),
    [
        ("MAX_QUERY_ROWS", "7", 7),
        ("SQL_PRE_VALIDATION_ENABLED", "false", False),
        ("SQL_CONFIDENCE_THRESHOLD", "0.5", 0.5),
        ("CONVERSATION_MEMORY_STRATEGY", "simple", "window"),
        ("CONVERSATION_MEMORY_STRATEGY", "tiered", "tiered"),
        ("MAX_CONVERSATION_MESSAGES", "20", 10),
        ("MAX_CONVERSATION_MESSAGES", "6", 3),
        ("MAX_CONVERSATION_MESSAGES", "1", 1),
        ("OPENAI_TEMPERATURE", "0.4", 0.4),
    ],
)
def test_an_alias_sets_its_field(alias: str, value: str, meant: Any) -> None:
    assert getattr(read({alias: value}), ALIASES[alias][0]) == meant


def test_every_alias_names_a_field() -> None:
    assert {field for field, _ in ALIASES.values()} <= DatabaseSettings.model_fields.keys()


def test_our_own_name_wins() -> None:
    found = read({"MAX_QUERY_ROWS": "7", "DATABASE__MAX_ROWS": "8", "DATABASE__MAX_HOPS": "2", "DATABASE__URL": ""})
    assert (found.max_rows, found.max_hops, found.url.get_secret_value()) == (8, 2, "")


def test_the_variables_of_a_login_make_one_url() -> None:
    values = {"HOST": "db.example", "PORT": "3307", "USER": "reader", "PWD": "p@ss/", "NAME": "field"}
    found = read({f"DB_{name}": value for name, value in values.items()})
    assert found.url.get_secret_value() == "mysql+pymysql://reader:p%40ss%2F@db.example:3307/field"
    assert "p%40ss" not in repr(found)


def test_a_host_alone_is_no_database() -> None:
    assert read({"DB_HOST": "db.example"}) == DatabaseSettings()


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({"MAX_QUERY_ROWS": "many"}, "^MAX_QUERY_ROWS: "),
        ({"MAX_QUERY_ROWS": "7", "DATABASE__MAX_ROWS": "many"}, "^DATABASE__MAX_ROWS: "),
        ({"DATABASE__MAX_ROW": "7"}, "^DATABASE__MAX_ROW: Extra inputs"),
    ],
)
def test_a_fault_is_reported_by_the_name_that_was_used(environ: dict[str, str], fault: str) -> None:
    with pytest.raises(UnusableSetting, match=fault):
        read(environ)
