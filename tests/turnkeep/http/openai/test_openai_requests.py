"""A turn takes four requests to the store, the first of a thread three."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from openai import AsyncOpenAI

from turnkeep.store.items import Items

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PING: Any = {"role": "user", "content": "ping"}
EVENT = "before-send.dynamodb"


@pytest.fixture
def items(dynamodb: "DynamoDBClient", table_name: str) -> Items:
    return Items(dynamodb, table_name)


@pytest.fixture
def sent(dynamodb: "DynamoDBClient") -> Iterator[Counter[str]]:
    calls: Counter[str] = Counter()

    def count(request: Any, **_: Any) -> None:
        calls[request.headers["X-Amz-Target"].decode().rpartition(".")[2]] += 1

    dynamodb.meta.events.register(EVENT, count)
    yield calls
    dynamodb.meta.events.unregister(EVENT, count)


async def completion(openai: AsyncOpenAI, before: list[Any]) -> None:
    history = [each for answer in before for each in (PING, {"role": "assistant", "content": answer})]
    headers = {"X-Turnkeep-Thread": "t1"}
    answer = await openai.chat.completions.create(model="papers", messages=[*history, PING], extra_headers=headers)
    before.append(answer.choices[0].message.content)


async def response(openai: AsyncOpenAI, before: list[Any]) -> None:
    previous = {"previous_response_id": before[-1].id} if before else {}
    before.append(await openai.responses.create(model="papers", input="ping", **previous))


async def spoken(openai: AsyncOpenAI, before: list[Any]) -> None:
    name = before[0] if before else (await openai.conversations.create()).id
    await openai.responses.create(model="papers", input=f"ping {len(before)}", conversation=name)
    before.append(name)


@pytest.mark.parametrize("send", [completion, response, spoken])
async def test_a_turn_takes_four_requests(
    openai: AsyncOpenAI, sent: Counter[str], send: Callable[[AsyncOpenAI, list[Any]], Awaitable[None]]
) -> None:
    before: list[Any] = []
    for _ in range(2):
        await send(openai, before)
    sent.clear()
    await send(openai, before)
    assert dict(sent) == {"UpdateItem": 2, "Query": 1, "BatchWriteItem": 1}


async def test_a_conversation_that_begins_takes_three(openai: AsyncOpenAI, sent: Counter[str]) -> None:
    await response(openai, [])
    assert dict(sent) == {"UpdateItem": 2, "BatchWriteItem": 1}
