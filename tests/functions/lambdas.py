"""A function as Lambda starts it: a process that is configured by its environment only."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from front import Front

from turnkeep_local.processes import end, spawn

ROOT = Path(__file__).parents[2]
FUNCTIONS = ROOT / "functions"
STREAMING = (str(FUNCTIONS / "stream" / "wrapper"), sys.executable)
"""How Lambda starts a function with AWS_LAMBDA_EXEC_WRAPPER: the wrapper, then what would have been started."""


@dataclass
class Function:
    """A running function behind the front."""

    front: Front
    process: subprocess.Popen[bytes]
    log: Path

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()


@contextmanager
def running_function(
    command: Sequence[str], environ: Mapping[str, str], front: Front, log: Path, instances: int = 1
) -> Iterator[Function]:
    """Each instance handles one event at a time."""
    with front:
        own = {**environ, "AWS_LAMBDA_RUNTIME_API": front.runtime_address}
        processes = [spawn(command, log=log, environ=own) for _ in range(instances)]
        try:
            yield Function(front, processes[0], log)
        finally:
            for process in processes:
                end(process)
