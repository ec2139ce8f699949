"""`turnkeep dev` in a folder with a langgraph.json: what it says, what it serves, and what a change does."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import httpx
import pytest

from turnkeep_local.processes import free_port, is_listening

pytestmark = [pytest.mark.usefixtures("emulator")]
PATIENCE_SECONDS = 300

TALKING = """
    import asyncio, logging, os
    from langchain_core.messages import AIMessage
    from langgraph.graph import START, MessagesState, StateGraph
    from turnkeep import once

    print("a line that was printed")
    logging.getLogger(__name__).warning("a line that was logged")
    PREFIX = "old"

    @once("slow", "it")
    async def wait():
        with open("begun", "a") as file:
            file.write("x")
        await asyncio.sleep(3)

    async def answer(state):
        said = [message.text for message in state["messages"] if message.type == "human"]
        if said[-1] == "slow":
            await wait()
        if said[-1] == "raise":
            raise ValueError("the flux compensator is empty")
        if said[-1].startswith("os."):
            eval(said[-1])
        return {"messages": [AIMessage(f"{PREFIX} {os.environ['TONE']} {'; '.join(said)}")]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
"""
ADDING = """
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState).add_node("add", lambda state: {})
    graph = builder.add_edge(START, "add").compile()
"""
CONFIG = {
    "graphs": {"talking": "./talking.py:graph", "adding": "./adding.py:graph", "broken": "./adding.py:grapf"},
    "dependencies": ["."],
    "env": "tone.env",
    "auth": {"path": "./auth.py:auth"},
}


@dataclass
class Server:
    folder: Path
    url: str
    process: subprocess.Popen[bytes]

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text()

    def change(self, name: str, text: str, until: str = "The change is served.") -> None:
        before = self.said.count(until)
        (self.folder / name).write_text(text)
        self.wait(lambda: self.said.count(until) > before)

    def wait(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < deadline, self.said
            assert self.process.poll() is None, self.said
            time.sleep(0.05)

    def say(self, message: str, thread: str = "t", **headers: str) -> httpx.Response:
        body = {"session_id": thread, "message": message}
        return httpx.post(f"{self.url}/chat", json=body, headers=headers, timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Killed at the end; nothing of it lives on."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "langgraph.json").write_text(json.dumps(CONFIG, indent=2))
    (folder / "talking.py").write_text(dedent(TALKING))
    (folder / "adding.py").write_text(dedent(ADDING))
    (folder / "tone.env").write_text("TONE=kindly\n")
    port = free_port()
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=said, stderr=said)
    server = Server(folder, f"http://127.0.0.1:{port}", process)
    try:
        server.wait(lambda: "stop: Ctrl-C" in server.said)
        yield server
        process.kill()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while is_listening(port):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


def test_it_reports_faults_with_remedies_and_serves_the_rest(server: Server) -> None:
    told = server.said
    assert re.search(r"error: .*langgraph\.json:5: graph `broken`.* has no `grapf`; it has builder, graph\n", told)
    assert re.search(r"warning: .*langgraph\.json:\d+: `auth` is not applied", told)
    assert [each["name"] for each in httpx.get(f"{server.url}/agents").json()] == ["talking", "adding", "broken"]
    refused = httpx.post(f"{server.url}/chat", json={"message": "hi", "agent": "broken"})
    assert (refused.status_code, refused.json()["code"]) == (503, "agent_unavailable")


def test_what_a_graph_prints_logs_and_raises_is_shown_and_what_the_server_logs_is_in_its_file(server: Server) -> None:
    answer = server.say("hi", "logged")
    server.wait(lambda: "a line that was logged" in server.said)
    assert "a line that was printed" in server.said
    assert '"turn kept"' not in server.said
    kept = (server.folder / ".turnkeep" / "requests.log").read_text()
    assert ('"turn kept"' in kept, answer.headers["X-Correlation-Id"] in kept) == (True, True)

    answer = server.say("raise", "raising")
    assert (answer.status_code, answer.json()["code"]) == (500, "agent_error")
    assert "flux" not in answer.text
    server.wait(lambda: "ValueError: the flux compensator is empty" in server.said)
    assert f'File "{server.folder}/talking.py", line' in server.said


def test_the_lines_of_the_welcome_fit_the_first_graph(server: Server) -> None:
    lines = re.findall(r"curl -sN? (\S+) --json '(.*)'", server.said)
    replies = [httpx.post(url, json=json.loads(body), timeout=PATIENCE_SECONDS) for url, body in lines]
    assert [reply.status_code for reply in replies] == [200, 200, 200]
    assert replies[1].json()["reply"] == "old kindly Hello; What did I say?"


async def test_a_change_is_served_and_a_turn_that_runs_meanwhile_is_kept_once(server: Server) -> None:
    slow = asyncio.create_task(asyncio.to_thread(server.say, "slow", "kept", **{"Idempotency-Key": "k"}))
    await asyncio.to_thread(server.wait, (server.folder / "begun").exists)
    text = (server.folder / "talking.py").read_text().replace('"old"', '"new"')
    await asyncio.to_thread(server.change, "talking.py", text)

    first = (await slow).json()
    assert (first["reply"], first["turn_number"]) == ("old kindly slow", 1)
    again = server.say("slow", "kept", **{"Idempotency-Key": "k"})
    assert (again.json()["reply"], again.headers["Idempotency-Replayed"]) == ("old kindly slow", "true")
    assert server.say("two", "kept").json()["reply"] == "new kindly slow; two"
    assert (server.folder / "begun").read_text() == "x"


def test_a_changed_env_file_is_read_again(server: Server) -> None:
    server.change("tone.env", "TONE=sternly\n")
    assert "sternly" in server.say("hi", "env").json()["reply"]


def test_a_broken_langgraph_json_is_reported_with_its_line_until_it_is_fixed(server: Server) -> None:
    server.say("before", "mended")
    server.change("langgraph.json", '{\n  "graphs": ,\n}', until="Fix the file to start serving")
    told = server.say("hi", "mended")
    assert (told.status_code, "langgraph.json:2:13: invalid JSON" in told.text) == (503, True)
    server.change("langgraph.json", json.dumps(CONFIG, indent=2))
    assert "before; after" in server.say("after", "mended").json()["reply"]


DEATHS = {"os._exit(0)": "exit code 0", "os.abort()": "SIGABRT"}


@pytest.mark.parametrize("death", DEATHS)
def test_a_worker_that_dies_in_a_run_is_replaced_and_no_client_waits_for_the_dead(server: Server, death: str) -> None:
    thread = re.sub(r"\W", "", death)
    server.say("before", thread)
    with pytest.raises(httpx.RemoteProtocolError):
        server.say(death, f"{thread}-2")
    assert "before; after" in server.say("after", thread).json()["reply"]
    assert f"The process that served the graphs died ({DEATHS[death]})." in server.said


@pytest.mark.parametrize("death", DEATHS)
def test_a_worker_that_dies_as_it_loads_the_graphs_is_refused_for_until_the_file_is_fixed(
    server: Server, death: str
) -> None:
    text = (server.folder / "talking.py").read_text()
    server.change("talking.py", f"import os, sys\n{death}\n", until="Fix the file to start serving")
    refused = server.say("hi", "loading")
    assert (refused.status_code, refused.headers["content-type"]) == (503, "application/problem+json")
    assert f"died ({DEATHS[death]})" in refused.json()["detail"]
    server.change("talking.py", text)
    assert server.say("hi", "loading").status_code == 200


def test_a_start_without_a_usable_file_ends_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "langgraph.json"
    file.write_text("{")
    command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", "0", "--config", str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"turnkeep: .*langgraph\.json:1:2: invalid JSON.*\n", done.stderr)
