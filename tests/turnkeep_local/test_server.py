import signal
from pathlib import Path

import pytest
from pydantic import SecretStr

from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_local import LocalError
from turnkeep_local.home import Home
from turnkeep_local.server import local_settings, serve, take_port


def test_a_taken_port_is_said_with_another_to_choose() -> None:
    with take_port(0) as holder:
        port = holder.getsockname()[1]

        with pytest.raises(LocalError, match=rf"Port {port} cannot be used: .*turnkeep dev --port {port + 1}"):
            take_port(port)


def test_the_server_is_reached_from_this_machine_only() -> None:
    with take_port(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_settings_are_completed_from_the_folder(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (home.path / "papers.jsonl").write_text("{}")

    settings = local_settings(home, {})

    assert settings.seal_key.get_secret_value() == home.seal_key()
    assert settings.of(PapersSettings).corpus == str(home.path / "papers.jsonl")


def test_the_environment_has_the_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, named = Home(tmp_path), {"SEAL_KEY": "ab" * 32, "PAPERS__CORPUS": "mine.jsonl", "PAPERS__TOP_K": "4"}
    (home.path / "papers.jsonl").write_text("{}")
    for name, value in named.items():
        monkeypatch.setenv(name, value)

    settings = local_settings(home, named)

    assert settings.seal_key.get_secret_value() == "ab" * 32
    assert (settings.of(PapersSettings).corpus, settings.of(PapersSettings).top_k) == ("mine.jsonl", 4)
    assert not (tmp_path / "seal.key").exists()


def test_a_tuning_number_beside_a_loaded_corpus_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    (home.path / "papers.jsonl").write_text("{}")
    monkeypatch.setenv("PAPERS__TOP_K", "4")

    settings = local_settings(home, {})

    assert (settings.of(PapersSettings).corpus, settings.of(PapersSettings).top_k) == (
        str(home.path / "papers.jsonl"),
        4,
    )


def test_a_place_of_the_key_on_aws_is_not_for_the_laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "ssm:/turnkeep/openai")

    with pytest.raises(LocalError, match="OPENAI_API_KEY instead"):
        local_settings(Home(tmp_path), {})


@pytest.mark.parametrize("name", ["DATABASE__URL", "DATABASE__SEAL", "CAMPAIGNS__WAREHOUSE", "DATABASE__LOGIN"])
def test_nor_is_one_of_another_secret(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE__URL", "sqlite:////tmp/some.sqlite")
    assert local_settings(Home(tmp_path), {}).of(DatabaseSettings).url.get_secret_value()
    monkeypatch.setenv(name, "secretsmanager:turnkeep")

    with pytest.raises(LocalError, match=f"^{name} names a place of AWS"):
        local_settings(Home(tmp_path), {})


@pytest.mark.parametrize("name", ["DATABASE__ACCESS", "DATABASE__JOINS", "DATABASE__MANUAL"])
def test_a_file_that_cannot_be_used_is_told_before_the_server_starts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "absent"))

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(LocalError, match="absent"):
        serve({"TURNKEEP_HOME": str(tmp_path / "home")}, 0)
    signal.signal(signal.SIGTERM, before)

    assert not (tmp_path / "home" / "server.json").exists()


def test_of_a_database_of_ones_own_it_is_told_what_answers_are_from(tmp_path: Path) -> None:
    assert list(DatabaseSettings().brief()) == []
    said = list(DatabaseSettings(url=SecretStr(f"sqlite:///{tmp_path}/absent.sqlite")).brief())
    assert said[0].startswith(f"database: {tmp_path}/absent.sqlite does not exist.")


def test_a_setting_that_cannot_be_used_is_named_as_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURN__SECONDS", "soon")

    with pytest.raises(LocalError, match="TURN__SECONDS: Input should be a valid number"):
        local_settings(Home(tmp_path), {})
