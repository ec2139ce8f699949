"""Runs published LangGraph projects, as they are, under `turnkeep dev` and `langgraph dev`, and prints a table.

Each project of projects.json is fetched by its commit into .projects, its packages are installed, and its graphs take
their turns with a stub as their model. `turnkeep dev` is ended with SIGKILL after each turn; the next start has to find
the same state. Results and final states are compared with those of `langgraph dev`, but for ids and times. A project
that cannot be fetched or installed is a row `skipped`. A project's process reaches nothing but loopback.

    python tools/projects.py [NAME ...]     the projects whose name contains one of these, else all
    python tools/projects.py FOLDER         a checked-out project, with three messages for each graph
    PROJECTS_MIRROR=FOLDER                  fetch from FOLDER/OWNER+NAME, a bare repository or a folder of one
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
START_SECONDS, RUN_SECONDS, COMMAND_SECONDS = 240, 300, 1200
MESSAGES = ["Hello.", "Go on.", "And then?"]
PACKAGES = ("langgraph-cli[inmem]", "langchain", "langchain-openai", "langgraph-sdk")
LEFT_OUT = ("auth", "http", "store")
"""Keys of langgraph.json that `langgraph dev` does not get: Turnkeep does not apply `auth` and `http`, and an index
asks the internet there."""
VARYING = {"id", "tool_call_id", "metadata", "created_at", "checkpoint", "checkpoint_id", "parent_checkpoint"}
VARYING |= {"parent_checkpoint_id", "correlation_id"}
VARYING_TEXT = r"\d{4}-\d\d-\d\d(T[\d:.+Z-]+)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\b[0-9a-f]{32}\b"


class NotPossibleError(Exception):
    """A project cannot be fetched, installed or started here."""


@dataclass
class Talk:
    """One graph's turns, their results and their faults."""

    turns: list[Any]
    results: list[Any] = field(default_factory=list)
    state: Any = None
    thread: str = ""
    kills: int = 0
    beside: str = ""
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        runs = sum(not _failed(result) for result in self.results)
        questions = sum(isinstance(result, dict) and "__interrupt__" in result for result in self.results)
        faults = "; ".join(self.faults[:4]).replace("|", "/") or "none"
        return f"{runs} of {len(self.turns)} | {questions} | {self.kills} | {self.beside} | {faults}"

    def take(self, client: SyncLangGraphClient, graph: str) -> None:
        """Take the next turn; an error is its result."""
        self.thread = self.thread or client.threads.create()["thread_id"]
        turn = self.turns[len(self.results)]
        if isinstance(turn, str):
            turn = {"input": {"messages": [{"role": "user", "content": turn}]}}
        if "update_state" in turn:
            result = _tried(client.threads.update_state, self.thread, **turn["update_state"])
            self.results.append(result if _failed(result) else None)
        else:
            self.results.append(_tried(client.runs.wait, self.thread, graph, raise_error=False, **turn))
        self.state = self.read(client)

    def read(self, client: SyncLangGraphClient) -> Any:
        return _tried(client.threads.get_state, self.thread)

    def compare(self, there: "Talk") -> None:
        names = [*(f"turn {number}" for number, _ in enumerate(self.turns)), "state"]
        pairs = zip(names, [*self.results, self.state], [*there.results, there.state], strict=True)
        differ: list[str] = []
        for name, here, other in pairs:
            if not _failed(here) and not _failed(other):
                differ += differences(here, other, name)
            elif _failed(here) and _failed(other):
                self.beside = "fails on both"
            else:
                place, result = ("", here) if _failed(here) else (" there", other)
                differ.append(f"{name} fails{place}: {_error(result)}")
                break
        self.beside = "differs" if differ else self.beside or "same"
        self.faults += differ


