"""The function that streams, as Lambda runs it: its wrapper, the real runtime client, the whole app over a real store.
A model that the tests hold back tells streaming from buffering."""

import base64
import json
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from calls_of_papers import GRADE, READ, WELL
from front import Invocation
from lambdas import STREAMING, Function
from wire import Exchange, WireServer, chunk, says

from server_events import read_events

MESSAGE = "What is low-rank adaptation?"
CHAT = {"session_id": "t1", "message": MESSAGE}
PATIENCE_SECONDS = 60.0
COMMIT_SECONDS, REPLY_SECONDS = 3, 1
"""What a run and its answer leave of a function's time."""


class Withheld:
    """An answer whose second line waits for `go_on`, or a time-out."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.was_released: bool | None = None

    def __call__(self, exchange: Exchange) -> None:
        exchange.start_stream()
        exchange.send_event(chunk({"content": "first\n"}))
        self.was_released = self.go_on.wait(PATIENCE_SECONDS)
        exchange.send_event(chunk({"content": "second"}))
        exchange.send_event(chunk({}, "stop"))
        exchange.send_event("[DONE]")
        exchange.end_stream()


class Endless:
    """An answer of one line, after which nothing comes. Notes when whoever asked has gone."""

    def __init__(self) -> None:
        self.was_left = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        exchange.start_stream()
        exchange.send_event(chunk({"content": "first\n"}))
        exchange.connection.settimeout(PATIENCE_SECONDS * 2)
        if exchange.connection.recv(1) == b"":
            self.was_left.set()


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(scope="module")
def function(start: Callable[..., Function], server: WireServer) -> Function:
    model = {"MODEL": "openai:test", "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-test"}
    return start(**model, MODELS__MAX_RETRIES="0", TURN__HEARTBEAT_SECONDS="0.2")


@pytest.fixture
def model(server: WireServer) -> Iterator[WireServer]:
    yield server
    left, server.script[:] = len(server.script), []
    assert left == 0, f"{left} answers were never asked for"


@pytest.fixture
def client(function: Function) -> Iterator[httpx.Client]:
    with client_of(function) as client:
        yield client


def client_of(function: Function) -> httpx.Client:
    headers = {"x-user": uuid.uuid4().hex}
    return httpx.Client(base_url=function.front.url, headers=headers, timeout=PATIENCE_SECONDS * 3)


def last(function: Function) -> Invocation:
    return function.front.invocations[-1]


def is_first(name: str, data: Any) -> bool:
    return name == "token" and bool(data["content"].startswith("first"))


def read_first_and_leave(client: httpx.Client, **more: Any) -> None:
    with client.stream("POST", "/chat/stream", json=CHAT | more) as answer:
        events = read_events(answer.iter_lines())
        assert any(is_first(name, data) for name, data in events)


def read_all(answer: httpx.Response) -> list[tuple[str, Any]]:
    return list(read_events(answer.text.split("\n")))


def test_a_token_reaches_the_client_before_the_next_is_generated(function, client, model):
    withheld = Withheld()
    model.script += [READ, GRADE, withheld]
    seen = []
    with client.stream("POST", "/chat/stream", json=CHAT) as answer:
        for name, data in read_events(answer.iter_lines()):
            seen.append((name, data))
            if is_first(name, data):
                withheld.go_on.set()
    assert withheld.was_released
    assert [data["content"] for name, data in seen if name == "token"] == ["first", "\nsecond"]
    assert (seen[-1][0], seen[-1][1]["persisted"]) == ("complete", True)
    assert last(function).streams
    assert last(function).trailers == {}


def test_one_runtime_takes_one_invocation_after_another(function, client, model):
    model.script += WELL * 3
    turns = [read_all(client.post("/chat/stream", json=CHAT))[-1][1] for _ in range(3)]
    assert [turn["turn_number"] for turn in turns] == [1, 2, 3]
    assert len(client.get("/threads/t1/turns").json()["turns"]) == 3
    assert all(each.ended.is_set() for each in function.front.invocations)
    assert last(function).headers["lambda-runtime-invocation-id"] == last(function).nonce
    assert function.process.poll() is None


def test_a_late_error_is_an_event_and_an_error_trailer(function, client, model):
    model.script += [READ, GRADE, says("Half of it. The rest", None)]
    seen = read_all(client.post("/chat/stream", json=CHAT))
    assert [name for name, _ in seen[-2:]] == ["token", "error"]
    assert seen[-1][1]["code"] == "model_truncated"
    trailers = last(function).trailers
    assert trailers["lambda-runtime-function-error-type"] == "Turnkeep.model_truncated"
    body = json.loads(base64.b64decode(trailers["lambda-runtime-function-error-body"]))
    assert body["errorType"] == "model_truncated"
    assert client.get("/threads/t1").json()["turn_count"] == 0


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/threads/unknown/turns/stream", {"message": MESSAGE}, 404, "not_found"),
        ("/chat/stream", {"session_id": "t1", "message": "x" * 300_000}, 413, "body_too_large"),
    ],
)
def test_an_error_before_the_first_byte_is_a_status(path, body, status, code, *, function, client):
    answer = client.post(path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (last(function).streams, last(function).trailers) == (True, {})


def test_a_stream_ends_before_the_functions_time_does(function, client, model, monkeypatch):
    monkeypatch.setattr(function.front, "seconds", COMMIT_SECONDS + REPLY_SECONDS + 1.5)
    endless = Endless()
    model.script += [READ, GRADE, endless]
    seen = read_all(client.post("/chat/stream", json=CHAT))
    assert is_first(*seen[-2])
    assert (seen[-1][0], seen[-1][1]["code"]) == ("error", "model_timeout")
    assert endless.was_left.wait(PATIENCE_SECONDS)
    assert last(function).ended.is_set()
    assert last(function).deadline - last(function).ended_at > REPLY_SECONDS


BROKEN = """
from turnkeep.aws.streaming import Streaming

