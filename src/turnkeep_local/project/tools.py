"""The programs that a build runs: uv, which installs packages for Lambda on any machine, and CPython 3.13, whose
bytecode Lambda uses."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnkeep_local import LocalError

LAMBDA_PYTHON = "3.13"
PLATFORMS = {"x86_64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}
_MACHINES = {"aarch64": "arm64", "AMD64": "x86_64"}


@dataclass(frozen=True)
class Tools:
    """`architecture` is x86_64 or arm64, `uv` is the path of the program. All methods raise LocalError."""

    architecture: str
    uv: str

    @classmethod
    def find(cls, architecture: str) -> "Tools":
        if architecture not in PLATFORMS:
            raise LocalError(f"Lambda has no architecture {architecture}. Use {' or '.join(PLATFORMS)}.")
        own = str(Path(sys.executable).parent)  # uv of an environment that is not activated
        found = shutil.which("uv") or shutil.which("uv", path=own)
        if not found:
            raise LocalError("`turnkeep build` needs uv, which installs packages for Lambda: pip install uv")
        return cls(architecture, found)

    def resolve(self, inputs: Sequence[Path], *options: str, folder: Path) -> str:
        """Return pins of `inputs` and their dependencies, one a line."""
        known = ["--no-header", "--annotation-style", "line"]
        return self._pip("compile", *map(str, inputs), *known, *options, folder=folder)

    def install(self, requirements: Path, target: Path, *, folder: Path) -> None:
        """Install exactly these. Those without a wheel are built if this machine is like Lambda."""
        machine = _MACHINES.get(platform.machine(), platform.machine())
        builds = (sys.platform, machine) == ("linux", self.architecture)
        options = ["--no-deps", "--link-mode", "copy", *([] if builds else ["--only-binary", ":all:"])]
        named = ["--target", str(target), "--requirement", str(requirements)]
        self._pip("install", *options, *named, folder=folder)
        (target / ".lock").unlink(missing_ok=True)

    def locked(self, project: Path) -> str:
        """Return the pins of a project's uv.lock."""
        options = ["--frozen", "--no-dev", "--no-emit-project", "--no-header", "--no-annotate", "--no-hashes"]
        return run([self.uv, "export", "--project", str(project), *options, "--quiet"], project)

    def python(self, script: Path, *arguments: str, **environ: str) -> None:
        """Run a script of `layers` with CPython 3.13."""
        here = sys.implementation.name == "cpython" and f"{sys.version_info[0]}.{sys.version_info[1]}" == LAMBDA_PYTHON
        other = [self.uv, "run", "--quiet", "--no-project", "--python", f"cpython@{LAMBDA_PYTHON}"]
        known = {"ARCH": self.architecture, "UV": self.uv}
        run([*([sys.executable] if here else other), str(script), *arguments], script.parent, **known, **environ)

    def _pip(self, *arguments: str, folder: Path) -> str:
        place = ["--python-version", LAMBDA_PYTHON, "--python-platform", PLATFORMS[self.architecture]]
        return run([self.uv, "pip", *arguments, *place, "--quiet"], folder)


def run(command: Sequence[str], folder: Path, **environ: str) -> str:
    """Return the output of a program; raise LocalError with its error output if it fails."""
    known = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(command, cwd=folder, env=known | environ, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise LocalError((done.stderr or done.stdout).strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout
