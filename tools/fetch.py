"""Fetches what the tests need before they run: a test reaches no other host, nor does a process that it starts.

python tools/fetch.py            Java and DynamoDB Local: `make ready`
python tools/fetch.py --check    also MariaDB and the packages of the wheels and of the functions: `make check`
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from turnkeep_local import LocalError
from turnkeep_local.emulator import fetch_emulator, fetch_java, find_emulator, find_java

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def fetch_store() -> None:
    """Fetch Java and DynamoDB Local if missing; raise LocalError, which names the remedy."""
    if not find_java(os.environ):
        fetch_java(os.environ, say)
    if not find_emulator(os.environ):
        fetch_emulator(os.environ, say)


def fetch_for_check() -> None:
    """Fill uv's cache with the packages that the tests install; raise LocalError."""
    run(sys.executable, "tests/mariadb.py")
    say("Fetching the packages that tests install, where uv's cache lacks them ...")
    with TemporaryDirectory() as name:
        locked = Path(name, "locked.txt")
        export = ["--frozen", "--no-dev", "--extra", "agents", "--extra", "dev", "--no-emit-workspace", "--no-hashes"]
        run("uv", "export", "--quiet", *export, "-o", str(locked))
        for number, (python, *packages) in enumerate(_installed_by_tests(str(locked))):
            place = ["--python", python, "--target", str(Path(name, str(number)))]
            run("uv", "pip", "install", "--quiet", *place, *packages)


def _installed_by_tests(locked: str) -> Iterator[tuple[str, ...]]:
    """Yield a Python and what to install for it."""
    for python in PYTHONS:
        find = ["uv", "python", "find", "--quiet", "--no-project", "--no-python-downloads", python]
        if subprocess.run(find, capture_output=True, check=False).returncode == 0:  # noqa: S603
            yield python, f"{ROOT}[dev]", str(ROOT / "agents"), "--constraints", locked
    for requirements in sorted(ROOT.glob("functions/*/requirements.txt")):
        yield "3.13", "--no-deps", "--requirement", str(requirements)


def run(*command: str) -> None:
    """Run the command; raise LocalError if it fails, after it has printed why."""
    if subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603
        raise LocalError(f"`{' '.join(command)}` failed. Check the registries and try again.")


def main() -> None:
    try:
        fetch_store()
        if "--check" in sys.argv[1:]:
            fetch_for_check()
    except LocalError as error:
        sys.exit(f"tools/fetch.py: {error}")


if __name__ == "__main__":
    main()
