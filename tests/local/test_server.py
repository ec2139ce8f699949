from pathlib import Path

import pytest

from turnkeep.local import LocalError
from turnkeep.local.home import Home
from turnkeep.local.server import local_settings, take_port


def test_a_taken_port_is_said_with_another_to_choose() -> None:
    with take_port(0) as holder:
        port = holder.getsockname()[1]

        with pytest.raises(LocalError, match=rf"Port {port} cannot be used: .*PORT={port + 1} make run"):
            take_port(port)


def test_the_server_is_reached_from_this_machine_only() -> None:
    with take_port(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_settings_are_completed_from_the_folder(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.papers.write_text("{}")

    settings = local_settings(home, {})

    assert settings.seal_key.get_secret_value() == home.seal_key()
    assert settings.papers.corpus == str(home.papers)


def test_the_environment_has_the_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, named = Home(tmp_path), {"SEAL_KEY": "ab" * 32, "PAPERS__CORPUS": "mine.jsonl", "PAPERS__TOP_K": "4"}
    home.papers.write_text("{}")
    for name, value in named.items():
        monkeypatch.setenv(name, value)

    settings = local_settings(home, named)

    assert settings.seal_key.get_secret_value() == "ab" * 32
    assert (settings.papers.corpus, settings.papers.top_k) == ("mine.jsonl", 4)
    assert not (tmp_path / "seal.key").exists()


def test_a_tuning_number_beside_a_loaded_corpus_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    home.papers.write_text("{}")
    monkeypatch.setenv("PAPERS__TOP_K", "4")

    settings = local_settings(home, {})

    assert (settings.papers.corpus, settings.papers.top_k) == (str(home.papers), 4)


def test_a_place_of_the_key_on_aws_is_not_for_the_laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "ssm:/turnkeep/openai")

    with pytest.raises(LocalError, match="OPENAI_API_KEY instead"):
        local_settings(Home(tmp_path), {})


def test_a_setting_that_cannot_be_used_is_named_as_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURN__SECONDS", "soon")

    with pytest.raises(LocalError, match="TURN__SECONDS: Input should be a valid number"):
        local_settings(Home(tmp_path), {})
