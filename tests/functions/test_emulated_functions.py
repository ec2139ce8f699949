"""Every function in Lambda's runtime interface emulator, with the events that `sam local invoke` gets; the emulator
holds a streamed answer back until it is whole."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from lambdas import FUNCTIONS, ROOT

from emulated.sandbox import find_runtime_emulator, sandbox

type Invoke = Callable[[str], bytes]


@pytest.fixture(scope="module")
def invoke(function_environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Invoke]:
    """Hands an event of the folder to its function, which stays up until the module ends."""
    emulator, calls = find_runtime_emulator(ROOT), {}
    with ExitStack() as stack:

        def invoke(event: str) -> bytes:
            name = event.partition("-")[0]
            if name not in calls:
                log = tmp_path_factory.mktemp(name) / "log"
                calls[name] = stack.enter_context(sandbox(emulator, FUNCTIONS / name, function_environ, log=log))
            return calls[name]((ROOT / "events" / f"{event}.json").read_bytes())

        yield invoke


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("api-chat", '"statusCode": 200'),
        ("api-thread", '"statusCode": 200'),
        ("stream-chat", "event: complete"),
        ("cleanup-schedule", '"finished": true'),
        ("authorizer-key", '"errorMessage":"Unauthorized"'),
        ("documents-upload", "null"),
        ("worker-run", '"errorType":"NotDone"'),
    ],
)
def test_each_sample_event_is_answered_by_its_function(invoke: Invoke, event: str, answer: str) -> None:
    assert answer.replace(" ", "") in invoke(event).decode().replace(" ", "")


def test_an_unusable_file_of_a_layer_stops_only_its_agent(function_environ: dict[str, str], tmp_path: Path) -> None:
    joins, access = tmp_path / "joins.json", tmp_path / "access.json"
    joins.write_bytes((ROOT / "agents/turnkeep_demo/samples/field_service/joins.json").read_bytes())
    access.write_text('{"rules": [{"tenants": "acme"}]}')
    environ = function_environ | {"DATABASE__JOINS": str(joins), "DATABASE__ACCESS": str(access)}
    with sandbox(find_runtime_emulator(ROOT), FUNCTIONS / "api", environ, log=tmp_path / "log") as call:
        broken, other = (json.loads(call(asking(agent))) for agent in ("database", "papers"))
        access.write_text("{}")
        mended = json.loads(call(asking("database")))
    assert [answer["statusCode"] for answer in (broken, other, mended)] == [503, 200, 200]
    assert json.loads(mended["body"])["details"]["sql"].startswith("SELECT COUNT")
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines() if line.startswith("{")]
    reason = f"{access}: rules[0].tenants: no such field is known; remove it or correct its name"
    reasons = [line["reason"] for line in lines if line.get("agent") == "database" and "reason" in line]
    assert reasons == [reason, reason], "at the start, and when the agent was asked"


def asking(agent: str) -> bytes:
    event = json.loads((ROOT / "events/api-chat.json").read_text())
    asked = {"agent": agent, "message": "How many departments are there?"}
    body = {"session_id": f"of-{agent}-{uuid.uuid4().hex}", **asked}
    return json.dumps(event | {"body": json.dumps(body), "isBase64Encoded": False}).encode()


def test_there_is_an_event_for_every_function() -> None:
    functions = {file.parent.name for file in FUNCTIONS.glob("*/app.py")}
    assert {event.stem.partition("-")[0] for event in (ROOT / "events").glob("*.json")} == functions
