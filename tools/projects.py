"""Talks to somebody's checked-out LangGraph project: starts `turnkeep dev` in its folder, runs turns over LangGraph's
SDK, kills the server with SIGKILL between them, goes on, and prints a row of a table. Fetches nothing.

    python tools/projects.py FOLDER --turnkeep FOLDER/.venv/bin/turnkeep --model http://127.0.0.1:9000/v1
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

START_SECONDS = 240
RUN_SECONDS = 300
TURNS = [{"input": {"messages": [{"role": "user", "content": text}]}} for text in ("Hello.", "Go on.", "And then?")]
NEEDS = """What it needs, and does not fetch:
  FOLDER      a checked-out project with a langgraph.json, and whatever its README says has to be set, in its .env
  --turnkeep  the command in an environment that has the project's packages and turnkeep
  --model     a server that speaks OpenAI's protocol; the project's models have to be OpenAI's (often a setting)
  --turns     a JSON list of what `runs.wait` takes: {"input": ...}, {"command": {"resume": ...}}, with "context" or
              "config"; three messages without it"""
SAME = ("metadata", "created_at", "checkpoint", "checkpoint_id", "parent_checkpoint")

JSON = dict[str, Any]


@dataclass
class Row:
    """What one graph did: runs that ended, those of them that wait for an answer, kills it went on after, faults."""

    graph: str
    turns: int = 0
    interrupts: int = 0
    kills: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"| {self.graph} | {self.turns} | {self.interrupts} | {self.kills} | {'; '.join(self.faults) or 'none'} |"
        )


class Server:
    """`turnkeep dev` in the project's folder, with threads in a folder that outlives a kill."""

    def __init__(self, command: str, folder: Path, environ: Mapping[str, str]):
        self.command, self.folder, self.environ = command, folder, environ

    @contextmanager
    def running(self) -> Iterator[SyncLangGraphClient]:
        with tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(  # noqa: S603 - the command is the caller's
                [self.command, "dev", "--port", "0"], cwd=self.folder, env=self.environ, stdout=log, stderr=log
            )
            try:
                url = self._url(process, log.fileno())
                yield get_sync_client(url=url, timeout=RUN_SECONDS)
            finally:
                process.send_signal(signal.SIGKILL)
                process.wait()

    def _url(self, process: subprocess.Popen[bytes], log: int) -> str:
        for _ in range(START_SECONDS * 10):
            said = os.pread(log, 1 << 20, 0).decode(errors="replace")
            if (found := re.search(r"http://127\.0\.0\.1:\d+", said)) and _answers(found[0]):
                return found[0]
            if process.poll() is not None or "Nothing is served" in said:
                break
            time.sleep(0.1)
        raise SystemExit(f"turnkeep dev did not start in {self.folder}:\n{said}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ok").is_success
    except httpx.TransportError:
        return False


def talk(server: Server, graph: str, turns: Sequence[Any], per_start: int) -> Row:
    """After `per_start` turns the server is killed; the next has to find the state as it was."""
    row, thread, before = Row(graph), "", None
    for first in range(0, len(turns), per_start):
        with server.running() as client:
            thread = thread or client.threads.create()["thread_id"]
            if before is not None and before != _state(client, thread):
                row.faults.append(f"turn {first} is not as it was before the kill")
            row.kills += before is not None
            for turn in turns[first : first + per_start]:
                _run(client, thread, turn, row)
            before = _state(client, thread)
    return row


def _run(client: SyncLangGraphClient, thread: str, turn: Any, row: Row) -> None:
    result = client.runs.wait(thread, row.graph, raise_error=False, **turn)
    error = result.get("__error__") if isinstance(result, dict) else None
    if error:
        row.faults.append(json.dumps(error)[:200])
    elif isinstance(result, dict) and "__interrupt__" in result:
        row.interrupts += 1
    row.turns += not error


def _state(client: SyncLangGraphClient, thread: str) -> JSON:
    state = cast(JSON, client.threads.get_state(thread))
    return {key: value for key, value in state.items() if key not in SAME}


def _absolute(command: str) -> str:
    """The server runs in another folder, where a relative path names nothing."""
    if not (found := shutil.which(command)):
        raise SystemExit(f"There is no command {command}. Name it: --turnkeep PATH/TO/.venv/bin/turnkeep")
    return str(Path(found).absolute())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, epilog=NEEDS, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--turnkeep", default="turnkeep")
    parser.add_argument("--model", required=True, metavar="URL")
    parser.add_argument("--graph", help="default: each graph of the langgraph.json")
    parser.add_argument("--turns", type=Path)
    parser.add_argument("--per-start", type=int, default=1, help="turns before the server is killed")
    options = parser.parse_args()
    turns = json.loads(options.turns.read_text()) if options.turns else TURNS
    graphs = (
        [options.graph] if options.graph else [*json.loads((options.folder / "langgraph.json").read_text())["graphs"]]
    )
    with tempfile.TemporaryDirectory() as home:
        model = {"OPENAI_BASE_URL": options.model, "OPENAI_API_KEY": os.environ.get("OPENAI_API_KEY", "none")}
        server = Server(_absolute(options.turnkeep), options.folder, os.environ | model | {"TURNKEEP_HOME": home})
        print("| graph | runs | waited for an answer | went on after SIGKILL | faults |\n|---|---|---|---|---|")
        rows = [talk(server, graph, turns, options.per_start) for graph in graphs]
        print(*rows, sep="\n")
    sys.exit(any(row.faults for row in rows))


if __name__ == "__main__":
    main()
