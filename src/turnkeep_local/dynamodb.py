"""A DynamoDB for the laptop: DynamoDB Local, ministack where npm is missing, or the one that the environment names.

DynamoDB Local listens on every interface and cannot be told otherwise. It keeps one database per access key id, so a
random id (`.turnkeep/access.key`) keeps the neighbours in the network from reading ours; hence no `-sharedDb`.
"""

import json
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from turnkeep_local import LocalError
from turnkeep_local.emulator import JAR, JAVA_MISSING, Say, fetch_emulator, find_emulator, find_java
from turnkeep_local.home import Home, write_atomically
from turnkeep_local.processes import (
    end,
    free_port,
    is_listening,
    is_running,
    kill_leftover,
    spawn,
    wait_until_listening,
)

START_SECONDS = 30.0
_DYNAMODB_LOCAL = "DynamoDB Local"
MINISTACK = "ministack==1.5.33"
MINISTACK_WARNING = (
    "Warning: npm is missing, so the threads lie in ministack, which writes them only when it is stopped cleanly.\n"
    "A crash of the machine loses what was said since the start. Install Node.js for a store that survives it."
)
NO_STORE = (
    "No store: DynamoDB Local is fetched by npm, and npm was not found. Mend it with one of:\n"
    "  install Node.js (it brings npm)\n"
    "  uv tool install ministack             (keeps its data only through a clean stop)\n"
    "  export DYNAMODB_LOCAL_DIR=<folder>    (an unpacked DynamoDB Local)\n"
    "  export AWS_ENDPOINT_URL_DYNAMODB=<url>"
)


@dataclass(frozen=True)
class Store:
    """A DynamoDB to talk to. `access_key` None leaves the credentials to the environment."""

    url: str
    access_key: str | None
    name: str


@contextmanager
def open_store(home: Home, environ: Mapping[str, str], say: Say) -> Iterator[Store]:
    """The store of this folder, running until the block ends; raises LocalError with the line that mends it."""
    named = environ.get("AWS_ENDPOINT_URL_DYNAMODB") or environ.get("AWS_ENDPOINT_URL")
    if named:
        yield Store(named, None, named)
        return
    emulator = find_emulator(environ)
    if emulator is None and shutil.which("npm", path=environ.get("PATH")) is None:
        with _ministack(home, environ, say) as store:
            yield store
        return
    java = find_java(environ)
    if java is None:
        raise LocalError(JAVA_MISSING)
    with _durable(home, java, emulator or fetch_emulator(environ, say)) as store:
        yield store


def running_store(home: Home, environ: Mapping[str, str]) -> Store | None:
    """The one that a server of this folder holds, where the environment names no other."""
    if environ.get("AWS_ENDPOINT_URL_DYNAMODB") or environ.get("AWS_ENDPOINT_URL") or not home.process.is_file():
        return None
    recorded = json.loads(home.process.read_bytes())
    if not (is_running(recorded["pid"], str(home.database)) and is_listening(recorded["port"])):
        return None
    return Store(f"http://127.0.0.1:{recorded['port']}", home.access_key(), _DYNAMODB_LOCAL)


@contextmanager
def _durable(home: Home, java: Path, emulator: Path) -> Iterator[Store]:
    home.database.mkdir(exist_ok=True)
    _end_leftover(home)
    options = ["-dbPath", str(home.database)]
    with dynamodb_local(java, emulator, options, log=home.log("dynamodb"), record=home.process) as url:
        yield Store(url, home.access_key(), _DYNAMODB_LOCAL)


def _end_leftover(home: Home) -> None:
    """A killed server's database process would hold the files; what it acknowledged is on disk."""
    try:
        recorded = json.loads(home.process.read_bytes())
    except FileNotFoundError:
        return
    kill_leftover(recorded["pid"], str(home.database))


@contextmanager
def dynamodb_local(
    java: Path, emulator: Path, options: list[str], *, log: Path, record: Path | None = None
) -> Iterator[str]:
    """Runs DynamoDB Local on a free port until the block ends; yields its URL, records its pid."""
    port = free_port()
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]  # starts in 0.7 s instead of 1.1
    libraries = f"-Djava.library.path={emulator / 'DynamoDBLocal_lib'}"
    jar = ["-jar", str(emulator / JAR), "-port", str(port)]
    child = spawn(
        [str(java), *quick, libraries, *jar, *options], log=log, environ={**os.environ, "DDB_LOCAL_TELEMETRY": "0"}
    )
    try:
        if record:
            write_atomically(record, json.dumps({"pid": child.pid, "port": port}).encode())
        wait_until_listening(port, child, log=log, name="DynamoDB Local", seconds=START_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(child)
        if record:
            record.unlink(missing_ok=True)


@contextmanager
def _ministack(home: Home, environ: Mapping[str, str], say: Say) -> Iterator[Store]:
    command = _ministack_command(environ)
    if command is None:
        raise LocalError(NO_STORE)
    say(MINISTACK_WARNING)
    port, log = free_port(), home.log("ministack")
    facts = {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "1",
        "STATE_DIR": str(home.path / "ministack"),
    }
    # Asked to end, not killed, at our death: this is when it writes its state.
    child = spawn(command, log=log, environ={**environ, **facts}, at_our_death=signal.SIGTERM)
    try:
        wait_until_listening(port, child, log=log, name="ministack", seconds=60)
        yield Store(f"http://127.0.0.1:{port}", home.access_key(), "ministack")
    finally:
        end(child, patience_seconds=20)


def _ministack_command(environ: Mapping[str, str]) -> list[str] | None:
    installed = shutil.which("ministack", path=environ.get("PATH"))
    if installed:
        return [installed]
    uv = shutil.which("uv", path=environ.get("PATH"))
    return [uv, "tool", "run", "--from", MINISTACK, "ministack"] if uv else None
