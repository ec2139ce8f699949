"""What `turnkeep build` sends and reports. Fakes of the layers' programs install nothing."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from turnkeep.graphfile import UnusableGraphFile
from turnkeep_local import LocalError
from turnkeep_local.project.build import build, find_stack
from turnkeep_local.project.tools import Tools

STAGES = {"template": "trial", "dev": "dev", "prod": "prod"}
GRAPH = """
from langgraph.graph import START, MessagesState, StateGraph
graph = StateGraph(MessagesState).add_node("one", lambda state: {}).add_edge(START, "one").compile()
"""


@dataclass(frozen=True)
class Played(Tools):
    """Resolves to `pins`, and writes a layer of `held_bytes`."""

    pins: str = ""
    held_bytes: int = 1000
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def resolve(self, inputs: Sequence[Path], *options: str, folder: Path) -> str:
        Path(options[options.index("--output-file") + 1]).write_text(self.pins)
        return self.pins

    def install(self, requirements: Path, target: Path, *, folder: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        (target / "installed.txt").write_text(requirements.read_text())

    def python(self, script: Path, *arguments: str, **environ: str) -> None:
        assert script.is_file()
        self.ran.append((script.name, *arguments))
        if script.name == "locked.py":
            Path(arguments[0]).mkdir(parents=True)
            with (Path(arguments[0]) / "large.so").open("wb") as file:
                file.truncate(self.held_bytes)


@pytest.fixture(autouse=True)
def imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Graphs are loaded under a name that comes of their path in the project."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("__agent", None)


@dataclass
class Project:
    folder: Path
    tools: Played = field(default_factory=lambda: Played("x86_64", "uv"))
    reported: list[str] = field(default_factory=list)

    def write(self, **more: Any) -> "Project":
        reported = {"dependencies": ["."], "graphs": {"agent": "./agent.py:graph"}, **more}
        self.file("langgraph.json", json.dumps(reported))
        self.file("agent.py", GRAPH)
        return self

    def file(self, name: str, text: str = "") -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def build(self) -> Path:
        build(self.folder / "langgraph.json", self.folder, self.tools, (), self.reported.append)
        return self.built

    @property
    def built(self) -> Path:
        return self.folder / ".aws-sam" / "build"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "hello").write()


def files_in(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_the_template_differs_only_in_the_location_of_graphs(project: Project) -> None:
    lines = (project.build() / "template.yaml").read_text().splitlines()
    ours = (find_stack() / "template.yaml").read_text().splitlines()
    changed = [line.strip() for line, own in zip(lines, ours, strict=True) if line != own]
    assert changed == ["Graphs: { Built: { File: /opt/graphs/langgraph.json } }"]
    assert {"watching.yaml", "functions/api/app.py", "functions/stream/wrapper"} <= files_in(project.built)


def test_each_stage_is_a_template_that_differs_in_its_default(project: Project) -> None:
    built = project.build()
    texts = {stage: (built / f"{name}.yaml").read_text() for name, stage in STAGES.items()}
    for stage, text in texts.items():
        assert yaml.safe_load(text.split("\nConditions:")[0])["Parameters"]["Stage"]["Default"] == stage
        assert text.replace(f"Default: {stage}\n", "Default: trial\n") == texts["trial"]


def test_files_of_this_machine_are_not_sent(project: Project) -> None:
    for name in ("lib/words.txt", ".env", ".env.local", ".venv/x.py", ".git/config", ".aws-sam/build/old.txt"):
        project.file(name)
    for name in ("__pycache__/agent.pyc", "lib/.pytest_cache/x", ".turnkeep/seal.key", "secrets/prod.env"):
        project.file(name)
    project.write(env="secrets/prod.env").build()
    assert files_in(project.built / "layers/graphs") == {
        f"graphs/{x}" for x in ("agent.py", "langgraph.json", "lib/words.txt")
    }


def test_files_that_git_ignores_are_not_sent(project: Project) -> None:
    project.file(".gitignore", "notes.txt\n")
    project.file("notes.txt")
    subprocess.run(["git", "init", "-q"], cwd=project.folder, check=True)
    project.build()
    assert files_in(project.built / "layers/graphs/graphs") == {".gitignore", "agent.py", "langgraph.json"}


def test_requirements_of_graphs_are_installed_with_them(project: Project) -> None:
    project.file("requirements.txt", "wikipedia")
    project.tools = Played("x86_64", "uv", pins="wikipedia==1.4.0   # via x\n")
    project.build()
    assert (project.built / "layers/graphs/python/installed.txt").read_text() == "wikipedia==1.4.0"
    assert "packages    wikipedia==1.4.0" in project.reported


@pytest.mark.parametrize(
    ("agents", "kept"),
    [([], set()), (["papers"], {"papers"}), ("all", {"campaigns", "database", "papers", "products", "regulations"})],
)
def test_the_listed_agents_are_packaged(project: Project, agents: Any, kept: set[str]) -> None:
    place = project.write(turnkeep={"agents": agents}).build() / "layers/turnkeep/python"
    found = {each.parent.name for each in place.glob("turnkeep_agents/*/graph.py")}
    points = "".join(file.read_text() for file in place.glob("turnkeep*.dist-info/entry_points.txt"))
    named = [line.partition(" ")[0] for line in points.splitlines() if "turnkeep_agents." in line]
    assert (found, set(named), (place / "turnkeep_demo").exists()) == (kept, kept, bool(kept))
    assert (place / "turnkeep/aws/deployment.py").exists()
    assert not list(place.glob("turnkeep_local")) + list(place.glob("turnkeep_agents/*/commands*"))


def test_a_file_of_variables_is_reported_with_the_parameter_of_each(project: Project) -> None:
    project.file(".env", "OPENAI_API_KEY=canary\n")
    project.write(env=".env").build()
    assert any(line.endswith("/turnkeep/hello/env/OPENAI_API_KEY --value ...") for line in project.reported)
    assert "canary" not in str(project.reported)


def test_a_secret_that_would_be_sent_is_reported(project: Project) -> None:
    project.write(env={"OPENAI_API_KEY": "canary", "REGION_NAME": "eu"}).build()
    (line,) = [line for line in project.reported if "is sent unencrypted" in line]
    assert "OPENAI_API_KEY" in line
    assert "REGION_NAME" not in line
    assert "canary" not in str(project.reported)


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ({"python_version": "3.11"}, "`python_version` is 3.11, but functions run 3.13"),
        ({"auth": {"path": "./auth.py:auth"}}, "`auth` is not applied"),
        ({"graphs": {"agent": "./agent.py:graph", "b": "./b.py:graph"}}, "there is no file ./b.py"),
    ],
)
def test_ignored_parts_are_reported_and_the_rest_is_built(project: Project, more: dict[str, Any], printed: str) -> None:
    project.write(**more).build()
    assert any(printed in line for line in project.reported)
    assert (project.built / "template.yaml").exists()


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ({"turnkeep": {"agents": ["paper"]}}, "`agents` lists paper. Installed agents: campaigns, "),
        ({"dependencies": [".", "../shared"]}, "is outside its folder"),
        ({"encryption": {}}, "langgraph.json:1: `encryption` is not applied"),
        ({"graphs": {}}, "no graphs"),
    ],
)
def test_a_failed_build_is_reported_and_leaves_nothing_to_deploy(
    project: Project, more: dict[str, Any], printed: str
) -> None:
    (project.folder.parent / "shared").mkdir()
    with pytest.raises((LocalError, UnusableGraphFile), match=printed):
        project.write(**more).build()
    assert not (project.built / "template.yaml").exists()


def test_a_missing_file_is_reported_with_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="turnkeep new NAME"):
        Project(tmp_path).build()


def test_a_build_that_is_too_large_lists_what_is_large(project: Project) -> None:
    project.build()
    project.tools = Played("x86_64", "uv", held_bytes=255 * 1024 * 1024)
    for number in range(12):
        project.file(f"data{number}.bin", "x" * (1_000_000 + number))
    with pytest.raises(LocalError, match=r"MB unzipped, but Lambda allows 262") as printed:
        project.build()
    named = [line.split()[-1] for line in str(printed.value).splitlines()[1:]]
    assert named == [f"data{number}.bin" for number in range(11, 1, -1)]
    assert not (project.built / "template.yaml").exists()


def test_missing_uv_is_reported_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(LocalError, match="pip install uv"):
        Tools.find("x86_64")


def test_an_unknown_architecture_is_rejected() -> None:
    with pytest.raises(LocalError, match="Lambda has no architecture sparc"):
        Tools.find("sparc")
