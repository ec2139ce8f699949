"""Runs Node programs with the client packages."""

import json
import subprocess
from pathlib import Path
from typing import Any

from exchanges import outlined, plain

from browser import CLIENTS, node

HERE = Path(__file__).parent
SECONDS = 100


def run_node(program: str, *arguments: str) -> Any:
    """Return what it prints, parsed as JSON."""
    command = [node(), "--input-type=module", "-", *arguments]
    text = (HERE / program).read_text()
    done = subprocess.run(
        command, input=text, cwd=CLIENTS, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def node_calls(url: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    found = plain(run_node("calls.mjs", url, json.dumps(headers or {})))
    schemas = {name: outlined(value) for name, value in found.items() if "getS" in name and "State" not in name}
    return {**found, **schemas}
