"""One deployment for a module: built by the same command as by hand, deployed by an unmodified `sam deploy`."""

import fcntl
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from stack import ROOT, Stack, emulated_aws

BUILT_FROM = ("template.yaml", "pyproject.toml", "uv.lock", "Makefile", "functions", "layers", "src")
STAMP = ROOT / ".aws-sam" / "build" / "by-tests"
"""Every build begins with an empty folder, so one that was made by hand, and perhaps for other machines, has none."""


@pytest.fixture(scope="session")
def built() -> None:
    """What `sam deploy` takes, made by one worker at a time and only where something has changed."""
    with (ROOT / "template.yaml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_fresh():
            build()


def is_fresh() -> bool:
    if not STAMP.exists():
        return False
    names = [ROOT / name for name in BUILT_FROM]
    files = [*names, *(file for name in names for file in name.rglob("*") if "__pycache__" not in file.parts)]
    return all(file.stat().st_mtime <= STAMP.stat().st_mtime for file in files)


def build() -> None:
    began = time.time()
    done = subprocess.run(
        ["make", "--no-print-directory", "build"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    STAMP.touch()
    os.utime(STAMP, (began, began))  # what was changed in the meantime is not in it


@pytest.fixture(scope="module")
def stack(built: None) -> Iterator[Stack]:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the layers are built for Linux on x86_64")
    with emulated_aws() as aws:
        yield Stack.deploy(aws)