class Project:
    """One entry of the manifest, and its checked-out folder."""

    def __init__(self, entry: JSON):
        self.entry, self.repo, self.commit = entry, entry["repo"], entry.get("commit", "")
        self.name = "/".join(filter(None, (self.repo, entry.get("folder", ""))))
        self.clone = HOME / self.name.replace("/", "+") if self.commit else Path(self.repo)
        self.folder = self.clone / entry.get("folder", "")
        self.bin = HOME / "environments" / self.name.strip("/").replace("/", "+") / "bin"

    def fetch(self) -> None:
        shutil.rmtree(self.clone, ignore_errors=True)
        _command("fetched", "git", "init", "--quiet", str(self.clone))
        git = ("git", "-C", str(self.clone))
        if mirror := os.environ.get("PROJECTS_MIRROR"):
            held = Path(mirror, self.repo.replace("/", "+")).resolve()
            objects = next((each.parent / "objects" for each in sorted(held.glob("**/HEAD"))), held)
            (self.clone / ".git/objects/info/alternates").write_text(f"{objects}\n")
        else:
            _command(
                "fetched", *git, "fetch", "--quiet", "--depth", "1", f"https://github.com/{self.repo}", self.commit
            )
        _command("fetched", *git, "checkout", "--quiet", "--force", self.commit, "--", self.entry.get("folder", "."))

    def install(self) -> None:
        """Install the project's packages, not the project: both servers import it from its folder."""
        files = [self.folder / name for name in ("pyproject.toml", "requirements.txt")]
        packages = [part for file in files if file.is_file() for part in ("-r", str(file))][:2]
        version = self.entry.get("python", "3.13")
        arguments = ["-e", str(ROOT), *PACKAGES, *self.entry.get("packages", packages)]
        _command("installed", "uv", "venv", "--quiet", "--allow-existing", "--python", version, str(self.bin.parent))
        _command("installed", "uv", "pip", "install", "--quiet", "--python", str(self.bin / "python"), *arguments)

    def configure(self, model: str) -> dict[str, list[Any]]:
        """Write its settings, and return the turns of each graph."""
        config: JSON = json.loads((self.folder / "langgraph.json").read_text())
        if self.commit and isinstance(config.get("env"), str):
            lines = "\n".join(self.entry.get("env", ())).replace("{model}", model)
            (self.folder / config["env"]).write_text(lines)
        plain = {key: value for key, value in config.items() if key not in LEFT_OUT}
        (self.folder / "langgraph.plain.json").write_text(json.dumps(plain))
        turns: dict[str, list[Any]] = self.entry.get("graphs") or dict.fromkeys(config["graphs"], MESSAGES)
        return turns

    @contextmanager
    def serve(self, model: str, *command: str, home: str = "") -> Iterator[SyncLangGraphClient]:
        """Run a server of it until SIGKILL."""
        shutil.rmtree(self.folder / ".langgraph_api", ignore_errors=True)
        environ = _loopback(model) | {"TURNKEEP_HOME": home, "HOME": os.environ["HOME"]}
        environ |= {"PATH": f"{self.bin}:{os.environ['PATH']}", "PYTHONPATH": f"{self.folder / 'src'}:{self.folder}"}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        with tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(  # noqa: S603 - a command of its own environment
                [self.bin / command[0], *command[1:], "--port", port],
                cwd=self.folder, env=environ, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
            try:
                _wait_for(f"http://127.0.0.1:{port}", process, log.fileno())
                yield get_sync_client(url=f"http://127.0.0.1:{port}", timeout=RUN_SECONDS)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def run(self) -> Iterator[str]:
        """Yield the rows of its graphs, or one row if it does not run here."""
        try:
            if self.commit:
                self.fetch()
            self.install()
        except NotPossibleError as error:
            yield f"skipped: {error} | | | | | none"
            return
        with stub_model(Script(self.entry.get("calls", ()), self.entry.get("arguments", {}))) as model:
            turns = self.configure(model)
            here, there = ({graph: Talk(each) for graph, each in turns.items()} for _ in range(2))
            try:
                self.run_with_kills(model, here)
            except NotPossibleError as error:
                for talk in here.values():
                    talk.faults.append(str(error))
            problem = self.run_beside(model, there)
        for graph, talk in here.items():
            if problem:
                talk.beside = problem
                talk.faults += [_error(result) for result in talk.results if _failed(result)]
            elif not talk.faults:
                talk.compare(there[graph])
            for text, why in self.entry.get("known", {}).items():
                if any(text in fault for fault in talk.faults):
                    talk.faults = [fault for fault in talk.faults if text not in fault]
                    talk.beside += f"; {why}"
            yield f"`{graph}` | {talk}"

    def run_beside(self, model: str, talks: dict[str, Talk]) -> str:
        """Run all turns of each graph under `langgraph dev`; return why it does not start, or nothing."""
        command = ("langgraph", "dev", "--no-browser", "--no-reload", "--config", "langgraph.plain.json")
        try:
            with self.serve(model, *command) as client:
                for graph, talk in talks.items():
                    for _ in talk.turns:
                        talk.take(client, graph)
        except NotPossibleError as error:
            return f"there it {error}"
        return ""

    def run_with_kills(self, model: str, talks: dict[str, Talk]) -> None:
        """Run one turn of each graph, then SIGKILL, then the next turn of each graph."""
        with tempfile.TemporaryDirectory() as home:
            for number in range(max(len(talk.turns) for talk in talks.values())):
                with self.serve(model, "turnkeep", "dev", home=home) as client:
                    for graph, talk in talks.items():
                        if talk.thread and talk.state != talk.read(client):
                            talk.faults.append(f"the state after turn {number - 1} is another one after SIGKILL")
                        talk.kills += bool(talk.thread)
                        if number < len(talk.turns):
                            talk.take(client, graph)


def _loopback(model: str) -> dict[str, str]:
    """Return the stub's address for each provider, and a nonexistent proxy for everything else."""
    keys = {f"{name}_API_KEY": "none" for name in ("OPENAI", "ANTHROPIC", "TAVILY", "GROQ", "GOOGLE", "FIREWORKS")}
    urls = {"OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_BASE": f"{model}/v1", "GROQ_API_BASE": model}
    urls |= {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_URL": model}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    proxies |= dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return keys | urls | proxies | {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANG": "C.UTF-8"}


def _command(done: str, *command: str) -> None:
    options: JSON = {"capture_output": True, "text": True, "env": os.environ | {"GIT_TERMINAL_PROMPT": "0"}}
    try:
        subprocess.run(command, check=True, timeout=COMMAND_SECONDS, **options)  # noqa: S603 - git and uv
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise NotPossibleError(f"cannot be {done}: {' '.join(str(error.stderr or error).split())[-300:]}") from None


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: int) -> None:
    for _ in range(START_SECONDS * 5):
        try:
            if process.poll() is not None or httpx.get(f"{url}/ok", trust_env=False).is_success:
                break
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    else:
        raise NotPossibleError(f"does not start within {START_SECONDS} s")
    if process.poll() is not None:
        lines = re.sub(r"\x1b\[[\d;]*m", "", os.pread(log, 1 << 20, 0).decode(errors="replace")).strip().splitlines()
        named = [line.strip() for line in lines if re.search(r"\w(Error|Exception): |^error: ", line)] or lines
        raise NotPossibleError(f"does not start: {' '.join(named[-1:])[:300]}")


