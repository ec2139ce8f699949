"""One deployment for a module: built by the same command as by hand, deployed by an unmodified `sam deploy`."""

import platform
import sys
from collections.abc import Iterator

import pytest
from stack import ROOT, Stack, emulated_aws

BUILT_FROM = ("template.yaml", "pyproject.toml", "uv.lock", "Makefile", "functions", "layers", "src", "agents")
STAMP = ROOT / ".aws-sam" / "made"
"""Contains the options of the last `make build` that succeeded, and is as old as its beginning."""


@pytest.fixture(scope="session")
def built() -> None:
    """Require what `sam deploy` sends, built from these sources for x86_64 with the demo model."""
    assert is_fresh(), "The layers are missing, older than the sources or built with other options. Run `make build`."


def is_fresh() -> bool:
    if not STAMP.exists() or STAMP.read_text() != "x86_64 yes yes\n":
        return False
    files = (file for name in BUILT_FROM for file in (ROOT / name, *(ROOT / name).rglob("*")))
    # A folder is younger than its files where Python put its bytecode in it.
    sources = (file for file in files if file.is_file() and "__pycache__" not in file.parts)
    return all(file.stat().st_mtime <= STAMP.stat().st_mtime for file in sources)


@pytest.fixture(scope="module")
def stack(built: None) -> Iterator[Stack]:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the layers are built for Linux on x86_64")
    with emulated_aws() as aws:
        yield Stack.deploy(aws)
