import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from wire import Answer, WireServer, calls, fails, garbles

from turnkeep_agents.database.joins.files import load_graph
from turnkeep_local.cli import main

DOUBT = {"doubts": [{"number": 1, "confidence": 0.2, "remark": "a note is about anybody"}]}


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript("CREATE TABLE person (id INTEGER PRIMARY KEY); CREATE TABLE note (personId INTEGER);")
    monkeypatch.setenv("MODEL", "openai:test")
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    monkeypatch.setenv("MODELS__MAX_RETRIES", "0")
    return ["joins", "build", f"sqlite:///{tmp_path / 'shop.sqlite'}", "--model", "--out", str(tmp_path / "graph.json")]


def test_doubts_of_a_model_are_printed_and_saved(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WireServer([calls("Judgement", DOUBT)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert main(arguments) == 0
    (link,) = load_graph(Path(arguments[-1])).relationships
    assert link.confidence == 0.2
    doubt = "warning: note.personId = person.id: the model doubts it: a note is about anybody."
    assert doubt in capsys.readouterr().out
    assert "1. note.personId = person.id (N:1, inferred" in str(server.bodies[0]["messages"])


@pytest.mark.parametrize("answer", [garbles, fails("401 Unauthorized")])
def test_nothing_is_written_when_the_model_fails(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: Answer
) -> None:
    with WireServer([answer]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert main(arguments) == 1
    output = capsys.readouterr()
    assert "The model could not be asked" in output.err
    assert "hush" not in output.out + output.err
    assert not Path(arguments[-1]).exists()
