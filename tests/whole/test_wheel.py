"""The wheel alone, in a fresh environment of the oldest and the newest Python of this machine: every module loads, and
`turnkeep dev` keeps a turn."""

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
LOAD_ALL = """
import importlib, pkgutil
missing = set()
for root in ("turnkeep", "turnkeep_local", "turnkeep_agents", "turnkeep_demo"):
    for module in pkgutil.walk_packages(importlib.import_module(root).__path__, root + "."):
        try:
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            missing.add(error.name)
print(" ".join(sorted(missing)))
"""

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("emulator")]


def _uv(*arguments: str | Path) -> str:
    environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run([UV, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}\nRun `make check`, which fetches packages."
    return done.stdout


@cache
def _ends() -> tuple[str, ...]:
    """Those that are installed, without fetching one: oldest and newest."""
    ask = [UV, "python", "find", "--no-project", "--no-python-downloads"]
    found = [each for each in PYTHONS if not subprocess.run([*ask, each], capture_output=True, check=False).returncode]
    return found[0], found[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """It, and the versions that are locked."""
    folder = tmp_path_factory.mktemp("wheel")
    _uv("build", "--quiet", "--wheel", "--out-dir", folder)
    locked = folder / "locked.txt"
    export = ["--frozen", "--no-dev", "--no-emit-project", "--no-hashes", "--no-header"]
    locked.write_text(_uv("export", "--quiet", *export))
    return next(folder.glob("*.whl")), locked


@pytest.fixture(scope="module", params=[0, 1], ids=["oldest", "newest"])
def installed(
    request: pytest.FixtureRequest, wheel: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of an environment's commands."""
    environment = tmp_path_factory.mktemp("environment")
    _uv("venv", "--quiet", "--clear", "--no-python-downloads", "--python", _ends()[request.param], environment)
    _uv("pip", "install", "--quiet", "--python", environment / "bin/python", wheel[0], "--constraints", wheel[1])
    return environment / "bin"


def test_every_module_loads_and_asks_for_no_more_than_the_extras(installed: Path) -> None:
    told = subprocess.run([installed / "python", "-c", LOAD_ALL], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr[-800:]
    assert set(told.stdout.split()) <= OF_EXTRAS


def test_a_turn_is_kept(installed: Path, tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))}
    said = {"session_id": "mine", "agent": "papers", "message": "Tell me about convolutional networks"}
    with dev_server(tmp_path, environ, command=[str(installed / "turnkeep"), "dev"], ended_by=signal.SIGINT) as client:
        turn = client.post("/chat", json=said).json()
        kept = client.get("/threads/mine/turns").json()["turns"]
    assert (turn["persisted"], turn["turn_number"]) == (True, 1)
    assert [each["reply"] for each in kept] == [turn["reply"]]
