"""A server for the time of one terminal chat, where none runs."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from turnkeep_local import LocalError
from turnkeep_local.home import open_home
from turnkeep_local.processes import end, is_listening, spawn, tail

_THIS_MACHINE = ("127.0.0.1", "localhost")
_START_SECONDS = 90.0  # the first start fetches the database


@contextmanager
def a_server(url: str, environ: Mapping[str, str]) -> Iterator[None]:
    """Does nothing where a server listens at a URL of this machine or the URL is of another; else starts one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise LocalError(f"{url} is no URL. Give one such as http://127.0.0.1:8000")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if parts.hostname not in _THIS_MACHINE or is_listening(port):
        yield
        return
    print(f"No server at {url}: starting one for this chat ...")
    log = open_home(environ).log("server")
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    server = spawn(command, log=log, environ=environ, at_our_death=signal.SIGTERM)
    try:
        _wait_until_up(url, server, log)
        yield
    finally:
        end(server, patience_seconds=20)


def _wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _is_up(url):
        if server.poll() is not None or time.monotonic() > deadline:
            raise LocalError(f"The server did not start:\n{tail(log)}")
        time.sleep(0.1)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok", timeout=2).is_success
    except httpx.HTTPError:
        return False