def _tried(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return call(*arguments, **named)
    except (LangGraphError, httpx.HTTPError) as error:
        return {"__error__": str(error)}


def _failed(result: Any) -> bool:
    return isinstance(result, dict) and "__error__" in result


def _error(result: JSON) -> str:
    error = result["__error__"]
    parts = (str(error.get(key, "")) for key in ("error", "code", "message")) if isinstance(error, dict) else (error,)
    return " ".join(" ".join(parts).split())[:200]


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Name where two values differ, except for ids and times."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other} - VARYING):
            yield from differences(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{number}]")
    elif re.sub(VARYING_TEXT, "*", json.dumps(one)) != re.sub(VARYING_TEXT, "*", json.dumps(other)):
        yield f"{path}: {str(one)[:80]!r}, there {str(other)[:80]!r}"


def main() -> None:
    names, faults = sys.argv[1:], 0
    if {"-h", "--help"} & {*names}:
        sys.exit(__doc__)
    entries = json.loads(Path(__file__).with_suffix(".json").read_text())
    listed = [each for each in map(Project, entries) if not names or any(name in each.name for name in names)]
    given = [Path(name).absolute() for name in names if Path(name, "langgraph.json").is_file()]
    print(
        "| project, commit | graph | runs | questions | kills | beside `langgraph dev` | differences |\n"
        + "|---" * 7
        + "|"
    )
    for project in [*listed, *(Project({"repo": str(folder)}) for folder in given)]:
        for row in project.run():
            print(f"| `{project.name}` {project.commit[:7]} | {row} |", flush=True)
            faults += not row.endswith("| none")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
