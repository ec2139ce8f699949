import subprocess
import sys
from pathlib import Path

import pytest

from turnkeep_local.cli import main
from turnkeep_local.dev import take_port

PAPER = '{"id": "0000.00001", "title": "A title", "abstract": "An abstract.", "authors": ["A. Author"], "year": 2020}\n'


@pytest.mark.parametrize(("command", "printed"), [([], "dev"), (["keys"], "revoke")])
def test_help_loads_nothing_but_the_command_line(command: list[str], printed: str) -> None:
    code = "import sys, turnkeep_local.cli as c\ntry: c.main(sys.argv[1:])\nexcept SystemExit: print(*sys.modules)"
    asked = [sys.executable, "-c", code, *command, "--help"]

    reported = subprocess.run(asked, capture_output=True, text=True, check=True).stdout

    assert printed in reported
    heavy = {"boto3", "botocore", "httpx", "uvicorn", "fastapi", "pydantic", "yaml", "langgraph", "langchain_core"}
    assert heavy.isdisjoint(reported.split())


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([])

    assert caught.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_papers_are_checked_and_copied_to_where_the_server_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    file = tmp_path / "mine.jsonl"
    file.write_text(PAPER)

    assert main(["papers", "load", str(file)]) == 0

    assert (tmp_path / "home" / "papers.jsonl").read_text() == PAPER
    assert "1 papers" in capsys.readouterr().out


@pytest.mark.parametrize("text", [PAPER + "{not json}\n", PAPER + '{"id": "x"}\n', PAPER + PAPER, "", None])
def test_a_bad_corpus_is_refused_whole_and_the_old_one_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path))
    (tmp_path / "papers.jsonl").write_text("old")
    file = tmp_path / "mine.jsonl"
    if text is not None:
        file.write_text(text)

    assert main(["papers", "load", str(file)]) == 1

    assert (tmp_path / "papers.jsonl").read_text() == "old"
    complaint = capsys.readouterr().err
    assert complaint.startswith("turnkeep: ")
    assert complaint.count("\n") == 1


@pytest.mark.parametrize("port", ["http", "-1", "70000"])
def test_an_invalid_port_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], port: str
) -> None:
    monkeypatch.setenv("PORT", port)

    assert main(["dev"]) == 1

    assert capsys.readouterr().err == f"turnkeep: PORT={port} is not a port. Use a number from 0 to 65535.\n"


def test_a_port_in_use_ends_the_server_before_it_touches_anything(tmp_path: Path) -> None:
    with take_port(0) as holder:
        port = str(holder.getsockname()[1])
        command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", port]

        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    assert printed.returncode == 1
    assert printed.stderr.startswith(f"turnkeep: Port {port} cannot be used")
    assert list(tmp_path.iterdir()) == []
