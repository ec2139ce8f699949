"""SIGKILL before and after each call to the stores that a turn of `papers` makes, in the deployed function and over
each protocol. The same request is then sent again as the protocol's clients do it: with a key, the id of a message, a
count of tries, or the whole history. The sandbox that dies is a forked process; another one is warm and survives."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import pytest
from fault_hooks import BY_BOTOCORE, Faults, at_call, none
from fault_site import CREDENTIALS, Death, Site, child, silence

from deployed_function import Context, load_handler, proxy_event

LEASE_SECONDS = 1
BEGIN = COMMIT = "dynamodb.UpdateItem"
LOAD, BATCH = "dynamodb.Query", "dynamodb.BatchWriteItem"
TURN = [BEGIN, LOAD, BATCH, COMMIT]
SIDES = ("before", "after")
FIRST, SECOND = "What is low-rank adaptation?", "And who wrote it?"
LONG = f"{FIRST} " + " ".join(f"{number:x}" for number in range(9000, 11000))

type Asking = Callable[[str, str, int], Any]
"""From a thread's id, a message and the number of earlier tries to the event of the request."""


def chat(thread_id: str, message: str, tries: int) -> Any:
    body = {"session_id": thread_id, "message": message}
    return _post("/chat", body, {"Idempotency-Key": f"k-{len(message)}"})


def runs(what: str, thread_id: str, message: str, tries: int) -> Any:
    """LangGraph's protocol, with the id that a client gives a message."""
    human = {"role": "user", "content": message, "id": f"m-{len(message)}"}
    body = {"assistant_id": "papers", "input": {"messages": [human]}, "stream_mode": ["values", "messages-tuple"]}
    return _post(f"/threads/{thread_id}/runs/{what}", body, {})


def responses(is_streamed: bool, thread_id: str, message: str, tries: int) -> Any:
    body = {"model": "papers", "input": message, "conversation": thread_id, "stream": is_streamed}
    return _post("/v1/responses", body, {"X-Stainless-Retry-Count": str(tries)})


def completions(is_streamed: bool, thread_id: str, message: str, tries: int) -> Any:
    """A client that does not count its tries and sends the whole history."""
    history = [("user", FIRST), ("assistant", "A method."), ("user", message)]
    messages = [{"role": role, "content": content} for role, content in history]
    body = {"model": "papers", "messages": messages, "stream": is_streamed}
    return _post("/v1/chat/completions", body, {"X-Turnkeep-Thread": thread_id})


def _post(path: str, body: Any, headers: dict[str, str]) -> Any:
    return proxy_event("POST", path, json.dumps(body).encode(), headers=headers)


class Scenario(NamedTuple):
    asking: Asking
    before: tuple[str, ...]
    message: str
    calls: list[str]


SCENARIOS = {
    "a first turn": Scenario(chat, (), FIRST, [BEGIN, BATCH, COMMIT]),
    "a follow-up": Scenario(chat, (FIRST,), SECOND, TURN),
    "a long message": Scenario(chat, (FIRST,), LONG, [BEGIN, BATCH, LOAD, BATCH, COMMIT]),
    "a run that is waited for": Scenario(partial(runs, "wait"), (FIRST,), SECOND, TURN),
    "a run that streams": Scenario(partial(runs, "stream"), (FIRST,), SECOND, TURN),
    "a response": Scenario(partial(responses, False), (FIRST,), SECOND, TURN),
    "a response that streams": Scenario(partial(responses, True), (FIRST,), SECOND, TURN),
    "a completion": Scenario(partial(completions, False), (FIRST,), SECOND, TURN),
    "a completion that streams": Scenario(partial(completions, True), (FIRST,), SECOND, TURN),
}
"""A turn takes four requests over every protocol, its first message one less."""


WAYS = [*((name, "direct") for name in SCENARIOS), *((name, "botocore") for name in [*SCENARIOS][:3])]
"""By default the function itself sends its requests; with DYNAMODB_DIRECT=false botocore does."""


class Answer(NamedTuple):
    status: int
    text: str
    headers: dict[str, str]


@dataclass(frozen=True)
class Function:
    """A deployed function: its environment, and a sandbox of it that is warm."""

    environment: dict[str, str]
    warm: Callable[[Any, Any], Any]

    def send(self, event: Any) -> Answer:
        return _answer(self.warm(event, Context()))

    def turns(self, thread_id: str) -> list[Any]:
        found = json.loads(self.send(proxy_event("GET", f"/threads/{thread_id}/turns")).text)
        return [{name: turn[name] for name in ("turn_number", "message", "persisted")} for turn in found["turns"]]

    def send_to_a_new_sandbox(self, event: Any, death: Death | None) -> list[Any]:
        """The calls that it makes, then its answer if it survives."""
        with child(serve_once, self.environment, event, death) as sandbox:
            return sandbox.messages()


def _answer(answer: Any) -> Answer:
    return Answer(answer["statusCode"], answer["body"], answer["headers"])


def serve_once(line: Connection, environment: dict[str, str], event: Any, death: Death | None) -> None:
    """One invocation in its own sandbox; report each call before it is made, then the answer."""
    silence()
    os.environ.update(environment)
    faults = Faults(at_call(death.at, death.kind) if death else none, on_call=line.send)
    faults.attach_to_process()
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
    } | ({} if site.direct else {"DYNAMODB_DIRECT": "false"})
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Function(environment, load_handler())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "site"), WAYS, indirect=["site"])
def test_a_killed_sandbox_loses_and_doubles_no_turn(function: Function, name: str, site: Site) -> None:
    asking, before, message, expected = SCENARIOS[name]
    _send_all(function, "clean", before)
    *calls, answer = function.send_to_a_new_sandbox(asking("clean", message, 0), None)
    assert (answer.status, calls) == (200, [call + BY_BOTOCORE * (not site.direct) for call in expected])

    points = {f"t-{at}-{side}": Death(at, f"kill_{side}") for at in range(1, len(calls) + 1) for side in SIDES}  # type: ignore[arg-type]
    for thread_id, death in points.items():
        _send_all(function, thread_id, before)
        assert function.send_to_a_new_sandbox(asking(thread_id, message, 0), death) == calls[: death.at]
    for thread_id in points:  # all leases expire together
        _come_back(function, asking, thread_id, message)
        again = function.send(asking(thread_id, message, 2))
        assert (again.status, again.headers["idempotency-replayed"]) == (200, "true")
        messages = enumerate([*before, message], 1)
        kept = [{"turn_number": n, "message": each, "persisted": True} for n, each in messages]
        assert function.turns(thread_id) == kept


def _send_all(function: Function, thread_id: str, messages: tuple[str, ...]) -> None:
    for message in messages:
        assert function.send(chat(thread_id, message, 0)).status == 200


def _come_back(function: Function, asking: Asking, thread_id: str, message: str) -> None:
    """Send the request again until it is answered. Only a lease may delay it."""
    started = time.monotonic()
    while time.monotonic() - started < LEASE_SECONDS + 10:
        answer = function.send(asking(thread_id, message, 1))
        if answer.status == 200:
            return
        assert answer.status == 409
        assert "turn_in_progress" in answer.text
        time.sleep(0.3)
    raise AssertionError("the thread stays busy")
