"""Health, version and agents, without loading LangGraph."""

import tomllib
from pathlib import Path

import pytest
from httpx import AsyncClient
from pydantic import SecretStr
from starlette.testclient import TestClient

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


@pytest.mark.parametrize(
    ("settings", "model", "warnings"),
    [
        (Settings(model="demo"), "demo", ["demo_model"]),
        (Settings(openai_api_key=SecretStr("canary")), DEFAULT_OPENAI_MODEL, []),
        (Settings(model_key="ssm:/canary"), DEFAULT_OPENAI_MODEL, []),
    ],
)
def test_a_chosen_model_or_a_key_needs_no_note(settings: Settings, model: str, warnings: list[str]) -> None:
    info = TestClient(bare_app(settings=settings)).get("/info").json()
    assert (info["model"], info["warnings"], info["notes"]) == (model, warnings, [])
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
