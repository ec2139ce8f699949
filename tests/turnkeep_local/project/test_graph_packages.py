"""Which packages graphs get beside those that every function has. uv is played by a recorder: what it is asked, and
what becomes of its answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from turnkeep.graphfile import GraphFile, read_graph_file
from turnkeep_local import LocalError
from turnkeep_local.project.packages import Packages, resolve

OWN = """
[project]
dependencies = ["fastapi>=0.1", "uvicorn>=0.3", "SQLAlchemy>=2"]
[project.optional-dependencies]
aws = ["mangum==0.22.0"]
bedrock = ["langchain-aws>=1.0"]
"""


@dataclass
class Uv:
    """Answers each question in turn, an exception by raising it; keeps what it was asked."""

    answers: list[str | LocalError]
    lock: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    architecture: str = "x86_64"

    def resolve(self, inputs: Sequence[Path], *options: str, folder: Path) -> str:
        files = dict(zip(options[::2], (Path(each) for each in options[1::2]), strict=True))
        texts = {option: file.read_text() for option, file in files.items()}
        self.asked.append({"inputs": [each.name for each in inputs], "texts": [x.read_text() for x in inputs], **texts})
        answer = self.answers.pop(0)
        if isinstance(answer, LocalError):
            raise answer
        files["--output-file"].write_text(answer)
        return answer

    def locked(self, project: Path) -> str:
        return self.lock


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A layer of dependencies."""
    for name, version in {"fastapi": "0.5", "SQLAlchemy": "2.1", "mangum": "0.22.0", "cffi": "2.0"}.items():
        notes = tmp_path / "held" / f"{name}-{version}.dist-info"
        notes.mkdir(parents=True)
        (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    for place in ("stack", "stack/agents"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "pyproject.toml").write_text(OWN if place == "stack" else "[project]\ndependencies = []\n")
    return tmp_path / "held"


def project(folder: Path, dependencies: list[str], **files: str) -> GraphFile:
    folder.mkdir(exist_ok=True)
    reported = {"dependencies": dependencies, "graphs": {"agent": "./agent.py:graph"}}
    (folder / "langgraph.json").write_text(json.dumps(reported))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return read_graph_file(folder / "langgraph.json")


def resolved(file: GraphFile, held: Path, uv: Any) -> Packages:
    return resolve(file, held, held.parent / "stack", uv)


def test_packages_of_every_function_are_left_out_at_their_version(tmp_path: Path, held: Path) -> None:
    uv = Uv(["fastapi==0.5   # via -r x\nwikipedia==1.4.0   # via -r x\n-e file:///x  # via -r x\n"])
    file = project(tmp_path / "p", ["."], requirements_txt="wikipedia")
    assert resolved(file, held, uv) == Packages(pins=("wikipedia==1.4.0",))
    assert "fastapi==0.5\n" in uv.asked[0]["--constraint"]


def test_turnkeep_and_boto3_are_never_resolved(tmp_path: Path, held: Path) -> None:
    uv = Uv([""])
    resolved(project(tmp_path / "p", ["."], requirements_txt="turnkeep\nboto3"), held, uv)
    named = [line.partition(";")[0] for line in uv.asked[0]["--override"].splitlines()]
    assert {"turnkeep", "boto3", "botocore"} <= set(named)


def test_a_package_that_our_layer_contains_in_part_is_installed_whole(tmp_path: Path, held: Path) -> None:
    uv = Uv(["sqlalchemy==2.1   # via x\n"])
    file = project(tmp_path / "p", ["."], requirements_txt="sqlalchemy")
    assert resolved(file, held, uv).pins == ("sqlalchemy==2.1",)


@pytest.mark.parametrize(("via", "comes"), [("langsmith", False), ("httpx, langsmith", False), ("-r own.txt", True)])
def test_a_large_package_is_installed_only_where_it_is_needed(
    tmp_path: Path, held: Path, via: str, comes: bool
) -> None:
    uv = Uv([f"zstandard==0.25   # via {via}\n"])
    file = project(tmp_path / "p", ["."], requirements_txt="zstandard")
    assert bool(resolved(file, held, uv).pins) == comes


@pytest.mark.parametrize(
    ("files", "dependencies", "read"),
    [
        ({"pyproject_toml": "[project]\nname='x'", "requirements_txt": "a"}, ["."], ["pyproject.toml"]),
        ({"pyproject_toml": "[tool.ruff]", "requirements_txt": "a"}, ["."], ["requirements.txt"]),
        ({"setup_py": "", "requirements_txt": "a"}, ["."], ["setup.py"]),
        ({"requirements_txt": "a"}, [".", "langchain-openai", "wikipedia"], ["requirements.txt", "dependencies.in"]),
        ({"requirements_txt": "a"}, ["wikipedia"], ["dependencies.in"]),
    ],
)
def test_dependencies_are_read_from_the_files_of_langgraphs_own_build(
    tmp_path: Path, held: Path, files: dict[str, str], dependencies: list[str], read: list[str]
) -> None:
    uv = Uv([""])
    resolved(project(tmp_path / "p", dependencies, **files), held, uv)
    assert uv.asked[0]["inputs"] == read


def test_a_folder_without_dependencies_needs_nothing(tmp_path: Path, held: Path) -> None:
    assert resolved(project(tmp_path / "p", ["."]), held, Uv([])) == Packages()


def test_a_lock_decides_and_differences_are_reported(tmp_path: Path, held: Path) -> None:
    uv = Uv(["wikipedia==1.3   # via x\nfastapi==0.5   # via x\n"], lock="wikipedia==1.3\nfastapi==0.4 ; x == 'y'\n")
    file = project(tmp_path / "p", ["."], pyproject_toml="[project]\nname='x'", uv_lock="")
    assert resolved(file, held, uv) == Packages(pins=("wikipedia==1.3",), unlocked=("fastapi 0.4 -> 0.5",))
    assert uv.asked[0]["--output-file"].startswith("wikipedia==1.3\n")


def test_a_version_that_graphs_need_replaces_ours_everywhere(tmp_path: Path, held: Path) -> None:
    both = "fastapi==0.4   # via x\nwikipedia==1.4   # via x\n"
    everywhere = "fastapi==0.4   # via x\nsqlalchemy==2.1   # via x\nmangum==0.22.0   # via x\ncffi==2.0   # via x\n"
    uv = Uv([LocalError("unsatisfiable"), both, everywhere, both])
    found = resolved(project(tmp_path / "p", ["."], requirements_txt="fastapi<0.5"), held, uv)
    assert (found.pins, found.replaced) == (("wikipedia==1.4",), ("fastapi 0.5 -> 0.4",))
    assert set(found.everywhere) == {"fastapi==0.4", "sqlalchemy==2.1", "mangum==0.22.0", "cffi==2.0"}
    assert uv.asked[1]["texts"][0].split() == ["fastapi>=0.1", "SQLAlchemy>=2", "mangum==0.22.0"]  # no laptop, no extra


def test_an_unsolvable_set_is_reported_with_the_end_of_the_explanation(tmp_path: Path, held: Path) -> None:
    why = "\n".join(
        ["No solution found", *["because"] * 50, "you require fastapi<0.1 and turnkeep requires fastapi>=0.1"]
    )
    uv = Uv([LocalError("x"), LocalError(why)])
    with pytest.raises(LocalError) as printed:
        resolved(project(tmp_path / "p", ["."], requirements_txt="fastapi<0.1"), held, uv)
    lines = str(printed.value).splitlines()
    assert "langgraph.json cannot be installed for Lambda (x86_64, Python 3.13)" in lines[0]
    assert (lines[1], lines[-1]) == ("No solution found", "you require fastapi<0.1 and turnkeep requires fastapi>=0.1")
    assert len(lines) < 12


def test_a_missing_folder_of_dependencies_is_reported(tmp_path: Path, held: Path) -> None:
    with pytest.raises(LocalError, match=r"`dependencies` lists \./lib, which is not a folder"):
        resolved(project(tmp_path / "p", [".", "./lib"], requirements_txt="a"), held, Uv([]))
