"""Assistants in LangGraph's SDK: one for each agent, and those that a user creates."""

from uuid import UUID

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

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


async def test_a_created_assistant_configures_its_runs(sdk: LangGraphClient, thread_id: str) -> None:
    made = await sdk.assistants.create("papers", config={"configurable": {"tone": "warm"}}, name="mine")
    named = made["assistant_id"]
    given = {"messages": [{"role": "user", "content": "config"}]}
    values = await sdk.runs.wait(thread_id, named, input=given)
    assert f"'tone': 'warm', 'thread_id': '{thread_id}', 'assistant_id': '{named}'" in values["messages"][-1]["content"]  # type: ignore[index,call-overload]
    values = await sdk.runs.wait(None, named, input=given, config={"configurable": {"tone": "cold"}})
    assert "'tone': 'cold'" in values["messages"][-1]["content"]  # type: ignore[index,call-overload]
    assert (await sdk.assistants.get_schemas(named))["graph_id"] == "papers"


async def test_an_assistant_has_versions(sdk: LangGraphClient) -> None:
    made = await sdk.assistants.create("papers", metadata={"label": "a", "kept": 1}, assistant_id=str(UUID(int=7)))
    named = made["assistant_id"]
    changed = await sdk.assistants.update(named, metadata={"label": "b"}, name="renamed", description="better")
    assert (changed["version"], changed["metadata"], changed["name"]) == (2, {"label": "b", "kept": 1}, "renamed")
    assert [each["version"] for each in await sdk.assistants.get_versions(named)] == [2, 1]
    assert (await sdk.assistants.set_latest(named, 1))["metadata"]["label"] == "a"
    assert (await sdk.assistants.get(named))["version"] == 1
    assert (await sdk.assistants.update(named, name="third"))["version"] == 3
    [found] = await sdk.assistants.search(metadata={"kept": 1})
    assert (found["version"], await sdk.assistants.count(metadata={"kept": 1})) == (3, 1)
    again = await sdk.assistants.create("papers", assistant_id=named, if_exists="do_nothing")
    assert again["version"] == 3
    await sdk.assistants.delete(named)
    assert await sdk.assistants.search(metadata={"kept": 1}) == []


@pytest.mark.parametrize(
    ("work", "status"),
    [
        (lambda on: on.create("nope"), 404),
        (lambda on: on.create("papers", assistant_id="x"), 422),
        (lambda on: on.create("papers", assistant_id=str(UUID(int=1))), 409),
        (lambda on: on.update("papers", name="x"), 422),
        (lambda on: on.update(str(UUID(int=1)), graph_id="nope"), 404),
        (lambda on: on.delete(str(UUID(int=2))), 404),
        (lambda on: on.set_latest(str(UUID(int=1)), 9), 404),
    ],
)
async def test_a_wrong_change_of_an_assistant_is_refused(sdk: LangGraphClient, work, status: int) -> None:  # type: ignore[no-untyped-def]
    await sdk.assistants.create("papers", assistant_id=str(UUID(int=1)))
    with pytest.raises(APIStatusError) as refused:
        await work(sdk.assistants)
    assert refused.value.status_code == status
