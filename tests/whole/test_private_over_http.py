"""The same canaries through `turnkeep dev` on DynamoDB Local, which is killed in the middle of a run."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from calls_of_papers import GRADE, READING
from wire import WireServer, calls, says, waits

from canary_scan import canary, files_in, found_in, items_in, places_in
from dev_server import TERMINAL, dev_server

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SECONDS, CALLS = 40, 3
MESSAGE = f"How does LoRA change a model? {canary('message')}"
ANSWER = f"Small matrices [2106.09685]. As {canary('answer').name} says [2106.09685]."


@contextmanager
def serving(folder: Path, url: str, table: str, model: WireServer, logs: list[bytes]) -> Iterator[httpx.Client]:
    """A server that ends by SIGKILL; what it wrote is kept."""
    environ = {
        **os.environ,
        "AWS_ENDPOINT_URL_DYNAMODB": url,
        "TABLE_NAME": table,
        "PAPERS__PII": "true",
        "MODEL": "openai:test",
        "OPENAI_BASE_URL": model.base_url,
        "TURN__LEASE_SECONDS": "1",
    }
    try:
        with dev_server(folder, environ) as http:
            yield http
    finally:
        logs += [(folder / "home" / "requests.log").read_bytes(), (folder / TERMINAL).read_bytes()]


def wait_for(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + SECONDS
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
    return is_so()


def test_a_server_that_is_killed_leaves_nothing_raw_and_the_next_one_tells_the_owner_everything(
    dynamodb: "DynamoDBClient", dynamodb_url: str, table_name: str, tmp_path: Path
) -> None:
    logs: list[bytes] = []
    reading = calls("Reading", {**READING, "question": f"{READING['question']} {canary('tool')}"})
    with WireServer([reading, GRADE, says(ANSWER)]) as model:
        model.otherwise = waits(SECONDS)
        where = (tmp_path, dynamodb_url, table_name, model, logs)
        chat = {"json": {"message": MESSAGE, "session_id": "t1"}, "headers": {"Idempotency-Key": "k1"}}
        with serving(*where) as http:
            first = http.post("/chat", **chat)  # type: ignore[arg-type]
            assert places_in([first.text]) >= {"message", "answer"}
        with serving(*where) as http:
            assert (again := http.post("/chat", **chat)).json().get("reply") == first.json()["reply"], again.text  # type: ignore[arg-type]
            again = {"message": f"And {canary('state')}", "session_id": "t1"}
            with http.stream("POST", "/chat/stream", json=again) as stream:
                lines = stream.iter_lines()
                assert next(lines) == "event: node"
                assert wait_for(lambda: len(model.bodies) > CALLS)
        with serving(*where) as http:
            thread = http.get("/threads/t1").json()
            assert thread["pending"]["message"] == again["message"]
            assert "[EMAIL]" in thread["title"] or "[PERSON]" in thread["title"]
            (turn,) = http.get("/threads/t1/turns").json()["turns"]
            assert turn["reply"] == first.json()["reply"]
            assert canary("answer").name in turn["reply"]
        sent = [json.dumps(body, ensure_ascii=False) for body in model.bodies]
    assert b"turn kept" in logs[0]
    assert found_in([*sent, *logs, *items_in(dynamodb, table_name), *files_in(tmp_path)]) == set()
