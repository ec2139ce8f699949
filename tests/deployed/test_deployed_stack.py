"""The whole as it is deployed: API Gateway, functions, table, bucket, schedule and the roles between them, by the
emulator's account of each."""

import re
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from harness import noise
from promises import DAY_SECONDS, PROMISES, QUESTION, Caller, NotShown, fresh, harness_of
from stack import NAME, Stack, everything, json_lines, wait_for

pytestmark = [pytest.mark.slow]

EXPIRED = "expired"
LARGE_BYTES = 800_000  # half of it once packed, and more than an item takes
SWEEP_SECONDS = 60


@pytest.fixture(scope="module")
def anna(stack: Stack) -> Iterator[httpx.Client]:
    with Caller(stack).anna as client:
        yield client


@pytest.fixture(scope="module", autouse=True)
def is_left(stack: Stack) -> Callable[[], bool]:
    """Whether anything is there of a thread with a value in the bucket: alive while it is written, and not for long."""
    with stack.open() as client:
        assert client.get("/ok").is_success  # whichever function starts first makes the key that seals
    harness = harness_of(stack, time.time() - DAY_SECONDS + 10)
    harness.take_turn(EXPIRED, details={"reasoning_steps": [noise(LARGE_BYTES)]})
    (name,) = stack.objects()
    assert harness.all_of(EXPIRED)
    return lambda: bool(harness.all_of(EXPIRED)) or name in stack.objects()


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Status and code of an answer that has to be a problem that can be looked up by its id."""
    assert answer.headers["content-type"] == "application/problem+json"
    returned = answer.json()
    assert returned["status"] == answer.status_code
    assert returned["correlation_id"] == answer.headers["x-correlation-id"]
    return answer.status_code, returned["code"]


def test_no_function_is_invoked_without_a_valid_key(stack: Stack, anna: httpx.Client) -> None:
    anna.get("/info")
    before = stack.calls("api")

    with stack.open() as client:
        for headers in ({}, {"x-api-key": f"tk_{'0' * 16}_{'0' * 64}"}):
            assert problem(client.get("/info", headers=headers)) == (401, "unauthorized")

    assert stack.calls("api") == before > 0


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_holds_on_the_emulator(stack: Stack, promise: str) -> None:
    try:
        assert PROMISES[promise](Caller(stack))
    except NotShown:
        assert promise == "a stream leaves while it is made"


def test_the_worker_runs_a_background_run(stack: Stack, anna: httpx.Client) -> None:
    thread = fresh()
    anna.post("/threads", json={"thread_id": thread})
    asked = {"assistant_id": "papers", "input": {"messages": [{"role": "user", "content": QUESTION}]}}
    run = anna.post(f"/threads/{thread}/runs", json=asked).json()
    joined = anna.get(f"/threads/{thread}/runs/{run['run_id']}/join")

    (turn,) = anna.get(f"/threads/{thread}/turns").json()["turns"]
    assert run["status"] == "pending"
    assert joined.json()["messages"][-1]["content"] == turn["reply"]
    assert anna.get(f"/threads/{thread}/runs/{run['run_id']}").json()["status"] == "success"
    assert any('"turn kept"' in line for line in stack.log("worker"))


def test_unknown_routes_return_a_problem(anna: httpx.Client) -> None:
    large = {"session_id": fresh(), "message": "x" * 300_000}

    assert problem(anna.get("/nowhere")) == (404, "not_found")
    assert problem(anna.put("/chat", json={})) == (404, "not_found")
    assert (anna.head("/info").status_code, anna.head("/nowhere").status_code) == (200, 404)
    assert problem(anna.post("/chat", json=large)) == (413, "body_too_large")


def test_a_revoked_key_is_refused_by_a_new_sandbox(stack: Stack) -> None:
    key = stack.make_key("acme", "carla")
    with stack.open(**{"x-api-key": key}) as client:
        assert client.get("/info").status_code == 200

        stack.turnkeep("keys", "revoke", "--stack", NAME, key.split("_")[1])
        client.get("/info", headers={"x-api-key": "malformed"})  # ends the emulator's sandbox, and what it remembers

        assert problem(client.get("/info")) == (401, "unauthorized")


def test_the_schedule_deletes_expired_threads(stack: Stack, anna: httpx.Client, is_left: Callable[[], bool]) -> None:
    alive = fresh()
    Caller(stack).chat(alive)

    wait_for(lambda: not is_left(), seconds=SWEEP_SECONDS, what="the sweep")

    lines = wait_for(
        lambda: [line for line in json_lines(stack.log("cleanup")) if line.get("threads")], seconds=5, what="its log"
    )
    deleted = [line["CleanupDeleted"] for line in json_lines(stack.log("cleanup")) if "_aws" in line]
    assert {line["message"] for line in lines} == {"cleanup ended"}
    assert sum(sum(each) for each in deleted) >= 1
    assert anna.get(f"/threads/{alive}").json()["turn_count"] == 1


def test_a_deleted_stack_leaves_only_the_documented_parts(stack: Stack) -> None:
    """The key that seals is kept for a stack that is made again; the role is that of the account's gateway, and one
    bucket and one stack are SAM's own."""
    stack.delete()

    left = everything(stack.aws)
    assert [name for name in left if NAME not in name and "aws-sam-cli-managed-default" not in name] == []
    assert [re.sub(r"-[0-9A-F]{13}$", "", name) for name in left if NAME in name] == [
        "role turnkeep-GatewayLogRoleForAccount",
        "parameter /turnkeep/turnkeep/seal-key",
    ]
