"""A DynamoDB for the laptop: DynamoDB Local, fetched on first use, or the one that the environment names.

DynamoDB Local always listens on every interface. It keeps one database per access key id, so a random id
(`.turnkeep/access.key`) keeps others in the network from reading ours. Hence no `-sharedDb`.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from turnkeep_local import processes
from turnkeep_local.emulator import JAR, Report, fetch_emulator, fetch_java, find_emulator, find_java
from turnkeep_local.home import Home, recorded, write_atomically

START_SECONDS = 30.0
_DYNAMODB_LOCAL = "DynamoDB Local"


@dataclass(frozen=True)
class Store:
    """A DynamoDB endpoint. If `access_key` is None, the environment has the credentials."""

    url: str
    access_key: str | None
    name: str


@contextmanager
def open_store(home: Home, environ: Mapping[str, str], report: Report) -> Iterator[Store]:
    """Run the store of this folder until the block ends; raise LocalError, which contains the remedy."""
    if named := _named(environ):
        yield Store(named, None, named)
        return
    emulator = find_emulator(environ) or fetch_emulator(environ, report)
    java = find_java(environ) or fetch_java(environ, report)
    home.database.mkdir(exist_ok=True)
    if leftover := recorded(home.process):  # it would lock the files; acknowledged writes are on disk
        processes.kill_leftover(leftover["pid"], str(home.database))
    options = ["-dbPath", str(home.database)]
    with dynamodb_local(java, emulator, options, log=home.log("dynamodb"), record=home.process) as url:
        yield Store(url, home.access_key(), _DYNAMODB_LOCAL)


def running_store(home: Home, environ: Mapping[str, str]) -> Store | None:
    """Return the store that a server of this folder runs, unless the environment names another one."""
    found = None if _named(environ) else recorded(home.process)
    if found and processes.is_running(found["pid"], str(home.database)) and processes.is_listening(found["port"]):
        return Store(f"http://127.0.0.1:{found['port']}", home.access_key(), _DYNAMODB_LOCAL)
    return None


def _named(environ: Mapping[str, str]) -> str | None:
    return environ.get("AWS_ENDPOINT_URL_DYNAMODB") or environ.get("AWS_ENDPOINT_URL")


@contextmanager
def dynamodb_local(
    java: Path, emulator: Path, options: list[str], *, log: Path, record: Path | None = None
) -> Iterator[str]:
    """Run DynamoDB Local on a free port until the block ends; yield its URL, record its pid."""
    port = processes.free_port()
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]  # starts in 0.7 s instead of 1.1
    libraries = f"-Djava.library.path={emulator / 'DynamoDBLocal_lib'}"
    command = [str(java), *quick, libraries, "-jar", str(emulator / JAR), "-port", str(port), *options]
    child = processes.spawn(command, log=log, environ={**os.environ, "DDB_LOCAL_TELEMETRY": "0"})
    try:
        if record:
            write_atomically(record, json.dumps({"pid": child.pid, "port": port}).encode())
        processes.wait_until_listening(port, child, log=log, name=_DYNAMODB_LOCAL, seconds=START_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        processes.end(child)
        if record:
            record.unlink(missing_ok=True)
