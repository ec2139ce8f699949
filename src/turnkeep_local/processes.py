"""Child processes that do not outlive us. On Linux the kernel kills the child when we die, even by SIGKILL; elsewhere
the child of a killed server runs until the next start ends it."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from turnkeep_local import LocalError

_PR_SET_PDEATHSIG = 1
_LOG_LINES = 5


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def spawn(command: Sequence[str], *, log: Path, environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a child in its own session: Ctrl-C reaches only us, and we decide when the child ends."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(  # noqa: S603 - commands are ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environ,
            start_new_session=True,
            preexec_fn=_end_with_parent(),  # noqa: PLW1509 - runs two system calls, takes no lock
        )


def _end_with_parent(at_our_death: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def die_with_parent() -> None:
        prctl(_PR_SET_PDEATHSIG, int(at_our_death))
        if os.getppid() != parent:
            os._exit(1)

    return die_with_parent


def wait_until_listening(port: int, child: subprocess.Popen[bytes], *, log: Path, name: str, seconds: float) -> None:
    """Wait for the port; raise LocalError with the end of the log if the child died or `seconds` have passed."""
    deadline = time.monotonic() + seconds
    while not is_listening(port):
        if child.poll() is not None:
            raise LocalError(f"{name} ended immediately:\n{_tail(log)}")
        if time.monotonic() > deadline:
            end(child)
            raise LocalError(f"{name} did not answer within {seconds:.0f} s:\n{_tail(log)}")
        time.sleep(0.05)


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-_LOG_LINES:]
    return "\n".join([*(f"  {line}" for line in lines if line.strip()), f"  (full log: {log})"])


def end(child: subprocess.Popen[bytes]) -> None:
    """Ask our child to end, and kill it after five seconds."""
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def is_running(pid: int, mark: str) -> bool:
    """Return whether process `pid` is still the same one: its command line contains `mark`."""
    listed = subprocess.run(  # noqa: S603
        ["ps", "-ww", "-o", "args=", "-p", str(pid)],  # noqa: S607 - the path differs between systems
        capture_output=True,
        text=True,
        check=False,
    )
    return mark in listed.stdout


def kill_leftover(pid: int, mark: str) -> None:
    """Kill the child of a dead server, if it still runs."""
    if is_running(pid, mark):
        os.kill(pid, signal.SIGKILL)
    while is_running(pid, mark):
        time.sleep(0.05)
