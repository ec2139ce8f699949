"""A server of one agent that reads documents, started and killed by a test, and its client."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx

from dev_server import dev_server, install


@dataclass(frozen=True)
class Site:
    """`turnkeep dev` in a folder of its own, with an agent of the project, of the tests or of that folder."""

    folder: Path
    store_url: str
    table: str
    agent: str = "reader"
    environ: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def running(self, **environ: str) -> Iterator[httpx.Client]:
        """Ends by SIGKILL."""
        if find_spec(f"turnkeep_agents.{self.agent}") is None:
            install(self.folder, self.agent)
        facts = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.folder), str(Path(__file__).parent)]),
            "AWS_ENDPOINT_URL_DYNAMODB": self.store_url,
            "TABLE_NAME": self.table,
            "DEFAULT_AGENT": self.agent,
            **self.environ,
            **environ,
        }
        with dev_server(self.folder, facts) as client:
            yield client

    def say(self, message: str, thread: str = "t", **more: Any) -> dict[str, Any]:
        """One turn of a server that then dies."""
        with self.running() as client:
            return ask(client, thread, message, **more)


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
    until = time.monotonic() + 300
    while (found := client.get(path).json())["status"] in ("waiting", "processing"):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return dict(found)


def ask(client: httpx.Client, thread: str, message: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/chat", json={"session_id": thread, "message": message, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())
