"""Responses and conversations: a response is a turn, a conversation is a thread."""

from typing import Any

import openai as sdk
import pytest
from httpx import AsyncClient
from openai import AsyncOpenAI
from openai.types.responses import Response
from test_completions import replies

from turnkeep.errors import StoreUnavailable
from turnkeep.store.turn_log import TurnLog

AGAIN = {"X-Stainless-Retry-Count": "1"}


async def respond(openai: AsyncOpenAI, message: Any, **more: Any) -> Response:
    answer: Response = await openai.responses.create(model="papers", input=message, **more)
    return answer


def thread_of(answer: Response) -> str:
    assert answer.conversation
    return answer.conversation.id


async def threads(client: AsyncClient) -> list[str]:
    return [thread["thread_id"] for thread in (await client.post("/threads/search", json={})).json()]


async def test_an_older_response_continues_in_a_copy(openai: AsyncOpenAI, client: AsyncClient) -> None:
    first = await respond(openai, "ping")
    await respond(openai, "one", previous_response_id=first.id)
    other = await respond(openai, "two", previous_response_id=first.id)
    again = await respond(openai, "two", previous_response_id=first.id)
    assert (other.id, thread_of(other)) == (again.id, thread_of(again))
    assert await replies(client, thread_of(first)) == ["1: ping", "3: one"]
    assert await replies(client, thread_of(other)) == ["1: ping", "3: two"]
    assert len(await threads(client)) == 2


async def test_the_same_text_begins_another_thread(openai: AsyncOpenAI, client: AsyncClient) -> None:
    made = [await respond(openai, "ping", extra_headers=headers) for headers in (None, None, AGAIN)]
    assert len({answer.id for answer in made}) == len(await threads(client)) == 3


async def test_the_same_key_finds_the_new_thread(openai: AsyncOpenAI, client: AsyncClient) -> None:
    keyed = {"Idempotency-Key": "k-1"}
    first = await respond(openai, "ping", extra_headers=keyed)
    assert (await respond(openai, "ping", extra_headers=keyed)).id == first.id
    assert await threads(client) == [thread_of(first)]


async def test_a_history_that_begins_a_thread_reaches_the_graph(openai: AsyncOpenAI, client: AsyncClient) -> None:
    history = [{"role": "user", "content": "ping"}, {"role": "assistant", "content": "1: ping"}]
    first = await respond(openai, [*history, {"role": "user", "content": "yes"}])
    second = await respond(openai, "and?", previous_response_id=first.id)
    assert (first.output_text, second.output_text) == ("3: yes", "5: and?")


async def test_a_response_is_read_and_deleted_with_its_thread(openai: AsyncOpenAI, client: AsyncClient) -> None:
    made = await respond(openai, "ping", metadata={"mine": "kept"})
    read = await openai.responses.retrieve(made.id)
    assert (read.id, read.output_text, read.usage) == (made.id, "1: ping", made.usage)
    assert made.metadata
    assert made.metadata["mine"] == "kept"
    [item] = (await openai.responses.input_items.list(made.id)).data
    assert item.model_dump()["content"][0]["text"] == "ping"
    again = await openai.conversations.items.retrieve("msg_1_user", conversation_id=thread_of(made))
    assert again.model_dump()["content"][0]["text"] == "ping"
    await openai.responses.delete(made.id)
    with pytest.raises(sdk.NotFoundError):
        await openai.responses.retrieve(made.id)


async def test_a_response_on_an_abandoned_branch_is_not_found(openai: AsyncOpenAI, client: AsyncClient) -> None:
    first = await respond(openai, "ping")
    left = await respond(openai, "one", previous_response_id=first.id)
    turns = f"/threads/{thread_of(first)}/turns"
    assert (await client.post(turns, json={"message": "two", "from_turn": 1})).json()["turn_number"] == 2
    with pytest.raises(sdk.NotFoundError):
        await respond(openai, "and?", previous_response_id=left.id)
    assert await replies(client, thread_of(first)) == ["1: ping", "3: two"]
    assert (await client.get(f"/threads/{thread_of(first)}")).json()["status"] != "busy"


async def test_a_response_of_a_recreated_thread_is_not_found(openai: AsyncOpenAI, client: AsyncClient) -> None:
    old = await respond(openai, "ping", conversation=(await openai.conversations.create()).id)
    await openai.conversations.delete(thread_of(old))
    await client.post("/threads", json={"thread_id": thread_of(old)})
    await client.post(f"/threads/{thread_of(old)}/turns", json={"message": "pong"})
    with pytest.raises(sdk.NotFoundError):
        await openai.responses.retrieve(old.id)


async def test_a_thread_of_any_protocol_is_a_conversation(openai: AsyncOpenAI, client: AsyncClient) -> None:
    await client.post("/threads/t1/turns", json={"message": "ping"})
    await client.post("/chat", json={"session_id": "t1", "message": "ping"})
    assert (await respond(openai, "yes", conversation="t1")).output_text == "3: yes"


async def heard(openai: AsyncOpenAI, *, stream: bool) -> None:
    answer: Any = await respond(openai, "ping", stream=stream)
    assert [event async for event in answer]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_turn_that_was_not_stored_is_an_error_until_the_retry(
    openai: AsyncOpenAI, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    def refuse(*_: Any) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(TurnLog, "commit", refuse)
        with pytest.raises(sdk.APIError, match="could not be stored"):
            await heard(openai, stream=stream)
    answer = await respond(openai, "ping", extra_headers=AGAIN)
    assert (await openai.responses.retrieve(answer.id)).output_text == "1: ping"