async def app(scope, receive, send):
    if scope["path"] != "/silent":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise ValueError("what the user said")

stream = Streaming(app)
"""


def test_an_app_that_fails_is_an_error_and_the_runtime_continues(start, tmp_path):
    (tmp_path / "app.py").write_text(BROKEN)
    broken = start(folder=tmp_path)
    with client_of(broken) as client:
        assert client.post("/silent").status_code == 502
        assert (last(broken).error or {})["errorType"] == "NoAnswer"
        assert client.post("/half").text == "half"
        assert last(broken).trailers["lambda-runtime-function-error-type"] == "Turnkeep.internal_error"
        assert client.post("/silent").status_code == 502
    log = broken.log.read_text()
    assert "ValueError" in log
    assert "what the user said" not in log + str([(each.error, each.trailers) for each in broken.front.invocations])


def test_a_client_that_leaves_ends_the_run_and_frees_the_thread(function, client, model):
    endless = Endless()
    model.script += [READ, GRADE, endless]
    read_first_and_leave(client)
    assert endless.was_left.wait(PATIENCE_SECONDS)
    thread = client.get("/threads/t1").json()
    assert (thread["status"], thread["turn_count"], thread["pending"]["message"]) == ("error", 0, MESSAGE)
    model.script += WELL
    assert read_all(client.post("/chat/stream", json=CHAT))[-1][1]["turn_number"] == 1
    assert function.process.poll() is None


def test_a_run_that_continues_without_its_client_is_stored(client: httpx.Client, model: WireServer) -> None:
    withheld = Withheld()
    model.script += [READ, GRADE, withheld]
    read_first_and_leave(client, on_disconnect="continue")
    withheld.go_on.set()
    (turn,) = client.get("/threads/t1/turns").json()["turns"]
    assert (turn["reply"], turn["persisted"]) == ("first\nsecond", True)
    assert withheld.was_released


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "/var/task:/opt/python:/var/runtime"),
        ({"PYTHONPATH": "/of/lambda"}, "/var/task:/opt/python:/of/lambda:/var/runtime"),
        ({"LAMBDA_RUNTIME_DIR": "/elsewhere"}, "/var/task:/opt/python:/elsewhere"),
    ],
)
def test_layers_precede_the_managed_runtime_on_the_path(given: dict[str, str], expected: str, tmp_path: Path) -> None:
    """boto3 lies in the runtime's own folder, wherever its interpreter looks by itself."""
    python = tmp_path / "python3.13"
    python.write_text('#!/bin/sh\necho "$PYTHONPATH $_HANDLER $*"\n')
    python.chmod(0o755)
    environ = {"PATH": "/usr/bin:/bin", "LAMBDA_TASK_ROOT": "/var/task", **given}
    done = subprocess.run([STREAMING[0], python], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [expected, "app.stream", "-m", "turnkeep.aws.runtime_client"]
