"""`turnkeep dev` as a process of its own that a test ends, most often by SIGKILL, and agents for it to find."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from turnkeep_local.processes import free_port, spawn, wait_until_listening

DEV = (sys.executable, "-m", "turnkeep_local.cli", "dev")
SECONDS = 300
NO_REGISTRY = {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "npm_config_registry": "http://127.0.0.1:9/"}
"""Environment of the processes that tests start: they fetch nothing."""
TERMINAL = "terminal"
"""The file of what it says, in its folder."""


@contextmanager
def dev_server(
    folder: Path,
    environ: Mapping[str, str],
    *,
    command: Sequence[str] = DEV,
    ended_by: signal.Signals = signal.SIGKILL,
) -> Iterator[httpx.Client]:
    """Has the environment that is given, its home and what it says in `folder`. Killed, it loses what is not stored;
    asked to end, it has to end well."""
    port, log = free_port(), folder / TERMINAL
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    facts = {"TURNKEEP_HOME": str(folder / "home"), "XDG_CACHE_HOME": cache, **NO_REGISTRY, **environ}
    server = spawn([*command, "--port", str(port)], log=log, environ=facts)
    try:
        wait_until_listening(port, server, log=log, name="turnkeep dev", seconds=SECONDS)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client:
            yield client
    finally:
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(server.pid, ended_by)
        ended = server.wait(SECONDS)
    assert ended == (-signal.SIGKILL if ended_by is signal.SIGKILL else 0), log.read_text()


def install(folder: Path, agent: str, module: str | None = None) -> None:
    """What an installer leaves of a package with an agent, for a server that has the folder on its path."""
    info = folder / f"{agent}-0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {agent}\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[turnkeep.agents]\n{agent} = {module or agent}:ENTRY\n")
