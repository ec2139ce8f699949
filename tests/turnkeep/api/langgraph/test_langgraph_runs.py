"""Runs with LangGraph's stock SDK: streamed, waited for, without a thread, asking and answered; each makes a turn."""

import asyncio
from typing import Any

import pytest
from desk_graph import gates
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text, **more}]}


async def streamed(sdk: LangGraphClient, thread_id: str | None, **asked: Any) -> list[tuple[str, Any]]:
    return [(part.event, part.data) async for part in sdk.runs.stream(thread_id, "papers", **asked)]


async def turns_of(client: AsyncClient, thread_id: str) -> list[tuple[str, str]]:
    found = (await client.get(f"/threads/{thread_id}/turns")).json()["turns"]
    return [(turn["message"], turn["reply"]) for turn in found]


async def test_a_streamed_run_is_a_turn_of_the_thread(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str
) -> None:
    parts = await streamed(sdk, thread_id, input=said("hello"), stream_mode="values")
    assert [event for event, _ in parts] == ["metadata", "values", "values", "values", "end"]
    assert [message["content"] for message in parts[-2][1]["messages"]] == ["hello", "1: hello"]
    assert parts[-1][1] == {"run_id": parts[0][1]["run_id"], "status": "success"}
    assert await turns_of(client, thread_id) == [("hello", "1: hello")]
    run = await sdk.runs.get(thread_id, parts[0][1]["run_id"])
    assert (run["status"], run["metadata"]["turn_number"]) == ("success", 1)


async def test_turns_of_both_protocols_follow_each_other(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str
) -> None:
    await client.post(f"/threads/{thread_id}/turns", json={"message": "one"})
    values = await sdk.runs.wait(thread_id, "papers", input=said("two"))
    assert [message["content"] for message in values["messages"]] == ["one", "1: one", "two", "3: two"]
    await client.post(f"/threads/{thread_id}/turns", json={"message": "three"})
    assert [message for message, _ in await turns_of(client, thread_id)] == ["one", "two", "three"]


async def test_a_message_grows_piece_by_piece(sdk: LangGraphClient, thread_id: str) -> None:
    parts = await streamed(sdk, thread_id, input=said("hello"), stream_mode="messages")
    pieces = [data[0] for event, data in parts if event == "messages/partial"]
    assert [piece["content"] for piece in pieces] == ["1:", "1: ", "1: hello"]
    assert {piece["type"] for piece in pieces} == {"ai"}
    [(name, told)] = parts[1][1].items()
    assert (name, told["metadata"]["langgraph_node"]) == (pieces[0]["id"], "serve")


async def test_the_headers_say_where_the_run_is_found(client: AsyncClient, thread_id: str) -> None:
    answer = await client.post(
        f"/threads/{thread_id}/runs/stream", json={"assistant_id": "papers", "input": said("hello")}
    )
    place = answer.headers["content-location"]
    assert answer.headers["location"] == f"{place}/stream"
    assert (await client.get(place)).json()["status"] == "success"
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    waited = await client.post(f"/threads/{thread_id}/runs/wait", json={"assistant_id": "papers", "input": said("x")})
    assert waited.headers["content-type"] == "application/json"
    assert waited.headers["location"] == waited.headers["content-location"] + "/join"


async def test_a_run_without_a_thread_keeps_nothing(sdk: LangGraphClient, client: AsyncClient) -> None:
    values = await sdk.runs.wait(None, "papers", input=said("hello"))
    assert values["messages"][-1]["content"] == "1: hello"
    assert [event for event, _ in await streamed(sdk, None, input=said("hello"), stream_mode="custom")][-1] == "end"
    assert (await client.post("/threads/search")).json() == []
    answer = await client.post("/runs/wait", json={"assistant_id": "papers", "input": said("hello")})
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    ("modes", "told"), [("values", "values"), ("updates", "updates"), ("messages-tuple", "updates")]
)
async def test_a_question_is_told_and_answered(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, modes: Any, told: str
) -> None:
    parts = await streamed(sdk, thread_id, input=said("ask me"), stream_mode=modes)
    [(event, [question])] = [(event, data["__interrupt__"]) for event, data in parts if "__interrupt__" in data]
    assert (event, question["value"]) == (told, {"question": "ok?"})
    assert (await sdk.threads.get(thread_id))["status"] == "interrupted"
    state = await sdk.threads.get_state(thread_id)
    assert (state["next"], state["tasks"][0]["interrupts"][0]["id"]) == (["serve"], question["id"])
    values = await sdk.runs.wait(thread_id, "papers", command={"resume": {"decisions": [{"type": "approve"}]}})
    assert values["messages"][-1]["content"] == "answered {'decisions': [{'type': 'approve'}]}"
    assert [message for message, _ in await turns_of(client, thread_id)] == [
        "ask me",
        '{"decisions":[{"type":"approve"}]}',
    ]


