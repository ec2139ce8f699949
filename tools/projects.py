"""Runs published LangGraph projects, as they are, under `turnkeep dev` and `langgraph dev`, and prints a table.

Each project of projects.json is fetched by its commit into .projects, its packages are installed, and its graphs take their
turns with a stub as their model. `turnkeep dev` is ended with SIGKILL after each turn, and the next start has to find the same
state. Final states and results are compared with those of `langgraph dev`. A project that cannot be fetched or installed is a
row `skipped`. Nothing but loopback is reachable from a project's process.

    python tools/projects.py [NAME ...]     the projects whose name contains one of these, else all
    python tools/projects.py FOLDER         a checked-out project, with three messages for each graph
    PROJECTS_MIRROR=FOLDER                  fetch from FOLDER/OWNER+NAME (a bare repository, or a folder of one)
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import LangGraphError

from stub_model import JSON, Script, stub_model

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".projects"
START_SECONDS, RUN_SECONDS, INSTALL_SECONDS = 240, 300, 1200
MESSAGES = ["Hello.", "Go on.", "And then?"]
PACKAGES = ("langgraph-cli[inmem]", "langchain", "langchain-openai", "langgraph-sdk")
OTHERS_OWN = ("auth", "http", "store")
"""Keys of langgraph.json left out for `langgraph dev`: Turnkeep does not apply the first two, and an index asks the internet."""
VARYING = {"id", "tool_call_id", "metadata", "created_at", "checkpoint", "checkpoint_id", "parent_checkpoint"}
VARYING_TEXT = r"\d{4}-\d\d-\d\d(T[\d:.+Z-]+)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\b[0-9a-f]{32}\b"


class NotPossibleError(Exception):
    """A project cannot be fetched, installed or started here."""


@dataclass
class Row:
    """The runs of one graph, and what is wrong with them."""

    project: str
    graph: str
    runs: int = 0
    failed: list[str] = field(default_factory=list)
    interrupts: int = 0
    kills: int = 0
    beside: str = ""
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        cells = (self.project, self.graph, self.runs, self.interrupts, self.kills, self.beside)
        return f"| {' | '.join(map(str, cells))} | {'; '.join(self.faults).replace('|', '/') or 'none'} |"


@dataclass
class Talk:
    """The results of the turns of one thread, and its state after them."""

    results: list[Any] = field(default_factory=list)
    state: Any = None


class Project:
    """One entry of the manifest, and its checked-out folder."""

    def __init__(self, entry: JSON):
        self.entry, self.repo, self.commit = entry, entry["repo"], entry.get("commit", "")
        self.name = "/".join(filter(None, (self.repo, entry.get("folder", ""))))
        self.clone = Path(self.repo) if not self.commit else HOME / self.repo.replace("/", "+")
        self.folder = self.clone / entry.get("folder", "")
        self.environment = HOME / "environments" / self.name.strip("/").replace("/", "+")

    @property
    def title(self) -> str:
        return f"`{self.name}` {self.commit[:7]}".strip()

    def fetch(self) -> None:
        if not self.commit:
            return
        source = f"https://github.com/{self.repo}"
        if mirror := os.environ.get("PROJECTS_MIRROR"):
            held = Path(mirror, self.repo.replace("/", "+")).resolve()
            source = str(next((each.parent for each in sorted(held.glob("**/HEAD"))), held))
        self.clone.mkdir(parents=True, exist_ok=True)
        git = ["git", "-C", str(self.clone)]
        _command("cannot be fetched", 300, "git", "init", "--quiet", str(self.clone))
        _command("cannot be fetched", 300, *git, "fetch", "--quiet", "--depth", "1", source, self.commit)
        _command("cannot be fetched", 60, *git, "checkout", "--quiet", "--force", self.commit)
        _command("cannot be fetched", 60, *git, "clean", "--quiet", "-ffdx")

    def install(self) -> None:
        """The project's packages, not the project: both servers import it from its folder."""
        packages = self.entry.get("packages")
        if packages is None:
            files = [self.folder / name for name in ("pyproject.toml", "requirements.txt")]
            packages = [part for file in files[:2] if file.is_file() for part in ("-r", str(file))][:2]
        arguments = ["--quiet", "-e", str(ROOT), *PACKAGES, *packages]
        done, wanted = self.environment / "installed", json.dumps([self.entry.get("python"), arguments])
        if done.is_file() and done.read_text() == wanted:
            return
        python = self.entry.get("python", "3.13")
        _command("cannot be installed", 300, "uv", "venv", "--quiet", "--clear", "--python", python, str(self.environment))
        python = str(self.environment / "bin/python")
        _command("cannot be installed", INSTALL_SECONDS, "uv", "pip", "install", "--python", python, *arguments)
        done.write_text(wanted)

    def configure(self) -> JSON:
        """Write its settings; the graphs with their turns."""
        config: JSON = json.loads((self.folder / "langgraph.json").read_text())
        if isinstance(config.get("env"), str) and self.commit:
            (self.folder / config["env"]).write_text("".join(f"{line}\n" for line in self.entry.get("env", ())))
        plain = {key: value for key, value in config.items() if key not in OTHERS_OWN}
        (self.folder / "langgraph.plain.json").write_text(json.dumps(plain))
        graphs: JSON = self.entry.get("graphs") or dict.fromkeys(config["graphs"], MESSAGES)
        return graphs

    @contextmanager
    def serve(self, model: str, *command: str, home: str = "") -> Iterator[SyncLangGraphClient]:
        """A server of it until SIGKILL."""
        shutil.rmtree(self.folder / ".langgraph_api", ignore_errors=True)
        environ = {key: value for key, value in os.environ.items() if not re.match("PYTHON|VIRTUAL_ENV|LANG|UV_", key)}
        path = f"{self.environment / 'bin'}:{environ['PATH']}"
        environ |= _loopback(model) | {"PATH": path, "PYTHONPATH": f"{self.folder / 'src'}:{self.folder}"}
        with socket.socket() as free, tempfile.TemporaryFile("w+") as log:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            process = subprocess.Popen(
                [self.environment / "bin" / command[0], *command[1:], "--port", str(port)],
                cwd=self.folder, env=environ | {"TURNKEEP_HOME": home}, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
            try:
                _wait_for(f"http://127.0.0.1:{port}/ok", process, log.fileno())
                yield get_sync_client(url=f"http://127.0.0.1:{port}", timeout=RUN_SECONDS)
            finally:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _loopback(model: str) -> dict[str, str]:
    """The stub for each provider, and a proxy that does not exist for everything else."""
    keys = {f"{name}_API_KEY": "none" for name in ("OPENAI", "ANTHROPIC", "TAVILY", "GROQ", "GOOGLE", "FIREWORKS")}
    urls = {"OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_BASE": f"{model}/v1"}
    urls |= dict.fromkeys(("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "GROQ_API_BASE", "OLLAMA_HOST"), model)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    proxies |= dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return keys | urls | proxies | {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANG": "C.UTF-8"}


def _command(problem: str, seconds: int, *command: str) -> None:
    environ = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=seconds, env=environ)
    except subprocess.TimeoutExpired:
        raise NotPossibleError(f"{problem}: {command[0]} took more than {seconds} s") from None
    except subprocess.CalledProcessError as error:
        raise NotPossibleError(f"{problem}: {' '.join(error.stderr.split())[-300:]}") from None


def _wait_for(url: str, process: subprocess.Popen[bytes], log: int) -> None:
    for _ in range(START_SECONDS * 5):
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        if process.poll() is not None:
            break
        time.sleep(0.2)
    lines = os.pread(log, 1 << 20, 0).decode(errors="replace").strip().splitlines()
    named = [line for line in lines if re.search(r"Error\b|cannot", line)] or lines
    raise NotPossibleError(f"does not start: {' '.join(named[-1:])[:300]}")


def _take(client: SyncLangGraphClient, thread: str, graph: str, turn: Any) -> Any:
    """The result of a run, or its error."""
    if isinstance(turn, str):
        turn = {"input": {"messages": [{"role": "user", "content": turn}]}}
    try:
        if "update_state" in turn:
            return client.threads.update_state(thread, turn["update_state"]) and None
        return client.runs.wait(thread, graph, raise_error=False, **turn)
    except (LangGraphError, httpx.HTTPError) as error:
        return {"__error__": {"message": str(error)}}


def _failed(result: Any) -> bool:
    return isinstance(result, dict) and "__error__" in result


def run_with_kills(project: Project, model: str, graphs: Mapping[str, Sequence[Any]], rows: Mapping[str, Row]) -> dict[str, Talk]:
    """One turn of each graph, SIGKILL, the next turn of each graph."""
    talks = {graph: Talk() for graph in graphs}
    threads: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as home:
        for number in range(max(map(len, graphs.values()))):
            with project.serve(model, "turnkeep", "dev", home=home) as client:
                for graph, turns in graphs.items():
                    if number >= len(turns):
                        continue
                    thread = threads.setdefault(graph, threads.get(graph) or client.threads.create()["thread_id"])
                    if number:
                        rows[graph].kills += 1
                        if talks[graph].state != client.threads.get_state(thread):
                            rows[graph].faults.append(f"turn {number} is not as before the kill")
                    talks[graph].results.append(_take(client, thread, graph, turns[number]))
                    talks[graph].state = client.threads.get_state(thread)
    return talks


def run_beside(project: Project, model: str, graphs: Mapping[str, Sequence[Any]]) -> dict[str, Talk]:
    talks = {}
    command = ("langgraph", "dev", "--no-browser", "--no-reload", "--config", "langgraph.plain.json")
    with project.serve(model, *command) as client:
        for graph, turns in graphs.items():
            thread = client.threads.create()["thread_id"]
            results = [_take(client, thread, graph, turn) for turn in turns]
            talks[graph] = Talk(results, client.threads.get_state(thread))
    return talks


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two values differ, but for ids and times."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other} - VARYING):
            yield from differences(one.get(key), other.get(key), f"{path}.{key}".strip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{number}]")
    elif _plain(one) != _plain(other):
        yield f"{path}: {str(one)[:80]!r}, there {str(other)[:80]!r}"


def _plain(value: Any) -> Any:
    return re.sub(VARYING_TEXT, "*", value) if isinstance(value, str) else value


def compare(row: Row, here: Talk, there: Talk) -> None:
    differ = []
    for number, (result, other) in enumerate(zip(here.results, there.results, strict=True)):
        if _failed(result) and _failed(other):
            row.beside = "fails on both"
        elif _failed(result) or not _failed(other):
            differ += differences(result, other, f"turn {number}")
        else:
            differ.append(f"turn {number}: there {str(other['__error__'])[:160]}")
    differ += differences(here.state, there.state, "state")
    row.faults += differ[:4]
    row.beside = "differs" if differ else row.beside or "same"


def run_project(project: Project) -> list[Row]:
    """The rows of its graphs; one row if it does not run here."""
    try:
        project.fetch()
        project.install()
    except NotPossibleError as error:
        return [Row(project.title, f"skipped: {error}")]
    graphs = project.configure()
    rows = {graph: Row(project.title, f"`{graph}`") for graph in graphs}
    here: dict[str, Talk] = {}
    with stub_model(Script(project.entry.get("calls", ()), project.entry.get("arguments", {}))) as model:
        try:
            here = run_with_kills(project, model, graphs, rows)
        except NotPossibleError as error:
            for row in rows.values():
                row.faults.append(str(error))
        try:
            there = run_beside(project, model, graphs)
        except NotPossibleError as error:
            there = {}
            for row in rows.values():
                row.beside = f"there it {error}"
    for graph, row in rows.items():
        results = here.get(graph, Talk()).results
        row.runs = sum(not _failed(result) for result in results)
        row.interrupts = sum(isinstance(result, dict) and "__interrupt__" in result for result in results)
        if graph in here and graph in there:
            compare(row, here[graph], there[graph])
        else:
            row.faults += [str(result["__error__"])[:200] for result in results if _failed(result)]
    return [*rows.values()]


def main() -> None:
    if {"-h", "--help"} & {*sys.argv}:
        sys.exit(__doc__)
    names = sys.argv[1:]
    projects = [Project(entry) for entry in json.loads(Path(__file__).with_suffix(".json").read_text())]
    if names:
        projects = [each for each in projects if any(name in each.name for name in names)]
        projects += [Project({"repo": str(Path(name).absolute())}) for name in names if Path(name, "langgraph.json").is_file()]
    print("| project, commit | graph | runs | questions | kills | beside `langgraph dev` | differences |\n" + "|---" * 7 + "|")
    faults = 0
    for project in projects:
        known = project.entry.get("known", ())
        for row in run_project(project):
            faults += sum(not any(each in fault for each in known) for fault in row.faults)
            print(row, flush=True)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
