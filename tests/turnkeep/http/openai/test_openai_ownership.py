"""On every route under /v1, the data of another user is as unknown as an unknown id."""

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import pytest
from httpx import ASGITransport, AsyncClient, Response

from turnkeep.records import Principal

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

ANN, BO = {"X-Test-User": "ann"}, {"X-Test-User": "bo"}
ROUTES: list[tuple[str, str, Any]] = [
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


def by_header(request: "Request") -> Principal:
    return Principal("acme", request.headers["x-test-user"])


@pytest.fixture
async def site(make_app: "Callable[..., FastAPI]") -> AsyncIterator[AsyncClient]:
    app = make_app(authenticate=by_header)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as client:
        yield client


def filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: filled(inner, ids) for name, inner in value.items()}
    return value.format(**ids) if isinstance(value, str) else value


def seen(answer: Response) -> tuple[int, Any]:
    content = answer.json()
    content.get("error", {}).pop("correlation_id", None)
    return answer.status_code, content


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_the_data_of_another_user_is_unknown(site: AsyncClient, method: str, path: str, body: Any) -> None:
    made = (await site.post("/v1/responses", json={"model": "papers", "input": "ping"}, headers=ANN)).json()
    foreign = {"thread": made["conversation"]["id"], "response": made["id"]}
    unknown = {"thread": "conv_none", "response": made["id"].replace("conv_", "conv_0")}
    answers = [
        seen(await site.request(method, filled(path, ids), json=filled(body, ids), headers=BO))
        for ids in (foreign, unknown)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] in (400, 404)
    kept = await site.get(f"/v1/conversations/{foreign['thread']}/items", headers=ANN)
    assert [item["id"] for item in kept.json()["data"]] == ["msg_1_assistant", "msg_1_user"]
    assert (await site.get(f"/v1/conversations/{foreign['thread']}", headers=ANN)).json()["metadata"] == {}