async def test_a_run_goes_on_from_an_older_checkpoint(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str
) -> None:
    for text in ("one", "two"):
        await sdk.runs.wait(thread_id, "papers", input=said(text))
    newest, first = await sdk.threads.get_history(thread_id)
    assert newest["parent_checkpoint"] == first["checkpoint"]
    values: Any = await sdk.runs.wait(thread_id, "papers", input=said("other"), checkpoint=first["checkpoint"])
    assert [message["content"] for message in values["messages"]] == ["one", "1: one", "other", "3: other"]
    assert [message for message, _ in await turns_of(client, thread_id)] == ["one", "other"]
    parents = [state["parent_checkpoint_id"] for state in await sdk.threads.get_history(thread_id)]
    assert parents.count(first["checkpoint"]["checkpoint_id"]) == 2


async def test_a_failure_is_told_and_leaves_the_thread_as_it_was(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str
) -> None:
    parts = await streamed(sdk, thread_id, input=said("fail please"))
    assert [event for event, _ in parts][-1] == "error"
    assert (parts[-1][1]["error"], parts[-1][1]["code"]) == ("AgentError", "agent_error")
    with pytest.raises(Exception, match=r"^AgentError: "):
        await sdk.runs.wait(thread_id, "papers", input=said("fail please"))
    assert await turns_of(client, thread_id) == []


async def test_a_graph_reads_what_the_client_says_and_no_forged_names(sdk: LangGraphClient, thread_id: str) -> None:
    values: Any = await sdk.runs.wait(
        thread_id,
        "papers",
        input=said("tell me"),
        config={"configurable": {"tone": "dry", "thread_id": "forged", "assistant_id": "forged"}},
        metadata={"from": "the test"},
    )
    [assistant] = await sdk.assistants.search(graph_id="papers")
    told = {"tone": "dry", "thread_id": thread_id, "assistant_id": assistant["assistant_id"]}
    assert values["messages"][-1]["content"] == f"{told} the test"


async def test_one_run_at_a_time(sdk: LangGraphClient, thread_id: str) -> None:
    waiting = asyncio.create_task(sdk.runs.wait(thread_id, "papers", input=said("wait one-at-a-time")))
    while "one-at-a-time" not in gates:
        await asyncio.sleep(0.01)
    with pytest.raises(ConflictError) as refused:
        await streamed(sdk, thread_id, input=said("hello"), multitask_strategy="reject")
    assert refused.value.code == "thread_busy"
    gates["one-at-a-time"].set()
    assert (await waiting)["messages"][-1]["content"] == "waited"  # type: ignore[call-overload]


REFUSED: dict[str, dict[str, Any]] = {
    "stream_mode": {"stream_mode": "events"},
    "multitask_strategy": {"multitask_strategy": "rollback"},
    "webhook": {"webhook": "https://example.org"},
    "after_seconds": {"after_seconds": 5},
    "feedback_keys": {"feedback_keys": ["a"]},
    "on_completion": {"on_completion": "keep"},
    "durability": {"durability": "never"},
    "on_disconnect": {"on_disconnect": "wait"},
    "if_not_exists": {"if_not_exists": "maybe"},
    "input": {"input": "hello"},
    "input.messages": {"input": {"messages": [{"content": "hello"}]}},
    "command.goto": {"command": {"goto": 5}},
    "config.recursion_limit": {"config": {"recursion_limit": 0}},
    "context": {"context": {"long": "x" * 20_000}},
    "assistant_id": {"assistant_id": None},
}


@pytest.mark.parametrize("field", REFUSED)
async def test_what_cannot_be_honoured_is_refused_and_says_so(client: AsyncClient, thread_id: str, field: str) -> None:
    body = {"assistant_id": "papers", "input": said("hello"), **REFUSED[field]}
    for path in (f"/threads/{thread_id}/runs/stream", f"/threads/{thread_id}/runs/wait", "/runs/stream"):
        answer = await client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert answer.json()["detail"].startswith(f"body.{field.partition('.')[0]}")
        assert "{{" not in answer.json()["detail"]
    assert await turns_of(client, thread_id) == []


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        ("x" * 70_000, 413, "message_too_long"),
        ([{"type": "text", "text": "x" * 70_000}], 413, "message_too_long"),
        ("x" * 300_000, 413, "body_too_large"),
        ("a\0b", 422, "invalid_request"),
        (" \n", 422, "invalid_request"),
    ],
)
async def test_a_message_that_cannot_be_one_is_refused(
    client: AsyncClient, thread_id: str, content: Any, status: int, code: str
) -> None:
    body = {"assistant_id": "papers", "input": said(content)}
    answer = await client.post(f"/threads/{thread_id}/runs/wait", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
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
async def test_each_form_of_a_message_is_shown_as_text(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, form: str
) -> None:
    given, shown = SHOWN[form]
    await sdk.runs.wait(thread_id, "papers", input=given)
    assert [message for message, _ in await turns_of(client, thread_id)] == [shown]


async def test_a_thread_is_made_where_that_is_asked_for(sdk: LangGraphClient) -> None:
    await sdk.runs.wait("fresh", "papers", input=said("hello"), if_not_exists="create")
    thread: Any = await sdk.threads.get("fresh")
    assert (thread["turn_count"], thread["metadata"]["graph_id"]) == (1, "papers")
