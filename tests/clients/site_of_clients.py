"""`turnkeep dev` with the graph of the recordings."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dev_server import dev_server, install

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Site:
    """A server, and the key that it asks for."""

    url: str
    key: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"} if self.key else {}


def environ(folder: Path, facts: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process with the agent."""
    install(folder, "parcels")
    path = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE), str(folder)])
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": path, **facts}


@contextmanager
def served(folder: Path, facts: Mapping[str, str]) -> Iterator[str]:
    """Yield the URL."""
    with dev_server(folder, environ(folder / "installed", facts)) as client:
        yield str(client.base_url).rstrip("/")
