"""The function for background runs on Lambda's runtime interface emulator, and its invocation."""

import asyncio
import json
import os
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError
from lambdas import FUNCTIONS, ROOT

from deployed_function import loaded
from emulated.sandbox import find_runtime_emulator, sandbox
from turnkeep.aws.deployment import deployed_app, invoke_worker
from turnkeep.errors import StoreUnavailable
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.turns import TurnRequest
from turns_over import turn_of

ANN = Principal("acme", "ann of the workers")
QUESTION = "What is low-rank adaptation?"


def accepted(services: Services, thread_id: str, message: str = QUESTION) -> tuple[str, str]:
    """The id of a run, and the token that its worker gets."""
    client = Mock()
    services.runs.launch_by(partial(invoke_worker, client, "worker"))
    services.store.threads.create(ANN, thread_id, agent="papers")
    record = asyncio.run(services.runs.enqueue(TurnRequest(ANN, message, thread_id=thread_id)))
    (invocation,) = [call.kwargs for call in client.invoke.mock_calls]
    assert (invocation["FunctionName"], invocation["InvocationType"]) == ("worker", "Event")
    return record.run_id, json.loads(invocation["Payload"])["run"]


def test_a_run_becomes_one_turn_however_often_the_worker_is_invoked(services, function_environ, tmp_path):
    run_id, token = accepted(services, "t")
    with sandbox(find_runtime_emulator(ROOT), FUNCTIONS / "worker", function_environ, log=tmp_path / "log") as call:
        assert [json.loads(call(json.dumps({"run": token}).encode())) for _ in range(2)] == [None, None]
    turn = asyncio.run(turn_of(services.runs, ANN, "t", run_id, 5))
    assert (turn.number, turn.message, turn.run_id, turn.persisted) == (1, QUESTION, run_id, True)
    assert services.store.threads.read(ANN, "t").turn_count == 1


def test_an_unexpected_exception_is_logged_without_its_text(of_a_function, monkeypatch, capsys):
    app = loaded(FUNCTIONS / "worker" / "app.py")

    async def work(token: str, deadline: float) -> None:
        raise ValueError("Mario Rossi")

    monkeypatch.setattr(app, "services", SimpleNamespace(runs=SimpleNamespace(work=work)))
    context = SimpleNamespace(aws_request_id="r", get_remaining_time_in_millis=lambda: 9_000)
    with pytest.raises(app.NotDone) as raised:
        app.handler({"run": "x"}, context)
    assert "Mario" not in str(raised.value) + capsys.readouterr().out


FAULTS = [
    ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke"),
    ConnectTimeoutError(endpoint_url="https://lambda.invalid"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_worker_invocation_is_retried_by_the_same_request(services, fault):
    services.store.threads.create(ANN, f"fault-{type(fault).__name__}", agent="papers")
    wanted = TurnRequest(ANN, QUESTION, thread_id=f"fault-{type(fault).__name__}", key="k")
    services.runs.launch_by(partial(invoke_worker, Mock(invoke=Mock(side_effect=fault)), "worker"))
    with pytest.raises(StoreUnavailable) as refused:
        asyncio.run(services.runs.enqueue(wanted))
    assert refused.value.retry_after
    client = Mock()
    services.runs.launch_by(partial(invoke_worker, client, "worker"))
    assert asyncio.run(services.runs.enqueue(wanted)).status == "pending"
    client.invoke.assert_called_once()


def test_the_deployed_api_invokes_the_worker_of_its_environment(of_a_function, monkeypatch):
    launched: list[Any] = []
    monkeypatch.setattr("turnkeep.turns.background.Runs.launch_by", lambda _, launch: launched.append(launch))
    deployed_app({**os.environ, "WORKER": "the-worker"})
    deployed_app(os.environ)
    assert [each.args[1] for each in launched] == ["the-worker"]
