"""langgraph.json: what is read of it, and how each mistake in it is told."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from turnkeep.entries import default_agent, entries, graph_file
from turnkeep.graphfile import UnusableGraphFile, read_graph_file

WriteFile = Callable[[Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    """Writes a langgraph.json next to an agent.py that must not be imported."""

    def written(said: Any) -> Path:
        (tmp_path / "agent.py").write_text("raise SystemExit")
        path = tmp_path / "langgraph.json"
        path.write_text(said if isinstance(said, str) else json.dumps(said, indent=1))
        return path

    return written


def with_graph(**more: Any) -> dict[str, Any]:
    return {"graphs": {"agent": "./agent.py:graph"}, **more}


def test_graphs_are_named_by_file_or_module(write: WriteFile) -> None:
    graphs = {"a": "./agent.py:graph", "Deep Two": {"path": "package.module:make", "description": "what it does"}}
    found = read_graph_file(write({"graphs": graphs})).graphs
    assert [(each.source, each.attribute, each.is_file, each.fault) for each in found.values()] == [
        ("./agent.py", "graph", True, ""),
        ("package.module", "make", False, ""),
    ]
    assert (found["Deep Two"].description, found["a"].window) == ("what it does", None)


def test_the_extension_key_sets_windows_messages_and_agents_on_board(write: WriteFile) -> None:
    own = {"agents": ["papers"], "graphs": {"agent": {"window": 10, "message": "question", "description": "mine"}}}
    file = read_graph_file(write(with_graph(turnkeep=own)))
    spec = file.graphs["agent"]
    assert (spec.window, spec.message, spec.description, file.agents) == (10, "question", "mine", ("papers",))


MISTAKES: dict[str, tuple[Any, str]] = {
    "no JSON": ('{"graphs": {\n  "a": }}', ":2:8: invalid JSON: Expecting value"),
    "no object": ("[]", ":1: not an object; write"),
    "no graphs": ({"dependencies": ["."]}, ':1: no graphs; add "graphs"'),
    "graphs no object": ({"graphs": []}, ":2: `graphs` must be an object"),
    "env no name": (with_graph(env=3), ":5: `env` must be an object or a string"),
    "encryption": (with_graph(encryption={"path": "a:b"}), ":5: `encryption` is not applied: values would be stored"),
    "own key unknown": (
        with_graph(turnkeep={"windows": {}}),
        ":6: unknown key `windows`; known keys: agents, graphs",
    ),
    "own graph unknown": (with_graph(turnkeep={"graphs": {"agnet": {}}}), ":7: there is no graph `agnet`"),
    "graph key unknown": (with_graph(turnkeep={"graphs": {"agent": {"win": 1}}}), ":8: unknown key `win`"),
    "window": (with_graph(turnkeep={"graphs": {"agent": {"window": 0}}}), ":8: `window`: write 1 to 1000 turns"),
    "agents": (with_graph(turnkeep={"agents": "some"}), ':6: `agents`: write "all" or a list'),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_file_is_told_with_its_line(name: str, write: WriteFile) -> None:
    said, told = MISTAKES[name]
    path = write(said)
    with pytest.raises(UnusableGraphFile) as raised:
        read_graph_file(path)
    assert str(raised.value).startswith(f"{path}{told}")


FAULTS: dict[str, tuple[str, str]] = {
    "missing file": (
        '{"graphs": {"a": "./gone.py:graph"}}',
        ":1: graph `a`: there is no file ./gone.py; paths are relative to",
    ),
    "no attribute": ('{"graphs": {\n"a": "./agent.py"}}', ':2: graph `a`: write "./path/to/file.py:attribute"'),
    "no place": ('{"graphs": {\n"a": {"description": "x"}}}', ':2: graph `a`: write "./path/to/file.py:attribute"'),
    "JavaScript": ('{"graphs": {"a": "./agent.ts:graph"}}', ":1: graph `a` is JavaScript; only Python graphs"),
    "no name": ('{"graphs": {"a/b": "./agent.py:graph"}}', ":1: graph `a/b` has an invalid name; use 1 to 64"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_one_graph_leaves_the_file_in_use(name: str, write: WriteFile) -> None:
    said, told = FAULTS[name]
    path = write(said)
    [spec] = read_graph_file(path).graphs.values()
    assert spec.fault.startswith(f"{path}{told}")


def test_what_has_no_effect_here_is_a_warning(write: WriteFile) -> None:
    path = write(
        with_graph(auth={"path": "a:b"}, http={"app": "a:b"}, dependencis=["."], env=".env", python_version="3.12")
    )
    warnings = read_graph_file(path).warnings
    assert [each.removeprefix(str(path)).split(", ")[0] for each in warnings] == [
        ":5: `auth` is not applied: this server authenticates callers with its own keys or tokens",
        ":8: `http` is not applied: no app is mounted and no route is disabled; set CORS_ORIGINS to allow "
        "pages to call",
        ":11: unknown key `dependencis`; did you mean `dependencies`?",
        ":14: there is no file .env; set its variables",
    ]


def test_dependencies_are_folders_to_import_from_and_packages_to_install(write: WriteFile, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "pyproject.toml").touch()
    file = read_graph_file(write(with_graph(dependencies=[".", "./sub", "langchain-openai>=1"])))
    assert file.folders() == [tmp_path, tmp_path / "sub", tmp_path / "src"]
    assert file.packages() == ["langchain-openai>=1"]


@pytest.mark.parametrize(("over", "expected"), [(False, "set"), (True, "of the file")])
@pytest.mark.parametrize("env", [{"TONE": "of the file", "RETRIES": 3}, ".env"])
def test_variables_come_from_a_mapping_or_a_file(
    write: WriteFile, monkeypatch: pytest.MonkeyPatch, *, env: Any, over: bool, expected: str
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    path, environ = write(with_graph(env=env)), {"TONE": "set"}
    (path.parent / ".env").write_text("# the tone\nTONE='of the file'\nRETRIES=3\n")
    read_graph_file(path).use(environ, over=over)
    assert environ == {"TONE": expected, "RETRIES": "3"}
    assert str(path.parent) in sys.path


@pytest.fixture
def named(write: WriteFile, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], None]]:
    """Names a langgraph.json in the environment of this process."""

    def name(said: Any) -> None:
        monkeypatch.setenv("TURNKEEP_GRAPHS", str(write(said)))
        forget()

    def forget() -> None:
        graph_file.cache_clear()
        entries.cache_clear()

    yield name
    forget()  # whoever asks next does so after the variable is gone again


@pytest.mark.parametrize(
    ("agents", "expected"), [([], ["b", "a"]), (["papers"], ["b", "a", "papers"]), ("all", ["b", "a", "campaigns"])]
)
def test_agents_on_board_stand_beside_graphs_where_the_file_asks(
    named: Callable[[Any], None], agents: Any, expected: list[str]
) -> None:
    assert graph_file() is None
    assert (default_agent("papers"), "papers" in entries()) == ("papers", True)
    named({"graphs": {"b": "./agent.py:b", "a": "./agent.py:a"}, "turnkeep": {"agents": agents}})
    assert list(entries())[:3] == expected
    assert (default_agent("regulations"), default_agent("a")) == ("regulations" if agents == "all" else "b", "a")
