"""The whole of it, as a newcomer meets it: `turnkeep dev` and `turnkeep chat`, killed and started again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from turnkeep_local.processes import free_port

pytestmark = [pytest.mark.usefixtures("emulator"), pytest.mark.timeout(300)]


@contextmanager
def _server(folder: Path, ended_by: signal.Signals, **settings: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server for the folder, up while the block runs and ended by this signal."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, env=_environment() | settings, stderr=subprocess.PIPE) as server:
        try:
            _wait_for(url, server)
            yield url, server
        finally:
            server.send_signal(ended_by)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert server.poll() is None, server.stderr.read()
        try:
            httpx.get(f"{url}/ok", timeout=60)
        except httpx.ConnectError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not come up")


def _ask(url: str, message: str, **headers: str) -> dict:
    answer = httpx.post(f"{url}/chat", json={"session_id": "mine", "message": message}, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_conversation_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    with _server(tmp_path, signal.SIGKILL) as (url, _):
        first = _ask(url, "Tell me about convolutional networks")
        assert (first["persisted"], first["turn_number"]) == (True, 1)

    with _server(tmp_path, signal.SIGINT) as (url, server):
        second = _ask(url, "Who wrote about them?")
        assert (second["persisted"], second["turn_number"]) == (True, 2)
        turns = httpx.get(f"{url}/threads/mine/turns").json()["turns"]
        assert [turn["message"] for turn in turns] == ["Tell me about convolutional networks", "Who wrote about them?"]
        assert [turn["reply"] for turn in turns] == [first["reply"], second["reply"]]
        stranger = httpx.get(f"{url}/threads/mine", headers={"X-Turnkeep-User": "someone"})
        assert stranger.status_code == 404

    assert server.returncode == 0
    assert not (tmp_path / ".turnkeep" / "dynamodb.json").exists()


def test_a_server_starts_without_its_database_and_says_so_and_ends_well_when_asked_to(tmp_path: Path) -> None:
    with _server(tmp_path, signal.SIGTERM, DATABASE__URL="sqlite:///absent.sqlite") as (_, server):
        assert server.stderr
        told = next(line for line in server.stderr if line.startswith(b"database: "))

    assert f"{tmp_path}/absent.sqlite does not exist" in told.decode()
    assert server.returncode == 0


def test_chat_starts_a_server_where_none_runs_and_ends_it(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "turnkeep_local.cli", "chat", "papers", "--url", f"http://127.0.0.1:{port}"]

    told = subprocess.run(
        command, cwd=tmp_path, env=_environment(), input="Tell me about graphs\n", capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip

    assert told.returncode == 0, told.stderr
    assert "No server at" in told.stdout
    assert "Go on with: turnkeep chat --thread" in told.stdout
    assert "demo_model" in told.stdout
    server = json.loads((tmp_path / ".turnkeep" / "server.json").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(server["pid"], 0)
