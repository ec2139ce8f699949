"""`turnkeep dev` with the graph that the recordings were made of, as a client meets it."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from turnkeep_local.processes import end, free_port, spawn, wait_until_listening

HERE = Path(__file__).parent
START_SECONDS = 60


def install(folder: Path, package: str = "parcels") -> Path:
    """What an installer leaves of a package for others to find; the folder goes on the path of the server."""
    info = folder / f"{package}-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[turnkeep.agents]\n{package} = {package}:ENTRY\n")
    return folder


def environ(folder: Path, facts: Mapping[str, str]) -> dict[str, str]:
    """Of a process that has the agent."""
    path = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE), str(install(folder))])
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": path, **facts}


@contextmanager
def served(folder: Path, facts: Mapping[str, str]) -> Iterator[str]:
    """Its URL; ended with the block."""
    port, log = free_port(), folder / "server.log"
    own = environ(folder / "installed", {"TURNKEEP_HOME": str(folder / "home"), **facts})
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    server = spawn(command, log=log, environ=own)
    try:
        wait_until_listening(port, server, log=log, name="turnkeep dev", seconds=START_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(server)
