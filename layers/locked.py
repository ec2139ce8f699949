"""The layer of dependencies: the locked export as wheels for Amazon Linux, small and compiled. `sam build` runs it
through dependencies/Makefile, `turnkeep build` directly. docs/decisions/0008 has the reasons.

    python3.13 locked.py .aws-sam/build/DependenciesLayer/python

Environment: ARCH is x86_64 or arm64, as the parameter Architecture. EXTRAS lists extras, such as "bedrock". AGENTS is
"no" to leave out what only the five agents need. REQUIREMENTS, for own graphs, is a file of pins instead of the lock.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).resolve().parents[1]
# Amazon Linux 2023 has glibc 2.34.
PLATFORMS = {"x86_64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}


def main(target: Path) -> None:
    architecture, extras = os.environ.get("ARCH") or "x86_64", os.environ.get("EXTRAS", "").split()
    if architecture not in PLATFORMS:
        sys.exit(f"ARCH={architecture} is neither x86_64 nor arm64")
    with TemporaryDirectory() as folder:
        requirements = Path(os.environ.get("REQUIREMENTS") or Path(folder) / "requirements.txt")
        install = ["--no-deps", "--only-binary", ":all:", "--link-mode", "copy"]
        if not os.environ.get("REQUIREMENTS"):
            requirements.write_text(locked(extras))
            install.append("--require-hashes")
        place = ["--python", sys.executable, "--python-version", "3.13", "--python-platform", PLATFORMS[architecture]]
        uv("pip", "install", *install, *place, "--target", str(target), "--requirement", str(requirements))
    subprocess.run([sys.executable, Path(__file__).with_name("slim.py"), target], check=True)  # noqa: S603


def locked(extras: list[str]) -> str:
    """Return the pinned packages of the layer, as a requirements.txt with hashes."""
    options = ["--frozen", "--no-dev", "--no-emit-workspace", "--no-header", "--no-annotate", "--extra", "aws"]
    options += [] if os.environ.get("AGENTS") == "no" else ["--extra", "agents"]
    options += [part for extra in extras for part in ("--extra", extra)]
    options += [part for name in left_out(extras) for part in ("--prune", name)]
    return uv("export", "--project", str(PROJECT), *options)


PARSERS = ("defusedxml", "markdown-it-py", "pypdfium2", "selectolax")
"""Packages that functions/documents installs itself."""


def left_out(extras: list[str]) -> list[str]:
    """Return the packages to leave out. The runtime has boto3, but sometimes one too old for Bedrock's models.
    zstandard, a quarter of the layer, compresses LangSmith's traces and httpx's answers; both work without it. ONNX
    Runtime needs protobuf and flatbuffers only to make models."""
    boto3 = [] if "bedrock" in extras else ["boto3"]
    return [*PARSERS, "zstandard", *boto3, *(["protobuf", "flatbuffers"] if "dense" in extras else [])]


def uv(*arguments: str) -> str:
    command = [os.environ.get("UV") or "uv", *arguments, "--quiet"]
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603
    except FileNotFoundError:
        sys.exit("the layers need uv: https://docs.astral.sh/uv, or `make build`")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
