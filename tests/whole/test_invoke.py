"""`make invoke`: an event in a file becomes an answer in the terminal, over the store of `turnkeep dev`."""

import json
import os
from pathlib import Path

import pytest

from emulated.invoke import main
from emulated.sandbox import MISSING, find_runtime_emulator
from turnkeep_local import LocalError
from turnkeep_local.dynamodb import open_store, running_store
from turnkeep_local.home import open_home, sole_server
from turnkeep_local.processes import is_listening

ROOT = Path(__file__).parents[2]
EVENTS = ROOT / "events"

pytestmark = pytest.mark.usefixtures("emulator")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT)
    return tmp_path


@pytest.mark.usefixtures("home")
def test_events_of_both_functions_and_the_server_meet_in_one_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["api", str(EVENTS / "api-chat.json")]) == 0
    told = capsys.readouterr()
    head, _, body = told.out.partition("\n\n")
    assert head.startswith("200\n")
    assert "content-type: application/json" in head
    turn = json.loads(body)
    assert (turn["thread_id"], turn["turn_number"], turn["persisted"]) == ("first", 1, True)
    assert "request answered" in told.err

    found = open_home(os.environ)
    with sole_server(found, "here"), open_store(found, os.environ, print) as store:
        assert running_store(found, os.environ) == store
        assert main(["stream", str(EVENTS / "stream-chat.json")]) == 0
    assert running_store(found, os.environ) is None
    assert not is_listening(int(store.url.rpartition(":")[2]))
    head, _, body = capsys.readouterr().out.partition("\n\n")
    assert "content-type: text/event-stream" in head
    assert "event: complete\n" in body
    assert '"turn_number":2' in body


@pytest.mark.usefixtures("home")
def test_a_raising_function_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["authorizer", str(EVENTS / "authorizer-key.json")]) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["errorMessage"] == "Unauthorized"
    assert "ended in an error" in told.err


@pytest.mark.parametrize(
    ("function", "event", "said"),
    [
        ("apy", "events/api-chat.json", "no function apy. Choose one of api, authorizer, cleanup, documents, stream"),
        ("..", "events/api-chat.json", "no function .."),
        ("api", "events/none.json", "events/none.json cannot be read: No such file"),
        ("api", "events", "events cannot be read: Is a directory"),
        ("api", "Makefile", "Makefile is not valid JSON"),
    ],
)
def test_an_invalid_command_fails_before_anything_starts(
    home: Path, function: str, event: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([function, event]) == 1
    assert said in capsys.readouterr().err
    assert list(home.iterdir()) == []


def test_a_missing_emulator_is_reported_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=MISSING):
        find_runtime_emulator(tmp_path)
