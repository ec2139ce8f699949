"""The crash matrix once more, through the deployed function `api`: SIGKILL before and after each call to the stores
that a turn of `papers` makes, then the same request again. The sandbox that dies is a forked process that loads the
function; another one is warm and lives on."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import boto3
import pytest
from botocore.session import Session
from fault_hooks import Faults, at_call, none
from fault_site import CREDENTIALS, Doom, Site, be_quiet, child

from deployed_function import Context, load_handler, proxy_event

LEASE_SECONDS = 1
BEGIN = FLIP = "dynamodb.UpdateItem"
LOAD, BATCH = "dynamodb.Query", "dynamodb.BatchWriteItem"
LONG = "What is low-rank adaptation? " + " ".join(f"{number:x}" for number in range(9000, 11000))

SCENARIOS = {
    "a first turn": ((), "What is low-rank adaptation?", [BEGIN, BATCH, FLIP]),
    "a follow-up": (("What is low-rank adaptation?",), "And who wrote it?", [BEGIN, LOAD, BATCH, FLIP]),
    "a long message": (("What is low-rank adaptation?",), LONG, [BEGIN, BATCH, LOAD, BATCH, FLIP]),
}


type Answer = tuple[int, Any]


@dataclass(frozen=True)
class Function:
    """A deployed function: its environment, and a sandbox of it that is warm."""

    environment: dict[str, str]
    warm: Callable[[Any, Any], Any]

    def chat(self, thread_id: str, message: str, key: str) -> Answer:
        return _answer(self.warm(_chat(thread_id, message, key), Context()))

    def read(self, path: str) -> Any:
        return _answer(self.warm(proxy_event("GET", path), Context()))[1]

    def chat_in_a_new_sandbox(self, thread_id: str, message: str, key: str, doom: Doom | None) -> list[Any]:
        """The calls that it makes, then its answer if it lives to give one."""
        with child(serve_once, self.environment, _chat(thread_id, message, key), doom) as sandbox:
            return sandbox.last_words()


def _chat(thread_id: str, message: str, key: str) -> Any:
    body = json.dumps({"session_id": thread_id, "message": message}).encode()
    return proxy_event("POST", "/chat", body, headers={"Idempotency-Key": key})


def _answer(answer: Any) -> Answer:
    return answer["statusCode"], json.loads(answer["body"])


def serve_once(line: Connection, environment: dict[str, str], event: Any, doom: Doom | None) -> None:
    """One invocation in a sandbox of its own; says each call before it is made, then status and body."""
    be_quiet()
    os.environ.update(environment)
    faults = Faults(at_call(doom.at, doom.kind) if doom else none, told=line.send)
    session = Session()
    for service in ("dynamodb", "s3"):
        faults.listen(session, service)
    boto3.setup_default_session(botocore_session=session)
    line.send(_answer(load_handler()(event, Context())))
    line.close()


@pytest.fixture
def function(site: Site, monkeypatch: pytest.MonkeyPatch) -> Function:
    environment = {
        "AWS_ENDPOINT_URL_DYNAMODB": site.dynamodb_url,
        "AWS_ENDPOINT_URL_S3": site.s3_url,
        "AWS_ACCESS_KEY_ID": CREDENTIALS["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": CREDENTIALS["aws_secret_access_key"],
        "AWS_DEFAULT_REGION": CREDENTIALS["region_name"],
        "TABLE_NAME": site.table_name,
        "BUCKET_NAME": site.bucket,
        "SEAL_KEY": "a secret",
        "TURN__LEASE_SECONDS": str(LEASE_SECONDS),
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Function(environment, load_handler())


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_sandbox_that_dies_at_any_call_costs_no_turn_and_doubles_none(function: Function, name: str) -> None:
    before, message, expected = SCENARIOS[name]
    _tell(function, "clean", before)
    *calls, (status, _) = function.chat_in_a_new_sandbox("clean", message, "k", None)
    assert (status, calls) == (200, expected)

    points = [(at, side) for at in range(1, len(calls) + 1) for side in ("before", "after")]
    for at, side in points:
        thread_id = f"t-{at}-{side}"
        _tell(function, thread_id, before)
        made = function.chat_in_a_new_sandbox(thread_id, message, "k", Doom(at, f"kill_{side}"))  # type: ignore[arg-type]
        assert made == calls[:at]
        turn = _come_back(function, thread_id, message)
        assert (turn["turn_number"], turn["persisted"], turn["message"]) == (len(before) + 1, True, message)
        assert function.chat(thread_id, message, "k") == (200, turn)
        told = [turn["message"] for turn in function.read(f"/threads/{thread_id}/turns")["turns"]]
        assert told == [*before, message]


def _tell(function: Function, thread_id: str, messages: tuple[str, ...]) -> None:
    for number, message in enumerate(messages):
        status, _ = function.chat(thread_id, message, f"before-{number}")
        assert status == 200


def _come_back(function: Function, thread_id: str, message: str) -> Any:
    """The same request again until it is answered, which a lease may hold up, and nothing else."""
    started = time.monotonic()
    while time.monotonic() - started < LEASE_SECONDS + 10:
        status, body = function.chat(thread_id, message, "k")
        if status == 200:
            return body
        assert (status, body["code"]) == (409, "turn_in_progress")
        time.sleep(0.3)
    raise AssertionError("the thread stays busy")
