"""Assistants in LangGraph's SDK: one for each agent."""

from uuid import UUID

from langgraph_sdk.client import LangGraphClient

from turnkeep.entries import entries
from turnkeep.http.views import assistant_id


def test_ids_are_those_of_langgraphs_server() -> None:
    assert assistant_id("agent") == "fe096781-5601-53d2-b2f6-0d3403f7e9ca"


async def test_each_agent_is_an_assistant(sdk: LangGraphClient) -> None:
    found = await sdk.assistants.search()
    assert [assistant["graph_id"] for assistant in found] == list(entries())
    assert all(UUID(assistant["assistant_id"]).version == 5 for assistant in found)
    assert await sdk.assistants.count() == len(found)
    one, *rest = await sdk.assistants.search(limit=1, offset=1, sort_by="name", sort_order="desc")
    assert (one["name"], rest) == (sorted(entries())[-2], [])
