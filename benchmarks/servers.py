"""Servers of the six-node graph on free ports of this machine: `turnkeep dev` with its DynamoDB Local, of this tree or
of an earlier one; and in throw-away environments `langgraph dev`, which keeps threads in memory, and the plain form
(plain_server.py)."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import six_nodes
from peers import AWS, create_tables
from six_agent import DATA
from subjects import client as dynamodb_client
from turnkeep_local.processes import free_port

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
PEER = "langgraph-api==0.16.7"
START_SECONDS = 120
JOBS = 16
"""Runs that the peer takes at once; by default it takes one."""
_JSON = {"Content-Type": "application/json"}
_TICKS = os.sysconf("SC_CLK_TCK")
_GRAPH = """import os
from pathlib import Path

import six_nodes
from texts import prose

graph = six_nodes.build(prose(Path(os.environ["SIX_NODES_DATA"]))).compile()
"""


class Missing(Exception):
    """A server cannot be started here; the message says why."""


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    process: "subprocess.Popen[bytes]"
    is_ours: bool

    def cpu_seconds(self) -> float:
        """What its processes have used, without the database, which runs on Java; Linux tells."""
        return sum(_cpu_ticks(file, self.process.pid) for file in Path("/proc").glob("[0-9]*/stat")) / _TICKS

    def client(self) -> "Client":
        return Client(self)


class Client:
    """Talks on one connection, ten turns a thread."""

    def __init__(self, server: Server):
        self._server, self._turns, self._thread = server, 0, ""
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def say(self, message: str) -> None:
        """One turn; fails where it is not answered in full."""
        if self._turns % 10 == 0:
            self._thread = self._new_thread()
        self._turns += 1
        if self._server.is_ours:
            answer = self._post("/chat", {"session_id": self._thread, "message": message, "agent": "six"})
            said = answer["reply"] if answer["persisted"] else ""
        else:
            given = {**six_nodes.new_turn(), "messages": [{"type": "human", "content": message}]}
            said = self._post(f"/threads/{self._thread}/runs/wait", {"assistant_id": "six", "input": given})["reply"]
        if not said:
            raise RuntimeError(f"{self._server.name} did not keep or answer a turn")

    def close(self) -> None:
        self._connection.close()

    def _new_thread(self) -> str:
        return uuid.uuid4().hex if self._server.is_ours else str(self._post("/threads", {})["thread_id"])

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        self._connection.request("POST", path, json.dumps(body), _JSON)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{self._server.name} answered {answer.status}: {text[:200]!r}")
        return json.loads(text)


@contextmanager
def turnkeep_dev(
    data: Path, folder: Path, *, tree: Path = TREE, dynamodb_url: str = "", profile: Path | None = None
) -> Iterator[Server]:
    """Without `dynamodb_url` it has a DynamoDB Local of its own. `tree` is a checkout with its environment in .venv.
    `profile`: where to write, on SIGUSR2, where the CPU time since SIGUSR1 went (see profiled.py)."""
    for name in ("texts.py", "six_nodes.py"):  # two releases run the same graph
        shutil.copy(HERE / name, folder)
    _write(folder / "six-0.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: six-agent\nVersion: 0\n")
    _write(folder / "six-0.dist-info" / "entry_points.txt", "[turnkeep.agents]\nsix = six_agent:ENTRY\n")
    environment = _environment(data, folder, tree / "benchmarks")
    environment |= {"TURNKEEP_HOME": str(folder / "home"), "MODEL": "demo", "PORT": str(port := free_port())}
    if dynamodb_url:
        environment |= {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "TABLE_NAME": uuid.uuid4().hex}
    start = [str(HERE / "profiled.py"), str(profile)] if profile else ["-m", "turnkeep_local.cli"]
    python = sys.executable if tree == TREE else str(tree / ".venv" / "bin" / "python")
    name = "turnkeep dev" if tree == TREE else f"turnkeep dev of {tree.name}"
    with _running(name, [python, *start, "dev"], environment, folder, port, is_ours=True) as server:
        yield server


@contextmanager
def langgraph_dev(data: Path, folder: Path) -> Iterator[Server]:
    """Raises Missing where its packages cannot be had."""
    uv = shutil.which("uv")
    if uv is None:
        raise Missing("uv is not on the path")
    _write(folder / "graph.py", _GRAPH)
    _write(folder / "langgraph.json", json.dumps({"dependencies": ["."], "graphs": {"six": "./graph.py:graph"}}))
    packages = [PEER, "langgraph-cli", "langgraph-runtime-inmem", f"langgraph=={version('langgraph')}"]
    asked = [part for package in packages for part in ("--with", package)]
    command = [uv, "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable, *asked, "langgraph"]
    command += ["dev", "--no-browser", "--no-reload", "--port", str(port := free_port())]
    command += ["--n-jobs-per-worker", str(JOBS), "--server-log-level", "error"]
    environment = _environment(data, folder) | {"LANGSMITH_TRACING": "false"}
    with _running("langgraph dev, in memory", command, environment, folder, port, is_ours=False) as server:
        yield server


@contextmanager
def plain_form(data: Path, folder: Path, dynamodb_url: str) -> Iterator[Server]:
    """Raises Missing where its packages cannot be had."""
    uv = shutil.which("uv")
    if uv is None:
        raise Missing("uv is not on the path")
    create_tables(dynamodb_client(dynamodb_url), table := f"plain-{uuid.uuid4().hex}")
    packages = [AWS, "fastapi", "uvicorn", f"langgraph=={version('langgraph')}"]
    asked = [part for package in packages for part in ("--with", package)]
    command = [uv, "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable, *asked, "uvicorn"]
    command += ["plain_server:app", "--port", str(port := free_port()), "--no-access-log", "--log-level", "error"]
    environment = _environment(data, folder) | {"TABLE": table, "DYNAMODB_URL": dynamodb_url}
    with _running("FastAPI, checkpoint-aws", command, environment, folder, port, is_ours=True) as server:
        yield server


def _cpu_ticks(stat: Path, group: int) -> int:
    try:
        name, _, rest = stat.read_text().rpartition(") ")
    except OSError:  # it has just ended
        return 0
    fields = rest.split()
    is_counted = int(fields[2]) == group and not name.endswith("(java")
    return int(fields[11]) + int(fields[12]) if is_counted else 0


def _environment(data: Path, folder: Path, here: Path = HERE) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "AWS_", "VIRTUAL_"))}
    path = [str(folder), str(here), *filter(None, [kept.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(path), DATA: str(data)}


@contextmanager
def _running(
    name: str, command: list[str], environment: dict[str, str], folder: Path, port: int, *, is_ours: bool
) -> Iterator[Server]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_for(port, process, folder / "log")
        yield Server(name, port, process, is_ours)
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # `uv run` may stand between
        process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            try:
                connection.request("GET", "/ok")
                connection.getresponse().read()
            except OSError:
                time.sleep(0.2)
            else:
                return
    raise Missing(f"it did not start: {log.read_text(errors='replace')[-300:]}")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
