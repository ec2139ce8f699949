"""`turnkeep dev` as a process that is killed with SIGKILL after every answer, and started again for the next one."""

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from turnkeep_local.processes import free_port, spawn, wait_until_listening

START_SECONDS = 40


@dataclass(frozen=True)
class KilledServer:
    """`folder` is its home; the table lies in the store at `store_url`."""

    folder: Path
    store_url: str
    table: str
    environ: Mapping[str, str]

    def ask(self, message: str, thread: str, **more: Any) -> dict[str, Any]:
        """One turn of a server that then dies."""
        port, log = free_port(), self.folder / "server.log"
        environ = {
            **os.environ,
            **self.environ,
            "TURNKEEP_HOME": str(self.folder / "home"),
            "AWS_ENDPOINT_URL_DYNAMODB": self.store_url,
            "TABLE_NAME": self.table,
        }
        command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
        server = spawn(command, log=log, environ=environ)
        try:
            wait_until_listening(port, server, log=log, name="turnkeep dev", seconds=START_SECONDS)
            body = {"session_id": thread, "message": message, **more}
            answer = httpx.post(f"http://127.0.0.1:{port}/chat", json=body, timeout=START_SECONDS)
        finally:
            server.send_signal(signal.SIGKILL)
            assert server.wait(10) == -signal.SIGKILL
        assert answer.status_code == 200, answer.text
        return dict(answer.json())
