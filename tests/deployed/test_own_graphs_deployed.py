"""Graphs of one's own, from an empty folder to an answer through API Gateway: what `turnkeep new` makes, as it is
built, deployed by an unmodified `sam deploy`."""

import os
import platform
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from stack import ROOT, TOOLS, Aws, Stack, emulated_aws

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the layers are built for Linux on x86_64"
    ),
]

NAME = "hello"
TRIES = 4
NOTES = """
import os
from typing import TypedDict

from langgraph.graph import START, StateGraph


class Notes(TypedDict, total=False):
    note: str
    notes: list[str]
    said_by: str


def keep(state: Notes) -> Notes:
    return {"notes": [*state.get("notes", []), state["note"]], "said_by": os.environ.get("GREETING", "nobody")}


builder = StateGraph(Notes)
builder.add_node("keep", keep)
builder.add_edge(START, "keep")
"""
"""A graph without messages, to stand beside the one that is there."""


@pytest.fixture(scope="module")
def aws() -> Iterator[Aws]:
    with emulated_aws() as emulated:
        yield emulated


@pytest.fixture(scope="module")
def stack(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """Deployed with the command that the build prints."""
    parent = tmp_path_factory.mktemp("projects")
    path = f"{TOOLS}:{Path(sys.executable).parent}:{ROOT}/.tools/bin:{os.environ['PATH']}"
    folder = parent / NAME

    def run(command: str, where: Path) -> str:
        return aws.run("env", f"PATH={path}", "sh", "-c", command, folder=where)

    run(f"turnkeep new {NAME}", parent)
    (folder / "notes.py").write_text(NOTES)
    (folder / ".env").write_text("GREETING=hidden\n")
    own = '"graphs": {"notes": "./notes.py:builder", '
    (folder / "langgraph.json").write_text((folder / "langgraph.json").read_text().replace('"graphs": {', own))
    printed = run("turnkeep build 2>&1", folder)
    aws.client("ssm").put_parameter(Name=f"/turnkeep/{NAME}/env/GREETING", Value="Ada", Type="SecureString")
    (line,) = [each for each in printed.splitlines() if each.startswith("  sam deploy")]
    run(f"{line} --no-confirm-changeset", folder)
    return Stack(aws, NAME)


@pytest.fixture(scope="module")
def anna(stack: Stack) -> Iterator[httpx.Client]:
    with stack.open(**{"x-api-key": stack.make_key("acme", "anna")}) as client:
        yield client


def end_sandboxes(aws: Aws) -> int:
    """Kills what runs functions, as Lambda does with sandboxes that are idle; how many there were."""
    ended = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if len(command) > 1 and command[1].startswith(f"{aws.folder}/ministack-lambda-".encode()):
            os.kill(int(process.name), signal.SIGKILL)
            ended += 1
    return ended


def send(client: httpx.Client, thread: str, message: str) -> Any:
    """As a client does that sends its message again under its key: an authorizer that starts slowly is no answer."""
    asked = {"session_id": thread, "message": message, "agent": "agent"}
    for _ in range(TRIES):
        response = client.post("/chat", json=asked, headers={"Idempotency-Key": f"{thread}-{len(message)}"})
        if response.status_code < 500:
            break
    return answer(response)


def answer(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def test_a_thread_continues_in_another_sandbox(aws: Aws, anna: httpx.Client) -> None:
    first = send(anna, "first", "My name is Ada.")
    assert end_sandboxes(aws) > 0
    second = send(anna, "first", "What is my name?")

    assert (first["turn_number"], second["turn_number"], second["persisted"]) == (1, 2, True)
    assert '"My name is Ada."' in second["reply"]


def test_a_graph_without_messages_keeps_its_state_and_finds_its_variables(anna: httpx.Client) -> None:
    anna.post("/threads", json={"thread_id": "notes"})
    for note in ("milk", "bread"):
        asked = {"assistant_id": "notes", "input": {"note": note}}
        state = answer(anna.post("/threads/notes/runs/wait", json=asked))
    assert (state["notes"], state["said_by"]) == (["milk", "bread"], "Ada")
