"""Folders of packages as Lambda would find them: our layers from their own Makefiles, the same dependencies as `sam
build` leaves them where a requirements.txt names them, and boto3 as the managed runtime has it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = Path(sys.base_prefix) / "bin" / "python3.13"
"""Without the packages of any virtual environment."""

RUNTIME = ("boto3", "botocore", "s3transfer", "jmespath", "python-dateutil", "six", "urllib3")
LAYERS = {"dependencies": "DependenciesLayer", "turnkeep": "PackageLayer"}


@dataclass(frozen=True)
class Stacks:
    """Where everything lies; `layers` are in the order in which Python looks through them."""

    layers: tuple[Path, ...]
    plain: Path
    runtime: Path


def build(folder: Path) -> Stacks:
    """Needs uv and the package index; raises CalledProcessError."""
    layers = tuple(_layer(name, logical_id, folder) for name, logical_id in LAYERS.items())
    plain, runtime = folder / "plain", folder / "runtime"
    _install(_exported("--prune", "boto3"), plain)
    _install([line for line in _exported() if line.partition("==")[0] in RUNTIME], runtime)
    _run(str(PYTHON), "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(runtime), cwd=folder)
    return Stacks(layers, plain, runtime)


def _layer(name: str, logical_id: str, folder: Path) -> Path:
    """What `sam build` makes of a layer, made in the same way."""
    target = folder / logical_id
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    environment["PATH"] = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    _run(
        "make",
        "--makefile",
        str(ROOT / "layers" / name / "Makefile"),
        f"build-{logical_id}",
        cwd=folder,
        environment={**environment, "ARTIFACTS_DIR": str(target), "ARCH": _architecture(), "EXTRAS": ""},
    )
    return target / "python"


def _architecture() -> str:
    return "arm64" if os.uname().machine in ("arm64", "aarch64") else "x86_64"


def _exported(*options: str) -> list[str]:
    """The runtime dependencies as a requirements.txt of the lock."""
    command = ("uv", "export", "--quiet", "--frozen", "--no-dev", "--no-emit-workspace", "--no-header", "--no-annotate")
    return _run(*command, "--no-hashes", "--extra", "aws", "--extra", "agents", *options, cwd=ROOT).splitlines()


def _install(requirements: list[str], target: Path) -> None:
    named = target.with_suffix(".txt")
    named.write_text("\n".join(requirements))
    command = ("uv", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--link-mode", "copy")
    _run(*command, "--python", str(PYTHON), "--target", str(target), "--requirement", str(named), cwd=ROOT)


def _run(*command: str, cwd: Path, environment: dict[str, str] | None = None) -> str:
    return subprocess.run(
        command, cwd=cwd, env=environment or dict(os.environ), check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def megabytes(folder: Path) -> float:
    """What the files in it hold."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
