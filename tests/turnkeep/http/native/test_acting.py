"""The ids in a body count only for callers who may act for others."""

import json
from io import StringIO
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from scripted import ScriptedTurns, complete

from bare_app import bare_app
from turnkeep.observability import fingerprint
from turnkeep.records import Principal
from turnkeep.settings import Settings

SALT = "salt-of-the-test"
ANN = Principal("acme", "ann")
SERVER = Principal("acme", "server", acts_for="any")
OURS = Principal("acme", "server", acts_for="tenant")
ROUTE = "/internal/chat/stream"


def app_for(caller: Principal, turns: ScriptedTurns | None = None) -> FastAPI:
    settings = Settings(seal_key=SALT)  # type: ignore[arg-type]
    return bare_app(turns=turns, settings=settings, authenticate=lambda _: caller)


async def send(caller: Principal, turns: ScriptedTurns | None = None, /, **conversation: Any) -> Response:
    body = {"input": {"message": "ping"}, "conversation": {"id": "c1", **conversation}}
    async with AsyncClient(transport=ASGITransport(app_for(caller, turns)), base_url="http://test") as client:
        return await client.post(ROUTE, json=body)


def hash_of(*parts: str) -> str:
    return fingerprint(SALT, *parts)


@pytest.mark.parametrize(
    ("caller", "user", "company", "acting"),
    [
        (SERVER, "bob", "other", Principal("other", "bob")),
        (SERVER, "bob", None, Principal("acme", "bob")),
        (SERVER, None, "other", Principal("other", "server")),
        (SERVER, "server", "acme", SERVER),
        (SERVER, None, None, SERVER),
        (OURS, "bob", "acme", Principal("acme", "bob")),
        (OURS, "bob", None, Principal("acme", "bob")),
        (ANN, "bob", "other", ANN),
        (ANN, None, "other", ANN),
    ],
)
async def test_only_a_caller_who_may_act_for_others_becomes_the_named_user(
    caller: Principal, user: str | None, company: str | None, acting: Principal
) -> None:
    turns = ScriptedTurns([complete()])
    ids = {name: given for name, given in (("user_id", user), ("company_id", company)) if given}
    assert (await send(caller, turns, **ids)).status_code == 200
    found = turns.requests[0].principal
    assert found == acting
    assert not (user and found.acts_for)


async def test_acting_for_another_tenant_is_rejected() -> None:
    turns = ScriptedTurns([complete()])
    answer = await send(OURS, turns, user_id="bob", company_id="other")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert turns.requests == []


@pytest.mark.parametrize("name", ["auth0|1", "anna@acme.com", "a/b", "a#b", "../x", "\u00e9", "x" * 65, "Ann Lee"])
@pytest.mark.parametrize("field", ["user_id", "company_id"])
async def test_ids_of_identity_providers_are_accepted(field: str, name: str) -> None:
    turns = ScriptedTurns([complete()])
    assert (await send(SERVER, turns, **{field: name})).status_code == 200
    principal = turns.requests[0].principal
    assert (principal.user if field == "user_id" else principal.tenant) == name


@pytest.mark.parametrize("field", ["user_id", "company_id"])
@pytest.mark.parametrize(
    ("bad", "code"),
    [*[(bad, "invalid_request") for bad in ("", "x" * 1025, 7, ["bob"], True)], ("\u00e9" * 200, "invalid_id")],
)
async def test_an_id_that_cannot_be_stored_is_rejected(field: str, bad: Any, code: str) -> None:
    answer = await send(SERVER, **{field: bad})
    assert (answer.status_code, answer.json()["code"]) == (422, code)


@pytest.mark.parametrize(
    ("caller", "ids", "lines", "owner"),
    [
        (SERVER, {"user_id": "bob", "company_id": "other"}, ["caller acts for another"], ("other", "bob")),
        (SERVER, {}, [], ("acme", "server")),
        (ANN, {"user_id": "bob", "company_id": "other"}, ["ids in the body ignored"], ("acme", "ann")),
    ],
)
async def test_the_acting_user_owns_the_thread_and_is_logged_as_a_hash(
    log: StringIO, caller: Principal, ids: dict[str, Any], lines: list[str], owner: tuple[str, str]
) -> None:
    turns = ScriptedTurns([complete()])
    answer = await send(caller, turns, **ids)
    assert answer.status_code == 200
    [asked] = turns.requests
    assert (asked.message, asked.principal.tenant, asked.principal.user) == ("ping", *owner)
    logged = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["message"] for line in logged if line["message"] in (*lines, "caller acts for another")] == lines
    last = logged[-1]
    assert last["thread_hash"] == hash_of(*owner, "c1")
    assert last["caller_hash"] == hash_of(caller.tenant, caller.user)
    assert last.get("acting_hash") == (hash_of(*owner) if lines and caller.acts_for else None)
    assert not any(f'"{name}"' in log.getvalue() for name in ("bob", "other", "acme", "ann", "server", "c1"))
