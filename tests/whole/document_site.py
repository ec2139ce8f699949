"""A server of one agent that reads documents, started and killed by a test, and its client."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx

from turnkeep_local.processes import free_port, spawn, wait_until_listening


@dataclass(frozen=True)
class Site:
    """`turnkeep dev` in a folder of its own, with an agent of the project, of the tests or of that folder."""

    folder: Path
    store_url: str
    table: str
    agent: str = "reader"

    @contextmanager
    def running(self, **environ: str) -> Iterator[httpx.Client]:
        """Ends by SIGKILL."""
        if not self._is_installed():
            self._install()
        port, log = free_port(), self.folder / "server.log"
        facts = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.folder), str(Path(__file__).parent)]),
            "TURNKEEP_HOME": str(self.folder / "home"),
            "AWS_ENDPOINT_URL_DYNAMODB": self.store_url,
            "TABLE_NAME": self.table,
            "DEFAULT_AGENT": self.agent,
            **environ,
        }
        server = spawn([sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)], log=log, environ=facts)
        try:
            wait_until_listening(port, server, log=log, name="turnkeep dev", seconds=40)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=70) as client:
                yield client
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait(10)

    def _is_installed(self) -> bool:
        return find_spec(f"turnkeep_agents.{self.agent}") is not None

    def _install(self) -> None:
        package = self.folder / f"{self.agent}-0.dist-info"
        package.mkdir(exist_ok=True)
        (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {self.agent}\nVersion: 0\n")
        entry = f"[turnkeep.agents]\n{self.agent} = {self.agent}:ENTRY\n"
        (package / "entry_points.txt").write_text(entry)


def attach(client: httpx.Client, thread: str, body: bytes, name: str = "handbook.md") -> str:
    """By the form, as a browser does."""
    made = client.post(f"/threads/{thread}/attachments", json={"name": name, "size": len(body)})
    assert made.status_code == 201, made.text
    form = made.json()["upload"]
    sent = client.post(form["url"], data=form["fields"], files={"file": (name, body)})
    assert sent.status_code == 204, sent.text
    return str(made.json()["document_id"])


def settled(client: httpx.Client, thread: str, document_id: str) -> dict[str, Any]:
    path = f"/threads/{thread}/attachments/{document_id}"
    until = time.monotonic() + 30
    while (found := client.get(path).json())["status"] in ("waiting", "processing"):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return dict(found)


def ask(client: httpx.Client, thread: str, message: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/chat", json={"session_id": thread, "message": message, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())
