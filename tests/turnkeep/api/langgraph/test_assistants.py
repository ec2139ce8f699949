"""Assistants with LangGraph's stock SDK: one for each agent, found by its name or its id."""

from uuid import UUID

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from turnkeep.api.views import assistant_id
from turnkeep.entries import entries

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_ids_are_those_of_langgraphs_server() -> None:
    assert assistant_id("agent") == "fe096781-5601-53d2-b2f6-0d3403f7e9ca"


async def test_each_agent_is_an_assistant(sdk: LangGraphClient) -> None:
    found = await sdk.assistants.search()
    assert [assistant["graph_id"] for assistant in found] == list(entries())
    assert all(UUID(assistant["assistant_id"]).version == 5 for assistant in found)
    assert await sdk.assistants.count() == len(found)
    one, *rest = await sdk.assistants.search(limit=1, offset=1, sort_by="name", sort_order="desc")
    assert (one["name"], rest) == (sorted(entries())[-2], [])


async def test_an_assistant_is_found_by_name_and_by_id(sdk: LangGraphClient) -> None:
    [found] = await sdk.assistants.search(graph_id="papers")
    assert await sdk.assistants.get("papers") == found
    assert await sdk.assistants.get(found["assistant_id"]) == found
    assert await sdk.assistants.search(metadata={"created_by": "user"}) == []


async def test_its_graph_and_schemas_are_shown(sdk: LangGraphClient) -> None:
    graph = await sdk.assistants.get_graph(assistant_id("papers"))
    assert [node["id"] for node in graph["nodes"]] == ["__start__", "prepare", "serve", "__end__"]
    opened = await sdk.assistants.get_graph("papers", xray=True)
    assert "prepare:look" in [node["id"] for node in opened["nodes"]]
    schemas = await sdk.assistants.get_schemas("papers")
    assert schemas["graph_id"] == "papers"
    assert "messages" in schemas["input_schema"]["properties"]  # type: ignore[index]


@pytest.mark.parametrize("rest", ["", "/graph", "/schemas", "/subgraphs"])
async def test_an_unknown_assistant_is_not_found(client: AsyncClient, rest: str) -> None:
    assert (await client.get(f"/assistants/{UNKNOWN}{rest}")).status_code == 404
    malformed = await client.get(f"/assistants/nobody{rest}")
    assert (malformed.status_code, malformed.json()["code"]) == (422, "invalid_id")


async def test_the_sdk_raises_what_fits(sdk: LangGraphClient) -> None:
    with pytest.raises(NotFoundError):
        await sdk.assistants.get(UNKNOWN)
    with pytest.raises(NotFoundError):
        await sdk.assistants.search(graph_id="nobody")
    with pytest.raises(UnprocessableEntityError):
        await sdk.assistants.get_graph("papers", xray=0)
