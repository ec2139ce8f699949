"""The wheels in fresh environments of the oldest and the newest Python of this machine: every module loads, `turnkeep
dev` stores a turn, and `turnkeep` alone brings the saver and none of what agents need."""

import os
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

import pytest

from dev_server import dev_server

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv") or ROOT / ".tools" / "bin" / "uv"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OF_EXTRAS = {"awslambdaric", "snapshot_restore_py", "mangum", "h11", "langchain_aws", "onnxruntime", "numpy"}
OF_DEV = {"uvicorn", "watchfiles", "charset_normalizer", "defusedxml", "markdown_it", "pypdfium2", "selectolax"}
OF_AGENTS = {"phonenumbers", "sqlalchemy", "sqlglot", "stdnum"}
LOAD_ALL = """
import importlib, importlib.util, pkgutil, sys
missing = set()
for root in filter(importlib.util.find_spec, sys.argv[1:]):
    for module in pkgutil.walk_packages(importlib.import_module(root).__path__, root + "."):
        try:
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            missing.add(error.name)
print(" ".join(sorted(missing)))
"""
SAVER = "from turnkeep import DynamoDBSaver, DynamoDBStore, once"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("emulator")]


def _uv(*arguments: str | Path) -> str:
    environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run([UV, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}\nRun `make check`, which fetches packages."
    return done.stdout


@cache
def _ends() -> tuple[str, ...]:
    """Return the oldest and newest installed version, without fetching one."""
    ask = [UV, "python", "find", "--no-project", "--no-python-downloads"]
    found = [each for each in PYTHONS if not subprocess.run([*ask, each], capture_output=True, check=False).returncode]
    return found[0], found[-1]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with both wheels and the locked versions."""
    folder = tmp_path_factory.mktemp("wheels")
    _uv("build", "--quiet", "--wheel", "--all-packages", "--out-dir", folder)
    export = ["--frozen", "--no-dev", "--extra", "agents", "--extra", "dev", "--no-emit-workspace", "--no-hashes"]
    (folder / "locked.txt").write_text(_uv("export", "--quiet", "--no-header", *export))
    return folder


def installed(wheels: Path, environment: Path, python: str, *names: str) -> Path:
    """Return the folder of the commands of a new environment with these wheels, such as "turnkeep[dev]"."""
    _uv("venv", "--quiet", "--clear", "--no-python-downloads", "--python", python, environment)
    at = ["--quiet", "--python", environment / "bin/python", "--find-links", wheels]
    _uv("pip", "install", *at, "--constraints", wheels / "locked.txt", *names)
    return environment / "bin"


@pytest.fixture(scope="module", params=[0, 1], ids=["oldest", "newest"])
def everything(request: pytest.FixtureRequest, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = _ends()[request.param]
    return installed(wheels, tmp_path_factory.mktemp("environment"), python, "turnkeep[agents,dev]")


def missing(commands: Path, *roots: str) -> set[str]:
    """Return the packages that modules of `roots` import and that are not installed."""
    done = subprocess.run([commands / "python", "-c", LOAD_ALL, *roots], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-800:]
    return set(done.stdout.split())


def test_every_module_loads_and_asks_for_no_more_than_the_extras(everything: Path) -> None:
    assert missing(everything, "turnkeep", "turnkeep_local", "turnkeep_agents", "turnkeep_demo") <= OF_EXTRAS


def test_turnkeep_alone_brings_the_saver_and_nothing_of_agents(wheels: Path, tmp_path: Path) -> None:
    commands = installed(wheels, tmp_path, _ends()[1], "turnkeep")
    assert missing(commands, "turnkeep") <= OF_EXTRAS | OF_DEV | OF_AGENTS
    subprocess.run([commands / "python", "-c", SAVER], check=True)
    listed = _uv("pip", "list", "--quiet", "--python", commands / "python", "--format", "freeze").lower()
    assert [name for name in ("uvicorn", "sqlglot", "pypdfium2", "turnkeep-agents") if name in listed] == []
    assert 'pip install "turnkeep[dev]"' in refused(commands, tmp_path)
    installed(wheels, tmp_path / "dev", _ends()[1], "turnkeep[dev]")
    assert "turnkeep new NAME" in refused(tmp_path / "dev/bin", tmp_path)


def refused(commands: Path, folder: Path) -> str:
    """Return the message of `turnkeep dev` in a folder without graphs."""
    done = subprocess.run([commands / "turnkeep", "dev"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_turn_is_stored(everything: Path, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
    body = {"session_id": "mine", "agent": "papers", "message": "Tell me about convolutional networks"}
    with dev_server(tmp_path, environ, command=[str(everything / "turnkeep"), "dev"], ended_by=signal.SIGINT) as client:
        turn = client.post("/chat", json=body).json()
        stored = client.get("/threads/mine/turns").json()["turns"]
    assert (turn["persisted"], turn["turn_number"]) == (True, 1)
    assert [each["reply"] for each in stored] == [turn["reply"]]
