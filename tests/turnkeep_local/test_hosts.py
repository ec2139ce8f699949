"""Which requests the server of a laptop answers."""

import pytest
from httpx import ASGITransport, AsyncClient, Response

from bare_app import bare_app
from turnkeep_local.hosts import OwnHosts


async def ask(host: str, method: str = "GET", headers: dict[str, str] | None = None) -> Response:
    app = bare_app()
    app.add_middleware(OwnHosts)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        return await client.request(method, "/ok", headers={"Host": host, **(headers or {})})


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.0.0.1", "[::1]:8000", "[::1]"])
async def test_its_own_names_are_answered(host: str) -> None:
    assert (await ask(host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "", "[", "0.0.0.0"],
)
async def test_a_page_that_leads_its_own_name_here_is_answered_nothing(host: str) -> None:
    answer = await ask(host, headers={"Origin": f"http://{host}"})
    assert (answer.status_code, answer.json()["code"]) == (421, "misdirected")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-correlation-id"] == answer.json()["correlation_id"]


async def test_a_body_of_two_lengths_is_refused_with_all_that_follows_it() -> None:
    answer = await ask("localhost", "POST", {"Content-Length": "60", "Transfer-Encoding": "chunked"})
    assert (answer.status_code, answer.json()["code"], answer.headers["connection"]) == (400, "ambiguous_body", "close")
