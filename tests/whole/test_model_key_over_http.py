"""The key of the model's server lies in AWS and is exchanged there: no turn fails for long, nothing is deployed again,
and the key is seen by the model's server and by nobody else."""

import json
import logging
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from calls_of_papers import READ, WELL
from scripted import read_events
from whole_site import Site, Visitor
from wire import Answer, Exchange, WireServer, fails

OLD, NEW = "sk-canary-of-old", "sk-canary-of-new"
PATIENT: dict[str, Any] = {"models": {"timeout_seconds": 20, "max_retries": 1}}
HASTY: dict[str, Any] = {"models": {"timeout_seconds": 20, "max_retries": 0}}
BODY = {"message": "How does LoRA change a model?"}


def only_with(key: str, answer: Answer) -> Answer:
    """The answer for who brings `key`, and 401 for everybody else."""
    refuse = fails("401 Unauthorized", code="invalid_api_key")

    def play(exchange: Exchange) -> None:
        is_right = exchange.headers["authorization"] == f"Bearer {key}"
        return answer(exchange) if is_right else refuse(exchange)

    return play


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


class Vault:
    """One SSM SecureString of moto's."""

    def __init__(self, ssm: Any) -> None:
        self._ssm = ssm
        self.name = f"/turnkeep/{uuid.uuid4().hex}"
        self.location = f"ssm:{self.name}"

    def put(self, key: str) -> None:
        self._ssm.put_parameter(Name=self.name, Value=key, Type="SecureString", Overwrite=True)


@pytest.fixture
def vault(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", s3_url)
    make: Callable[..., Any] = boto3.client
    found = Vault(make("ssm", endpoint_url=s3_url))
    found.put(OLD)
    return found


async def open_with(site: Site, server: WireServer, vault: Vault, settings: dict[str, Any] = PATIENT) -> Visitor:
    facts = {"model": "openai:test", "openai_base_url": server.base_url, "model_key": vault.location}
    return await site.open(**facts, **settings)


def keys_of(server: WireServer) -> list[str]:
    return [headers["authorization"].removeprefix("Bearer ") for headers in server.headers]


@pytest.mark.parametrize("route", ["/threads/t1/turns", "/threads/t1/turns/stream"])
async def test_the_turn_after_an_exchange_succeeds_with_the_new_key(
    site: Site, server: WireServer, vault: Vault, route: str
) -> None:
    visitor = await open_with(site, server, vault)
    server.script += [only_with(OLD, answer) for answer in WELL]
    await visitor.say("What is low-rank adaptation?", "t1")
    vault.put(NEW)
    server.script += [only_with(NEW, answer) for answer in (READ, *WELL)]
    answer = await visitor.http.post(route, json=BODY)
    turn = answer.json() if route == "/threads/t1/turns" else read_events(answer.text)[-1][2]
    assert (turn["turn_number"], turn["persisted"]) == (2, True)
    assert keys_of(server) == [OLD] * 4 + [NEW] * 3


async def test_where_no_call_is_tried_again_one_turn_fails_and_the_next_succeeds(
    site: Site, server: WireServer, vault: Vault
) -> None:
    visitor = await open_with(site, server, vault, HASTY)
    server.script += [only_with(OLD, answer) for answer in WELL]
    await visitor.say("What is low-rank adaptation?", "t1")
    vault.put(NEW)
    server.script += [only_with(NEW, answer) for answer in (READ, *WELL)]
    failed = await visitor.http.post("/threads/t1/turns", json=BODY, headers={"Idempotency-Key": "k"})
    assert (failed.status_code, failed.json()["code"]) == (502, "model_error")
    again = await visitor.http.post("/threads/t1/turns", json=BODY, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["turn_number"]) == (200, 2)


async def test_a_key_that_nobody_exchanged_fails_as_a_model_that_refuses_it(
    site: Site, server: WireServer, vault: Vault
) -> None:
    visitor = await open_with(site, server, vault)
    server.script.append(only_with(NEW, READ))
    failed = await visitor.http.post("/threads/t1/turns", json=BODY)
    assert (failed.status_code, failed.json()["code"]) == (404, "not_found")
    failed = await visitor.http.post("/chat", json={**BODY, "session_id": "t1"})
    assert (failed.status_code, failed.json()["code"]) == (502, "model_error")
    assert "does not accept the API key" in failed.json()["detail"]
    assert keys_of(server) == [OLD]


async def test_a_key_that_cannot_be_read_is_told_with_when_to_come_again(
    site: Site, server: WireServer, vault: Vault
) -> None:
    visitor = await site.open(
        model="openai:test", openai_base_url=server.base_url, model_key=f"{vault.location}-elsewhere", **PATIENT
    )
    answer = await visitor.http.post("/chat", json={**BODY, "session_id": "t1"})
    assert (answer.status_code, answer.json()["code"]) == (503, "model_key_unavailable")
    assert answer.headers["retry-after"] == "5"
    assert vault.name not in answer.text
    assert server.bodies == []
    assert (await visitor.get("/threads/t1"))["turn_count"] == 0


async def test_info_names_the_model_and_not_where_its_key_is(site: Site, server: WireServer, vault: Vault) -> None:
    visitor = await site.open(model_key=vault.location)
    info = await visitor.get("/info")
    assert (info["model"], info["warnings"], info["notes"]) == ("openai:gpt-4.1-mini", [], [])
    assert vault.name not in json.dumps(info)


async def test_the_key_is_in_no_answer_and_no_log_line(
    site: Site,
    server: WireServer,
    vault: Vault,
    caplog: pytest.LogCaptureFixture,
    output: Callable[[], list[dict[str, Any]]],
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, logger="botocore")  # below that it writes down whatever AWS answers
    visitor = await open_with(site, server, vault)
    server.script += [only_with(OLD, answer) for answer in WELL]
    server.script += [only_with(NEW, READ), fails("500 Internal Server Error"), fails("500 Internal Server Error")]
    seen = [json.dumps(await visitor.say("What is low-rank adaptation?", "t1"))]
    vault.put("no key at all")
    seen.append((await visitor.http.post("/threads/t1/turns", json=BODY)).text)
    seen.append((await visitor.http.post("/threads/t1/turns/stream", json=BODY)).text)
    seen += [(await visitor.http.get(path)).text for path in ("/info", "/threads/t1", "/threads/t1/turns", "/agents")]
    assert keys_of(server) == [OLD] * 6
    assert {"turnkeep", "httpx2"} <= {record.name for record in caplog.records}
    written = output()
    assert "model key not read" in [line.get("message") for line in written]
    said = "\n".join([*seen, caplog.text, json.dumps(written), *map(repr, caplog.records)])
    assert "canary" not in said
    assert "no key at all" not in said
