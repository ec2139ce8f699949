"""Health, version and agents, without loading LangGraph."""

import tomllib
from pathlib import Path
from typing import Any

from httpx import ASGITransport, AsyncClient
from pydantic import SecretStr

from bare_app import bare_app
from turnkeep import __version__
from turnkeep.entries import entries
from turnkeep.http.service import NO_MODEL_KEY
from turnkeep.settings import DEFAULT_OPENAI_MODEL, Settings


async def test_health_needs_no_credential(client: AsyncClient) -> None:
    answer = await client.get("/ok", headers={"X-Turnkeep-User": "not/an/id"})
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


async def test_info_contains_no_secret(client: AsyncClient) -> None:
    answer = await client.get("/info")
    assert answer.json() == {
        "version": __version__,
        "model": "demo",
        "agents": list(entries()),
        "default_agent": "papers",
        "warnings": ["demo_model", "no_model_key"],
        "notes": [NO_MODEL_KEY],
        "flags": {"assistants": True, "crons": False, "langsmith": False},
        "host": {"kind": "self-hosted"},
    }
    assert "secret" not in answer.text


async def info_of(settings: Settings) -> dict[str, Any]:
    async with AsyncClient(transport=ASGITransport(bare_app(settings=settings)), base_url="http://test") as client:
        return dict((await client.get("/info")).json())


async def test_a_chosen_demo_model_needs_no_note() -> None:
    info = await info_of(Settings(model="demo"))
    assert (info["warnings"], info["notes"]) == (["demo_model"], [])


async def test_a_model_key_needs_no_note() -> None:
    for settings in (Settings(openai_api_key=SecretStr("canary")), Settings(model_key="ssm:/canary")):
        info = await info_of(settings)
        assert (info["model"], info["warnings"], info["notes"]) == (DEFAULT_OPENAI_MODEL, [], [])
        assert "canary" not in str(info)


def test_the_version_matches_pyproject() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert __version__ == project["version"]


async def test_agents_are_listed_with_a_diagram(client: AsyncClient) -> None:
    listed = (await client.get("/agents")).json()
    assert [agent["name"] for agent in listed] == list(entries())
    drawn = (await client.get("/agents/papers")).json()
    assert drawn["description"] == entries()["papers"].description
    assert "answer" in drawn["mermaid"]


async def test_an_unknown_agent_is_not_found(client: AsyncClient) -> None:
    for name in ("nobody", "..%2Fpapers", "a%23b", "x" * 64, "%00"):
        answer = await client.get(f"/agents/{name}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
