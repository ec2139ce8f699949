"""The whole of it, as a newcomer meets it: `turnkeep dev`, killed and started again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from document_site import ask

from dev_server import dev_server
from turnkeep_local.processes import is_listening, kill_leftover

pytestmark = [pytest.mark.usefixtures("emulator")]
BARE = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


def test_a_conversation_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    """Its database ends with it; what was acknowledged is there."""
    record = tmp_path / "home" / "dynamodb.json"
    with dev_server(tmp_path, BARE) as client:
        first = ask(client, "mine", "Tell me about convolutional networks")
        assert (first["persisted"], first["turn_number"]) == (True, 1)
        port = json.loads(record.read_text())["port"]

    deadline = time.monotonic() + 120
    while sys.platform == "linux" and is_listening(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with dev_server(tmp_path, BARE, ended_by=signal.SIGINT) as client:
        second = ask(client, "mine", "Who wrote about them?")
        assert (second["persisted"], second["turn_number"]) == (True, 2)
        turns = client.get("/threads/mine/turns").json()["turns"]
        assert [turn["message"] for turn in turns] == ["Tell me about convolutional networks", "Who wrote about them?"]
        assert [turn["reply"] for turn in turns] == [first["reply"], second["reply"]]
        assert client.get("/threads/mine", headers={"X-Turnkeep-User": "someone"}).status_code == 404
        port = json.loads(record.read_text())["port"]

    assert not is_listening(port)
    assert not record.exists()


def test_a_leftover_is_killed_and_a_stranger_that_got_its_number_is_not(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)]
    with subprocess.Popen(sleeper) as child:
        kill_leftover(child.pid, "a folder that it does not serve")
        assert child.poll() is None
        kill_leftover(child.pid, str(tmp_path))
        assert child.wait(120) == -signal.SIGKILL


def test_a_server_starts_without_its_database_and_ends_well_when_asked_to(tmp_path: Path) -> None:
    environ = BARE | {"DATABASE__URL": f"sqlite:///{tmp_path}/absent.sqlite"}
    with dev_server(tmp_path, environ, ended_by=signal.SIGTERM) as client:
        assert client.get("/ok").is_success
