"""What a deployment is told of its settings at start; no value is ever quoted, because it may be a secret."""

import re
import sys
from typing import Any, ClassVar

import pytest
from pydantic import Field, SecretStr, ValidationError

from turnkeep.settings import (
    DEFAULT_OPENAI_MODEL,
    UNUSABLE,
    DataSource,
    LateSecret,
    LocatedSecret,
    Settings,
    UnusableSetting,
    explain,
)

CANARY = "sk-canary-of-settings"

LOCATIONS = [
    "ssm:turnkeep",
    "ssm:/turnkeep/openai:3",
    "ssm:arn:aws:ssm:eu-west-1:123456789012:parameter/turnkeep/openai",
    "secretsmanager:turnkeep/openai#api_key",
    "secretsmanager:arn:aws:secretsmanager:eu-west-1:123456789012:secret:turnkeep/openai-AbCdEf#OPENAI_API_KEY",
]


@pytest.mark.parametrize("location", LOCATIONS)
def test_a_place_of_the_key_is_enough_for_a_model_of_openai(location: str) -> None:
    assert Settings(model_key=location).main_model == DEFAULT_OPENAI_MODEL
    assert Settings(model="openai:m", model_key=location).main_model == "openai:m"
    assert Settings(model="demo", model_key=location).main_model == "demo"
    assert Ledger.read({"LEDGER__BOOKS": location}).secrets["books"].get_secret_value() == location
    assert Ledger.read({"LEDGER__BOOKS": "mysql://db/ads", "LEDGER__LOGIN": location}).login == location


@pytest.mark.parametrize(
    "malformed",
    [CANARY, "ssm:", "ssm:a b", "ssm:/a#field", "ssm:/ä", "secretsmanager:", "secretsmanager:a#", "vault:a", "SSM:/a"],
)
def test_a_malformed_place_is_refused_at_start(malformed: str) -> None:
    with pytest.raises(ValidationError, match='use "ssm:<name>" or "secretsmanager:<name or arn>"') as caught:
        Settings(model_key=malformed)
    assert caught.value.errors()[0]["loc"] == ("model_key",)
    for field in ("BOOKS", "LOGIN"):
        with pytest.raises(UnusableSetting, match=f'^LEDGER__{field}: use "ssm:<name>" or') as refused:
            Ledger.read({f"LEDGER__{field}": f"ssm:/a#{CANARY}"})
        assert "canary" not in explain(refused.value)


class Ledger(DataSource):
    """Settings of an agent, as a package of somebody else has them."""

    agent: ClassVar[str] = "ledger"
    url_field: ClassVar[str] = "books"

    books: LocatedSecret = SecretStr("")
    pages: int = Field(3, ge=1)


@pytest.mark.parametrize("url", ["", "ssm:/whole/url"])
def test_a_login_completes_a_url_that_stands_beside_it(url: str) -> None:
    with pytest.raises(UnusableSetting, match=r"^LEDGER: LOGIN completes a URL"):
        Ledger.read({"LEDGER__BOOKS": url, "LEDGER__LOGIN": "secretsmanager:db"})


def test_the_settings_of_agents_travel_with_those_of_the_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(model="demo").with_agents(Ledger(pages=5))
    assert settings.model_copy(update={"model": "openai:m"}).of(Ledger).pages == 5
    monkeypatch.setenv("LEDGER__PAGES", "7")
    assert Settings().of(Ledger).pages == 7


@pytest.mark.parametrize(
    ("value", "private"), [("", False), ("false", False), ("true", True), ("1", True), ("pls", True)]
)
def test_an_agent_without_settings_of_its_own_may_be_private_too(
    monkeypatch: pytest.MonkeyPatch, value: str, private: bool
) -> None:
    monkeypatch.setenv("MY_LAWYER__PII", value)
    settings = Settings()
    assert settings.is_private("my-lawyer") is private
    assert not settings.is_private("papers")
    assert settings.with_agents(Ledger(pii=private)).is_private("ledger") is private


def test_what_is_given_counts_where_the_environment_says_nothing() -> None:
    assert Ledger.read({"LEDGER__PAGES": ""}, {"pages": 4}).pages == 4
    assert Ledger.read({"LEDGER__PAGES": "6"}, {"pages": 4}).pages == 6


def test_a_key_and_a_place_of_one_are_one_too_many() -> None:
    with pytest.raises(ValidationError, match="OPENAI_API_KEY or MODEL_KEY, not both"):
        Settings(openai_api_key=CANARY, model_key="ssm:/a")  # type: ignore[arg-type]


def test_bedrock_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_aws", None)  # as if it were not installed
    with pytest.raises(ValidationError, match="uv sync --extra bedrock, or EXTRAS=bedrock make build"):
        Settings(model="bedrock:amazon.nova-lite-v1:0")


@pytest.mark.parametrize(
    "wrong",
    [
        {"model_key": CANARY},
        {"model": CANARY},
        {"openai_api_key": CANARY, "model_key": "ssm:/a"},
        {"openai_api_key": CANARY, "thread_hours": 0},
        {"model": "openai:m", "seal_key": CANARY},
        {"thread_hours": CANARY},
        {"seal_key": f"2026-11-22 {CANARY}\n{CANARY}"},
    ],
)
def test_no_error_quotes_a_value(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**wrong)
    assert "canary" not in str(caught.value)
    assert "canary" not in repr(caught.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"thread_hours": 0, "turn": {"seconds": 0}}, r"THREAD_HOURS: \S.*; TURN__SECONDS: \S.*"),
        ({"seal_key": "a\nb"}, r"SEAL_KEY: line 1 is not a day and a secret, .*"),
        ({"model": "m"}, r'MODEL: use "demo", .*'),
        ({"model": "openai:m"}, r"MODEL=openai:\.\.\. needs OPENAI_API_KEY, .*"),
    ],
)
def test_a_fault_is_told_by_the_name_of_its_variable(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**wrong)
    assert re.fullmatch(told, explain(caught.value))


def test_a_variable_with_the_name_of_a_group_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS", CANARY)
    with pytest.raises(UNUSABLE) as caught:
        Settings()
    assert re.search('"models".* Unset it', explain(caught.value))
    assert "canary" not in explain(caught.value)


def test_hashes_in_log_lines_are_made_with_the_newest_secret_that_seals() -> None:
    ring = Settings(seal_key="2026-11-22 new\n2026-01-02 old")  # type: ignore[arg-type]
    assert (ring.signing_secrets, ring.log_salt) == ((b"new", b"old"), "new")
    assert Settings(seal_key="bare").log_salt == "bare"  # type: ignore[arg-type]
    assert Settings().log_salt == ""


def test_settings_show_no_secret_and_no_place_of_one() -> None:
    settings = Settings(seal_key=CANARY, openai_api_key=CANARY)  # type: ignore[arg-type]
    placed = Settings(model_key="ssm:/canary").model_copy(update={"openai_api_key": LateSecret(lambda _: CANARY)})
    assert "canary" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert "canary" not in f"{placed!r} {placed} {placed.openai_api_key!r}"


def test_a_key_is_the_same_at_every_call_or_looked_up_with_what_was_refused() -> None:
    settings = Settings(openai_api_key="of the environment", table_name="t")  # type: ignore[arg-type]
    late = LateSecret(lambda refused: f"another than {refused}")
    assert settings.key_source("x") == "of the environment"
    assert settings.model_copy(update={"openai_api_key": late}).key_source("x") == "another than x"
