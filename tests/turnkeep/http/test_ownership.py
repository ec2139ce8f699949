"""On every route, the thread of another user is as unknown as an unknown id: in the app, and in the deployed function
`api`. A route without an entry here fails."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI, Request
from httpx import ASGITransport, AsyncBaseTransport, AsyncClient, Response

from deployed_function import FunctionTransport
from emulated.bucket import serve_bucket
from turnkeep.records import Principal
from turnkeep_local.objects import FolderObjects

KEEPS = {"Idempotency-Key": "k-1"}
RUN = {"assistant_id": "papers", "input": {"messages": "mine"}}

OPEN = """
GET /ok, GET /info, GET /agents, GET /agents/{name}, GET /openapi.json, POST /assistants/search,
POST /assistants/count, POST /runs/crons, GET /assistants/{assistant_id}, GET /assistants/{assistant_id}/graph,
GET /assistants/{assistant_id}/schemas, GET /assistants/{assistant_id}/subgraphs,
GET /assistants/{assistant_id}/subgraphs/{namespace}
"""
"""The same for everyone: they name no thread."""
OWN = """
POST /internal/chat/stream, GET /usage, DELETE /me, GET /me/export, GET /me/export/{export_id}, POST /threads,
POST /threads/search, POST /chat, POST /chat/stream, POST /runs/batch, POST /runs/cancel, POST /threads/prune,
POST /assistants, PATCH /assistants/{assistant_id}, DELETE /assistants/{assistant_id},
POST /assistants/{assistant_id}/versions, POST /assistants/{assistant_id}/latest, POST /threads/count, POST /runs,
POST /runs/stream, POST /runs/wait, PUT /store/items, GET /store/items, DELETE /store/items,
POST /store/items/search, POST /store/namespaces
"""
"""They list or make the caller's own."""
OF_A_THREAD: dict[tuple[str, str], Any] = {
    ("GET", "/threads/{thread_id}"): None,
    ("PATCH", "/threads/{thread_id}"): {"metadata": {"taken": True}},
    ("DELETE", "/threads/{thread_id}"): None,
    ("GET", "/threads/{thread_id}/turns"): None,
    ("GET", "/threads/{thread_id}/turns/{number}"): None,
    ("GET", "/threads/{thread_id}/attachments"): None,
    ("POST", "/threads/{thread_id}/attachments"): {"name": "a.txt", "size": 1},
    ("GET", "/threads/{thread_id}/attachments/{document_id}"): None,
    ("DELETE", "/threads/{thread_id}/attachments/{document_id}"): None,
    ("POST", "/threads/{thread_id}/turns"): {"message": "mine"},
    ("POST", "/threads/{thread_id}/turns/stream"): {"message": "mine"},
    ("GET", "/threads/{thread_id}/turns/stream"): None,
    ("GET", "/threads/{thread_id}/stream"): None,
    ("POST", "/threads/{thread_id}/fork"): None,
    ("POST", "/threads/{thread_id}/copy"): None,
    ("GET", "/threads/{thread_id}/state"): None,
    ("POST", "/threads/{thread_id}/state"): {"values": {"messages": "taken"}},
    ("POST", "/threads/{thread_id}/state/checkpoint"): {"checkpoint": {"checkpoint_id": None}},
    ("GET", "/threads/{thread_id}/state/{checkpoint_id}"): None,
    ("POST", "/threads/{thread_id}/history"): {"limit": 10},
    ("POST", "/threads/{thread_id}/runs/stream"): RUN,
    ("POST", "/threads/{thread_id}/runs/wait"): RUN,
    ("POST", "/threads/{thread_id}/runs"): RUN,
    ("GET", "/threads/{thread_id}/runs"): None,
    ("GET", "/threads/{thread_id}/runs/{run_id}"): None,
    ("GET", "/threads/{thread_id}/runs/{run_id}/join"): None,
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream"): None,
    ("POST", "/threads/{thread_id}/runs/{run_id}/cancel"): None,
    ("POST", "/threads/{thread_id}/commands"): {"id": 1, "method": "agent.getTree"},
    ("POST", "/threads/{thread_id}/stream/events"): {"channels": ["values"]},
}
"""Bodies for the routes of a thread."""
OTHERS: set[tuple[str, str]] = {(method, path) for method, path in map(str.split, f"{OPEN},{OWN}".split(","))}

V1: list[tuple[str, str, Any]] = [
    ("GET", "/v1/conversations/{thread}", None),
    ("POST", "/v1/conversations/{thread}", {"metadata": {"taken": "yes"}}),
    ("DELETE", "/v1/conversations/{thread}", None),
    ("GET", "/v1/conversations/{thread}/items", None),
    ("GET", "/v1/conversations/{thread}/items/msg_1_user", None),
    ("POST", "/v1/conversations/{thread}/items", {"items": []}),
    ("DELETE", "/v1/conversations/{thread}/items/msg_1_user", None),
    ("GET", "/v1/responses/{response}", None),
    ("DELETE", "/v1/responses/{response}", None),
    ("GET", "/v1/responses/{response}/input_items", None),
    ("POST", "/v1/responses/{response}/cancel", None),
    ("POST", "/v1/responses", {"model": "papers", "input": "mine", "conversation": "{thread}"}),
    ("POST", "/v1/responses", {"model": "papers", "input": "mine", "previous_response_id": "{response}"}),
]


