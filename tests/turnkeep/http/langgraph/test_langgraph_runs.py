"""Runs in LangGraph's SDK. tests/clients compares every kind of run with the reference."""

from typing import Any

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient


def human(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text, **more}]}


async def streamed(sdk: LangGraphClient, thread_id: str | None, **asked: Any) -> list[tuple[str, Any]]:
    return [(part.event, part.data) async for part in sdk.runs.stream(thread_id, "papers", **asked)]


async def turns_of(client: AsyncClient, thread_id: str) -> list[tuple[str, str]]:
    found = (await client.get(f"/threads/{thread_id}/turns")).json()["turns"]
    return [(turn["message"], turn["reply"]) for turn in found]


async def test_a_run_without_a_thread_stores_nothing(sdk: LangGraphClient, client: AsyncClient) -> None:
    values = await sdk.runs.wait(None, "papers", input=human("hello"))
    assert values["messages"][-1]["content"] == "1: hello"
    assert [event for event, _ in await streamed(sdk, None, input=human("hello"), stream_mode="custom")][-1] == "end"
    assert (await client.post("/threads/search")).json() == []
    answer = await client.post("/runs/wait", json={"assistant_id": "papers", "input": human("hello")})
    assert "location" not in answer.headers


async def test_a_graph_reads_the_clients_config_but_no_forged_ids(sdk: LangGraphClient, thread_id: str) -> None:
    values: Any = await sdk.runs.wait(
        thread_id,
        "papers",
        input=human("config please"),
        config={"configurable": {"tone": "dry", "thread_id": "forged", "assistant_id": "forged"}},
        metadata={"from": "the test"},
    )
    [assistant] = await sdk.assistants.search(graph_id="papers")
    sent = {"tone": "dry", "thread_id": thread_id, "assistant_id": assistant["assistant_id"]}
    assert values["messages"][-1]["content"] == f"{sent} the test"


REFUSED: dict[str, dict[str, Any]] = {
    "stream_mode": {"stream_mode": "colours"},
    "multitask_strategy": {"multitask_strategy": "juggle"},
    "webhook": {"webhook": "https://example.org"},
    "after_seconds": {"after_seconds": 5},
    "feedback_keys": {"feedback_keys": ["a"]},
    "on_completion": {"on_completion": "keep"},
    "durability": {"durability": "never"},
    "input": {"input": "hello"},
    "input.messages": {"input": {"messages": [{"content": "hello"}]}},
    "command.goto": {"command": {"goto": 5}},
    "context": {"context": {"long": "x" * 20_000}},
    "assistant_id": {"assistant_id": None},
    "checkpoint": {"checkpoint": {"checkpoint_id": "x", "checkpoint_ns": "inner:1"}},
}


@pytest.mark.parametrize("field", REFUSED)
async def test_unsupported_options_are_rejected_by_name(client: AsyncClient, thread_id: str, field: str) -> None:
    body = {"assistant_id": "papers", "input": human("hello"), **REFUSED[field]}
    for path in (f"/threads/{thread_id}/runs/stream", f"/threads/{thread_id}/runs/wait", "/runs/stream"):
        answer = await client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert answer.json()["detail"].startswith(f"body.{field.partition('.')[0]}")
        assert "{{" not in answer.json()["detail"]
    assert await turns_of(client, thread_id) == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("x" * 70_000, "message_too_long"),
        ([{"type": "text", "text": "x" * 70_000}], "message_too_long"),
        ("a\0b", "invalid_request"),
    ],
)
async def test_an_invalid_message_is_rejected(client: AsyncClient, thread_id: str, content: Any, code: str) -> None:
    body = {"assistant_id": "papers", "input": human(content)}
    answer = await client.post(f"/threads/{thread_id}/runs/wait", json=body)
    assert answer.json()["code"] == code
    assert await turns_of(client, thread_id) == []


SHOWN: dict[str, tuple[Any, str]] = {
    "a text": ({"messages": "hello"}, "hello"),
    "texts": ({"messages": ["one", "hello"]}, "hello"),
    "a pair": ({"messages": [["user", "hello"]]}, "hello"),
    "a type": ({"messages": [{"type": "human", "content": "hello"}, {"type": "ai", "content": "no"}]}, "hello"),
    "blocks": ({"messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]}, "hello"),
    "no message": ({"note": "a", "messages": [["ai", "b"]]}, '{"note":"a","messages":[["ai","b"]]}'),
}


@pytest.mark.parametrize("form", SHOWN)
async def test_each_form_of_a_message_is_stored_as_text(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, form: str
) -> None:
    given, shown = SHOWN[form]
    await sdk.runs.wait(thread_id, "papers", input=given)
    assert [message for message, _ in await turns_of(client, thread_id)] == [shown]
