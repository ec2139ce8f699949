"""What `turnkeep new` leaves is a project that works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnkeep.graphfile import read_graph_file
from turnkeep.graphs.own import build_all
from turnkeep_local import LocalError
from turnkeep_local.project.new import make_project


def test_a_new_project_passes_its_own_tests_without_a_key(tmp_path: Path) -> None:
    folder = make_project("hello", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "PYTEST_"))}
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_its_graph_can_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = read_graph_file(make_project("hello", tmp_path) / "langgraph.json")
    try:
        assert (list(file.graphs), file.packages(), build_all(file)[1]) == (["agent"], [], [])
    finally:
        sys.modules.pop("__agent", None)


def test_the_stack_has_the_name_of_the_project(tmp_path: Path) -> None:
    folder = make_project("my-agent", tmp_path)
    assert "--stack-name my-agent " in (folder / "Makefile").read_text()
    assert not [file.name for file in folder.iterdir() if file.suffix != ".py" and "NAME" in file.read_text()]
    assert ".env\n" in (folder / ".gitignore").read_text()
    assert "OPENAI_API_KEY" in (folder / ".env").read_text()


@pytest.mark.parametrize("name", ["", "Hello", "9lives", "../out", "a" * 41, "a_b", "taken"])
def test_an_invalid_or_taken_name_is_rejected(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(LocalError, match="already exists" if name == "taken" else "is not a valid name"):
        make_project(name, tmp_path)
    assert list(tmp_path.rglob("*")) == [tmp_path / "taken"]
