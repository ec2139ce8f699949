"""The folder of a laptop's threads: `.turnkeep` under the current directory, or `TURNKEEP_HOME`.

One server at a time owns it. The lock belongs to the process, so a killed server leaves nothing to clean up.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from turnkeep.signing import new_key
from turnkeep_local import LocalError


class Home:
    """`process`: file with the pid and port of this folder's database. `server`: file with the pid and URL of its
    server, which locks it."""

    def __init__(self, path: Path):
        self.path = path
        self.database, self.objects = path / "dynamodb", path / "objects"
        self.process, self.server = path / "dynamodb.json", path / "server.json"

    def log(self, name: str) -> Path:
        return self.path / f"{name}.log"

    def seal_key(self) -> str:
        """Return the signing key as text, made on first use. Raise LocalError if it existed and is missing."""
        file = self.path / "seal.key"
        if self.database.exists() and not file.exists():
            advice = f"Restore it, set SEAL_KEY to it, or delete {self.database} with all threads"
            raise LocalError(f"{file} is missing, and threads are signed with it. {advice}.")
        return _secret(file, new_key)

    def access_key(self) -> str:
        """Return the access key id of this folder's database; DynamoDB Local keeps one database per id."""
        return _secret(self.path / "access.key", lambda: "LOCAL" + secrets.token_hex(12).upper())


def _secret(file: Path, make: Callable[[], str]) -> str:
    if not file.exists():
        write_atomically(file, make().encode())
    return file.read_text().strip()


def open_home(environ: Mapping[str, str]) -> Home:
    """Return the folder, made if missing; other users of the machine cannot read it. Raise LocalError."""
    path = Path(environ.get("TURNKEEP_HOME") or ".turnkeep")
    try:
        if not path.is_symlink():  # the target of a dangling link may be anywhere
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Home(path.resolve(strict=True))
    except OSError as error:
        advice = "Set TURNKEEP_HOME to a folder, or to one that can be made."
        raise LocalError(f"{path} cannot be the folder of threads: {error.strerror}. {advice}") from error


def recorded(file: Path) -> Any:
    """Return the content of a JSON file, None if it is missing or damaged."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None


def write_atomically(file: Path, body: bytes) -> None:
    """Write a file that only its owner can read; after a crash it has the old or the new content."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(body)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def sole_server(home: Home, url: str) -> Iterator[None]:
    """Lock the folder for this process; raise LocalError while another server has locked it."""
    with home.server.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            other = (recorded(home.server) or {"url": "another port"})["url"]
            advice = "Stop it, or set TURNKEEP_HOME to another folder."
            raise LocalError(f"A server for {home.path} is running at {other}. {advice}") from error
        stream.truncate(0)
        stream.write(json.dumps({"pid": os.getpid(), "url": url}))
        stream.flush()
        yield
