"""Open WebUI's requests: a chat is a thread, and its side calls are not stored."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from turnkeep.records import Principal

CHAT = "5b0a3f8e-6a3c-4f43-9d55-0e2f3c1b7a10"
USER = {"X-OpenWebUI-User-Id": "u-7", "X-OpenWebUI-User-Email": "ann@acme.example", "X-OpenWebUI-User-Role": "user"}
SERVER = Principal("acme", "webui", acts_for="tenant")
TITLE = """### Task:
Write a title of a few words.
### Output:
JSON format: { "title": "your title here" }
### Chat History:
<chat_history>
USER: first
and its second line
ASSISTANT: 1: first
</chat_history>"""


async def send(client: AsyncClient, *texts: str, headers: Any = None, **changes: Any) -> Response:
    """Send a streamed request with all messages, as the chat does."""
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    body = {"model": "papers", "messages": messages, "stream": True, "stream_options": {"include_usage": True}}
    named = {"X-OpenWebUI-Chat-Id": CHAT, **USER, **(headers or {})}
    return await client.post("/v1/chat/completions", json={**body, **changes}, headers=named)


async def replies(client: AsyncClient) -> list[str]:
    turns = await client.get(f"/threads/{CHAT}/turns")
    return [turn["reply"] for turn in turns.json().get("turns", [])]


def content(answer: Response) -> Any:
    return json.loads(answer.json()["choices"][0]["message"]["content"])


async def test_a_chat_of_three_messages_is_three_turns_without_its_title(client: AsyncClient) -> None:
    for _ in range(2):  # the first answer got lost
        await send(client, "first")
    title = await send(client, TITLE, stream=False, max_completion_tokens=1000)
    await send(client, "first", "1: first", "second")
    last = await send(client, "first", "1: first", "second", "3: second", "third")
    assert await replies(client) == ["1: first", "3: second", "5: third"]
    assert content(title) == {"title": "", "tags": [], "follow_ups": [], "queries": [""], "text": ""}
    assert "history_differs" not in last.text


async def test_the_task_header_decides_what_is_a_task(client: AsyncClient) -> None:
    await send(client, "suggest tags", headers={"X-Turnkeep-Task": "tags_generation"}, stream=False)
    assert await replies(client) == []
    streamed = await send(client, "suggest tags", headers={"X-Turnkeep-Task": "tags_generation"})
    assert streamed.text.endswith("data: [DONE]\n\n")
    await send(client, TITLE, headers={"X-Turnkeep-Task": ""}, stream=False)
    assert len(await replies(client)) == 1


@pytest.mark.parametrize(
    ("texts", "changes"),
    [
        ((TITLE,), {"stream": True}),
        (("### Task: sweep the floor",), {"stream": False}),
        (("first", "1: first", TITLE), {"stream": False}),
    ],
)
async def test_a_message_that_only_resembles_a_task_is_a_turn(
    client: AsyncClient, texts: tuple[str, ...], changes: dict[str, Any]
) -> None:
    await send(client, *texts, **changes)
    assert len(await replies(client)) == 1


async def test_a_task_template_from_another_client_is_a_turn(client: AsyncClient) -> None:
    body = {"model": "papers", "messages": [{"role": "user", "content": TITLE}]}
    answer = await client.post("/v1/chat/completions", json=body, headers={"X-Turnkeep-Thread": "t1"})
    assert answer.json()["turnkeep"]["turn_number"] == 1


async def test_a_temporary_chat_is_not_stored(client: AsyncClient) -> None:
    answer = await send(
        client, "first", "1: first", "second", headers={"X-OpenWebUI-Chat-Id": "local:Vq3x"}, stream=False
    )
    assert answer.json()["choices"][0]["message"]["content"] == "3: second"
    assert (await client.post("/threads/search", json={})).json() == []


async def test_a_key_that_acts_for_others_separates_their_users(make_app: Callable[..., FastAPI]) -> None:
    apps = [make_app(authenticate=lambda _, who=who: who) for who in (SERVER, Principal("acme", "u-7"))]
    of_server, of_user = (AsyncClient(transport=ASGITransport(app), base_url="http://test") for app in apps)
    await send(of_server, "first")
    assert await replies(of_server) == []
    assert await replies(of_user) == ["1: first"]
