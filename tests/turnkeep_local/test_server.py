import asyncio
import signal
import socket
from pathlib import Path

import pytest

from turnkeep.settings import UnusableFile
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_local import LocalError
from turnkeep_local.dev import serve, take_port
from turnkeep_local.home import Home
from turnkeep_local.server import local_settings


@pytest.mark.parametrize("named", [{}, {"SEAL_KEY": "ab" * 32, "PAPERS__CORPUS": "mine.jsonl"}], ids=["own", "named"])
def test_the_environment_overrides_settings_of_the_folder(
    named: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    (home.path / "papers.jsonl").write_text("{}")
    for name, value in {"PAPERS__TOP_K": "4", **named}.items():
        monkeypatch.setenv(name, value)
    settings = local_settings(home, named)
    assert (tmp_path / "seal.key").exists() == (not named)
    assert settings.seal_key.get_secret_value() == named.get("SEAL_KEY", home.seal_key())
    own = settings.of(PapersSettings)
    assert (own.corpus, own.top_k) == (named.get("PAPERS__CORPUS", str(home.path / "papers.jsonl")), 4)


PLACES = {"MODEL_KEY": "OPENAI_API_KEY instead"}
PLACES |= {
    name: f"^{name} is a location in AWS"
    for name in ("DATABASE__URL", "DATABASE__SEAL", "CAMPAIGNS__WAREHOUSE", "DATABASE__LOGIN")
}


@pytest.mark.parametrize(("name", "printed"), PLACES.items())
def test_a_location_in_aws_is_rejected_on_a_laptop(
    name: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE__URL", "sqlite:////tmp/some.sqlite")
    assert local_settings(Home(tmp_path), {}).of(DatabaseSettings).url.get_secret_value()
    monkeypatch.setenv(name, "secretsmanager:turnkeep")
    with pytest.raises(LocalError, match=printed):
        local_settings(Home(tmp_path), {})


@pytest.mark.parametrize("name", ["DATABASE__ACCESS", "DATABASE__JOINS", "DATABASE__MANUAL"])
def test_an_unusable_file_is_reported_before_the_server_starts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(tmp_path / "absent"))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(UnusableFile, match="absent"):
        serve({"TURNKEEP_HOME": str(tmp_path / "home")}, 0)
    signal.signal(signal.SIGTERM, before)
    assert not (tmp_path / "home" / "server.json").exists()


def test_an_invalid_setting_is_named_as_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURN__SECONDS", "soon")
    with pytest.raises(LocalError, match="TURN__SECONDS: Input should be a valid number"):
        local_settings(Home(tmp_path), {})


async def test_answers_are_sent_without_waiting_for_acknowledgements() -> None:
    """With Nagle's algorithm every answer on a kept connection waits 40 ms."""
    options: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        options.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = take_port(0)
    async with await asyncio.start_server(answer, sock=listener):
        await asyncio.open_connection(*listener.getsockname())
        assert await options