def by_header(request: Request) -> Principal:
    """Return the principal from a header with `tenant/user`."""
    tenant, user = request.headers["x-test-principal"].split("/")
    return Principal(tenant, user)


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        for method in route.methods - {"HEAD"}:  # type: ignore[attr-defined]
            yield method, route.path  # type: ignore[attr-defined]


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    app = make_app(authenticate=by_header)
    app.state.late.load("/runs")
    return app


@pytest.fixture(params=["app", "function"])
def site(  # noqa: PLR0917
    request: pytest.FixtureRequest,
    app: FastAPI,
    dynamodb_url: str,
    table_name: str,
    folder_objects: FolderObjects,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[AsyncBaseTransport]:
    if request.param == "app":
        yield ASGITransport(app)
        return
    facts = {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "TABLE_NAME": table_name, "SEAL_KEY": "secret-of-the-test"}
    for name, value in facts.items():
        monkeypatch.setenv(name, value)
    with serve_bucket(folder_objects) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", url)
        yield FunctionTransport()


@pytest.fixture(params=["acme/bob", "rival/ann", "rival/bob"])
async def stranger(request: pytest.FixtureRequest, site: AsyncBaseTransport) -> Any:
    """Another user of the tenant, a namesake in another tenant, and an unrelated user."""
    async with client_of(site, request.param) as client:
        yield client


@pytest.fixture
async def owner(site: AsyncBaseTransport) -> Any:
    async with client_of(site, "acme/ann") as client:
        await client.post("/chat", json={"session_id": "held", "message": "mine"}, headers=KEEPS)
        await client.post("/threads/held/attachments", json={"name": "mine.txt", "size": 1})
        yield client


def client_of(site: AsyncBaseTransport, principal: str) -> AsyncClient:
    headers = {"X-Test-Principal": principal, "X-Correlation-Id": "one"}
    return AsyncClient(transport=site, base_url="http://test", headers=headers)


async def state_of(owner: AsyncClient) -> tuple[Any, ...]:
    """Return everything that the owner can read."""
    paths = ("", "/turns", "/turns/1", "/attachments", "/runs")
    states = await owner.post("/threads/held/history", json={})
    return (*[(await owner.get(f"/threads/held{path}")).json() for path in paths], states.json())


def shown(answer: Response) -> tuple[int, Any, list[str]]:
    return answer.status_code, answer.json(), sorted(answer.headers)


def test_every_route_has_an_entry(app: FastAPI) -> None:
    assert set(routes_of(app)) == OF_A_THREAD.keys() | OTHERS
    assert not [path for _, path in OTHERS if "{thread_id}" in path]


async def test_the_thread_of_another_user_is_unknown(owner: AsyncClient, stranger: AsyncClient) -> None:
    before = await state_of(owner)
    [document], [run] = before[3]["attachments"], before[4]
    named = {"number": 1, "document_id": document["document_id"], "run_id": run["run_id"]}
    named["checkpoint_id"] = before[5][0]["checkpoint_id"]
    for (method, path), body in OF_A_THREAD.items():
        foreign, unknown = path.format(thread_id="held", **named), path.format(thread_id="never", **named)
        refused = shown(await stranger.request(method, foreign, json=body, headers=KEEPS))
        assert refused == shown(await stranger.request(method, unknown, json=body, headers=KEEPS)), (method, path)
        assert refused[0] in (404, 422), (method, path)
        assert refused[1]["code"] == "not_found", (method, path)
        assert await state_of(owner) == before, (method, path)


async def test_the_thread_of_another_user_is_not_listed(owner: AsyncClient, stranger: AsyncClient) -> None:
    assert (await stranger.post("/threads/search", json={"limit": 100})).json() == []
    assert [thread["thread_id"] for thread in (await owner.post("/threads/search")).json()] == ["held"]


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
async def test_another_user_gets_another_thread_for_the_same_session_id(
    owner: AsyncClient, stranger: AsyncClient, path: str
) -> None:
    before = await state_of(owner)
    answer = await stranger.post(path, json={"session_id": "held", "message": "theirs"}, headers=KEEPS)
    assert answer.status_code == 200
    assert "idempotency-replayed" not in answer.headers
    [turn] = (await stranger.get("/threads/held/turns")).json()["turns"]
    assert (turn["turn_number"], turn["message"]) == (1, "theirs")
    assert await state_of(owner) == before


async def test_the_conversation_of_another_user_is_unknown(owner: AsyncClient, stranger: AsyncClient) -> None:
    made = (await owner.post("/v1/responses", json={"model": "papers", "input": "ping"})).json()
    foreign = {"thread": made["conversation"]["id"], "response": made["id"]}
    unknown = {"thread": "conv_none", "response": made["id"].replace("conv_", "conv_0")}
    for method, path, body in V1:
        found = []
        for ids in (foreign, unknown):
            sent = body and {name: each.format(**ids) if isinstance(each, str) else each for name, each in body.items()}
            found.append(shown(await stranger.request(method, path.format(**ids), json=sent)))
        assert found[0] == found[1], (method, path)
        assert found[0][0] in (400, 404), (method, path)
    kept = (await owner.get(f"/v1/conversations/{foreign['thread']}/items")).json()["data"]
    assert [item["id"] for item in kept] == ["msg_1_assistant", "msg_1_user"]
    assert (await owner.get(f"/v1/conversations/{foreign['thread']}")).json()["metadata"] == {}
