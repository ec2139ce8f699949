"""Every function in Lambda's runtime interface emulator, with the events that `sam local invoke` gets; the emulator
holds a streamed answer back until it is whole. And the events themselves: each is one that the template sends there."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lambdas import FUNCTIONS, ROOT

from emulated.sandbox import find_runtime_emulator, sandbox
from template_resources import properties_of
from turnkeep.records import Principal
from turnkeep.storage.apikeys import ApiKeys
from turnkeep.storage.items import Items
from turnkeep.storage.keyring import Keyring
from turnkeep_local.chat import read_events

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVENTS = sorted((ROOT / "events").glob("*.json"))
EMPTY = {"threads": 0, "items": 0, "moved": 0}

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


def test_api_answers_whole(invoke: Invoke) -> None:
    chat, thread = json.loads(invoke("api-chat")), json.loads(invoke("api-thread"))
    turn = json.loads(chat["body"])
    assert (chat["statusCode"], turn["turn_number"], turn["persisted"]) == (200, 1, True)
    assert (thread["statusCode"], thread["isBase64Encoded"]) == (200, False)
    assert json.loads(thread["body"])["thread_id"] == turn["thread_id"]


def test_stream_answers_with_a_prelude_and_the_whole_stream(invoke: Invoke) -> None:
    prelude, _, body = invoke("stream-chat").partition(bytes(8))
    head, events = json.loads(prelude), list(read_events(body.decode().split("\n")))
    assert head["statusCode"] == 200
    assert head["headers"]["content-type"].startswith("text/event-stream")
    assert events[-1][0] == "complete"
    assert events[-1][1]["persisted"] is True
    tokens = [data["content"] for name, data in events if name == "token"]
    assert len(tokens) > 1
    assert "".join(tokens) == events[-1][1]["reply"]


def test_files_of_a_layer_serve_the_agent_that_they_are_for_and_stop_no_other(
    function_environ: dict[str, str], tmp_path: Path
) -> None:
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
    told = f"{access}: rules[0].tenants: no such field is known; remove it or correct its name"
    reasons = [line["reason"] for line in lines if line.get("agent") == "database" and "reason" in line]
    assert reasons == [told, told], "at the start, and when the agent was asked"


def asking(agent: str) -> bytes:
    event = json.loads((ROOT / "events/api-chat.json").read_text())
    asked = {"agent": agent, "message": "How many departments are there?"}
    body = {"session_id": f"of-{agent}-{uuid.uuid4().hex}", **asked}
    return json.dumps(event | {"body": json.dumps(body), "isBase64Encoded": False}).encode()


def test_cleanup_says_what_it_swept(invoke: Invoke) -> None:
    told = json.loads(invoke("cleanup-schedule"))
    assert told.items() >= (EMPTY | {"finished": True}).items()


def test_authorizer_lets_in_whom_it_knows_and_nobody_else(
    invoke: Invoke, dynamodb: "DynamoDBClient", function_environ: dict[str, str]
) -> None:
    assert json.loads(invoke("authorizer-key"))["errorMessage"] == "Unauthorized"
    keys = ApiKeys(
        Items(dynamodb, function_environ["TABLE_NAME"]), Keyring(b"of the test"), clock=time.time, mint=bytes
    )
    _, key = keys.create(Principal("acme", "ann"))
    assert key in (ROOT / "events" / "authorizer-key.json").read_text()
    policy = json.loads(invoke("authorizer-key"))
    assert policy["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    assert policy["context"].items() >= {"tenant": "acme", "user": "ann"}.items()


def test_there_is_an_event_for_every_function() -> None:
    functions = {file.parent.name for file in FUNCTIONS.glob("*/app.py")}
    assert {event.stem.partition("-")[0] for event in EVENTS} == functions


def routes_to(function: str) -> set[tuple[str, str]]:
    paths = properties_of("Api")["DefinitionBody"]["paths"]
    name = f"{function.capitalize()}FunctionAliaslive"
    return {(method.upper(), path) for path, by in paths.items() for method in by if name in json.dumps(by[method])}


@pytest.mark.parametrize("function", ["api", "stream"])
def test_a_request_in_an_event_has_a_route_to_its_function(function: str) -> None:
    events: list[Any] = [json.loads(file.read_text()) for file in EVENTS if file.stem.startswith(f"{function}-")]
    assert events
    assert {(event["httpMethod"], event["resource"]) for event in events} <= routes_to(function)
